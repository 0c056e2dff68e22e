"""Streams: rows a CPU second and what bounds them, by ladder and level; repeats among many of them.

python -m benchmarks.bench_stream                                  # rates of every ladder and level, 8 rows each
python -m benchmarks.bench_stream --ladder geogram --level 1 --rows 10000 --proof --near --against FOLDER
"""

import json
import resource
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import typer

from planimeter.filters.curves.likeness import alike_pairs
from planimeter.filters.geogram.duplicates import Texts, near_duplicates
from planimeter.filters.traversal.duplicates import DistinctPaths, unpacked
from planimeter.generators.curves.signatures import pack, signature
from planimeter.items.values import Row
from planimeter.streams import LADDERS, levels
from planimeter.streams.items import Items
from planimeter.streams.ladders import Source
from planimeter.suites.editions import CHECK, Likeness, likeness
from planimeter.suites.loading import load
from planimeter.suites.write_signatures import of_dataset


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


def compared(ladder: str, row: Row, like: Likeness) -> Any:
    """Return what of a row is compared with all others; None where alike is equal up to amplitude: repeats count it."""
    if ladder == "curves":
        return pack(signature([np.array(curve) for curve in row["curves"]])), row["category"]
    if ladder == "traversal":
        return like.pool, unpacked(like.signature)
    return (row["problem"], row["code"]) if ladder == "geogram" else None


def alike(ladder: str, held: Sequence[Any]) -> int:
    """Return how many are alike by the rule of their suite, each compared with all before it that are not."""
    if ladder == "curves":
        limits = load("curves").categories()
        return len(alike_pairs([packed for packed, _ in held], [limits[name].similarity for _, name in held]))
    if ladder == "traversal":
        paths = DistinctPaths(24.0, 672 * 0.88)
        return sum(not paths.judge(*path).kept for path in held)
    return sum(not verdict.kept for verdict in near_duplicates(held, Texts(0.5), Texts(0.5)))


def _digest(row: Row) -> bytes:
    """Return a digest of all that a row holds."""
    return sha256(json.dumps(row, default=bytes.hex, sort_keys=True).encode()).digest()


def _memory() -> int:
    """Return the most memory that this process had, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def prove(ladder: str, level: int, rows: int, near: bool, against: list[Path]) -> None:
    """Make many rows; print repeats, near repeats, refusals, memory, and rows that stand in built datasets."""
    source = Source(ladder=ladder, level=level, seed=1)
    items = Items(source)
    suite = source.recipe.suite
    held = {one for folder in against for one in of_dataset(folder)}
    held_rows, seen, tests, gaps, made, digest = list[Any](), set(), 0, 0, 0, sha256()
    began, memory = time.process_time(), []
    for k in range(rows):
        if k % max(rows // 5, 1) == 0:
            memory.append(_memory())
            print(f"  {k}: {made - len(seen)} repeats, {memory[-1]} MB", flush=True)
        item = items.item(k)
        if item is None:
            gaps += 1
            continue
        made += 1
        digest.update(_digest(item.row))
        seen.add(item.signature)
        like = likeness(suite, source.config, item.row)
        tests += like in held
        one = compared(ladder, item.row, like) if near else None
        held_rows += [] if one is None else [one]
    spent = time.process_time() - began
    refused = sum(items.funnel[source.config][CHECK]["rejected"].values())
    print(
        json.dumps(
            {
                "ladder": ladder, "level": level, "addresses": rows, "rows": made, "gaps": gaps,
                "repeats": made - len(seen), "near": alike(ladder, held_rows) if held_rows else "not looked for",
                "refused as test items": refused, "equal to one of": [len(held), tests],
                # Checks that come after the certificate, and the test items, reject some of these.
                "kept by the certificate": items.funnel[source.config]["certify"]["kept"],
                "CPU s": round(spent), "MB": [*memory, _memory()],
                "digest": digest.hexdigest()[:16],
            }
        ),
        flush=True,
    )  # fmt: skip


def main(
    ladder: str | None = None,
    level: int | None = None,
    rows: int = 8,
    proof: bool = False,
    near: bool = False,
    against: list[Path] = [],
) -> None:
    for one in [ladder] if ladder else LADDERS:
        for step in [level] if level else range(1, levels(one) + 1):
            if proof:
                prove(one, step, rows, near, against)
            else:
                rate(one, step, rows)


if __name__ == "__main__":
    typer.run(main)
