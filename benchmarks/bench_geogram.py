"""GeoGramBench: what a row costs, stage by stage, and the hot paths against the plain way, in one run.

    PYTHONPATH=.:tests python benchmarks/bench_geogram.py

Plain ways: matplotlib running the row's own program and saving a PNG; scipy's least squares from one start after
another on the same residuals; comparing every text with every other.
"""

import io
import time
from itertools import combinations

import matplotlib
import numpy as np
from geogram_cases import NAMES, accepted, leaks, template
from scipy.optimize import least_squares

from planimeter.filters.certify.geogram import certificate as certifier
from planimeter.filters.certify.geogram.machine import Program
from planimeter.filters.geogram.duplicates import Texts, runs, similarity
from planimeter.generators.geogram.propose import propose
from planimeter.generators.seeding import item_seed, rng_of
from planimeter.rendering.geogram import picture
from planimeter.rendering.png import encode

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def milliseconds(work, items) -> float:
    """Return CPU ms an item."""
    started = time.process_time()
    for item in items:
        work(item)
    return (time.process_time() - started) / len(items) * 1e3


def plain_picture(item) -> None:
    plt.close("all")
    exec(compile(item.code, "row", "exec"), {})
    plt.gcf().savefig(io.BytesIO(), dpi=120)


def plain_solve(item) -> None:
    program = Program(item.code, item.language)
    facts, _, _ = certifier._facts(item.givens)
    if facts and len(program.start):
        for start in certifier._starts(program.start).T:
            least_squares(lambda p: certifier._residuals(program, facts, p[:, None])[:, 0], start, xtol=1e-14)


def main() -> None:
    items = [accepted(name, "matplotlib", index) for name in NAMES for index in (0, 1)]
    plt.show = lambda: None

    def draw(name: str) -> None:
        rng = rng_of(item_seed(1, (name,)))
        for _ in range(20):
            try:
                propose(template(name), "matplotlib", rng, 0)
            except ValueError:
                continue
            return

    def certify(item) -> None:
        certifier.certify(item.problem, item.code, item.language, item.givens, item.answer_latex)

    def solve(item) -> None:
        facts, _, _ = certifier._facts(item.givens)
        certifier._solve(Program(item.code, item.language), facts)

    print(f"{len(items)} rows, {len(NAMES)} templates; CPU ms a row")
    print(f"propose   {milliseconds(draw, NAMES * 2):8.2f}")
    print(f"certify   {milliseconds(certify, items):8.2f}")
    print(f"leakage   {milliseconds(leaks, items):8.2f}")
    fast = milliseconds(lambda i: encode(picture(i.drawing)), items)
    plain = milliseconds(plain_picture, items)
    print(f"picture   {fast:8.2f}   matplotlib runs the program {plain:8.2f}   ratio {plain / fast:6.1f}")
    fast, plain = milliseconds(solve, items), milliseconds(plain_solve, items[:40])
    print(f"solve     {fast:8.2f}   scipy, start by start       {plain:8.2f}   ratio {plain / fast:6.1f}")
    rng = np.random.default_rng(1)
    texts = [runs(" ".join(f"w{w}" for w in rng.integers(0, 3000, 60))) for _ in range(1500)]

    def index(_: object) -> None:
        kept = Texts(0.5)
        for text in texts:
            kept.most_similar(text)
            kept.add(text)

    fast = milliseconds(index, [0]) / len(texts)
    plain = milliseconds(lambda _: [similarity(a, b) for a, b in combinations(texts, 2)], [0]) / len(texts)
    print(f"duplicate {fast:8.3f}   all pairs of {len(texts)}           {plain:8.3f}   ratio {plain / fast:6.1f}")


if __name__ == "__main__":
    main()
