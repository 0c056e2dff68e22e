"""What the verifier says of rows that break a promise, in files that are sound."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sample_folder import CONE, Edit, edit_manifest, edit_rows, png, said

from planimeter import evals
from planimeter.export.schema import COLUMNS
from planimeter.export.verify import part
from planimeter.export.verify.checks import Checker, checker
from planimeter.export.verify.data import split_faults
from planimeter.export.verify.folder import verify
from planimeter.filters.certify import curves, curves_maps
from planimeter.filters.certify.geogram import certificate as geogram
from planimeter.filters.certify.marvl_qa import certificate as marvl_qa
from planimeter.filters.certify.traversal import certificate as traversal
from planimeter.filters.marvl_qa.ambiguity import AmbiguityLimits, judge
from planimeter.flows import writing
from planimeter.flows.display.bars import bars
from planimeter.generators.marvl_qa.plan import family
from planimeter.generators.marvl_qa.transformation import Candidate
from planimeter.items import OPTIONS, Domain
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

#: A cone that rotations hardly change.
ROUND = {**dict.fromkeys(CONE, 0.0), "s": 1.0, "ux": 0.5, "vy": 0.5, "a": 0.001}
#: Turned by 180 degrees it looks like itself moved in x, but only with the function continued (test_ambiguity.py).
GABOR = {"a": -1.0, "kx": -0.154, "ky": 5.924, "phase": -2.747, "wx": 1.24, "wy": 4.28, "x0": 0.89, "y0": 0.03}


def _set(index: int, **values: Any) -> Edit:
    return lambda rows: rows[index].update(values)


def _printed(name: str, parameters: dict[str, float]) -> dict[str, str]:
    expression = family(name).expression(parameters)
    return {"family": name, "parameters": json.dumps(parameters), "expression": expression}


def _all(**values: Any) -> Edit:
    return lambda rows: [row.update(values) for row in rows]


def _picture(index: int, content: bytes) -> Edit:
    return _set(index, image={"bytes": content, "path": "a.png"})


def _shift(index: int, axis: str, value: float) -> Edit:
    return lambda rows: rows[index]["extrema"][0].update({axis: value})


GOOD = png(3)

ROW_DAMAGES: dict[str, tuple[str, Edit, str]] = {
    "an id twice": ("counting", _set(5, id="c00"), "row 5 .c00.: its id occurs twice"),
    "an id of another config": ("transformation", _set(0, id="c00"), "its id occurs twice"),
    "no id": ("counting", _set(0, id=""), "its id is empty"),
    "a question before one of a smaller seed": (
        "counting",
        _set(3, seed=2**63 + 256),
        "row 4 .c04.: its seed is smaller than that of the row before it",
    ),
    "a file that ends with a larger seed than the next begins with": (
        "counting",
        _set(8, seed=2**63 + 256),
        "00001-of-00002.parquet: begins with a smaller seed than the file before it ends with",
    ),
    "the same item under two ids": (
        "counting",
        lambda rows: rows[1].update(image=rows[0]["image"]),
        "asks the same of the same picture as c00",
    ),
    "a null": ("counting", _set(0, expression=None), "row 0 .c00.: is null in expression"),
    "a null inside a list": ("counting", _shift(0, "x", None), "is null in extrema"),  # type: ignore[arg-type]
    "not a number": ("transformation", _set(0, offset=float("nan")), "is null in offset"),
    "no picture": ("counting", _picture(0, b""), "signature is missing"),
    "a picture cut short": ("counting", _picture(0, GOOD[:-20]), "its picture is not a sound PNG"),
    "a JPEG": ("counting", _picture(0, b"\xff\xd8\xff\xe0" + GOOD), "signature is missing"),
    "a tiny picture": ("counting", _picture(0, png(3, 8, 8)), "has 8 x 8 px; its sides must be 32 to 4096 px"),
    "a picture under a path": (
        "counting",
        _set(0, image={"bytes": png(77), "path": "/data/x.png"}),
        "image.path must be a bare file name",
    ),
    "no prompt": ("counting", _set(0, prompt=""), "prompt is empty"),
    "no certificate": ("counting", _set(0, certified_by=""), "certified_by is empty"),
    "another certificate": (
        "counting",
        _set(0, certified_by="pixels/registration"),
        "certified_by must be 'pixels/level-sets', got 'pixels/registration'",
    ),
    "a local path in a row": ("counting", _set(0, certified_by="/home/ada/certify.py"), "certified_by holds a local"),
    "an answer in words": ("counting", _set(0, answer="three"), "cannot be scored|scores 0.0"),
    "an answer that is not the count": ("counting", _set(0, answer="4"), "answer, count and extrema differ: '4', 3, 3"),
    "an extremum outside": ("counting", _shift(0, "x", 4.5), "extrema must lie in .*got x = 4.5"),
    "an extremum at the frame": ("counting", _shift(0, "y", 3.95), "extrema must lie in .*got y = 3.95"),
    "an extremum twice": (
        "counting",
        lambda rows: rows[0]["extrema"][1].update(rows[0]["extrema"][0]),
        "stand at the same place",
    ),
    "a place upside down": (
        "counting",
        lambda rows: rows[0]["extrema_px"][1].__setitem__(1, 2 * 290.0 - rows[0]["extrema_px"][1][1]),
        r"extrema_px must be .*, \(194.0, 260.0\), .*, got .*, \[194.0, 320.0\]",
    ),
    "places in another order": ("counting", lambda rows: rows[0]["extrema_px"].reverse(), "extrema_px must be"),
    "a place too few": ("counting", lambda rows: rows[0]["extrema_px"].pop(), "extrema_px must be"),
    "an unknown feature": ("counting", _set(0, feature="saddles"), "feature must be one of"),
    "a contour plot with a colour map": ("counting", _set(8, colormap="viridis"), "one of the nine styles"),
    "a heat map without one": ("counting", _set(0, colormap=""), "one of the nine styles"),
    "a question that lacks a style": ("counting", lambda rows: rows.pop(2), "maxima of gaussian_mixture .* has 8 rows"),
    "a question with a style twice": ("counting", _set(1, colormap="viridis"), "has 9 rows in 8 styles"),
    "another answer in another style": (
        "counting",
        _set(1, answer="2", count=2, extrema=[{"x": 0.0, "y": 0.0, "z": 1.0}, {"x": 1.0, "y": 1.0, "z": 1.0}]),
        "the same question has one answer in all styles, .* has 2 and 3",
    ),
    "a count outside all bins": (
        "counting",
        _set(0, answer="11", count=11, extrema=[{"x": 0.2 * i, "y": 0.0, "z": 1.0} for i in range(11)]),
        "none of the recipe's count_bins",
    ),
    "too few questions of a bin": (
        "counting",
        lambda rows: rows.__delitem__(slice(9, 18)),
        "promises 1 questions with 6 to 10 features, found 0",
    ),
    "an empty window": ("counting", _set(0, x_min=9.0), "the window is empty"),
    "a tier that does not exist": ("counting", _set(0, tier=6), "tier must be 1 to 5"),
    "parameters that are no object": ("counting", _set(0, parameters="[1]"), "must be a JSON object of numbers"),
    "parameters that are not JSON": ("counting", _set(0, parameters="{"), "must be a JSON object of numbers"),
    "the wrong option": ("transformation", _set(0, answer="2"), "answer must be 1, where rotate_90_clockwise stands"),
    "an option twice": ("transformation", _set(0, options=["rotate_180"] * 5), "options must be .* each once"),
    "an unknown transformation": ("transformation", _set(0, transformation="shear"), "transformation must be one of"),
    "a rotation that shifts": (
        "transformation",
        _set(0, offset=1.0),
        "a rotation has offset 0 and offset_px 0, got 1.0",
    ),
    "a shift upside down": ("transformation", _set(6, offset_px=-72.0), "offset_px must be 72.00"),
    "a rotation that shifts pixels": ("transformation", _set(0, offset_px=1.0), "offset 0 and offset_px 0, got 0.0"),
    "a shift by nothing": ("transformation", _set(4, offset=0.0), "offset must be 8% to 25%"),
    "a shift too far": ("transformation", _set(4, offset=-2.1), r"offset must be 8% to 25% .* -2.1 \(26.2%\)"),
    "styles that are not the same": ("transformation", _set(1, same_style=True), "same_style is True, but"),
    "an unknown style": ("transformation", _set(0, plot_type_b="surface"), "plot_type_b and colormap_b must be one of"),
    "no visible change": (
        "transformation",
        _set(0, nrmse_identity=0.05, nrmse_confusable=0.05),
        "nrmse_identity must be at least 0.07",
    ),
    "a wrong option that fits": ("transformation", _set(0, nrmse_confusable=0.06), "nrmse_confusable must be at least"),
    "a figure that another computation does not give": (
        "transformation",
        _set(0, nrmse_confusable=0.1477),
        "nrmse_confusable must be 0.15.., got 0.1477",
    ),
    "a wrong option that fits what both plots show": (
        "transformation",
        _set(0, **_printed("cone", ROUND)),
        "must differ by 0.07 from the right one, but on what both plots show one does by",
    ),
    "a wrong option that fits beyond the window": (
        "transformation",
        _set(2, **_printed("gabor_function", GABOR), nrmse_confusable=0.0712),
        "must differ by 0.07 .* but continued beyond the window one does by 0.062",
    ),
    "parameters of another family": (
        "transformation",
        _set(0, family="plane"),
        "family and parameters do not give the surface",
    ),
    "a family that does not exist": (
        "transformation",
        _set(0, family="torus"),
        "family and parameters do not give the surface",
    ),
    "parameters that are not those of the expression": (
        "transformation",
        _set(0, parameters=json.dumps(ROUND)),
        "family and parameters do not give the surface",
    ),
    "an expression that is none": (
        "transformation",
        _set(0, expression="__import__('os')"),
        "family and parameters do not give the surface",
    ),
    "figures that contradict": ("transformation", _set(0, nrmse_confusable=0.4), "and so at most nrmse_identity"),
    "a pair without its other styles": (
        "transformation",
        lambda rows: rows.pop(1),
        "each pair of plots must appear in 2 pairs of styles",
    ),
    "too few of a transformation": (
        "transformation",
        lambda rows: rows.__delitem__(slice(6, 8)),
        "promises 1 rows of translate_y with the same style .section 3.3., found 0",
    ),
    "too few pairs": (
        "transformation",
        lambda rows: rows.__delitem__(slice(6, 8)),
        "promises 4 pairs of plots, found 3",
    ),
}


def test_a_fault_in_the_heights_of_a_family_is_found(folder: Path) -> None:
    """The figures stored are then those of a surface that is not the one printed, which the verifier evaluates."""
    right = family("cone")
    leaning = replace(right, height=lambda x, y, p: right.height(x, y, {**p, "b": p["b"] + 0.1}))
    window = Domain(x_min=-4.0, x_max=4.0, y_min=-4.0, y_max=4.0)
    surface = replace(right.surface(CONE), domain=window)
    candidate = Candidate(surface=surface, transformation="rotate_180", offsets=(), options=OPTIONS)
    found = judge(leaning, candidate, AmbiguityLimits())
    figures = {"nrmse_identity": found.nrmse_identity, "nrmse_confusable": found.nrmse_confusable}
    edit_rows(folder, "transformation", lambda rows: [row.update(figures) for row in rows[2:4]])
    assert "nrmse_confusable must be 0.17" in said(verify(folder))


@pytest.mark.parametrize("name", list(ROW_DAMAGES))
def test_damaged_rows(name: str, folder: Path) -> None:
    config, edit, wanted = ROW_DAMAGES[name]
    edit_rows(folder, config, edit)
    found = said(verify(folder))
    assert re.search(wanted, found)
    assert "SHA-256" not in found  # the files themselves are sound: the row is what was found


def test_rewriting_rows_unchanged_does_no_damage(folder: Path) -> None:
    """Without this, the tests of damaged rows could pass because of how they damage."""
    edit_rows(folder, "counting", lambda rows: None)
    edit_rows(folder, "transformation", lambda rows: None)
    assert said(verify(folder)) == ""


def test_a_fault_of_every_row_is_listed_a_few_times_only(folder: Path) -> None:
    edit_rows(folder, "counting", _all(tier=9, answer="0", prompt=""))
    lines = [line for line in said(verify(folder)).splitlines() if line.startswith("data/counting")]
    assert len(lines) < 50
    assert any("more problems in its rows" in line for line in lines)


def test_quotas_hold_at_full_scale_only(folder: Path) -> None:
    edit_rows(folder, "counting", lambda rows: rows.__delitem__(slice(9, 18)))
    edit_rows(folder, "transformation", lambda rows: rows.__delitem__(slice(6, 8)))
    assert "promises" in said(verify(folder))
    edit_manifest(folder, lambda m: m["recipe"].update(scale=0.5))
    assert "promises" not in said(verify(folder))


def test_every_answer_is_scored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def score(suite: str, config: str, row: Any) -> float:
        asked.append(f"{config} {row['id']}")
        return 0.5 if row["id"] == "t31" else 1.0

    monkeypatch.setattr(evals, "gold_score", score)
    found = verify(folder)
    assert len(set(asked)) == 26
    assert [str(p).split("; ")[0] for p in found] == [
        "data/transformation/test-00000-of-00001.parquet: row 7 (t31): its own answer scores 0.5, not 1.0"
    ]


def test_each_row_is_checked_as_one_of_its_split(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite's promises about splits cannot be checked otherwise."""
    seen: set[tuple[str, str]] = set()

    def noting(suite: str, recipe: Mapping[str, Any]) -> Checker:
        found = checker(suite, recipe)
        judge = found.row

        def row(config: str, row: Any) -> Iterator[str]:
            seen.add((config, row["split"]))
            return judge(config, row)

        monkeypatch.setattr(found, "row", row)
        return found

    monkeypatch.setattr(part, "checker", noting)
    assert said(verify(folder)) == ""
    assert seen == {("counting", "test"), ("transformation", "test")}


