"""Planted drawings: level by level, each curve starts as one cell inside its parent and swells to the size it needs.

The result has no grid of rectangles to hide, unlike ``packing``: siblings settle against each other like bubbles. It
can run out of room for a deep and crowded tree; then the packed seed is used.
"""

import math
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.growth import Energy, grow
from planimeter.generators.curves.packing import Labels
from planimeter.generators.curves.trees import Parents, children_of, depths

#: Flat indices of cells.
Sites = npt.NDArray[np.intp]

#: The number of random sites; the farthest from the taken ones wins.
_CONTEST = 12


def target_areas(
    parents: Parents, cells: int, cover: float, spread: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return the area (cells) that each curve should enclose, the exterior's (the whole grid) first.

    Every curve needs its children's areas, a lane between and around them, and a further area that varies by
    ``spread``. The sum is scaled so that the outermost curves take the share ``cover`` of the grid, as far as it goes.
    """
    demands = rng.gamma(1.0 / spread**2, spread**2, len(parents) + 1) + 0.15
    areas = np.array(_areas(parents, demands.tolist(), cover * float(cells - 2) ** 2))
    areas[0] = float(cells) ** 2
    return areas


def _areas(parents: Parents, demands: Sequence[float], wanted: float) -> list[float]:
    children = children_of(parents)
    low, high = 0.5, wanted
    areas = [0.0] * len(children)
    for _ in range(24):
        unit = math.sqrt(low * high)
        for node in range(len(parents), -1, -1):
            # Added one by one: Python's ``sum`` rounds in another way from 3.12 on.
            inside = total = 0.0
            for child in children[node]:
                side = math.sqrt(areas[child]) + 1.3
                inside += side * side
                total += areas[child]
            filled = inside + demands[node] * unit
            areas[node] = filled + (2.6 * math.sqrt(filled) if inside else 0.0)
        low, high = (unit, high) if total < wanted else (low, unit)
    return areas


def face_targets(parents: Parents, areas: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the area (cells) of each face: the area inside a curve less the areas inside its children."""
    faces = areas.copy()
    np.subtract.at(faces, np.array(parents, np.int64), areas[1:])
    return np.maximum(faces, 2.0)


def folded_targets(parents: Parents, cells: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return the share of ``cells`` of each face of a labyrinth: as much on one side of every curve as on the other.

    A curve can only fold where both its faces have the cells for it; a face that lacks them leaves empty areas next to
    it.
    """
    weights = 0.6 + rng.random(len(parents))
    faces = np.zeros(len(parents) + 1)
    faces[1:] += weights
    np.add.at(faces, np.array(parents, np.int64), weights)
    return faces / faces.sum() * cells


def arena(cells: int, squareness: float, aspect: float, bays: float, rng: np.random.Generator) -> Labels:
    """Return an empty label map: 0 within a superellipse with bays, -1 outside of it and on the border.

    ``squareness``: the exponent (2: ellipse; large: rectangle); ``aspect``: the shorter side as a share of the longer;
    ``bays``: the share of the radius (< 1) that the deepest bay takes; nothing is drawn from ``rng`` where it is 0.
    """
    t = np.abs((np.arange(cells) + 0.5) / cells * 2 - 1) / (1 - 2 / cells)
    reach: float | npt.NDArray[np.float64] = 1.0
    if bays > 0:
        orders = np.arange(2, 6)
        size, phase = rng.dirichlet(np.ones(4)), rng.random(4) * 2 * np.pi
        way = np.arange(cells) - (cells - 1) / 2
        angle = np.arctan2(way[:, None], way)
        waves = np.einsum("k,kyx->yx", size, np.cos(orders[:, None, None] * angle + phase[:, None, None]))
        reach = (1 - bays * (1 - waves) / 2) ** squareness
    inside = t[None, :] ** squareness + (t[:, None] / aspect) ** squareness < reach
    return np.where(inside, 0, -1).astype(np.int16)


def planted_labels(
    parents: Parents,
    ground: Labels,
    areas: npt.NDArray[np.float64],
    energy: Energy,
    fields: npt.NDArray[np.float64],
    rng: np.random.Generator,
) -> Labels | None:
    """Return a label map in which every curve has swollen towards its area, or None where a child found no site.

    ``ground``: see ``arena``; ``energy.sweeps`` are spent on each level of the tree. ``parents`` in preorder.
    """
    level = np.array(depths(parents))
    children = children_of(parents)
    labels = ground
    targets = areas.copy()
    for deepest in range(int(level.max())):
        labels = labels.copy()
        roomy, inner = _inner(labels, 5), _inner(labels, 3)
        for node in np.flatnonzero(level == deepest).tolist():
            largest_first = sorted(((c, float(areas[c])) for c in children[node]), key=lambda pair: -pair[1])
            if largest_first:
                face = labels == node
                sites, spare = np.flatnonzero(roomy & face), np.flatnonzero(inner & face)
                if not _plant(labels, sites, spare, node, largest_first, rng):
                    return None
            targets[node] = max(2.0, areas[node] - sum(float(areas[c]) for c in children[node]))
        labels = grow(labels, parents, targets, fields, energy, rng)
    return labels


def _inner(labels: Labels, side: int) -> npt.NDArray[np.bool_]:
    """Return a mask of the cells where the ``side`` x ``side`` cells around a cell belong to its own face, off the
    border.
    """
    kernel = np.ones((side, side), np.uint8)
    inner: npt.NDArray[np.bool_] = cv2.erode(labels, kernel) == cv2.dilate(labels, kernel)
    inner[:2] = inner[-2:] = False
    inner[:, :2] = inner[:, -2:] = False
    return inner


def _plant(
    labels: Labels, sites: Sites, spare: Sites, node: int, areas: Sequence[tuple[int, float]], rng: np.random.Generator
) -> bool:
    """Put a disc for each (child, wanted area) into the node's face, far from each other; False if one has no site.

    ``sites``: the cells of the face with room to swell; ``spare``: all of its cells that are open to planting.
    """
    occupied = np.empty(len(areas), np.int64)
    for number, (child, wanted) in enumerate(areas):
        if not len(sites):
            sites = spare
        if not len(sites):
            return False
        picks = sites[rng.integers(0, len(sites), _CONTEST)]
        site = occupied[number] = _farthest(picks, occupied[:number], len(labels))
        reach = _stamp(labels, *divmod(site, len(labels)), node, child, int(0.3 * math.sqrt(wanted)))
        # A site's ring must contain its parent only.
        sites = _beyond(sites, site, reach + 2, len(labels))
        spare = _beyond(spare, site, reach + 1, len(labels))
    return True


def _farthest(picks: Sites, occupied: Sites, side: int) -> int:
    """Return the first of ``picks`` that is farthest from the nearest of ``occupied``; the first of all if none is."""
    if not len(occupied):
        return int(picks[0])
    dy = picks[:, None] // side - occupied // side
    dx = picks[:, None] % side - occupied % side
    return int(picks[(dy * dy + dx * dx).min(axis=1).argmax()])


def _beyond(sites: Sites, site: int, reach: int, side: int) -> Sites:
    """Return those of ``sites`` that are more than ``reach`` rows or columns from ``site``."""
    y, x = divmod(site, side)
    return sites[np.maximum(np.abs(sites // side - y), np.abs(sites % side - x)) > reach]


def _stamp(labels: Labels, y: int, x: int, node: int, child: int, largest: int) -> int:
    """Turn a disc of the node's face into the child's, as large as fits; return its radius in cells."""
    for reach in range(min(largest, y - 1, x - 1, len(labels) - 2 - max(y, x)), 0, -1):
        if (labels[y - reach - 1 : y + reach + 2, x - reach - 1 : x + reach + 2] == node).all():
            away = np.arange(-reach, reach + 1) ** 2
            disc = away + away[:, None] <= reach * (reach + 0.8)
            labels[y - reach : y + reach + 1, x - reach : x + reach + 1][disc] = child
            return reach
    labels[y, x] = child
    return 0
