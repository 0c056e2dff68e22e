"""GeoGramBench: pictures and solutions against the plain way.

Plain ways: matplotlib running the row's own program and saving a PNG; scipy's least squares from one start after
another, with the same residuals and Jacobians.
"""

import io
from collections.abc import Iterator

import matplotlib
import numpy as np
from geogram_cases import NAMES, accepted
from scipy.optimize import least_squares

from benchmarks.measured import Measured, milliseconds
from planimeter.filters.certify.geogram import certificate as certifier
from planimeter.filters.certify.geogram import tape
from planimeter.filters.certify.geogram.measures import recorded
from planimeter.filters.certify.geogram.program import Program
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


def rows() -> Iterator[Measured]:
    items = [accepted(name, "matplotlib") for name in NAMES[::2]]
    # A program shows its figure at its end.
    plt.show = lambda: None
    for what, ours, plain, how in (
        ("a GeoGram picture", lambda item: encode(picture(item.drawing)), plain_picture, "matplotlib runs the program"),
        ("solving a GeoGram figure from its statement", solve, plain_solve, "scipy's least squares, start by start"),
    ):
        # The first call compiles and reads fonts.
        ms = (milliseconds(lambda do: [*map(do, items)], do, repeats=1, pieces=len(items)) for do in (ours, plain))
        yield Measured(what, *ms, how)