def test_a_scorer_that_fails_is_a_problem_of_the_row(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def score(suite: str, config: str, row: Any) -> float:
        raise ValueError("no such answer")

    monkeypatch.setattr(evals, "gold_score", score)
    assert "its answer cannot be scored: no such answer" in said(verify(folder))


def test_a_suite_without_protocol_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "planimeter.evals.marvl_qa.protocol", None)
    assert "evals: cannot score the answers" in said(verify(folder))


def test_a_second_process_finds_the_same_problems(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit_rows(folder, "counting", _picture(0, GOOD[:-20]))
    edit_rows(folder, "counting", lambda rows: rows[5].update(image=rows[6]["image"], answer="4"))
    edit_rows(folder, "transformation", _set(0, id="c00"))
    alone = verify(folder)
    assert len(alone) > 3
    monkeypatch.setattr(writing, "MANY", 1)
    with bars() as shown:
        assert writing.problems_of(folder, shown, 2) == alone


def test_the_verifier_knows_the_certifiers_by_their_names() -> None:
    named = {
        suite: {config: checker(suite, {}).certifier(config) for config in configs}
        for suite, configs in COLUMNS.items()
    }
    assert set(named["traversal"].values()) == {traversal.CERTIFIER}
    assert named["marvl_qa"] == {"counting": marvl_qa.COUNTING, "transformation": marvl_qa.REGISTRATION}
    assert named["curves_maps"] == {"planar_map": curves_maps.CERTIFIER}
    assert set(named["curves"].values()) == {curves.CERTIFIER}
    assert set(named["geogram"].values()) == {geogram.NAME}


@pytest.mark.parametrize(
    ("dataset", "scale", "configs", "wanted"),
    [
        (
            "curves",
            1,
            {"easy": {"test": 300}},
            ["promises 210 rows in train, found 0", "rows in validation", "found 300"],
        ),
        ("curves", 1, {"easy": {"train": 210, "validation": 45, "test": 45}, "maze": {"test": 100}}, []),
        ("curves", 0.1, {"easy": {"train": 30}}, []),
        ("curves", 0.1, {"maze": {"train": 10}}, ["has the splits train, the recipe promises test"]),
        ("curves-maps", 1, {"planar_map": {"train": 300}}, ["has the splits train", "promises 300 rows in test"]),
        ("curves-maps", 1, {"easy": {"test": 3}}, ["has the splits test, the recipe promises none"]),
        ("curves-train", 1, {"curriculum": {"test": 9}}, ["has the splits test, the recipe promises train"]),
        ("geogram-train", 1, {"geogram": {"train": 9}}, []),
        ("traversal-train", 1, {"base": {"test": 9}}, ["has the splits test, the recipe promises train"]),
        ("traversal", 1, {"base": {"train": 7800}}, ["has the splits train, the recipe promises test"]),
        ("geogram", 1, {"geogram": {"train": 500}}, ["has the splits train, the recipe promises test"]),
    ],
)
def test_splits_are_those_of_the_recipe(
    dataset: str, scale: float, configs: dict[str, dict[str, int]], wanted: list[str]
) -> None:
    recipe = load(dataset, scale=scale)
    assert isinstance(recipe, Recipe)
    found = [str(fault) for fault in split_faults(checker(recipe.suite, recipe.model_dump(mode="json")), configs)]
    assert len(found) == len(wanted), found
    assert all(words in fault for words, fault in zip(wanted, found, strict=True))


@pytest.mark.parametrize("odd", [None, [], [[]], [[[5, 6, 7]]]], ids=repr)
def test_curves_are_read_as_the_lists_that_they_are(odd: object) -> None:
    """Also where one is missing, is empty, or has points of another kind than the others."""
    curves = [[[[0, 1], [2, 3]], [[4, 5]]], [[[6, 7], [8, 9], [10, 11]]], odd, [[[12, 13]], [[14, 15]]]]
    table = pa.table({"id": list("abcd"), "curves": pa.array(curves, pa.list_(pa.list_(pa.list_(pa.int16()))))})
    read = part._rows_of(table, ("curves",))
    plain = [row["curves"] and [np.asarray(curve).tolist() for curve in row["curves"]] for row in read]  # type: ignore[attr-defined]
    assert ([row["id"] for row in read], plain) == (list("abcd"), curves)
