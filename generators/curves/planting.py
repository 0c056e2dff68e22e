"""Label maps (``growth``) in which each curve starts as a small disc inside its parent and grows to its target area.

Outer curves are placed first, then their children, and so on. Siblings press against each other like bubbles, so that
no grid of rectangles is visible, unlike after ``packing``. If a deep tree runs out of room, ``packing`` is used.
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

    The area of a curve consists of the areas of its children, a space of one cell between and around them, and a random
    area of its own with relative standard deviation ``spread``. The random areas are scaled so that the outermost
    curves cover the share ``cover`` of the grid, if possible.
    """
    demands = rng.gamma(1.0 / spread**2, spread**2, len(parents) + 1) + 0.15
    areas = np.array(_areas(parents, demands.tolist(), cover * float(cells - 2) ** 2))
    areas[0] = float(cells) ** 2
    return areas


def _areas(parents: Parents, demands: Sequence[float], wanted: float) -> list[float]:
    """Return the area (cells) inside the curve of each node, children included.

    ``demands``: relative areas of the faces, scaled so that the outermost curves cover ``wanted`` cells in all.
    """
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
    """Return the target area (cells) of each node's face: the area inside its curve less those inside its children.

    ``areas``: see ``target_areas``. A target is at least 2.
    """
    faces = areas.copy()
    np.subtract.at(faces, np.array(parents, np.int64), areas[1:])
    return np.maximum(faces, 2.0)


def folded_targets(parents: Parents, cells: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return random target areas of the faces of a labyrinth, in cells; their sum is ``cells``.

    For each curve, one random number is added to the areas of both faces along it. A curve can fill two faces with
    folds only if their areas are about equal; part of a larger one would remain without folds.
    """
    weights = 0.6 + rng.random(len(parents))
    faces = np.zeros(len(parents) + 1)
    faces[1:] += weights
    np.add.at(faces, np.array(parents, np.int64), weights)
    return faces / faces.sum() * cells


def arena(cells: int, squareness: float, aspect: float, bays: float, rng: np.random.Generator) -> Labels:
    """Return a label map without curves: 0 inside a superellipse with bays, where curves may run, and -1 elsewhere.

    ``squareness``: the exponent (2: ellipse; large: rectangle); ``aspect``: height over width, at most 1; ``bays``: the
    depth of the deepest bay as a share of the radius (below 1); at 0, ``rng`` is not used.
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
    """Return a label map in which every curve has grown towards its target area, or None if a curve found no room in
    its parent.

    ``parents``: numbered in preorder; ``ground``: see ``arena``; ``areas``: see ``target_areas``; ``energy.sweeps``:
    the attempted changes per cell, at each depth of the tree.
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
    """Return a mask of the cells that are the centre of a square of ``side`` x ``side`` cells of one face.

    It is False in the two outermost rings of cells.
    """
    kernel = np.ones((side, side), np.uint8)
    inner: npt.NDArray[np.bool_] = cv2.erode(labels, kernel) == cv2.dilate(labels, kernel)
    inner[:2] = inner[-2:] = False
    inner[:, :2] = inner[:, -2:] = False
    return inner


def _plant(
    labels: Labels, sites: Sites, spare: Sites, node: int, areas: Sequence[tuple[int, float]], rng: np.random.Generator
) -> bool:
    """Put a disc for each child into the face of ``node``, far from each other; return False if one has no room.

    ``areas``: (child, target area) each; ``sites``: cells of the face with room around them to grow; ``spare``: cells
    on which a child may start if no site is left.
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
    """Return the cell in ``picks`` whose nearest cell in ``occupied`` is farthest away (the first, if there is none).

    Cells are flat indices on a grid of ``side`` columns.
    """
    if not len(occupied):
        return int(picks[0])
    dy = picks[:, None] // side - occupied // side
    dx = picks[:, None] % side - occupied % side
    return int(picks[(dy * dy + dx * dx).min(axis=1).argmax()])


def _beyond(sites: Sites, site: int, reach: int, side: int) -> Sites:
    """Return the cells in ``sites`` that are more than ``reach`` rows or more than ``reach`` columns from ``site``."""
    y, x = divmod(site, side)
    return sites[np.maximum(np.abs(sites // side - y), np.abs(sites % side - x)) > reach]


def _stamp(labels: Labels, y: int, x: int, node: int, child: int, largest: int) -> int:
    """Change a disc around (``y``, ``x``) from the face of ``node`` to that of ``child``; return its radius in cells.

    Its radius is the largest, up to ``largest``, at which it fits in the face of ``node``; 0 is a single cell.
    """
    for reach in range(min(largest, y - 1, x - 1, len(labels) - 2 - max(y, x)), 0, -1):
        if (labels[y - reach - 1 : y + reach + 2, x - reach - 1 : x + reach + 2] == node).all():
            away = np.arange(-reach, reach + 1) ** 2
            disc = away + away[:, None] <= reach * (reach + 0.8)
            labels[y - reach : y + reach + 1, x - reach : x + reach + 1][disc] = child
            return reach
    labels[y, x] = child
    return 0
