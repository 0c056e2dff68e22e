"""The columns are those of the dataset contract, and a row that does not fit them is refused."""

from typing import Any

import pytest
from sample_folder import COUNTING, ROWS

from planimeter.export.atomic import ExportError
from planimeter.export.parquet import row_table
from planimeter.export.schema import COLUMNS, schema_of

#: The dataset contract, config by config; common columns first. Only additions are allowed.

COMMON = (
    "id:string image:struct<bytes: binary, path: string> system_prompt:string prompt:string answer:string seed:uint64 "
    "certified_by:string"
)
SURFACE = (
    "family:string tier:int8 parameters:string expression:string x_min:double x_max:double y_min:double y_max:double"
)
TRAVERSAL = (
    "points:list<list<double>> markers:list<string> n_points:int16 tortuosity:double self_intersections:int16 "
    "tortuosity_bin:int8 self_intersection_bin:int8 crossings:list<struct<x: double, y: double, first_segment: int16, "
    "second_segment: int16>> generator_family:string view:int16 glyph_radius:double glyph_pad:double"
)
CURVES = (
    "category:string num_nodes:int32 parents:list<int32> depth:int32 canonical:string curves:list<list<list<double>>>"
)
PROBLEM = (
    "problem:string code:string language:string givens:string level:string "
    "answer_value:double answer_latex:string origin:string template:string"
)
CONTRACT = {
    ("marvl_qa", "counting"): (
        f"{SURFACE} feature:string count:int32 extrema:list<struct<x: double, y: double, z: double>> "
        "extrema_px:list<list<double>> plot_type:string colormap:string"
    ),
    ("marvl_qa", "transformation"): (
        f"{SURFACE} transformation:string offset:double offset_px:double options:list<string> plot_type_a:string "
        "colormap_a:string plot_type_b:string colormap_b:string same_style:bool nrmse_identity:double "
        "nrmse_confusable:double"
    ),
    ("traversal", "base"): TRAVERSAL,
    ("traversal", "confounded"): f"{TRAVERSAL} source_id:string condition:string confounders:list<list<list<double>>>",
    ("traversal", "reading_order"): f"{TRAVERSAL} regime:string lanes:int8",
    ("traversal", "curved"): f"{TRAVERSAL} pair_id:string smoothness:double curvature:double",
    **{("curves", config): CURVES for config in ("easy", "polygon", "topographical", "maze", "counting")},
    ("curves", "curriculum"): f"{CURVES} level:int8",
    ("curves_maps", "planar_map"): "num_curves:int32 num_crossings:int32 num_faces:int32 adjacent:list<list<int32>> "
    "areas:list<double> stroke_px:double curves:list<list<list<double>>>",
    ("geogram", "geogram"): PROBLEM,
    ("geogram_import", "geogram"): f"{PROBLEM} source:string source_level:string source_difficulty:string",
    **{("geogram", form): f"{PROBLEM} pair_id:string" for form in ("asymptote", "matplotlib", "words")},
}


#: What training rows have behind these, where `level` is no column of their config by itself.
TRAINING = {
    ("marvl_qa", "counting"): "level:int32",
    ("marvl_qa", "transformation"): "level:int32",
    ("traversal", "base"): "level:int32",
    ("traversal", "curved"): "level:int32",
    ("geogram", "geogram"): "difficulty:int32",
}


@pytest.mark.parametrize("suite, config", [(suite, config) for suite, configs in COLUMNS.items() for config in configs])
def test_no_promised_column_is_renamed_or_retyped(suite: str, config: str) -> None:
    columns = " ".join(f"{field.name}:{field.type}" for field in schema_of(suite, config).arrow)
    assert columns.replace("element: ", "").replace("item: ", "") == f"{COMMON} {CONTRACT[suite, config]}"
    # Training rows have a level behind their columns.
    plain, training = (schema_of(suite, config, splits).columns for splits in ([], ["train"]))
    assert training[: len(plain)] == plain
    assert " ".join(f"{c.name}:{c.type}" for c in training[len(plain) :]) == TRAINING.get((suite, config), "")


def test_no_promised_config_is_missing() -> None:
    assert {(suite, config) for suite, configs in COLUMNS.items() for config in configs} == set(CONTRACT)


def test_an_unknown_config_names_those_that_exist() -> None:
    with pytest.raises(LookupError, match=r"no marvl_qa/counts; it has: marvl_qa/counting"):
        schema_of("marvl_qa", "counts")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"colour": "red"}, "differs in: colour"),
        ({"count": "three"}, r"counting.count must be int32"),
        ({"seed": -1}, r"counting.seed must be uint64"),
        ({"tier": 400}, r"counting.tier must be int8"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ExportError, match=message):
        row_table([ROWS["counting"][0] | change], COUNTING)


def test_a_missing_column_is_not_filled_with_nulls() -> None:
    row = {**ROWS["counting"][0]}
    del row["extrema"]
    with pytest.raises(ExportError, match="differs in: extrema"):
        row_table([row], COUNTING)
