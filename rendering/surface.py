"""3D surface plots of MaRVL-QA-Hard: a sampled surface in a box, coloured by height, seen from one of six cameras.

matplotlib's ``plot_surface`` is the reference (tests/rendering/test_surface_plots.py): flat quadrilaterals in the
colour of their mean height, drawn from the farthest to the nearest, so that nearer ones hide those behind them. One
call of Agg draws them all, not yet in colours: its red, green and blue store the colour step of the height, and the row
and column of the mesh cell. So every pixel has exactly one step, and mesh lines are where the cells of neighbouring
pixels differ; hidden lines do not appear.

Heights and positions are rounded before drawing, so that the last bits of floats change no pixel.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform

from planimeter.generators.marvl_qa.cameras import Camera
from planimeter.items import Colormap, Domain, Extremum
from planimeter.rendering.frame import INK, NAME_FONT, TICK_FONT, TITLE_FONT, box, ticks, write
from planimeter.rendering.marvl_qa import compose
from planimeter.rendering.palette import GREYS, SURFACE_STEPS, WHITE, surface_palette
from planimeter.rendering.png import IndexedImage
from planimeter.rendering.reference import default_rc_params

WIDTH: Final = 720
HEIGHT: Final = 640
#: px of one unit of the box, and the place of the middle of its floor in the picture, y down.
SCALE: Final = 195
CENTRE: Final = (328, 318)
KEY: Final = (slice(140, 500), slice(672, 690))

#: Half the side of the box's floor, and the room below and above the surface, as a share of the range of heights.
BOX: Final = 1.03
ROOM: Final = 0.05

#: Quadrilaterals along each side, and cells of the mesh.
QUADS: Final = 200
CELLS: Final = 40
#: Steps of heights before they are drawn: their edges are away from simple fractions, at which plateaus are.
HEIGHT_STEPS: Final = 960

#: px from an axis to the end of a tick, the middle of its label, and the axis's name.
_TICK, _LABEL, _NAME = 6, 20, 46
_TITLE: Final = 27  # baseline of the title, above the highest corner of every box
_PANE: Final = 12  # a light grey
_SUBPIXELS: Final = 64

_FAR: Final = ("beside x", "beside y", "far")

Bytes = npt.NDArray[np.uint8]
Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """A surface as one camera sees it, before it is coloured; both arrays are uint8 (640, 720).

    ``steps``: the colour step of the height at each pixel, counted from 1; 0 outside the surface. ``ink``: mesh lines,
    0 (none), 1 (faint) or 2 (full).
    """

    camera: Camera
    steps: Bytes = field(repr=False)
    ink: Bytes = field(repr=False)


@default_rc_params()
def view(fractions: npt.NDArray[np.float32], camera: Camera) -> View:
    """Draw the surface with the heights ``fractions`` as ``camera`` sees it, not yet in colours.

    ``fractions`` are in [0, 1] at the centres of n x n cells, row 0 at y_max; n is a multiple of 200.
    """
    heights = _corners(fractions)
    side = np.linspace(-1.0, 1.0, QUADS + 1)
    right, up = camera.project(side[None, :], -side[:, None], heights / HEIGHT_STEPS)
    corners = np.stack([_rounded(CENTRE[0] + SCALE * right), _rounded(HEIGHT - CENTRE[1] + SCALE * up)], axis=-1)
    colours = np.empty((QUADS, QUADS, 4))
    total = heights[1:, 1:] + heights[:-1, 1:] + heights[1:, :-1] + heights[:-1, :-1]
    colours[:, :, 0] = 1 + (total * (SURFACE_STEPS - 1) + 2 * HEIGHT_STEPS) // (4 * HEIGHT_STEPS)
    cells = 1 + np.arange(QUADS) // (QUADS // CELLS)
    colours[:, :, 1], colours[:, :, 2], colours[:, :, 3] = cells[:, None], cells[None, :], 255
    # Agg draws row by row: the farthest first.
    x, y, _ = camera.towards
    turn = (slice(None, None, -1 if y > 0 else 1), slice(None, None, -1 if x < 0 else 1))
    painted = _paint(np.ascontiguousarray(corners[turn]), colours[turn].reshape(-1, 4) / 255.0)
    return View(camera=camera, steps=painted[:, :, 0], ink=_lines(painted))


def picture(seen: View, domain: Domain, colormap: Colormap, *, mesh: bool, title: str = "") -> IndexedImage:
    """Return the picture of the surface ``seen`` with axes, colour bar and title; ``mesh`` adds the mesh lines."""
    own = len(GREYS)
    indices = surface_frame(domain, seen.camera, title).copy()
    on = seen.steps > 0
    shades = own - 1 + seen.steps + (SURFACE_STEPS * seen.ink if mesh else np.uint8(0))
    np.copyto(indices, shades, where=on)
    rows = KEY[0].stop - KEY[0].start
    ramp = np.linspace(1.0, 0.0, rows) * (SURFACE_STEPS - 1) + own + 0.5
    indices[KEY] = ramp.astype(np.uint8)[:, None]
    return IndexedImage(indices, surface_palette(colormap))


def pair_of_pictures(
    seen: tuple[View, View],
    domain: Domain,
    colormaps: tuple[Colormap, Colormap],
    titles: tuple[str, str],
    *,
    mesh: bool,
) -> IndexedImage:
    """Return the pictures of two surfaces side by side: uint8 (640, 1440).

    Raises:
        ValueError: for two colour maps with a mesh, because their colours do not fit into one palette.
    """
    if mesh and len({*colormaps}) > 1:
        raise ValueError(f"need one colour map for two plots with a mesh, got {colormaps[0]} and {colormaps[1]}")
    panels = [
        picture(view, domain, colormap, mesh=mesh, title=title)
        for view, colormap, title in zip(seen, colormaps, titles, strict=True)
    ]
    used = None if mesh else len(GREYS) + SURFACE_STEPS
    return compose(*(IndexedImage(panel.indices, panel.palette[:used]) for panel in panels))


def in_picture(camera: Camera, domain: Domain, ends: tuple[float, float], extremum: Extremum) -> Point:
    """Return the position of ``extremum`` in the picture: px from its upper left corner, y down, rounded to 0.01.

    ``ends`` are the heights at the lower and the upper end of the colour bar.
    """
    across = (extremum.x - domain.x_min) / (domain.x_max - domain.x_min) * 2 - 1
    north = (extremum.y - domain.y_min) / (domain.y_max - domain.y_min) * 2 - 1
    height = (extremum.z - ends[0]) / (ends[1] - ends[0])
    right, up = camera.project(np.array(across), np.array(north), np.array(height))
    return round(CENTRE[0] + SCALE * float(right), 2), round(CENTRE[1] - SCALE * float(up), 2)


@lru_cache(maxsize=64)
@default_rc_params()
def surface_frame(domain: Domain, camera: Camera, title: str = "") -> Bytes:
    """Return the picture without its surface: uint8 (640, 720) indices into ``palette.GREYS``, read-only.

    The axes of x and y are the two nearest edges of the floor; the axis of heights is the leftmost vertical edge.
    """
    x, y, _ = camera.towards
    near = (BOX if x > 0 else -BOX), (BOX if y > 0 else -BOX)
    floor, lid = _corners_of_box(camera, near, -ROOM), _corners_of_box(camera, near, 1 + ROOM)
    panes = [(floor[at], lid[at]) for at in _FAR] + [(level["far"], level[at]) for level in (floor, lid) for at in _FAR]
    left = min(("beside x", "beside y"), key=lambda at: floor[at])
    axes = [(floor["beside x"], floor["near"]), (floor["beside y"], floor["near"]), (floor[left], lid[left])]
    layer = np.full((HEIGHT, WIDTH), WHITE, np.uint8)
    for along, (name, low, high) in enumerate((("x", domain.x_min, domain.x_max), ("y", domain.y_min, domain.y_max))):
        outwards = _outwards(camera, along, near)
        for position, label in ticks(low, high, 2.0):
            start = _on_edge(camera, along, near, position - 1.0)
            axes.append((start, _moved(start, outwards, _TICK)))
            right, down = _moved(start, outwards, _LABEL)
            write(layer, label, TICK_FONT, right, down + 5, "centre")
        right, down = _moved(_on_edge(camera, along, near, 0.0), outwards, _NAME)
        write(layer, name, NAME_FONT, right, down + 5, "centre")
    write(layer, "z", NAME_FONT, floor[left][0] - 16, (floor[left][1] + lid[left][1]) / 2 + 5, "centre")
    write(layer, title, TITLE_FONT, CENTRE[0], _TITLE, "centre")
    across = (KEY[1].start + KEY[1].stop) / 2
    write(layer, "high", TICK_FONT, across, KEY[0].start - 9, "centre")
    write(layer, "low", TICK_FONT, across, KEY[0].stop + 19, "centre")
    for lines, grey in ((panes, _PANE), (axes, INK)):
        np.minimum(layer, _stroke(lines, grey), out=layer)
    box(layer, KEY[0].start, KEY[0].stop, KEY[1].start, KEY[1].stop)
    layer.flags.writeable = False
    return layer


def _corners(fractions: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Return the heights at the corners of the drawn quadrilaterals, 0 to ``HEIGHT_STEPS``: int64 (201, 201)."""
    steps = np.floor(fractions.astype(np.float64) * HEIGHT_STEPS + 0.5).astype(np.int64)
    around = np.pad(steps, 1, mode="edge")
    stride = len(fractions) // QUADS
    total = around[1:, 1:] + around[:-1, 1:] + around[1:, :-1] + around[:-1, :-1]
    return total[::stride, ::stride] // 4


