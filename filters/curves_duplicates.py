"""Near-duplicates by picture: two drawings that a person would call the same, whatever their tree.

A drawing is reduced to its bounding box on a small grid, with blurred lines, so that size, place and stroke do not
count; turns by right angles and mirror images are tried. The similarity is the correlation of the two grids, from -1
to 1. The same curves with a jitter of a few pixels give more than 0.9; independent drawings stay below 0.3 in `easy`
and below 0.6 among labyrinths (see ``tests/test_curves_duplicates.py``).

Training rows are held apart from test rows by ``disjoint``: see ``generators.curves.fingerprint``.
"""

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from filters.verdict import Verdict
from generators.curves.fingerprint import CROSSING, Side, fingerprint, side_of
from generators.items import CurvesItem, PlanarMapItem

#: Side of the grid, and standard deviations of the two blurs whose difference is taken, in grid cells. The difference
#: is divided by its local size: else all labyrinths are alike, grey squares with a strong edge, correlated by 0.8.
SIDE, BLUR, WIDE = 96, 1.3, 4.0

#: Norm of a packed signature. Up to 4096 any sum of products of two of them is a whole number of at most 2**24, which
#: float32 holds exactly: a similarity is then the same on every machine, in whatever order it is summed.
NORM = 2000

Signature = npt.NDArray[np.float32]


def signature(item: CurvesItem | PlanarMapItem) -> Signature:
    """Return the drawing as (8, SIDE * SIDE): zero mean, unit length, one row for each symmetry of the square."""
    low = np.min([c.min(axis=0) for c in item.curves], axis=0)
    high = np.max([c.max(axis=0) for c in item.curves], axis=0)
    scale = (SIDE - 8) / float((high - low).max())
    grid = np.zeros((SIDE, SIDE), np.uint8)
    for curve in item.curves:
        points = (curve - (low + high) / 2) * scale + SIDE / 2 - 0.5
        # Four more bits: corners between the cells of the grid.
        corners = np.rint(points * 16).astype(np.int32)
        cv2.polylines(grid, [corners], isClosed=True, color=255, lineType=cv2.LINE_AA, shift=4)
    lines = grid.astype(np.float32)
    soft: Signature = np.asarray(
        cv2.GaussianBlur(lines, (0, 0), BLUR) - cv2.GaussianBlur(lines, (0, 0), WIDE), np.float32
    )
    soft /= np.sqrt(np.asarray(cv2.GaussianBlur(soft**2, (0, 0), WIDE), np.float32) + np.float32(25.0))
    soft -= soft.mean()
    soft /= np.float32(max(float(np.sqrt((soft**2).sum())), 1e-9))
    views = [np.rot90(view, turns) for view in (soft, soft[:, ::-1]) for turns in range(4)]
    return np.stack(views).reshape(8, -1)


def similarity(a: Signature, b: Signature) -> float:
    """Return the largest correlation of two drawings over the symmetries of the square."""
    return float((a @ b[0]).max())


def pack(drawing: Signature) -> bytes:
    """Return the upright view of a signature as ``SIDE * SIDE`` signed bytes, to be stored."""
    return np.clip(np.rint(drawing[0] * NORM), -127, 127).astype(np.int8).tobytes()


class NearDuplicates:
    """Judges packed drawings in order: one that looks like an earlier one that was kept is rejected."""

    def __init__(self) -> None:
        self._kept = np.empty((64, SIDE * SIDE), np.float32)
        self._norms = np.empty(64, np.float32)
        self._count = 0

    def judge(self, packed: bytes, limit: float) -> Verdict:
        """Return whether the next drawing is less similar than ``limit`` to each that was kept before."""
        upright = np.frombuffer(packed, np.int8).reshape(SIDE, SIDE).astype(np.float32)
        views = np.stack([np.rot90(view, turns) for view in (upright, upright[:, ::-1]) for turns in range(4)])
        norm = np.float32(max(float(np.sqrt((upright**2).sum())), 1.0))
        common = (self._kept[: self._count] @ views.reshape(8, -1).T).max(axis=1, initial=0.0)
        found = float((common / (self._norms[: self._count] * norm)).max(initial=0.0))
        kept = found < limit
        if kept:
            self._keep(upright, norm)
        reason = "" if kept else "looks like an earlier row"
        return Verdict(check="near-duplicate", kept=kept, measured=found, limit=limit, reason=reason)

    def _keep(self, upright: npt.NDArray[np.float32], norm: np.float32) -> None:
        if self._count == len(self._kept):
            self._kept = np.vstack([self._kept, np.empty_like(self._kept)])
            self._norms = np.concatenate([self._norms, np.empty_like(self._norms)])
        self._kept[self._count] = upright.ravel()
        self._norms[self._count] = norm
        self._count += 1


def pairs(signatures: Sequence[Signature], limit: float) -> list[tuple[int, int]]:
    """Return the pairs (i < j) of drawings that are at least ``limit`` similar."""
    if len(signatures) < 2:
        return []
    upright = np.stack([s[0] for s in signatures])
    found: list[tuple[int, int]] = []
    for i, views in enumerate(signatures[:-1]):
        close = (upright[i + 1 :] @ views.T).max(axis=1) >= limit
        found.extend((i, i + 1 + j) for j in np.flatnonzero(close).tolist())
    return found


def disjoint(item: CurvesItem | PlanarMapItem, side: Side) -> Verdict:
    """Return whether the drawing is on the wanted side, test or train."""
    shown = item.canonical if isinstance(item, CurvesItem) else CROSSING
    kept = side_of(fingerprint(shown, item.curves)) == side
    reason = "" if kept else f"set apart for {'training' if side == 'test' else 'testing'}"
    return Verdict(check="disjoint", kept=kept, measured=float(kept), limit=1.0, reason=reason)
