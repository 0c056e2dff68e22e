"""The config surface_transformation of marvl-qa-hard: motions of a 3D surface, each plot seen by its own camera."""

from dataclasses import asdict
from functools import cache
from typing import Any

import cv2
import numpy as np
import pytest

from planimeter.filters.certify.marvl_qa import surface_motions as certificate
from planimeter.filters.certify.png import decoded
from planimeter.filters.marvl_qa import surface_motions
from planimeter.filters.marvl_qa.motion_readings import motion_errors, plots
from planimeter.filters.marvl_qa.motions import MotionLimits
from planimeter.filters.marvl_qa.shown import seen_heights
from planimeter.generators.marvl_qa.cameras import PAIR_CAMERAS, RELIEF, Camera
from planimeter.items import Domain
from planimeter.items.motions import ANSWERS
from planimeter.rendering.surface import pair_of_pictures, view
from planimeter.suites.account import Account
from planimeter.suites.loading import load
from planimeter.suites.marvl_qa import hard_checks, surface_checks
from planimeter.suites.marvl_qa.recipe import SuiteRecipe
from planimeter.suites.marvl_qa.surface_probes import ThumbnailSurfaceMotion
from planimeter.suites.marvl_qa.surface_transformation import surface_transformation
from planimeter.suites.pipeline import suite_of

RECIPE, TRAINING = load("marvl-qa-hard"), load("marvl-qa-hard-train")
assert isinstance(RECIPE, SuiteRecipe)
assert isinstance(TRAINING, SuiteRecipe)
LIMITS = MotionLimits()
DOMAIN = Domain(x_min=-1.0, x_max=1.0, y_min=-1.0, y_max=1.0)


@cache
def first_row(cell: tuple[str | int, ...], *, training: bool = False) -> dict[str, Any]:
    recipe, account = TRAINING if training else RECIPE, Account("surface_transformation")
    found = next(filter(None, (surface_transformation(recipe, cell, seed << 8, account) for seed in range(60))))
    row: dict[str, Any] = found.rows["surface_transformation"][0]
    return row


@pytest.fixture(params=["rippled_dome", "rippled_rings", "rippled_swell"])
def row(request: pytest.FixtureRequest) -> dict[str, Any]:
    return first_row((request.param, "rotate_180+translate_x"))


def test_a_row_contradicts_nothing(row: dict[str, Any]) -> None:
    assert not list(surface_checks.pair_faults(row, {}))
    assert row["options"][int(row["answer"]) - 1] == row["motion"] == "rotate_180+translate_x"
    a, b = plots(row)
    assert (row["z_min"], row["z_max"]) == pytest.approx((min(a.min(), b.min()), max(a.max(), b.max())), abs=1e-6)


def test_swapped_plots_have_the_inverse_motion(row: dict[str, Any]) -> None:
    """A half turn and then a shift is undone by a half turn and then the same shift."""
    picture = decoded(row["image"]["bytes"])
    assert picture is not None
    swapped = cv2.imencode(".png", np.roll(picture, 720, axis=1))[1].tobytes()
    assert certificate.certify(swapped, row["options"]).answer == row["answer"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"elevation_a": 40}, "elevation_a and azimuth_a must be those"),
        ({"azimuth_b": 60}, "elevation_b and azimuth_b must be those"),
        ({"mesh": True, "colormap_a": "magma", "colormap_b": "plasma"}, "colormap_a and colormap_b must be equal with"),
        ({"colormap_a": "jet"}, "colormap_a must be one of"),
        ({"z_max": 9.0}, "z_max must be"),
        ({"offset": 3.0}, "offset must be 1% to 6%"),
        ({"expression": "x + y"}, "expression must be that of family and parameters"),
    ],
)
def test_a_changed_row_is_found(change: dict[str, Any], words: str) -> None:
    changed = first_row(("rippled_dome", "rotate_180+translate_x")) | change
    assert any(words in fault for fault in surface_checks.pair_faults(changed, asdict(LIMITS)))


def test_a_changed_error_is_found() -> None:
    row = first_row(("rippled_dome", "rotate_180+translate_x"))
    errors = [
        error + 1e-3 * (option == row["motion"])
        for option, error in zip(row["options"], row["nrmse_options"], strict=True)
    ]
    faults = list(surface_checks.pair_faults(row | {"nrmse_options": errors}, {}))
    assert len(faults) == 1 and faults[0].startswith("nrmse_options must have")


