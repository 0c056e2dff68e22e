"""3D surface plots: which extrema a camera shows, and the certificate that counts them from pixels."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from planimeter.filters.certify.marvl_qa.surface import certify, read_count, read_map
from planimeter.filters.certify.png import decoded, indexed
from planimeter.filters.marvl_qa.shown import judge_shown, shown, sight_lines
from planimeter.generators.marvl_qa.cameras import CAMERAS, RELIEF, Camera
from planimeter.items import Domain, Extremum
from planimeter.rendering.png import IndexedImage, encode
from planimeter.rendering.surface import picture, view

Array = npt.NDArray[np.float64]

DOMAIN = Domain(x_min=-1.0, x_max=1.0, y_min=-1.0, y_max=1.0)
BUMPS = ((0.5, 0.5), (-0.5, 0.5), (0.0, 0.0), (-0.45, -0.5), (0.5, -0.4))


def _grid(height: Callable[[Array, Array], Array], points: int = 400) -> Array:
    centres = (np.arange(points) + 0.5) / points * 2 - 1
    return np.broadcast_to(height(centres[None, :], -centres[:, None]), (points, points)).copy()


def _bumps(x: Array, y: Array, width: float = 0.12) -> Array:
    return np.asarray(sum(np.exp(-((x - u) ** 2 + (y - v) ** 2) / (2 * width * width)) for u, v in BUMPS))


def _at(*places: tuple[float, float]) -> tuple[Extremum, ...]:
    return tuple(Extremum(x=x, y=y, z=0.0) for x, y in places)


def _fractions(grid: Array) -> npt.NDArray[np.float32]:
    return ((grid - grid.min()) / np.ptp(grid)).astype(np.float32)


def _png(grid: Array, camera: Camera, *, mesh: bool = False) -> bytes:
    return encode(picture(view(_fractions(grid), camera), DOMAIN, "viridis", mesh=mesh))


def test_flat_ground_is_visible_and_a_wall_hides_what_is_behind_it() -> None:
    """A wall of the full height at x = 0, seen from +x: it hides ``RELIEF / tan(elevation)`` behind it."""
    camera = Camera(45, 0)
    grid = _grid(lambda x, y: (np.abs(x) < 0.01) + 0 * y)
    x = np.array([0.5, -0.02 - 0.5 * RELIEF, -0.02 - 0.9 * RELIEF, -0.02 - 1.1 * RELIEF])
    places = np.stack([np.full(4, 200.0), (x + 1) * 200 - 0.5], axis=1)
    own, grazing = sight_lines(grid, places, camera)
    assert (grazing > own + 1e-6).tolist() == [False, True, True, False]


def test_a_hill_hides_its_own_back_and_is_shown() -> None:
    steep = _grid(lambda x, y: _bumps(x, y, 0.03))
    for camera in CAMERAS:
        assert shown(steep, DOMAIN, "maxima", _at(*BUMPS), camera).all()


def test_a_hill_behind_a_higher_one_is_hidden() -> None:
    wall = _grid(lambda x, y: np.where((x > 0.1) & (x < 0.2), 1.0, 0.0) + 0.2 * np.exp(-(x**2 + y**2) / 0.005))
    assert not judge_shown(wall, DOMAIN, "maxima", _at((0.0, 0.0)), Camera(40, 0)).kept
    assert judge_shown(wall, DOMAIN, "maxima", _at((0.0, 0.0)), Camera(40, 180)).kept


def test_a_narrow_pit_is_hidden_and_a_wide_one_is_shown() -> None:
    narrow, wide = (_grid(lambda x, y, w=w: -_bumps(x, y, w)) for w in (0.03, 0.2))
    assert not shown(narrow, DOMAIN, "minima", _at(*BUMPS), CAMERAS[0]).any()
    assert shown(wide, DOMAIN, "minima", _at(*BUMPS), Camera(70, -60)).all()


@pytest.mark.parametrize("camera", CAMERAS, ids=lambda camera: camera.name)
@pytest.mark.parametrize("mesh", [False, True])
def test_certificate_counts_hills_from_each_camera(camera: Camera, mesh: bool) -> None:
    assert certify(_png(_grid(_bumps), camera, mesh=mesh), "maxima").answer == str(len(BUMPS))


def test_certificate_counts_pits() -> None:
    pits = _grid(lambda x, y: -_bumps(x, y, 0.15))
    assert certify(_png(pits, Camera(70, 30), mesh=True), "minima").answer == str(len(BUMPS))


def test_map_has_the_heights_of_the_visible_surface() -> None:
    grid = _grid(lambda x, y: _bumps(x, y, 0.2))
    read = indexed(_png(grid, Camera(70, -60)))
    assert read is not None
    heights = read_map(*read)
    wanted = _fractions(grid).reshape(80, 5, 80, 5).mean(axis=(1, 3))
    assert np.abs(heights.reshape(80, 2, 80, 2).mean(axis=(1, 3)) - wanted).max() < 0.08


def test_certificate_refuses_other_pictures() -> None:
    grid = _grid(_bumps)
    image = picture(view(_fractions(grid), CAMERAS[0]), DOMAIN, "viridis", mesh=False)
    bare = IndexedImage(np.where(image.indices < 16, np.uint8(15), image.indices), image.palette)
    assert certify(encode(bare), "maxima").reason == "no axes of one camera"
    assert certify(encode(IndexedImage(image.indices[:600], image.palette)), "maxima").reason == "no surface plot"
    assert certify(b"none", "maxima").reason == "no picture"


def test_count_survives_moderate_shrinking_only() -> None:
    png = decoded(_png(_grid(_bumps), CAMERAS[5]))
    assert png is not None
    readings = {side: next(read_count(png, side / 720, "area", "maxima")) for side in (448, 12)}
    assert readings[448] == str(len(BUMPS))
    assert readings[12] != str(len(BUMPS))
