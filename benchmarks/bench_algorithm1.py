"""Algorithm 1 of MaRVL-QA: ours against plain numpy, CPU seconds per candidate, in one run.

Both judge the same candidates and must agree. Plain means what the paper describes written down directly: 2000 x 2000
grids, one shift after the other, first failure stops. Run ``python -m benchmarks.bench_algorithm1 [families]``.
"""

import sys
import time
from dataclasses import replace

from planimeter.filters.marvl_qa.ambiguity import AmbiguityLimits, Judgement, judge, judge_plain
from planimeter.generators import registry
from planimeter.generators.marvl_qa.plan import FAMILIES
from planimeter.generators.marvl_qa.plan import family as family_of
from planimeter.generators.marvl_qa.transformation import propose
from planimeter.generators.seeding import item_seed, rng_of
from planimeter.items import TRANSFORMATIONS

#: The fast form is timed as the best of so many runs, so that the first one's loading does not count.
REPEATS = 3


def main(families: int) -> None:
    """Judge one candidate of each of so many families, spread over the library, with transformations in turn."""
    limits = AmbiguityLimits()
    names = tuple(registry.members(FAMILIES, "FAMILIES"))
    names = tuple(names[i * len(names) // families] for i in range(families))
    total = {"plain": 0.0, "fast": 0.0}
    print(f"{'candidate':52s} {'verdict':28s} {'plain s':>8s} {'fast s':>8s} {'ratio':>7s}")
    for i, name in enumerate(names):
        family = family_of(name)
        kind = TRANSFORMATIONS[i % len(TRANSFORMATIONS)]
        candidate = replace(propose(family, kind, rng_of(item_seed(0, ("bench", name)))), others=())
        fast = float("inf")
        for _ in range(REPEATS):
            start = time.process_time()
            ours: Judgement = judge(family, candidate, limits)
            fast = min(fast, time.process_time() - start)
        start = time.process_time()
        theirs = judge_plain(family, candidate, limits)
        plain = time.process_time() - start
        assert (ours.verdict.kept, ours.offset) == (theirs.verdict.kept, theirs.offset), (name, ours, theirs)
        verdict = ours.verdict.reason or "kept"
        print(f"{name + ' ' + kind:52s} {verdict:28s} {plain:8.2f} {fast:8.4f} {plain / fast:6.0f}x", flush=True)
        total["plain"] += plain
        total["fast"] += fast
    plain, fast = total["plain"] / families, total["fast"] / families
    print(f"{'mean per candidate':52s} {'':28s} {plain:8.2f} {fast:8.4f} {plain / fast:6.0f}x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
