"""The config surface of marvl-qa-hard: questions on 3D surface plots."""

from typing import Any

import numpy as np
import pytest

from planimeter.filters.certify.marvl_qa.surface import certify
from planimeter.filters.certify.png import decoded
from planimeter.filters.marvl_qa import expressions
from planimeter.filters.marvl_qa.shown import shown
from planimeter.generators.marvl_qa.cameras import Camera
from planimeter.items import Domain, Extremum
from planimeter.suites.account import Account
from planimeter.suites.loading import load
from planimeter.suites.marvl_qa import surface, surface_checks
from planimeter.suites.marvl_qa.recipe import SuiteRecipe

RECIPE, TRAINING = load("marvl-qa-hard"), load("marvl-qa-hard-train")
assert isinstance(RECIPE, SuiteRecipe)
assert isinstance(TRAINING, SuiteRecipe)
CELLS = [(name, feature) for name, counts in surface.COUNTS.items() for feature in counts]


def first_row(recipe: SuiteRecipe, *cell: str | int) -> dict[str, Any]:
    account = Account("surface")
    found = next(filter(None, (surface.surface(recipe, cell, seed << 8, account) for seed in range(60))))
    row: dict[str, Any] = found.rows["surface"][0]
    return row


@pytest.fixture(scope="module", params=CELLS, ids="-".join)
def row(request: pytest.FixtureRequest) -> dict[str, Any]:
    return first_row(RECIPE, *request.param, 8, 19)


def test_a_row_contradicts_nothing(row: dict[str, Any]) -> None:
    assert not list(surface_checks.faults(row))
    assert row["answer"] == str(row["count"]) == str(len(row["extrema"]))
    assert 8 <= row["count"] <= 19


def test_the_camera_shows_what_the_printed_function_has(row: dict[str, Any]) -> None:
    x = row["x_min"] + (np.arange(400) + 0.5) / 400 * (row["x_max"] - row["x_min"])
    y = row["y_max"] - (np.arange(400) + 0.5) / 400 * (row["y_max"] - row["y_min"])
    heights = np.asarray(expressions.surface(row["expression"])(x[None, :], y[:, None]))
    assert (heights.min(), heights.max()) == pytest.approx((row["z_min"], row["z_max"]), abs=1e-6)
    domain = Domain(**{edge: row[edge] for edge in ("x_min", "x_max", "y_min", "y_max")})
    extrema = tuple(Extremum(**point) for point in row["extrema"])
    assert shown(heights, domain, row["feature"], extrema, Camera(row["elevation"], row["azimuth"])).all()


def test_pixels_at_the_extrema_have_their_heights(row: dict[str, Any]) -> None:
    """The place of each extremum in the picture is brighter (or darker) than most of the surface."""
    picture = decoded(row["image"]["bytes"], 0)
    assert picture is not None
    on_surface = picture[40:600, 40:640]
    middle = np.median(on_surface[on_surface < 254])
    light = np.array(
        [np.median(picture[int(y) - 1 : int(y) + 3, int(x) - 1 : int(x) + 3]) for x, y in row["extrema_px"]]
    )
    assert np.mean((light > middle) if row["feature"] == "maxima" else (light < middle)) >= 0.8


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"elevation": 41}, "elevation and azimuth must be those"),
        ({"colormap": "jet"}, "colormap must be one of"),
        ({"z_max": -9.0}, "z_min must be less than z_max"),
        ({"z_min": -0.9}, "z_min must be"),
        ({"extrema_px": [[1.0, 2.0]]}, "extrema_px must be"),
        ({"expression": "x + y"}, "expression must be that of family and parameters"),
    ],
)
def test_a_changed_row_is_found(change: dict[str, Any], words: str) -> None:
    changed = first_row(RECIPE, "beaded_ridges", "maxima", 8, 13) | change
    assert any(words in fault for fault in surface_checks.faults(changed))


def test_another_number_of_summits_is_read_otherwise() -> None:
    first, other = (first_row(RECIPE, "clustered_bumps", "maxima", low, low) for low in (9, 12))
    assert [certify(row["image"]["bytes"], "maxima").answer for row in (first, other)] == ["9", "12"]
