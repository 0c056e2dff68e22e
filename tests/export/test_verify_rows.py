"""What the verifier says of rows that break a promise, in files that are sound."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from sample_folder import CONE, Edit, edit_manifest, edit_rows, png, said

from planimeter.export.manifest import Manifest
from planimeter.export.schema import checker
from planimeter.export.verify.data import split_faults, verify_data
from planimeter.export.verify.folder import verify
from planimeter.flows import writing
from planimeter.flows.display.bars import bars
from planimeter.generators.marvl_qa.plan import family
from planimeter.suites.base import Recipe
from planimeter.suites.loading import load
from planimeter.suites.traversal.checks import TraversalChecker


def data_problems(folder: Path) -> str:
    return said(list(verify_data(folder, Manifest.read(folder), lambda _: None, map)))


#: A cone that rotations hardly change.
ROUND = {**dict.fromkeys(CONE, 0.0), "s": 1.0, "ux": 0.5, "vy": 0.5, "a": 0.001}
#: Turned by 180 degrees it looks like itself moved in x, but only with the function continued (test_ambiguity.py).
GABOR = {"a": -1.0, "kx": -0.154, "ky": 5.924, "phase": -2.747, "wx": 1.24, "wy": 4.28, "x0": 0.89, "y0": 0.03}


def _printed(name: str, parameters: dict[str, float]) -> dict[str, Any]:
    expression = family(name).expression(parameters)
    return {"family": name, "parameters": json.dumps(parameters), "expression": expression}


def _picture(content: bytes, path: str = "a.png") -> dict[str, Any]:
    return {"image": {"bytes": content, "path": path}}


def _extrema(count: int) -> dict[str, Any]:
    extrema = [{"x": 0.2 * i, "y": 0.0, "z": 1.0} for i in range(count)]
    return {"answer": str(count), "count": count, "extrema": extrema}


GOOD = png(3)

#: The number of a row of counting, values that it gets, and words of the problem.
COUNTING_FAULTS: list[tuple[int, dict[str, Any], str]] = [
    (5, {"id": "c00"}, "row 5 .c00.: its id occurs twice"),
    (0, {"id": ""}, "its id is empty"),
    (3, {"seed": 2**63 + 256}, "row 4 .c04.: its seed is smaller than that of the row before it"),
    (8, {"seed": 2**63 + 256}, "00001-of-00002.parquet: begins with a smaller seed than the file before it ends with"),
    (0, {"expression": None}, "row 0 .c00.: is null or not finite in expression"),
    (0, _picture(b""), "its picture is not a PNG"),
    (0, _picture(GOOD[:-20]), "its picture is not a valid PNG"),
    (0, _picture(png(3, 8, 8)), "has 8 x 8 px; its sides must be 32 to 4096 px"),
    (0, _picture(png(77), "/data/x.png"), "image.path must be a bare file name"),
    (0, {"prompt": ""}, "prompt is empty"),
    (0, {"certified_by": "pixels/registration"}, "certified_by must be 'pixels/level-sets', got 'pixels/registration'"),
    (0, {"certified_by": "/home/ada/certify.py"}, "certified_by holds a local"),
    (0, {"answer": "three"}, "cannot be scored|scores 0.0"),
    (1, {"colormap": "viridis"}, "has 9 rows in 8 styles"),
    (1, _extrema(2), "the rows of the question maxima, .* must agree on count"),
    (0, _extrema(11), "not in any of the recipe's count_bins"),
    (0, {"x_min": 9.0}, "the window is empty"),
    (0, {"tier": 6}, "tier must be 1 to 5"),
    (0, {"parameters": "[1]"}, "must be a JSON object of numbers"),
]
NOT_THE_SURFACE = "family and parameters do not give the surface"
TRANSFORMATION_FAULTS: list[tuple[int, dict[str, Any], str]] = [
    (0, {"id": "c00"}, "its id occurs twice"),
    (0, {"offset": float("nan")}, "is null or not finite in offset"),
    (0, {"answer": "2"}, "answer must be 1, the place of rotate_90_clockwise in options"),
    (0, {"options": ["rotate_180"] * 5}, "options must be .* each once"),
    (0, {"offset": 1.0}, "a rotation has offset 0 and offset_px 0, got 1.0"),
    (6, {"offset_px": -72.0}, "offset_px must be 72.00"),
    (0, {"offset_px": 1.0}, "offset 0 and offset_px 0, got 0.0"),
    (4, {"offset": 0.0}, "offset must be 8% to 25%"),
    (4, {"offset": -2.1}, r"offset must be 8% to 25% .* -2.1 \(26.2%\)"),
    (0, {"nrmse_identity": 0.05, "nrmse_confusable": 0.05}, "nrmse_identity must be at least 0.07"),
    (0, {"nrmse_confusable": 0.06}, "nrmse_confusable must be at least"),
    # A figure that another computation does not give.
    (0, {"nrmse_confusable": 0.1477}, "nrmse_confusable must be 0.15.., got 0.1477"),
    (0, {"nrmse_confusable": 0.4}, "must be at most nrmse_identity"),
    # Another option fits what both plots show, or the function beyond the window.
    (0, _printed("cone", ROUND), "must have an NRMSE of at least 0.07, but on what both plots show one has"),
    (2, _printed("gabor_function", GABOR) | {"nrmse_confusable": 0.0712}, "but continued beyond .* one has 0.062"),
    (0, {"family": "plane"}, NOT_THE_SURFACE),
    (0, {"parameters": json.dumps(ROUND)}, NOT_THE_SURFACE),
    (0, {"expression": "__import__('os')"}, NOT_THE_SURFACE),
]
#: A config, how its rows are changed, and words of the problem.
EDITS: list[tuple[str, Edit, str]] = [
    ("counting", lambda r: r[1].update(image=r[0]["image"]), "has the same picture and prompts as c00"),
    ("counting", lambda r: r[0]["extrema"][0].update(x=None), "is null or not finite in extrema"),
    ("counting", lambda r: r[0]["extrema"][0].update(x=4.5), "extrema must lie in .*got x = 4.5"),
    ("counting", lambda r: r[0]["extrema"][0].update(y=3.95), "extrema must lie in .*got y = 3.95"),
    ("counting", lambda r: r[0]["extrema"][1].update(r[0]["extrema"][0]), "are at the same place"),
    (
        "counting",
        lambda r: r[0]["extrema_px"][1].__setitem__(1, 2 * 290.0 - r[0]["extrema_px"][1][1]),
        r"extrema_px must be .*, \(194.0, 260.0\), .*, got .*, \[194.0, 320.0\]",
    ),
    ("counting", lambda r: r[0]["extrema_px"].reverse(), "extrema_px must be"),
    ("counting", lambda r: r.pop(2), "the question maxima, gaussian_mixture, .* has 8 rows in 8 styles; need 9"),
    ("transformation", lambda r: r.pop(1), "the pair of plots rotate_90_clockwise, .* has 1 rows in 1 styles; need 2"),
]


def _updating(index: int, values: dict[str, Any]) -> Edit:
    return lambda rows: rows[index].update(values)


DAMAGES = [
    *(("counting", _updating(index, values), words) for index, values, words in COUNTING_FAULTS),
    *(("transformation", _updating(index, values), words) for index, values, words in TRANSFORMATION_FAULTS),
    *EDITS,
]


@pytest.mark.parametrize(("config", "edit", "words"), DAMAGES, ids=[words[:60] for *_, words in DAMAGES])
def test_damaged_rows(config: str, edit: Edit, words: str, folder: Path) -> None:
    edit_rows(folder, config, edit)
    listed = data_problems(folder)
    assert re.search(words, listed)
    assert "SHA-256" not in listed  # the files themselves are sound: the row is what was wrong


def test_quotas_hold_at_full_scale_only(folder: Path) -> None:
    edit_rows(folder, "counting", lambda rows: rows.__delitem__(slice(9, 18)))
    edit_rows(folder, "transformation", lambda rows: rows.__delitem__(slice(6, 8)))
    listed = data_problems(folder)
    assert "promises 9 rows of count 6 to 10, found 0" in listed and "promises 8 rows, found 6" in listed
    assert "promises 1 rows of transformation translate_y, same_style True, found 0" in listed
    edit_manifest(folder, lambda m: m["recipe"].update(scale=0.5))
    assert "promises" not in data_problems(folder)


def test_a_second_process_finds_the_same_problems(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def damage(rows: list[dict[str, Any]]) -> None:
        rows[0].update(_picture(GOOD[:-20]))
        rows[5].update(image=rows[6]["image"], answer="4")

    edit_rows(folder, "counting", damage)
    edit_rows(folder, "transformation", _updating(0, {"id": "c00"}))
    alone = verify(folder)
    assert len(alone) > 3
    monkeypatch.setattr(writing, "MANY", 1)
    with bars() as shown:
        assert writing.problems_of(folder, shown, 2) == alone


@pytest.mark.parametrize(
    ("dataset", "scale", "configs", "wanted"),
    [
        ("curves", 1, {"easy": {"test": 300}}, ["promises 210 rows in train, found 0", "in validation", "found 300"]),
        ("curves", 1, {"easy": {"train": 210, "validation": 45, "test": 45}, "maze": {"test": 100}}, []),
        ("curves", 0.1, {"maze": {"train": 10}}, ["has the splits train, the recipe promises test"]),
        ("curves-maps", 1, {"easy": {"test": 3}}, ["has the splits test, the recipe promises none"]),
        ("geogram-train", 1, {"geogram": {"train": 9}}, []),
        ("traversal-train", 1, {"base": {"test": 9}}, ["has the splits test, the recipe promises train"]),
        ("traversal", 1, {"base": {"train": 7800}}, ["has the splits train, the recipe promises test"]),
    ],
)
def test_splits_are_those_of_the_recipe(dataset: str, scale: float, configs: Any, wanted: list[str]) -> None:
    recipe = load(dataset, scale=scale)
    assert isinstance(recipe, Recipe)
    faults = [str(fault) for fault in split_faults(checker(recipe.suite, recipe.model_dump(mode="json")), configs)]
    assert len(faults) == len(wanted), faults
    assert all(words in fault for words, fault in zip(wanted, faults, strict=True))


def test_a_cell_with_each_of_its_smoothed_drawings_is_full() -> None:
    checks = TraversalChecker(load("traversal-curved").model_dump(mode="json"))
    table = checks.table("curved")
    drawings = table["items_per_cell"] * (1 + len(table["smoothness"]))
    assert len(table["smoothness"]) > 0
    assert {quota.rows for quota in checks.quotas()} == {drawings}