def _rounded(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.floor(places * _SUBPIXELS + 0.5) / _SUBPIXELS


def _paint(corners: npt.NDArray[np.float64], colours: npt.NDArray[np.float64]) -> Bytes:
    """Return a picture of the quadrilaterals with ``corners``, drawn in order: uint8 (640, 720, 3), 0 outside them."""
    renderer = RendererAgg(WIDTH, HEIGHT, 72)
    context = renderer.new_gc()
    context.set_snap(False)
    context.set_linewidth(0.0)
    here = IdentityTransform()
    # matplotlib's annotations know lists of colours only.
    draw: Any = renderer.draw_quad_mesh
    draw(context, here, QUADS, QUADS, corners, np.zeros((1, 2)), here, colours, False, np.zeros((0, 4)))
    painted = np.asarray(renderer.buffer_rgba())
    return painted[:, :, :3] * (painted[:, :, 3:] > 0)


def _lines(painted: Bytes) -> Bytes:
    """Return mesh lines: for each pixel the number of its right and lower neighbours in another mesh cell, 0 to 2."""
    cell = painted[:, :, 1].astype(np.int16) * 256 + painted[:, :, 2]
    others = np.zeros(cell.shape, np.uint8)
    others[:, :-1] += cell[:, 1:] != cell[:, :-1]
    others[:-1] += cell[1:] != cell[:-1]
    return others * (painted[:, :, 0] > 0)


def _place(camera: Camera, x: float, y: float, height: float) -> Point:
    """Return the position in the picture of the point (``x``, ``y``, ``height``) of the box, in whole px, y down."""
    right, up = camera.project(np.array(x), np.array(y), np.array(height))
    return float(np.floor(CENTRE[0] + SCALE * right + 0.5)), float(np.floor(CENTRE[1] - SCALE * up + 0.5))


def _corners_of_box(camera: Camera, near: Point, height: float) -> dict[str, Point]:
    """Return the box's four corners at ``height`` in the picture, by name; ``near`` is nearest to the camera."""
    x, y = near
    corners = {"near": (x, y), "beside x": (-x, y), "beside y": (x, -y), "far": (-x, -y)}
    return {name: _place(camera, *at, height) for name, at in corners.items()}


def _on_edge(camera: Camera, along: int, near: Point, position: float) -> Point:
    """Return the position in the picture of a point on one of the two nearest edges of the floor.

    The edge is along x (``along`` 0) or y (1); ``position`` on it is -1 to 1.
    """
    x, y = (position, near[1]) if along == 0 else (near[0], position)
    return _place(camera, x, y, -ROOM)


def _outwards(camera: Camera, along: int, near: Point) -> Point:
    """Return the unit vector in the picture away from the box at the nearest edge along x (``along`` 0) or y (1)."""
    x, y = (0.0, near[1]) if along == 0 else (near[0], 0.0)
    right, up = camera.project(np.array(x), np.array(y), np.array(0.0))
    length = np.hypot(right, up)
    return round(float(right / length), 6), round(float(-up / length), 6)


def _moved(start: Point, vector: Point, length: float) -> Point:
    return start[0] + length * vector[0], start[1] + length * vector[1]


def _stroke(lines: list[tuple[Point, Point]], grey: int) -> Bytes:
    renderer = RendererAgg(WIDTH, HEIGHT, 72)
    context = renderer.new_gc()
    context.set_snap(False)
    context.set_linewidth(1.0)
    for start, end in lines:
        points = [(u + 0.5, HEIGHT - v - 0.5) for u, v in (start, end)]
        renderer.draw_path(context, Path(points), IdentityTransform())
    shades = np.floor(WHITE - np.arange(256) / 255.0 * (WHITE - grey) + 0.5).astype(np.uint8)
    return shades[np.asarray(renderer.buffer_rgba())[:, :, 3]]
