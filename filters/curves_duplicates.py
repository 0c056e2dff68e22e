"""Near-duplicates by picture: two drawings that a person would call the same, whatever their tree.

A drawing is reduced to its bounding box on a small grid, with blurred lines, so that size, place and stroke do not
count; turns by right angles and mirror images are tried. The similarity is the correlation of the two grids, from -1
to 1. The same curves with a jitter of a few pixels give more than 0.9; independent drawings stay below 0.3 in `easy`
and below 0.6 among labyrinths (see ``tests/test_curves_duplicates.py``).

For very large sets ``fingerprint`` stands in: a hash of tree and drawing, so that each of 100,000 training rows can be
held against all test rows in one look-up.
"""

from collections.abc import Sequence
from hashlib import blake2b

import cv2
import numpy as np
import numpy.typing as npt

from filters.verdict import Verdict
from generators.items import CurvesItem

#: Side of the grid, and standard deviations of the two blurs whose difference is taken, in grid cells. The difference
#: is divided by its local size: else all labyrinths are alike, grey squares with a strong edge, correlated by 0.8.
SIDE, BLUR, WIDE = 96, 1.3, 4.0

Signature = npt.NDArray[np.float32]


def signature(item: CurvesItem) -> Signature:
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


def judge(candidate: Signature, others: Sequence[Signature], limit: float) -> Verdict:
    """Return whether ``candidate`` is less similar than ``limit`` to each of ``others``."""
    found = max((similarity(candidate, other) for other in others), default=0.0)
    kept = found < limit
    return Verdict(
        check="near-duplicate", kept=kept, measured=found, limit=limit, reason="" if kept else "looks like another row"
    )


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


def fingerprint(item: CurvesItem) -> str:
    """Return a hash of tree and drawing that stays the same if the drawing is turned, mirrored, moved or scaled.

    The drawing enters as the share of each curve in the total length and in the total area, to four digits.
    """
    lengths, areas = [], []
    for curve in item.curves:
        step = np.roll(curve, -1, axis=0) - curve
        lengths.append(float(np.sqrt((step**2).sum(axis=1)).sum()))
        areas.append(abs(float((curve[:, 0] * step[:, 1] - curve[:, 1] * step[:, 0]).sum())))
    # Length against area tells single curves apart: their shares are all 1.
    roundness = sum(lengths) / np.sqrt(sum(areas))
    shares = sorted((round(x / sum(lengths), 4), round(a / sum(areas), 4)) for x, a in zip(lengths, areas, strict=True))
    text = f"{item.canonical}|{roundness:.4f}|{shares}"
    return blake2b(text.encode(), digest_size=16).hexdigest()


def disjoint(item: CurvesItem, test_fingerprints: frozenset[str]) -> Verdict:
    """Return whether no test row has this row's tree and drawing."""
    kept = fingerprint(item) not in test_fingerprints
    reason = "" if kept else "is a test row"
    return Verdict(check="disjoint from test", kept=kept, measured=float(not kept), limit=0.0, reason=reason)
