"""Streams: rows a CPU second and what bounds them, by ladder and level; proofs on many of them.

python -m benchmarks.bench_stream                                  # rates of every ladder and level, 8 rows each
python -m benchmarks.bench_stream --ladder geogram --level 1 --rows 10000 --proof --near --against FOLDER

``--proof`` makes the rows 3.5 times: here, in another process, in four, and half of them behind a resume. With
``--again 2000`` only the first 2,000 are made more than once.
"""

import argparse
import json
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from hashlib import sha256
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from planimeter.filters.curves.likeness import alike_pairs
from planimeter.filters.geogram.duplicates import Texts, near_duplicates
from planimeter.filters.traversal.duplicates import DistinctPaths, unpacked
from planimeter.generators.curves.signatures import pack, signature
from planimeter.items.values import Row
from planimeter.recipes.editions import CHECK, Likeness, likeness
from planimeter.recipes.editions.__main__ import of_dataset
from planimeter.recipes.loading import load
from planimeter.streams import LADDERS, levels, stream
from planimeter.streams.items import Items
from planimeter.streams.ladders import Source
from planimeter.streams.stream import SHARD, Stream


def rate(ladder: str, level: int, rows: int) -> None:
    """Print how many rows a CPU second there are, and the stages that take most of it."""
    items = Items(Source(ladder=ladder, level=level, seed=1))
    items.item(rows)  # compiles, and loads the test items
    items.begin_account()
    before = time.process_time()
    made = sum(items.item(k) is not None for k in range(rows))
    spent = time.process_time() - before
    stages = items._account.watch.stop()
    shares = {stage: seconds / spent for stage, seconds in stages.items() if seconds > 0.1 * spent}
    bound = ", ".join(f"{stage} {share:.0%}" for stage, share in sorted(shares.items(), key=lambda x: -x[1]))
    print(f"{ladder:<15}{level:>2}{made:>7}{made / spent:>8.1f} a CPU s   {bound}", flush=True)


class Alike:
    """Counts rows that are alike by the rule of their suite, each compared with all before it that are not."""

    def __init__(self, ladder: str) -> None:
        self.ladder, self._count = ladder, 0
        self._paths = DistinctPaths(24.0, 672 * 0.88)
        self._statements, self._codes = Texts(0.5), Texts(0.5)
        self._categories = load("curves").categories()
        self._drawings, self._limits = [], []

    @property
    def count(self) -> int | None:
        """How many; None where alike is equal up to amplitude, which repeats count."""
        if self.ladder == "curves":
            return len(alike_pairs(self._drawings, self._limits))
        return self._count if self.ladder in ("traversal", "geogram") else None

    def take(self, row: Row, like: Likeness) -> None:
        if self.ladder == "curves":
            self._drawings.append(pack(signature([np.array(curve) for curve in row["curves"]])))
            self._limits.append(self._categories[row["category"]].similarity)
        elif self.ladder == "traversal":
            self._count += not self._paths.judge(like.pool, unpacked(like.signature)).kept
        elif self.ladder == "geogram":
            (verdict,) = near_duplicates([(row["problem"], row["code"])], self._statements, self._codes)
            self._count += not verdict.kept


def _digest(row: Row) -> bytes:
    """Return a digest of all that a row holds."""
    return sha256(json.dumps(row, default=bytes.hex, sort_keys=True).encode()).digest()


