"""Near-duplicates by picture: two drawings that a person would call the same, whatever their tree.

Which drawings are alike, and how much, is said in ``generators.curves.signatures``; training rows are held apart from
test rows by ``disjoint``: see ``generators.curves.fingerprint``.
"""

import numpy as np
import numpy.typing as npt

from planimeter.filters.verdict import Verdict
from planimeter.generators.curves.fingerprint import CROSSING, Side, fingerprint, side_of
from planimeter.generators.curves.signatures import SIDE, unpacked, views_of
from planimeter.items import CurvesItem, PlanarMapItem


class NearDuplicates:
    """Judges packed drawings in order: one that looks like an earlier one that was kept is rejected."""

    def __init__(self) -> None:
        self._kept = np.empty((64, SIDE * SIDE), np.float32)
        self._norms = np.empty(64, np.float32)
        self._count = 0

    def judge(self, packed: bytes, limit: float) -> Verdict:
        """Return whether the next drawing is less similar than ``limit`` to each that was kept before."""
        upright, norm = unpacked(packed)
        common = (self._kept[: self._count] @ views_of(upright).T).max(axis=1, initial=0.0)
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
        self._kept[self._count] = upright
        self._norms[self._count] = norm
        self._count += 1


def disjoint(item: CurvesItem | PlanarMapItem, side: Side) -> Verdict:
    """Return whether the drawing is on the wanted side, test or train."""
    shown = item.canonical if isinstance(item, CurvesItem) else CROSSING
    kept = side_of(fingerprint(shown, item.curves)) == side
    reason = "" if kept else f"set apart for {'training' if side == 'test' else 'testing'}"
    return Verdict(check="disjoint", kept=kept, measured=float(kept), limit=1.0, reason=reason)
