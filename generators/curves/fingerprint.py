"""Digests of drawings of curves, equal for equal drawings, by which exact duplicates are found."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
import numpy.typing as npt


def drawing_digest(shown: str, lines: Iterable[npt.NDArray[np.float64]]) -> bytes:
    """Return a digest of 16 bytes, the same for two drawings exactly if the drawings are equal.

    Drawings are equal if ``shown``, a text about the drawing (such as its tree), is equal, and the ``lines`` ((n, 2),
    px) are equal after rounding to 0.01 px.
    """
    drawn = (len(line).to_bytes(4, "little") + np.rint(line * 100).astype("<i8").tobytes() for line in lines)
    return blake2b(shown.encode() + b"".join(drawn), digest_size=16).digest()
