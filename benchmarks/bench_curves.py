"""Certified pictures a second on one core, for each style: draw, judge, render, encode, read back, until one passes.

Run: ``python benchmarks/bench_curves.py [pictures per style]``. CPU time of this process, compilation not counted. The
last column is the share of the candidates that a filter or the certifier refused.
"""

import sys
import time
from collections import Counter

from planimeter.evals.curves.prompt import answer
from planimeter.filters.certify.curves import read
from planimeter.filters.curves.rules import CurvesLimits, judge
from planimeter.generators.curves.config import LayoutError
from planimeter.generators.curves.styles import STYLES, candidates
from planimeter.generators.seeding import item_seed
from planimeter.rendering.curves import render
from planimeter.rendering.png import encode

STAGES = ("draw", "judge", "render", "encode", "certify")


def certified(name: str, seed: int, spent: Counter[str], reasons: Counter[str]) -> bool:
    """Make one certified picture; add the CPU seconds of each stage to ``spent`` and each refusal to ``reasons``."""
    chosen = STYLES[name]
    stream = candidates(chosen, chosen.defaults, seed)
    for _ in range(20):
        marks = [time.process_time()]
        candidate = next(stream)
        marks.append(time.process_time())
        spent["draw"] += marks[1] - marks[0]
        if isinstance(candidate, LayoutError):
            reasons[candidate.reason] += 1
            continue
        refused = [v.reason for v in judge(candidate, CurvesLimits()) if not v.kept]
        marks.append(time.process_time())
        spent["judge"] += marks[2] - marks[1]
        if refused:
            reasons[refused[0]] += 1
            continue
        picture = render(candidate)
        marks.append(time.process_time())
        png = encode(picture)
        marks.append(time.process_time())
        reading = read(png, candidate.look)
        marks.append(time.process_time())
        for stage, start, end in zip(STAGES[2:], marks[2:], marks[3:], strict=False):
            spent[stage] += end - start
        if reading.answer == answer(candidate.parents):
            return True
        reasons[reading.reason or "reads another answer"] += 1
    return False


def main(pictures: int) -> None:
    """Print one line a style."""
    print(f"{'style':<14}{'pictures/s':>11}" + "".join(f"{stage + ' ms':>12}" for stage in STAGES) + "   refused")
    for name in sorted(STYLES):
        for warm_up in range(2):
            certified(name, item_seed(99, ("bench", name, warm_up)), Counter(), Counter())
        spent: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        done = sum(certified(name, item_seed(1, ("bench", name, i)), spent, reasons) for i in range(pictures))
        rate = done / sum(spent.values())
        stages = "".join(f"{1000 * spent[stage] / pictures:>12.1f}" for stage in STAGES)
        share = sum(reasons.values()) / (done + sum(reasons.values()))
        print(f"{name:<14}{rate:>11.1f}{stages}   {share:.1%} {dict(reasons)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
