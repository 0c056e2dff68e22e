"""Whether points are arranged as in a drawing: all pairs and triples of them, in many solutions at once."""

from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt


@np.errstate(all="ignore")
def arranged(points: npt.NDArray[np.float64], joined: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which of the solutions keep the points apart and every triple of them arranged as in the drawing: turning
    the same way, or with the same one in the middle where they are on a line.

    ``points`` are float64 (points, 2, 1 + solutions), the drawing first; ``joined`` says which of them a line joins,
    bool (points, points). The result is bool (solutions,).
    """
    x, y = points[:, 0], points[:, 1]
    extent = np.abs(points - points[:1]).max(axis=(0, 1), initial=0.0)
    i, j = np.triu_indices(len(points), 1)
    squared = (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2
    kept = np.all(squared[:, 1:] > (1e-3 * extent[1:]) ** 2, axis=0)
    i, j, k = _triples(len(points))
    turns = (x[j] - x[i]) * (y[k] - y[i]) - (y[j] - y[i]) * (x[k] - x[i])
    flat = np.asarray(np.abs(turns[:, 0]) < 1e-6 * extent[0] ** 2)
    # A reader sees how a triple is arranged where two lines join it, or a point has none.
    isolated = np.logical_not(joined.any(axis=1))
    lines = joined[i, j].astype(int) + joined[i, k] + joined[j, k]
    seen = (lines >= 2) | isolated[i] | isolated[j] | isolated[k]
    # A mirrored solution is no solution: where the code says which way an arc runs, it draws another figure.
    signs = [turns[seen & ~flat]]
    i, j, k = i[flat], j[flat], k[flat]
    for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
        # Negative where B lies between A and C.
        signs.append((x[a] - x[b]) * (x[c] - x[b]) + (y[a] - y[b]) * (y[c] - y[b]))
    sign = np.sign(np.concatenate(signs))
    return np.asarray(kept & np.all(sign[:, 1:] == sign[:, :1], axis=0))


@lru_cache(maxsize=64)
def _triples(count: int) -> npt.NDArray[np.intp]:
    return np.array(list(combinations(range(count), 3)), np.intp).reshape(-1, 3).T
