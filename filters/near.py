"""Filters for near-duplicates among sets, boards and pictures, for suites without a comparison of their own.

Each filter packs an item as bytes, its signature, and measures the similarity of two items, from 0 to 1.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import ClassVar, Generic, TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.png import decoded
from planimeter.filters.verdict import Verdict

Form = TypeVar("Form")
Floats = npt.NDArray[np.float32]


class NearDuplicates(ABC, Generic[Form]):
    """A filter that judges items in order, and rejects each that is too similar to an item kept before in its pool.

    Items are too similar if their similarity is ``limit`` or more; a pool is a group of items to compare.
    """

    check: ClassVar[str] = "near-duplicate"

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._pools: dict[Hashable, list[Form]] = {}

    @abstractmethod
    def unpacked(self, signature: bytes) -> Form:
        """Return ``signature`` in the form that ``similarity`` compares."""

    @abstractmethod
    def similarity(self, kept: Sequence[Form], item: Form) -> float:
        """Return the greatest similarity, 0 to 1, of ``item`` to one of ``kept``, which is not empty."""

    def nearest(self, pool: Hashable, signature: bytes) -> float:
        """Return the greatest similarity of an item to one kept in ``pool``; 0 for an empty pool."""
        kept = self._pools.get(pool, ())
        return self.similarity(kept, self.unpacked(signature)) if kept else 0.0

    def add(self, pool: Hashable, signature: bytes) -> None:
        """Add an item to the kept ones of ``pool`` without judging it."""
        self._pools.setdefault(pool, []).append(self.unpacked(signature))

    def judge(self, pool: Hashable, signature: bytes) -> Verdict:
        """Return the verdict on the next item of ``pool``, and keep it unless it is a near-duplicate."""
        measured = self.nearest(pool, signature)
        if measured < self.limit:
            self.add(pool, signature)
        return Verdict.of(self.check, measured < self.limit, measured, self.limit, "is like an earlier item")


class Sets(NearDuplicates[frozenset[bytes]]):
    """A filter for near-duplicates among sets of names; the similarity of two sets is their Jaccard index."""

    @staticmethod
    def pack(names: Iterable[object]) -> bytes:
        """Return the signature of a set: its ``names``, texts without line breaks, as bytes."""
        return "\n".join(sorted({str(name) for name in names})).encode()

    def unpacked(self, signature: bytes) -> frozenset[bytes]:
        return frozenset(signature.split(b"\n"))

    def similarity(self, kept: Sequence[frozenset[bytes]], item: frozenset[bytes]) -> float:
        return max(len(item & other) / len(item | other) for other in kept)


class Boards(NearDuplicates[npt.NDArray[np.uint8]]):
    """A filter for near-duplicates among boards of whole numbers from 0 to 255, such as grids of cells.

    Similarity is the greatest share of equal cells over all rotations and mirror images, and 0 for different sizes.
    """

    @staticmethod
    def pack(board: Sequence[Sequence[int]] | npt.NDArray[np.integer]) -> bytes:
        """Return the signature of a ``board``: its rows as bytes."""
        cells = np.asarray(board, np.uint8)
        return len(cells).to_bytes(2) + cells.tobytes()

    def unpacked(self, signature: bytes) -> npt.NDArray[np.uint8]:
        return np.frombuffer(signature[2:], np.uint8).reshape(int.from_bytes(signature[:2]), -1)

    def similarity(self, kept: Sequence[npt.NDArray[np.uint8]], item: npt.NDArray[np.uint8]) -> float:
        views = [np.rot90(side, turns) for side in (item, item[:, ::-1]) for turns in range(4)]
        alike = ((view == other).mean() for other in kept for view in views if view.shape == other.shape)
        return float(max(alike, default=0.0))


class Pictures(NearDuplicates[Floats]):
    """A filter for near-duplicates among pictures.

    Similarity is the greatest correlation of their grey thumbnails, 32 x 32 px, over all rotations and mirror images.
    It ignores colours and most lines of a few pixels in a large picture.
    """

    SIDE: ClassVar[int] = 32

    @classmethod
    def pack(cls, png: bytes) -> bytes:
        """Return the signature of a picture: its thumbnail as bytes. Raises ``ValueError`` if ``png`` is not a PNG."""
        grey = decoded(png, cv2.IMREAD_GRAYSCALE)
        if grey is None:
            raise ValueError(f"expected a PNG, got {len(png)} other bytes")
        return cv2.resize(grey, (cls.SIDE, cls.SIDE), interpolation=cv2.INTER_AREA).tobytes()

    def unpacked(self, signature: bytes) -> Floats:
        thumbnail = np.frombuffer(signature, np.uint8).astype(np.float32).reshape(self.SIDE, self.SIDE)
        centred = thumbnail - thumbnail.mean()
        return centred / max(float(np.linalg.norm(centred)), 1e-6)

    def similarity(self, kept: Sequence[Floats], item: Floats) -> float:
        views = np.array([np.rot90(side, turns).ravel() for side in (item, item[:, ::-1]) for turns in range(4)])
        return float(np.clip((np.reshape(kept, (len(kept), -1)) @ views.T).max(), 0, 1))
