"""Builds in this process, without Prefect, its server and workers: CPU seconds of each step, and the limit that the
published bytes set.
"""

import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import deflate
import plain
import pyarrow.parquet as pq

from benchmarks.measured import milliseconds, spent
from planimeter.export.manifest import Manifest
from planimeter.filters.certify.png import parts as parts_of
from planimeter.flows import parts, tasks, work
from planimeter.rendering.png import COMPRESSION_LEVEL

#: The scale of the build before the others, which compiles.
WARM = 0.001

#: Rows of a file whose pictures are measured for the limit.
LOOKED_AT = 100


@contextmanager
def timed(into: Counter[str]) -> Iterator[None]:
    """Add to ``into`` the CPU seconds of each step of the builds in the block; those of a shard are in its record."""

    def make_shard(*given: Any) -> Any:
        record = make(*given)
        into.update(record.seconds)
        return record

    def adding(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            with spent(into, what):
                return function(*given)

        return call

    make = work.make_shard
    with (
        mock.patch.object(work, "make_shard", make_shard),
        mock.patch.object(parts, "write_part", adding("write", parts.write_part)),
        mock.patch.object(tasks, "check", adding("verify", tasks.check)),
    ):
        yield


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


def built(dataset: str, scale: float) -> Built:
    """Build ``dataset`` at ``scale``, after a small build that compiles."""
    with tempfile.TemporaryDirectory() as folder:
        plain.build(dataset, folder, scale=WARM)
    seconds = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        with spent(seconds, "in all"), timed(seconds):
            made = plain.build(dataset, folder, scale=scale)
        limits = [(file.rows, *limit(made.folder / file.path)) for file in Manifest.read(made.folder).files]
    rows = sum(number for number, *_ in limits)
    ours, theirs = (sum(one[0] * one[way] for one in limits) / rows for way in (1, 2))
    return Built(rows, seconds, ours, theirs)


def limit(path: Path) -> tuple[float, float]:
    """Return the CPU ms a row to deflate and to inflate each stream of pixels of a file once, by us and by zlib.

    Pictures that differ by their palette only have one stream.
    """
    batch = next(pq.ParquetFile(path).iter_batches(batch_size=LOOKED_AT, columns=["image"]), ())
    pngs = [row["image"]["bytes"] for row in batch.to_pylist()] if len(batch) else []
    packed = [*{apart.deflated for png in pngs if (apart := parts_of(png))}]
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
