"""Which drawings of a whole dataset look alike, whatever the order in which they were made.

What likeness is, a correlation of blurred grids, is defined by ``generators.curves.signatures`` and shared: a second
program could only copy its constants.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.signatures import unpacked, views_of

#: Drawings that are compared with all earlier ones at once.
_AT_ONCE = 64


def alike_pairs(packed: Sequence[bytes], limits: npt.NDArray[np.float64]) -> list[tuple[int, int, float]]:
    """Return (earlier, later, similarity in [0, 1]) for each drawing that is too similar to an earlier one.

    ``packed`` are the drawings' packed signatures. Two may be less similar than the higher of their ``limits``
    (drawings,). Of the earlier ones that is named which exceeds it the most.
    """
    stored = [unpacked(one) for one in packed]
    if not stored:
        return []
    pairs: list[tuple[int, int, float]] = []
    upright, norms = np.stack([grid for grid, _ in stored]), np.array([norm for _, norm in stored])
    for start in range(0, len(stored), _AT_ONCE):
        end = min(start + _AT_ONCE, len(stored))
        views = np.vstack([views_of(grid) for grid in upright[start:end]])
        common = (upright[:end] @ views.T).reshape(end, end - start, 8).max(axis=2)
        found = common / (norms[:end, None] * norms[None, start:end])
        earlier = np.arange(end)[:, None] < np.arange(start, end)[None]
        excess = np.where(earlier, found - np.maximum(limits[:end, None], limits[None, start:end]), -np.inf)
        for column in np.flatnonzero((excess >= 0).any(axis=0)).tolist():
            row = int(excess[:, column].argmax())
            pairs.append((row, start + column, float(found[row, column])))
    return pairs
