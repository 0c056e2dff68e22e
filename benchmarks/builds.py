"""Builds in this process, without Prefect, its server and workers: CPU seconds of each step, and the limit that the
published bytes set.
"""

import tempfile
import zlib
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import deflate
import plain
import pyarrow.parquet as pq

from benchmarks.measured import milliseconds, spent
from planimeter.export.manifest import Manifest
from planimeter.filters.certify.png import parts
from planimeter.rendering.png import COMPRESSION_LEVEL

#: The scale of the build before the others, which compiles.
WARM = 0.001

#: Rows of a file whose pictures are measured for the limit.
LOOKED_AT = 100


class Timed(plain.PlainSteps):
    """Steps of a build that add to ``spent`` the CPU seconds of each; those of the shards are as the build reports."""

    def __init__(self, into: Counter[str], *given: Any) -> None:
        super().__init__(*given)
        self.spent = into

    def make(self, planned: Any) -> Any:
        records = super().make(planned)
        for record in records:
            self.spent.update(record.seconds)
        return records

    def write(self, *given: Any) -> Any:
        with spent(self.spent, "write"):
            return super().write(*given)

    def verify(self, *given: Any) -> None:
        with spent(self.spent, "verify"):
            super().verify(*given)


class Built(NamedTuple):
    """CPU seconds of a build by step and ``in all``; and the limit, ours and zlib's, in CPU ms a row: to deflate and to
    inflate the pixels of its pictures once.
    """

    rows: int
    seconds: Counter[str]
    limit: float
    zlib: float

    @property
    def each(self) -> float:
        """CPU ms of a row."""
        return 1e3 * self.seconds["in all"] / self.rows


def built(dataset: str, *scales: float) -> list[Built]:
    """Build ``dataset`` at each of the scales. Runs in a process of its own."""
    results = []
    for scale in (WARM, *scales):
        seconds = Counter[str]()
        with tempfile.TemporaryDirectory() as folder:
            with spent(seconds, "in all"):
                made = plain.build(dataset, folder, partial(Timed, seconds), scale=scale)
            listed = Manifest.read(made.folder)
            limits = [(record.rows, *limit(made.folder / record.path)) for record in listed.files]
        rows = sum(number for number, *_ in limits)
        ours, theirs = (sum(one[0] * one[way] for one in limits) / rows for way in (1, 2))
        results.append(Built(rows, seconds, ours, theirs))
    return results[1:]


def limit(path: Path) -> tuple[float, float]:
    """Return the CPU ms a row to deflate and to inflate each stream of pixels of a file once, by us and by zlib.

    Pictures that differ by their palette only have one stream.
    """
    batch = next(pq.ParquetFile(path).iter_batches(batch_size=LOOKED_AT, columns=["image"]), ())
    pngs = [row["image"]["bytes"] for row in batch.to_pylist()] if len(batch) else []
    packed = [*{apart.deflated for png in pngs if (apart := parts(png))}]
    raw = [zlib.decompress(one) for one in packed]

    def ours() -> None:
        for one, pixels in zip(packed, raw, strict=True):
            deflate.zlib_compress(pixels, COMPRESSION_LEVEL)
            deflate.zlib_decompress(one, len(pixels))

    def theirs() -> None:
        for one, pixels in zip(packed, raw, strict=True):
            zlib.compress(pixels, COMPRESSION_LEVEL)
            zlib.decompress(one)

    pieces = max(len(pngs), 1)
    return milliseconds(ours, repeats=1, pieces=pieces), milliseconds(theirs, repeats=1, pieces=pieces)
