"""Growth: cells of a label map change sides one at a time, and only where no curve can appear, vanish or touch another.

A label map gives each cell of a grid the node whose face it belongs to (-1: no curve may come here); the curve of a
node runs between its subtree's cells and the rest. A cell may go over to a neighbouring face if, before and after, the
ring of its eight neighbours holds these two faces only, each as one run that touches an edge of the cell. Then every
face keeps its topology, two cells of one face never meet at a corner only, and two curves stay one whole cell apart for
ever: any number of steps, in any direction, shows the same tree. (Cellular Potts models, Graner and Glazier 1992, with
simple points, Rosenfeld 1970, as the only moves.)

What the curves turn into is a matter of the energy alone: boundary length is charged (blobs) or rewarded (labyrinths),
faces pull towards a target area, and smooth random fields draw lobes and bays.
"""

from dataclasses import dataclass, replace

import numba
import numpy as np
import numpy.typing as npt

from generators.curves.packing import Labels
from generators.curves.trees import Parents

_DY = np.array([-1, -1, 0, 1, 1, 1, 0, -1], np.int64)
_DX = np.array([0, 1, 1, 1, 0, -1, -1, -1], np.int64)


@dataclass(frozen=True, kw_only=True, slots=True)
class Energy:
    """The weights of one growth; all without unit, against ``noise``.

    ``tension`` > 0 shortens curves, < 0 lengthens them; ``pressure`` holds faces to their target areas; ``relief`` is
    the pull of the random fields; ``noise`` the largest rise in energy that chance can pay for; ``sweeps`` how many
    tries there are for each cell of the grid.
    """

    tension: float
    pressure: float
    relief: float
    noise: float
    sweeps: float


def smooth_fields(count: int, cells: int, waves: float, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return ``count`` smooth random fields (count, cells, cells), unit variance, about ``waves`` waves a side.

    Sums of eight plane waves: the cosines are products of rows and columns, so a field costs next to nothing.
    """
    terms = 8
    angle = rng.random((count, terms)) * 2 * np.pi
    wave_number = 2 * np.pi * waves * (0.5 + rng.random((count, terms)))
    phase = rng.random((count, terms)) * 2 * np.pi
    t = np.linspace(0.0, 1.0, cells)
    along_x = wave_number[..., None] * np.cos(angle)[..., None] * t
    along_y = wave_number[..., None] * np.sin(angle)[..., None] * t + phase[..., None]
    fields = np.einsum("kty,ktx->kyx", np.cos(along_y), np.cos(along_x))
    fields -= np.einsum("kty,ktx->kyx", np.sin(along_y), np.sin(along_x))
    return fields / np.sqrt(terms / 2)


def grow(
    labels: Labels,
    parents: Parents,
    targets: npt.NDArray[np.float64],
    fields: npt.NDArray[np.float64],
    energy: Energy,
    rng: np.random.Generator,
) -> Labels:
    """Return the label map after growth; ``labels`` is left as it is. The outermost ring of cells never changes.

    ``targets``: the area (cells) that each face should have, the exterior's first; ``fields``: see ``smooth_fields``.
    """
    grown = labels.copy()
    parent_of = np.array((0, *parents), np.int64)
    tries = int(energy.sweeps * labels.size)
    _flip(grown, parent_of, targets, fields, energy.tension, energy.pressure, energy.relief, energy.noise, tries, rng)
    return grown


#: Childless faces of fewer cells hardly show paper inside their stroke.
LEAST_CELLS = 5


def relieve(
    labels: Labels,
    parents: Parents,
    targets: npt.NDArray[np.float64],
    fields: npt.NDArray[np.float64],
    energy: Energy,
    rng: np.random.Generator,
    rounds: int = 6,
) -> Labels:
    """Return the label map after some more growth wherever a childless face is squeezed below ``LEAST_CELLS``.

    A squeezed face cannot swell by itself: the lane around it is one cell wide and belongs to its parent, whose own
    walls may stand as close. So every face on the way out gets a larger target until there is room.
    """
    childless = np.setdiff1d(np.arange(1, len(parents) + 1), np.array(parents, np.int64))
    targets = targets.copy()
    for _ in range(rounds):
        areas = np.bincount(labels[labels >= 0], minlength=len(parents) + 1)
        squeezed = childless[areas[childless] < LEAST_CELLS]
        if not len(squeezed):
            break
        for leaf in squeezed.tolist():
            targets[leaf] = max(targets[leaf], 2.0 * LEAST_CELLS)
            node = parents[leaf - 1]
            while node:
                targets[node] = max(targets[node], float(areas[node])) + 8.0
                node = parents[node - 1]
        labels = grow(labels, parents, targets, fields, replace(energy, sweeps=30.0), rng)
    return labels


@numba.njit(cache=True)
def _flip(labels, parent_of, targets, fields, tension, pressure, relief, noise, tries, rng):  # type: ignore[no-untyped-def]
    height, width = labels.shape
    areas = np.zeros(len(parent_of))
    for y in range(height):
        for x in range(width):
            if labels[y, x] >= 0:
                areas[labels[y, x]] += 1.0
    for _ in range(tries):
        # One draw of 53 bits holds the row, the column, the side and the chance.
        u = rng.random() * (height - 2)
        y = int(u)
        u = (u - y) * (width - 2)
        x = int(u)
        u = (u - x) * 4
        side = int(u)
        chance = u - side
        y += 1
        x += 1
        old, new = labels[y, x], labels[y + _DY[2 * side], x + _DX[2 * side]]
        if old == new or old < 0 or new < 0 or not _movable(labels, y, x, old, new):
            continue
        unlike = 0
        for k in range(8):
            weight = 2 if k % 2 == 0 else 1
            unlike += weight if labels[y + _DY[k], x + _DX[k]] == old else -weight
        grows = parent_of[new] == old
        child = new if grows else old
        height_here = fields[child % len(fields), y, x]
        change = tension * unlike + relief * (-height_here if grows else height_here)
        change += pressure * (2.0 * (areas[new] - targets[new]) + 1.0) / targets[new]
        change -= pressure * (2.0 * (areas[old] - targets[old]) - 1.0) / targets[old]
        if change < noise * (2.0 * chance - 1.0):
            labels[y, x] = new
            areas[new] += 1.0
            areas[old] -= 1.0


@numba.njit(cache=True)
def _movable(labels, y, x, old, new):  # type: ignore[no-untyped-def]
    runs = 0
    old_touches = False
    before = labels[y + _DY[7], x + _DX[7]]
    for k in range(8):
        here = labels[y + _DY[k], x + _DX[k]]
        if here not in (old, new):
            return False
        if here != before:
            runs += 1
        if k % 2 == 0 and here == old:
            old_touches = True
        before = here
    return runs == 2 and old_touches
