"""Near-duplicates of sets, boards and pictures: ready parts for suites without a finer comparison.

Each kind packs an item as bytes, which serve as its signature, and measures the similarity of two items, from 0 to 1.
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
    """Judges items in order: of items of one pool whose similarity is ``limit`` or more, only the first is kept."""

    check: ClassVar[str] = "near-duplicate"

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._pools: dict[Hashable, list[Form]] = {}

    @abstractmethod
    def unpacked(self, signature: bytes) -> Form:
        """Return the form for comparisons."""

    @abstractmethod
    def similarity(self, kept: Sequence[Form], item: Form) -> float:
        """Return the greatest similarity of ``item`` to one of ``kept``, which is not empty."""

    def nearest(self, pool: Hashable, signature: bytes) -> float:
        """Return the greatest similarity to a kept item of ``pool``; 0 for an empty pool."""
        kept = self._pools.get(pool, ())
        return self.similarity(kept, self.unpacked(signature)) if kept else 0.0

    def add(self, pool: Hashable, signature: bytes) -> None:
        """Keep an item without a judgement."""
        self._pools.setdefault(pool, []).append(self.unpacked(signature))

    def judge(self, pool: Hashable, signature: bytes) -> Verdict:
        """Judge the next item of ``pool``, and keep it unless it is a near-duplicate."""
        measured = self.nearest(pool, signature)
        if measured < self.limit:
            self.add(pool, signature)
        return Verdict.of(self.check, measured < self.limit, measured, self.limit, "is like an earlier item")


class Sets(NearDuplicates[frozenset[bytes]]):
    """Sets of names: their similarity is the share of common names in all names (Jaccard)."""

    @staticmethod
    def pack(names: Iterable[object]) -> bytes:
        """Return the set of ``names``, texts without line breaks, as bytes."""
        return "\n".join(sorted({str(name) for name in names})).encode()

    def unpacked(self, signature: bytes) -> frozenset[bytes]:
        return frozenset(signature.split(b"\n"))

    def similarity(self, kept: Sequence[frozenset[bytes]], item: frozenset[bytes]) -> float:
        return max(len(item & other) / len(item | other) for other in kept)


class Boards(NearDuplicates[npt.NDArray[np.uint8]]):
    """Boards of whole numbers from 0 to 255: their similarity is the share of equal cells, turned or mirrored or not.

    Boards of other sides are not similar.
    """

    @staticmethod
    def pack(board: Sequence[Sequence[int]] | npt.NDArray[np.integer]) -> bytes:
        """Return the rows of ``board`` as bytes."""
        cells = np.asarray(board, np.uint8)
        return len(cells).to_bytes(2) + cells.tobytes()

    def unpacked(self, signature: bytes) -> npt.NDArray[np.uint8]:
        return np.frombuffer(signature[2:], np.uint8).reshape(int.from_bytes(signature[:2]), -1)

    def similarity(self, kept: Sequence[npt.NDArray[np.uint8]], item: npt.NDArray[np.uint8]) -> float:
        views = [np.rot90(side, turns) for side in (item, item[:, ::-1]) for turns in range(4)]
        alike = ((view == other).mean() for other in kept for view in views if view.shape == other.shape)
        return float(max(alike, default=0.0))


class Pictures(NearDuplicates[Floats]):
    """Pictures: their similarity is the correlation of their thumbnails of 32 x 32 px in grey, turned or mirrored or
    not. Colours do not count; a line of a few pixels in a large picture hardly does.
    """

    SIDE: ClassVar[int] = 32

    @classmethod
    def pack(cls, png: bytes) -> bytes:
        """Return the thumbnail of a PNG."""
        grey = decoded(png, cv2.IMREAD_GRAYSCALE)
        if grey is None:
            raise ValueError("expected a PNG")
        return cv2.resize(grey, (cls.SIDE, cls.SIDE), interpolation=cv2.INTER_AREA).tobytes()

    def unpacked(self, signature: bytes) -> Floats:
        thumbnail = np.frombuffer(signature, np.uint8).astype(np.float32).reshape(self.SIDE, self.SIDE)
        centred = thumbnail - thumbnail.mean()
        return centred / max(float(np.linalg.norm(centred)), 1e-6)

    def similarity(self, kept: Sequence[Floats], item: Floats) -> float:
        views = np.array([np.rot90(side, turns).ravel() for side in (item, item[:, ::-1]) for turns in range(4)])
        return float(np.clip((np.reshape(kept, (len(kept), -1)) @ views.T).max(), 0, 1))
