"""GeoGramBench: pictures, solutions and the search for near-duplicates against the plain way.

Plain ways: matplotlib running the row's own program and saving a PNG; scipy's least squares from one start after
another, with the same residuals and Jacobians; all pairs of texts by a sparse product, whose memory grows with the
square.
"""

import io
from collections.abc import Iterator

import matplotlib
import numpy as np
from geogram_cases import NAMES, accepted
from scipy.optimize import least_squares
from scipy.sparse import csr_array

from benchmarks.measured import Measured, milliseconds
from planimeter.filters.certify.geogram import certificate as certifier
from planimeter.filters.certify.geogram import tape
from planimeter.filters.certify.geogram.measures import recorded
from planimeter.filters.certify.geogram.program import Program
from planimeter.filters.geogram.duplicates import Runs, Texts, runs
from planimeter.rendering.geogram import picture
from planimeter.rendering.png import encode

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def plain_picture(item) -> None:
    plt.close("all")
    exec(compile(item.code, "row", "exec"), {})
    plt.gcf().savefig(io.BytesIO(), dpi=120)


def problem(item) -> tuple[Program, list[tuple[str, float]]]:
    return Program(item.code, item.language), certifier._facts(item.givens)[0]


def solve(item) -> None:
    program, facts = problem(item)
    certifier._solve(program, facts, certifier._starts(program.start))


def plain_solve(item) -> None:
    program, facts = problem(item)
    if facts and len(program.start):
        residuals = [(recorded(text, program.recording) - value) / (abs(value) or 1.0) for text, value in facts]
        code, only = program.tape._code(residuals), np.zeros(1, np.int64)
        for start in certifier._starts(program.start).T:
            least_squares(
                lambda p: tape._linearised(*code, p[:, None], only)[0][:, 0],
                start,
                jac=lambda p: tape._linearised(*code, p[:, None], only)[1][0],
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


def texts(number: int) -> list[Runs]:
    rng = np.random.default_rng(1)
    return [runs(" ".join(f"w{w}" for w in rng.integers(0, 3000, 60))) for _ in range(number)]


def search(held: list[Runs]) -> None:
    kept = Texts(0.5)
    for text in held:
        kept.most_similar(text)
        kept.add(text)


def rows(quick: bool = False) -> Iterator[Measured]:
    items = [accepted(name, "matplotlib") for name in NAMES[:: 60 if quick else 2]]
    # A program shows its figure at its end.
    plt.show = lambda: None
    for what, ours, plain, how in (
        ("a GeoGram picture", lambda item: encode(picture(item.drawing)), plain_picture, "matplotlib runs the program"),
        ("solving a GeoGram figure from its statement", solve, plain_solve, "scipy's least squares, start by start"),
    ):
        # The first call compiles and reads fonts.
        ms = (milliseconds(lambda do: [*map(do, items)], do, repeats=1, pieces=len(items)) for do in (ours, plain))
        yield Measured(what, *ms, how)
    held = texts(150 if quick else 1500)
    ms = (milliseconds(do, held, repeats=0, pieces=len(held)) for do in (search, plain_similarity))
    yield Measured(f"near-duplicates among {len(held):,} texts, each", *ms, "a sparse product of all pairs")
