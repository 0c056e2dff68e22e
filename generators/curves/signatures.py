"""The similarity of two drawings, by which copies with rotated, mirrored, scaled or jittered curves are found.

A drawing is scaled to a small grid and blurred, so that its size, position and stroke width do not count. The
similarity is the correlation of two grids, from -1 to 1, the largest over rotations by right angles and reflections.
The same curves with a jitter of a few pixels give more than 0.9; independent drawings stay below 0.3 in the category
`easy` and below 0.6 among labyrinths (see ``tests/generators/test_curves_duplicates.py``).
"""

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt
from scipy.ndimage import correlate1d

#: Side of the grid, and standard deviations of the two blurs whose difference is taken, in grid cells. The difference
#: is divided by its local amplitude: otherwise all labyrinths are grey squares with a strong edge, correlated by 0.8.
SIDE, BLUR, WIDE = 96, 1.3, 4.0

#: Norm of a packed signature. Up to 4096 any sum of products of two of them is a whole number of at most 2**24, which
#: float32 represents exactly: a similarity is then the same on every machine, in any order of summation.
NORM = 2000

Signature = npt.NDArray[np.float32]


def signature(curves: Sequence[npt.NDArray[np.float64]]) -> Signature:
    """Return the signature (SIDE * SIDE,) of closed ``curves`` ((n, 2), in any unit): their normalised, blurred image.

    It has zero mean and unit length, so that the product of two signatures is a correlation.
    """
    whole = np.concatenate(curves)
    x, y = whole.T
    low, high = np.array([x.min(), y.min()]), np.array([x.max(), y.max()])
    scale = (SIDE - 8) / float((high - low).max())
    points = (whole - (low + high) / 2) * scale + SIDE / 2 - 0.5
    # Four more bits: corners between the cells of the grid.
    corners = np.split(np.rint(points * 16).astype(np.int32), np.cumsum([len(curve) for curve in curves[:-1]]))
    grid = np.zeros((SIDE, SIDE), np.uint8)
    cv2.polylines(grid, corners, isClosed=True, color=255, lineType=cv2.LINE_AA, shift=4)
    lines = grid.astype(np.float64)
    soft = _blurred(lines, BLUR) - _blurred(lines, WIDE)
    soft /= np.sqrt(_blurred(soft * soft, WIDE) + 25.0)
    soft -= soft.mean()
    soft /= max(float(np.sqrt((soft * soft).sum())), 1e-9)
    return soft.ravel().astype(np.float32)


def _blurred(grid: npt.NDArray[np.float64], deviation: float) -> npt.NDArray[np.float64]:
    """Return ``grid`` after a Gaussian filter of standard deviation ``deviation``, with reflection at the border.

    OpenCV's own filter adds in a different order on different processors; the sums of scipy have one order.
    """
    reach = round(deviation * 4)
    # Rounded to float32, which drops the last bits of the exponential.
    weights = np.exp(-((np.arange(-reach, reach + 1) / deviation) ** 2) / 2).astype(np.float32).astype(np.float64)
    weights /= weights.sum()
    blurred: npt.NDArray[np.float64] = correlate1d(
        correlate1d(grid, weights, axis=1, mode="mirror"), weights, axis=0, mode="mirror"
    )
    return blurred


def similarity(a: Signature, b: Signature) -> float:
    """Return the similarity of two drawings, from -1 to 1, given their signatures.

    It is the largest correlation of the two when one is rotated by right angles or mirrored.
    """
    return float((views_of(a) @ b).max())


def pack(drawing: Signature) -> bytes:
    """Return the signature ``drawing`` as ``SIDE * SIDE`` signed bytes, for storage."""
    return np.clip(np.rint(drawing * NORM), -127, 127).astype(np.int8).tobytes()


def unpacked(packed: bytes) -> tuple[Signature, np.float32]:
    """Return the signature stored by ``pack``, and its Euclidean norm."""
    upright = np.frombuffer(packed, np.int8).astype(np.float32)
    return upright, np.float32(max(float(np.sqrt((upright**2).sum())), 1.0))


def views_of(upright: Signature) -> Signature:
    """Return the signatures (8, SIDE * SIDE) of a drawing under the eight symmetries of the square, itself first."""
    grid = upright.reshape(SIDE, SIDE)
    views = [np.rot90(view, turns) for view in (grid, grid[:, ::-1]) for turns in range(4)]
    return np.stack(views).reshape(8, -1)
