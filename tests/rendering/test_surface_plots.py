"""3D surface plots: matplotlib's own drawing is the reference."""

from typing import get_args

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import proj3d

from planimeter.generators.marvl_qa.cameras import CAMERAS, RELIEF, Camera
from planimeter.items import Colormap, Domain
from planimeter.rendering import surface
from planimeter.rendering.palette import GREYS, SURFACE_STEPS, surface_palette

Array = npt.NDArray[np.float64]

COLORMAPS = tuple(filter(None, get_args(Colormap)))
DOMAIN = Domain(x_min=-2.0, x_max=3.0, y_min=0.0, y_max=8.0)


def _hills(x: Array, y: Array) -> Array:
    """Return heights in [0, 1] with hills that hide ground from every camera."""
    bumps = ((0.3, -0.4, 0.12), (-0.5, 0.2, 0.16), (0.1, 0.5, 0.1), (-0.2, -0.6, 0.2))
    total = sum(np.exp(-((x - u) ** 2 + (y - v) ** 2) / (2 * w * w)) for u, v, w in bumps)
    return np.asarray(total / 1.05)


@pytest.fixture(scope="module")
def fractions() -> npt.NDArray[np.float32]:
    centres = (np.arange(400) + 0.5) / 200 - 1
    return _hills(centres[None, :], -centres[:, None]).astype(np.float32)


def _axes(camera: Camera):  # type: ignore[no-untyped-def]
    figure = Figure(figsize=(8, 8), dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), projection="3d", proj_type="ortho")
    axes.set_box_aspect((2, 2, RELIEF))
    axes.view_init(camera.elevation, camera.azimuth)
    axes.set_axis_off()
    for limits, ends in ((axes.set_xlim, (-1, 1)), (axes.set_ylim, (-1, 1)), (axes.set_zlim, (0, 1))):
        limits(*ends, view_margin=0)
    return canvas, axes


def _in_matplotlib(axes, points: Array) -> Array:  # type: ignore[no-untyped-def]
    """Return the px, y down, at which matplotlib draws ``points`` (n, 3)."""
    x, y, _ = proj3d.proj_transform(*points.T, axes.get_proj())
    right, up = axes.transData.transform(np.stack([x, y], axis=1)).T
    return np.stack([right, 800 - up], axis=1)


def _in_ours(camera: Camera, points: Array) -> Array:
    right, up = camera.project(*points.T)
    return np.stack([surface.CENTRE[0] + surface.SCALE * right, surface.CENTRE[1] - surface.SCALE * up], axis=1)


@pytest.mark.parametrize("camera", CAMERAS, ids=lambda camera: camera.name)
def test_projection_is_that_of_matplotlib(camera: Camera) -> None:
    canvas, axes = _axes(camera)
    canvas.draw()
    points = np.random.default_rng(1).uniform(-1, 1, (40, 3)) * [1, 1, 0.5] + [0, 0, 0.5]
    theirs, ours = _in_matplotlib(axes, points), _in_ours(camera, points)
    scale = np.ptp(theirs, axis=0) / np.ptp(ours, axis=0)
    assert scale[0] == pytest.approx(scale[1], rel=1e-6)
    np.testing.assert_allclose((theirs - theirs[0]) / scale[0], ours - ours[0], atol=1e-4)


@pytest.mark.parametrize("camera", [CAMERAS[0], CAMERAS[7]], ids=lambda camera: camera.name)
def test_faces_are_those_of_matplotlib(camera: Camera, fractions: npt.NDArray[np.float32]) -> None:
    canvas, axes = _axes(camera)
    side = np.linspace(-1, 1, 101)
    x, y = np.meshgrid(side, side)
    axes.plot_surface(x, y, _hills(x, y), rcount=101, ccount=101, cmap="gray", vmin=0, vmax=1, antialiased=False)
    canvas.draw()
    corners = np.array([(-1, -1, 0.0), (1, -1, 0.0), (-1, 1, 0.0)])
    to_ours = cv2.getAffineTransform(
        _in_matplotlib(axes, corners).astype(np.float32), _in_ours(camera, corners).astype(np.float32)
    )
    drawn = np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
    theirs = cv2.warpAffine(drawn, to_ours, (surface.WIDTH, surface.HEIGHT), flags=cv2.INTER_NEAREST)[:, :, 0]
    seen = surface.view(fractions, camera).steps
    inside = cv2.erode((seen > 0).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    difference = np.abs((seen[inside] - 1.0) / (SURFACE_STEPS - 1) - theirs[inside] / 255.0)
    assert np.mean(difference > 0.06) < 0.03


@pytest.mark.parametrize("colormap", COLORMAPS)
def test_lines_of_the_mesh_have_colours_of_their_own(colormap: Colormap) -> None:
    colours = [tuple(colour) for colour in surface_palette(colormap).tolist()]
    heights = colours[len(GREYS) : len(GREYS) + SURFACE_STEPS]
    assert len(set(heights)) == SURFACE_STEPS
    assert not set(heights) & set(colours[len(GREYS) + SURFACE_STEPS :])
    assert len(colours) <= 256


def test_mesh_adds_only_lines(fractions: npt.NDArray[np.float32]) -> None:
    seen = surface.view(fractions, CAMERAS[4])
    plain, mesh = (surface.picture(seen, DOMAIN, "viridis", mesh=mesh) for mesh in (False, True))
    assert (plain.indices != mesh.indices).sum() == (seen.ink > 0).sum()
    assert 0.1 < np.mean(seen.ink[seen.steps > 0] > 0) < 0.5


def test_last_bits_of_heights_move_no_pixel(fractions: npt.NDArray[np.float32]) -> None:
    nudged = np.nextafter(fractions, np.float32(2.0))
    assert np.array_equal(surface.view(fractions, CAMERAS[1]).steps, surface.view(nudged, CAMERAS[1]).steps)


def test_axes_frame_the_surface(fractions: npt.NDArray[np.float32]) -> None:
    for camera in CAMERAS:
        frame, steps = surface.surface_frame(DOMAIN, camera), surface.view(fractions, camera).steps
        dark = frame <= 5
        assert not (dark & (steps > 0)).any(), camera.name