def _memory() -> int:
    """Return the most memory that this process had, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@cache
def _stream(ladder: str, level: int) -> Stream:
    return stream(ladder, level=level, seed=1)


def _made(task: tuple[str, int, int, int]) -> tuple[list[bytes], int]:
    """Return digests of the items of addresses from one number to before another, and memory. Runs in a worker."""
    ladder, level, first, end = task
    items = map(_stream(ladder, level).item, range(first, end))
    return [_digest(item.row) for item in items if item is not None], _memory()


def _resumed(ladder: str, level: int, state: str, rows: int) -> list[bytes]:
    """Return digests of the next rows of a stream that goes on from ``state``. Runs in a worker."""
    later = stream(ladder, level=level, seed=1)
    later.load_state_dict(json.loads(state))
    return [_digest(row) for row in islice(later, rows)]


def again(ladder: str, level: int, rows: int, digests: list[bytes], new: list[bool]) -> dict[str, object]:
    """Make the same rows in other processes: all in one, in four by shards, and half behind a resume."""
    report: dict[str, object] = {}
    for workers, size in ((1, rows), (4, SHARD)):
        tasks = [(ladder, level, first, min(first + size, rows)) for first in range(0, rows, size)]
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            parts = list(pool.map(_made, tasks))
        equal = [digest for part, _ in parts for digest in part] == digests
        report[f"{workers} other process{'es' * (workers > 1)}"] = f"equal {equal}, {max(m for _, m in parts)} MB"
    distinct = [digest for digest, first in zip(digests, new, strict=True) if first]
    half, one = len(distinct) // 2, stream(ladder, level=level, seed=1)
    first = [_digest(row) for row in islice(one, half)]
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        rest = pool.submit(_resumed, ladder, level, json.dumps(one.state_dict()), len(distinct) - half).result()
    report["resumed in the middle"] = f"equal {first + rest == distinct}"
    return report


def proof(ladder: str, level: int, rows: int, near: bool, against: list[Path], twice: int) -> None:
    """Make many rows; print repeats, near repeats, refusals, memory, rows that stand in built datasets, and whether
    the first ``twice`` addresses give the same rows again.
    """
    source = Source(ladder=ladder, level=level, seed=1)
    items = Items(source)
    suite = source.recipe.suite
    held = {one for folder in against for one in of_dataset(folder)}
    alike, seen, tests, gaps = Alike(ladder), set(), 0, 0
    digests, new = list[bytes](), list[bool]()
    began, memory, upto = time.process_time(), [], 0
    for k in range(rows):
        if k % max(rows // 5, 1) == 0:
            memory.append(_memory())
            print(f"  {k}: {len(new) - len(seen)} repeats, {memory[-1]} MB", flush=True)
        item = items.item(k)
        if item is None:
            gaps += 1
            continue
        digests.append(_digest(item.row))
        new.append(item.signature not in seen)
        upto = len(new) if k < twice else upto
        seen.add(item.signature)
        like = likeness(suite, source.config, item.row)
        tests += like in held
        if near:
            alike.take(item.row, like)
    spent = time.process_time() - began
    refused = sum(items.funnel[source.config][CHECK]["rejected"].values())
    print(
        json.dumps(
            {
                "ladder": ladder, "level": level, "addresses": rows, "rows": len(new), "gaps": gaps,
                "repeats": new.count(False), "near": alike.count if near else "not looked for",
                "refused as test items": refused, "equal to one of": [len(held), tests],
                # Checks that come after the certificate, and the test items, reject some of these.
                "kept by the certificate": items.funnel[source.config]["certify"]["kept"],
                "CPU s": round(spent), "MB": [*memory, _memory()],
                "digest": sha256(b"".join(digests)).hexdigest()[:16],
                "made again": twice, **again(ladder, level, twice, digests[:upto], new[:upto]),
            }
        ),
        flush=True,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ladder", choices=LADDERS)
    parser.add_argument("--level", type=int)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--proof", action="store_true")
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--again", type=int)
    parser.add_argument("--against", type=Path, nargs="*", default=[])
    args = parser.parse_args()
    for ladder in [args.ladder] if args.ladder else LADDERS:
        for level in [args.level] if args.level else range(1, levels(ladder) + 1):
            if args.proof:
                twice = min(args.again or args.rows, args.rows)
                proof(ladder, level, args.rows, args.near, args.against, twice)
            else:
                rate(ladder, level, args.rows)


if __name__ == "__main__":
    main()