def test_errors_on_shown_ground_agree_with_a_slow_reading() -> None:
    rng = np.random.default_rng(3)
    a, b = (np.where(rng.random((50, 50)) < 0.7, rng.random((50, 50)), np.nan) for _ in "ab")
    found = surface_motions.errors(a, b, LIMITS)
    assert found == pytest.approx(
        motion_errors(a[::-1], b[::-1], LIMITS.smallest_shift, LIMITS.largest_shift), abs=1e-4
    )


def test_hidden_ground_speaks_for_no_motion() -> None:
    rng = np.random.default_rng(4)
    a = rng.random((200, 200))
    b = np.rot90(a, 2).copy()
    b[:, :80] = np.nan
    found = surface_motions.errors(a, b, LIMITS)
    assert found["rotate_180"] == 0 and min(error for name, error in found.items() if name != "rotate_180") > 0.3


def test_a_wall_hides_the_ground_behind_it() -> None:
    """A wall of the full height at x = 0, seen from +x: it hides ``RELIEF / tan(elevation)`` behind it."""
    x = (np.arange(400) + 0.5) / 200 - 1
    wall = np.broadcast_to((np.abs(x) < 0.01) * 1.0, (400, 400)).copy()
    hidden = np.isnan(seen_heights(wall, Camera(45, 0))).all(axis=0)
    behind = (np.arange(200) + 0.5)[hidden] / 100 - 1
    assert (behind.min(), behind.max()) == pytest.approx((-RELIEF, 0), abs=0.04)
    assert len(behind) == pytest.approx(100 * RELIEF, abs=3)


@pytest.mark.parametrize("cameras", [(PAIR_CAMERAS[0], PAIR_CAMERAS[3]), (PAIR_CAMERAS[1], PAIR_CAMERAS[2])])
def test_the_certificate_sees_from_above(cameras: tuple[Camera, Camera]) -> None:
    centres = (np.arange(400) + 0.5) / 200 - 1
    hill = np.exp(-((centres[None, :] - 0.4) ** 2 + (centres[::-1, None] + 0.2) ** 2) / 0.1).astype(np.float32)
    views = tuple(
        view(np.ascontiguousarray(grid), c) for grid, c in zip((hill, np.rot90(hill, -1)), cameras, strict=True)
    )
    image = pair_of_pictures(views, DOMAIN, ("viridis", "magma"), ("Plot A", "Plot B"), mesh=False)
    first, second = certificate.read_maps(cv2.imencode(".png", image.palette[image.indices][:, :, ::-1])[1].tobytes())
    tops = [np.unravel_index(np.nanargmax(found), found.shape) for found in (first, second)]
    assert tops[0] == pytest.approx((120, 140), abs=4)
    assert tops[1] == pytest.approx((140, 80), abs=4)


def test_the_certificate_refuses_other_pictures() -> None:
    picture = decoded(first_row(("rippled_dome", "rotate_180+translate_x"))["image"]["bytes"])
    assert picture is not None
    one, blank = (cv2.imencode(".png", part)[1].tobytes() for part in (picture[:, :720], np.full_like(picture, 255)))
    reasons = [certificate.certify(png, ANSWERS).reason for png in (one, blank, b"none")]
    assert reasons == ["not two surfaces", "no axes of one camera", "no picture"]


def test_two_meshes_of_different_colours_are_refused() -> None:
    views = (view(np.zeros((400, 400), np.float32), PAIR_CAMERAS[0]),) * 2
    with pytest.raises(ValueError, match="need one colour map for two plots with a mesh, got viridis and magma"):
        pair_of_pictures(views, DOMAIN, ("viridis", "magma"), ("Plot A", "Plot B"), mesh=True)


def test_a_thumbnail_of_broad_bumps_names_the_motion() -> None:
    cell = suite_of(TRAINING).training(TRAINING, "surface_transformation", 1)[0][0].cell
    row = first_row(cell, training=True)
    assert row["level"] == 1 and not list(hard_checks.motion_level("surface_transformation", row))
    reader = ThumbnailSurfaceMotion.__new__(ThumbnailSurfaceMotion)
    reader.size = 300
    assert reader.read(row) == row["answer"]
