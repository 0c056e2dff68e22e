"""Train/test split of drawings by hash: no drawing is in both splits.

A fingerprint is a hash of tree and drawing, and an eighth of all fingerprints is set apart for the dataset `curves`.
Its rows come from that eighth only, and those of `curves-train` from the rest only; of planar maps, those of a split
`train` come from the rest. So the two share no drawing at any seed, scale or version, without a list of test rows that
could go stale, and it can be checked on each row alone.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

Side = Literal["test", "train"]

#: One fingerprint in so many is a test row's. Test rows are few, so rejection sampling is left to them.
TEST_SHARE = 8

#: Stands for the tree where curves cross: every map of the same curves is in the same split.
CROSSING = "crossing"


def fingerprint(canonical: str, curves: Sequence[npt.NDArray[np.float64]]) -> str:
    """Return 32 hex digits that stay the same if the drawing is turned, mirrored, moved or scaled.

    ``canonical``: the tree, or ``CROSSING``. ``curves``: vertices (n, 2) of each closed curve, in any unit. The drawing
    enters as the share of each curve in the total length and in the total area, to four digits.
    """
    whole, ends = np.vstack(curves), list(accumulate(map(len, curves), initial=0))
    after = np.vstack([part for curve in curves for part in (curve[1:], curve[:1])])
    step = after - whole
    edges = np.sqrt((step**2).sum(axis=1))
    turns = whole[:, 0] * step[:, 1] - whole[:, 1] * step[:, 0]
    # Each curve's are added by themselves: in another order the last bits would be others.
    lengths = [float(edges[first:last].sum()) for first, last in pairwise(ends)]
    areas = [abs(float(turns[first:last].sum())) for first, last in pairwise(ends)]
    # Length against area distinguishes single curves: their shares are all 1.
    roundness = sum(lengths) / np.sqrt(sum(areas))
    shares = sorted((round(x / sum(lengths), 4), round(a / sum(areas), 4)) for x, a in zip(lengths, areas, strict=True))
    text = f"{canonical}|{roundness:.4f}|{shares}"
    return blake2b(text.encode(), digest_size=16).hexdigest()


def drawing_digest(shown: str, lines: Iterable[npt.NDArray[np.float64]]) -> bytes:
    """Return 16 bytes that are equal exactly for equal drawings: the same lines ((n, 2), px), to 0.01 px, that show the
    same, such as the same tree.
    """
    whole = blake2b(shown.encode(), digest_size=16)
    for line in lines:
        whole.update(len(line).to_bytes(4, "little"))
        whole.update(np.rint(line * 100).astype("<i8").tobytes())
    return whole.digest()


def planar_map_side(split: str) -> Side:
    """Return the side that maps of ``split`` are taken from: maps for training share no drawing with any other."""
    return "train" if split == "train" else "test"


def side_of(fingerprint: str) -> Side:
    """Return the side that a fingerprint is on."""
    return "test" if int(fingerprint[:8], 16) % TEST_SHARE == 0 else "train"
