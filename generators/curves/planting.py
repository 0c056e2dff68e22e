"""Planted drawings: level by level, each curve starts as a small disc inside its parent and swells to its target area.

Siblings settle against each other like bubbles, so that no grid of rectangles is visible, unlike after ``packing``. A
deep and crowded tree can run out of room; then the packed seed is used.
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

#: Random sites to choose from; the farthest from the occupied ones is taken.
_CONTEST = 12


def target_areas(
    parents: Parents, cells: int, cover: float, spread: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return the target area (cells) inside each curve, the exterior's (the whole grid) first.

    A curve takes the areas of its children, a lane between and around them, and a random area of its own with relative
    standard deviation ``spread``. The sum is scaled so that the outermost curves cover the share ``cover`` of the grid,
    if possible.
    """
    demands = rng.gamma(1.0 / spread**2, spread**2, len(parents) + 1) + 0.15
    areas = np.array(_areas(parents, demands.tolist(), cover * float(cells - 2) ** 2))
    areas[0] = float(cells) ** 2
    return areas


def _areas(parents: Parents, demands: Sequence[float], wanted: float) -> list[float]:
    """Return the area of each node, with ``demands`` scaled so that the outermost curves cover ``wanted`` cells."""
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
    """Return the target area (cells) of each face: the area inside its curve less the areas inside its children."""
    faces = areas.copy()
    np.subtract.at(faces, np.array(parents, np.int64), areas[1:])
    return np.maximum(faces, 2.0)


def folded_targets(parents: Parents, cells: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return the target area (cells) of each face of a labyrinth of ``cells`` cells: random, but equal on both sides of
    a curve.

    A curve can fold only where both of its faces have cells for it; otherwise empty areas remain.
    """
    weights = 0.6 + rng.random(len(parents))
    faces = np.zeros(len(parents) + 1)
    faces[1:] += weights
    np.add.at(faces, np.array(parents, np.int64), weights)
    return faces / faces.sum() * cells


def arena(cells: int, squareness: float, aspect: float, bays: float, rng: np.random.Generator) -> Labels:
    """Return an empty label map: 0 inside a superellipse with bays, -1 outside of it and on the border.

    ``squareness``: the exponent (2: ellipse; large: rectangle); ``aspect``: the shorter side as a share of the longer;
    ``bays``: the depth of the deepest bay as a share of the radius (< 1); at 0 nothing is drawn from ``rng``.
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
    """Return a label map in which every curve has swollen towards its area, or None if a curve found no site in its
    parent.

    ``parents``: in preorder; ``ground``: see ``arena``; ``areas``: see ``target_areas``; ``energy.sweeps``: the sweeps
    for each level of the tree.
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
    """Return a mask of the cells whose ``side`` x ``side`` neighbourhood belongs to one face; False near the border."""
    kernel = np.ones((side, side), np.uint8)
    inner: npt.NDArray[np.bool_] = cv2.erode(labels, kernel) == cv2.dilate(labels, kernel)
    inner[:2] = inner[-2:] = False
    inner[:, :2] = inner[:, -2:] = False
    return inner


def _plant(
    labels: Labels, sites: Sites, spare: Sites, node: int, areas: Sequence[tuple[int, float]], rng: np.random.Generator
) -> bool:
    """Put one disc for each (child, target area) into the face of ``node``, far from each other; False if one finds no
    site.

    ``sites``: the cells of the face with room to swell; ``spare``: all cells of the face that a child may start from.
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
    """Return the one of ``picks`` farthest from its nearest cell in ``occupied``; the first if that is empty."""
    if not len(occupied):
        return int(picks[0])
    dy = picks[:, None] // side - occupied // side
    dx = picks[:, None] % side - occupied % side
    return int(picks[(dy * dy + dx * dx).min(axis=1).argmax()])


def _beyond(sites: Sites, site: int, reach: int, side: int) -> Sites:
    """Return the ``sites`` that are more than ``reach`` rows or columns from ``site``."""
    y, x = divmod(site, side)
    return sites[np.maximum(np.abs(sites // side - y), np.abs(sites % side - x)) > reach]


def _stamp(labels: Labels, y: int, x: int, node: int, child: int, largest: int) -> int:
    """Change a disc of the face of ``node``, as large as fits up to ``largest``, to ``child``; return its radius."""
    for reach in range(min(largest, y - 1, x - 1, len(labels) - 2 - max(y, x)), 0, -1):
        if (labels[y - reach - 1 : y + reach + 2, x - reach - 1 : x + reach + 2] == node).all():
            away = np.arange(-reach, reach + 1) ** 2
            disc = away + away[:, None] <= reach * (reach + 0.8)
            labels[y - reach : y + reach + 1, x - reach : x + reach + 1][disc] = child
            return reach
    labels[y, x] = child
    return 0
