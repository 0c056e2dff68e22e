"""Faults that were planted in ``export`` and that no other test found."""

import json

import numpy as np
import pytest

from planimeter.export.croissant import located
from planimeter.export.hub.card import earlier
from planimeter.export.pages.pictures import picture_fault
from planimeter.export.suites.curves_maps import _placed
from planimeter.export.suites.marvl_qa_checks import MarvlQaChecker
from planimeter.export.suites.traversal_checks import _SHARED, TraversalChecker
from planimeter.export.verify.card import _around_the_difference
from planimeter.flows.suites.curves_maps import SuiteRecipe
from planimeter.recipes.loading import load
from planimeter.rendering.png import IndexedImage, encode


def test_of_a_line_that_only_goes_on_the_place_where_the_other_ends_is_shown() -> None:
    line = "x" * 100
    shown = (repr(f"...{'x' * 40}"), repr(f"...{'x' * 40}, and more"))
    assert _around_the_difference(line, f"{line}, and more") == shown
    assert _around_the_difference(f"{line}, and more", line) == shown[::-1]


def test_a_map_without_curves_has_none_that_lie_in_the_margin() -> None:
    recipe = load("curves-maps")
    assert isinstance(recipe, SuiteRecipe)
    assert list(_placed({"stroke_px": 5.0}, [], recipe.planar_map.model_dump(mode="json"))) == []


def test_an_extremum_on_the_edge_of_the_window_lies_inside() -> None:
    row = {"x_min": -2.0, "x_max": 3.0, "y_min": -4.0, "y_max": 4.0, "extrema": [{"x": 3.0, "y": -4.0}]}
    assert list(MarvlQaChecker({})._inside(row)) == []
    outside = {**row, "extrema": [{"x": 3.01, "y": -4.0}]}
    assert len(list(MarvlQaChecker({})._inside(outside))) == 1


def test_a_single_pixel_outside_the_palette_is_found() -> None:
    indices = np.zeros((40, 40), np.uint8)
    indices[7, 9] = 4
    image = IndexedImage(indices, np.zeros((4, 3), np.uint8))
    assert "has index 4 in a palette of 4 colours" in picture_fault(encode(image))


def test_only_the_address_of_a_dataset_is_exchanged_in_its_croissant() -> None:
    plain = {"name": "curves", "distribution": [{"name": "rows"}]}
    content = json.dumps({**plain, "url": "https://old.example/curves"}).encode()
    assert json.loads(located(content, "https://new.example/curves")) == {**plain, "url": "https://new.example/curves"}
    assert json.loads(located(content, "")) == plain


def test_a_cell_with_each_of_its_smoothed_drawings_is_full() -> None:
    recipe = load("traversal-curved")
    checks = TraversalChecker(recipe.model_dump(mode="json"))
    table = checks.table("curved")
    drawings = table["items_per_cell"] * (1 + len(table["smoothness"]))
    assert len(table["smoothness"]) > 0
    assert {quota.rows for quota in checks.quotas()} == {drawings}


def test_the_version_before_is_the_newest_of_those_before() -> None:
    tags = ["v1.0.0", "v1.1.0", "v1.2.0", "v2.0.0", "main"]
    assert earlier(tags, "1.2.0") == "v1.1.0"
    assert earlier(tags, "1.0.0") is None


@pytest.mark.parametrize(("spurs", "faults"), [(1, 1), (2, 0), (7, 0), (8, 1)])
def test_a_recipe_without_confounded_paths_still_bounds_the_spurs_of_one(spurs: int, faults: int) -> None:
    row = dict.fromkeys(_SHARED, 0) | {"source_id": "a", "condition": "low", "confounders": [[0.0, 1.0]] * spurs}
    assert len(list(TraversalChecker({})._spurs(row))) == faults
