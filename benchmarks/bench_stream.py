"""Streams: rows a CPU second and what bounds them, by ladder and level; repeats among many; memory.

python -m benchmarks.bench_stream                                  # rates of every ladder and level, 8 rows each
python -m benchmarks.bench_stream --ladder geogram --level 1 --rows 10000 --repeats --against FOLDER
"""

import argparse
import json
import resource
import time
from collections import Counter
from pathlib import Path

from planimeter.curation.editions import of_dataset
from planimeter.filters.curves.duplicates import NearDuplicates
from planimeter.filters.geogram.duplicates import Texts, runs
from planimeter.filters.traversal.duplicates import DistinctPaths, unpacked
from planimeter.generators.curves.signatures import pack, signature
from planimeter.recipes.editions import CHECK, Likeness, likeness
from planimeter.streams import LADDERS, levels
from planimeter.streams.items import Items, Row
from planimeter.streams.ladders import Source


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
        self.ladder, self.found = ladder, 0
        self._drawings, self._paths = NearDuplicates(), DistinctPaths(24.0, 672 * 0.88)
        self._statements, self._codes = Texts(0.5), Texts(0.5)

    def take(self, row: Row, like: Likeness) -> None:
        if self.ladder == "curves":
            self.found += not self._drawings.judge(pack(signature(_arrays(row["curves"]))), 0.6).kept
        elif self.ladder == "traversal":
            self.found += not self._paths.judge(like.pool, unpacked(like.signature)).kept
        elif self.ladder == "geogram":
            texts = runs(row["problem"]), runs(row["code"])
            near = self._statements.most_similar(texts[0]) > 0.5 or self._codes.most_similar(texts[1]) > 0.5
            self.found += near
            if not near:
                self._statements.add(texts[0])
                self._codes.add(texts[1])


def _arrays(curves):
    import numpy as np

    return [np.array(curve) for curve in curves]


def repeats(ladder: str, level: int, rows: int, near: bool, against: list[Path]) -> None:
    """Make many rows; print repeats, near duplicates, refusals, memory, and rows that stand in built datasets."""
    source = Source(ladder=ladder, level=level, seed=1)
    items = Items(source)
    suite = source.recipe.suite
    held = {one for folder in against for one in of_dataset(folder)}
    alike, seen, tests, made, gaps = Alike(ladder), Counter(), 0, 0, 0
    began, memory = time.process_time(), []
    for k in range(rows):
        item = items.item(k)
        if item is None:
            gaps += 1
            continue
        made += 1
        seen[item.signature] += 1
        like = likeness(suite, source.config, item.row)
        tests += like in held
        if near:
            alike.take(item.row, like)
        if k % max(rows // 5, 1) == 0:
            memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
            print(f"  {k}: {made - len(seen)} repeats, {memory[-1]} MB", flush=True)
    refused = sum(items.funnel[source.config][CHECK]["rejected"].values())
    print(
        json.dumps(
            {
                "ladder": ladder, "level": level, "addresses": rows, "rows": made, "gaps": gaps,
                "repeats": made - len(seen), "near": alike.found if near else None,
                "refused as test items": refused, "equal to one of": [len(held), tests],
                # Checks that come after the certificate, and the test items, reject some of these.
                "kept by the certificate": items.funnel[source.config]["certify"]["kept"],
                "CPU s": round(time.process_time() - began), "peak MB": memory,
            }
        ),
        flush=True,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ladder", choices=LADDERS)
    parser.add_argument("--level", type=int)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--repeats", action="store_true")
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--against", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    for ladder in [given.ladder] if given.ladder else LADDERS:
        for level in [given.level] if given.level else range(1, levels(ladder) + 1):
            if given.repeats:
                repeats(ladder, level, given.rows, given.near, given.against)
            else:
                rate(ladder, level, given.rows)


if __name__ == "__main__":
    main()
