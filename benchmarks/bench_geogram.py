"""GeoGramBench: what a row costs, stage by stage, and the hot paths against the plain way, in one run.

    PYTHONPATH=tests/support python -m benchmarks.bench_geogram

Plain ways: matplotlib running the row's own program and saving a PNG; scipy's least squares from one start after
another, with the same residuals and Jacobians; all pairs of texts by a sparse product, whose memory grows with the
square.
"""

import io
import time

import matplotlib
import numpy as np
from geogram_cases import NAMES, TEMPLATES, accepted
from scipy.optimize import least_squares
from scipy.sparse import csr_array

from planimeter.filters.certify.geogram import certificate as certifier
from planimeter.filters.certify.geogram.program import Program
from planimeter.filters.geogram import leakage
from planimeter.filters.geogram.duplicates import Texts, runs
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
            least_squares(
                lambda p: certifier._residuals(program, facts, p[:, None])[:, 0],
                start,
                jac=lambda p: certifier._linearised(program, facts, p[:, None])[1][0],
                # MINPACK, where it may.
                method="lm" if len(facts) >= len(start) else "trf",
                xtol=1e-14,
            )


def plain_similarity(texts) -> float:
    """Return the largest similarity of two texts."""
    most = 0.0
    for cut in range(len(texts[0])):
        numbers: dict[int, int] = {}
        held = [[numbers.setdefault(run, len(numbers)) for run in text[cut]] for text in texts]
        sizes = np.array([len(one) for one in held])
        entries = np.ones(sizes.sum(), np.int32), np.concatenate(held), np.concatenate([[0], sizes.cumsum()])
        matrix = csr_array(entries, shape=(len(texts), len(numbers)))
        common = (matrix @ matrix.T).tocoo()
        shares = common.data / (sizes[common.row] + sizes[common.col] - common.data)
        most = max(most, shares[common.row < common.col].max(initial=0.0))
    return most


def main() -> None:
    items = [accepted(name, "matplotlib", index) for name in NAMES for index in (0, 1)]
    plt.show = lambda: None

    def draw(name: str) -> None:
        rng = rng_of(item_seed(1, (name,)))
        for _ in range(20):
            try:
                propose(TEMPLATES[name], "matplotlib", rng, 0)
            except ValueError:
                continue
            return

    def certify(item) -> None:
        certifier.certify(item.problem, item.code, item.language, item.givens, item.answer_latex)

    def solve(item) -> None:
        facts, _, _ = certifier._facts(item.givens)
        program = Program(item.code, item.language)
        certifier._solve(program, facts, certifier._starts(program.start))

    print(f"{len(items)} rows, {len(NAMES)} templates; CPU ms a row")
    print(f"propose   {milliseconds(draw, NAMES * 2):8.2f}")
    print(f"certify   {milliseconds(certify, items):8.2f}")
    print(f"leakage   {milliseconds(lambda item: leakage.judge(item, 0.005, 0.05), items):8.2f}")
    fast = milliseconds(lambda i: encode(picture(i.drawing)), items)
    plain = milliseconds(plain_picture, items)
    print(f"picture   {fast:8.2f}   matplotlib runs the program {plain:8.2f}   ratio {plain / fast:6.1f}")
    fast, plain = milliseconds(solve, items[:40]), milliseconds(plain_solve, items[:40])
    print(f"solve     {fast:8.2f}   scipy, start by start       {plain:8.2f}   ratio {plain / fast:6.1f}")
    rng = np.random.default_rng(1)
    texts = [runs(" ".join(f"w{w}" for w in rng.integers(0, 3000, 60))) for _ in range(1500)]

    def index(_: object) -> None:
        kept = Texts(0.5)
        for text in texts:
            kept.most_similar(text)
            kept.add(text)

    fast = milliseconds(index, [0]) / len(texts)
    plain = milliseconds(plain_similarity, [texts]) / len(texts)
    print(f"duplicate {fast:8.3f}   sparse product of {len(texts)}      {plain:8.3f}   ratio {plain / fast:6.1f}")


if __name__ == "__main__":
    main()
