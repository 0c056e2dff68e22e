"""Steps on a tape are those that numpy does, bit for bit, and its least squares are those of the plain form."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.filters.certify.geogram import arithmetic
from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.certificate import recover
from planimeter.filters.certify.geogram.measures import evaluate, recorded
from planimeter.filters.certify.geogram.program import Program
from planimeter.filters.certify.geogram.tape import Tape

TWO = (operator.add, operator.sub, operator.mul, operator.truediv, arithmetic.arctan2, lambda a, _: a % 360)
ONE = (
    np.sqrt, np.abs, np.radians, np.degrees, operator.neg, lambda x: x**2,
    arithmetic.sin, arithmetic.cos, arithmetic.positive,
)  # fmt: skip

PROGRAM = """
pair A = (1.5, 2), B = (4.25, -1), C = A + rotate(70.5) * (B - A);
real r = abs(foot(C, A, B) - C) / 3;
pair[] P = {A, B};
for (int i = 0; i < 3; ++i) { P = {P[1], incenter(P[0], P[1], C) + (r, i)}; }
pair D = P[1], F = reflect(A, B) * D, G = (C.x, sqrt(A.y) + sqrt(3));
fill(A--B--C--cycle, gray(0.8));
"""
MEASURES = (
    "dist(A, D)", "angle(B, D, F)", "area(A, B, C, F)", "line_distance(D, A, B)", "sweep(A, B, F)", "2 * dist(A, G)",
    "facing(A, B, D)", "turning(A, C, F)", "perimeter(A, B, C)**2", "dist(mirrored(C, A, D), B)", "tan(angle(A, B, C))",
)  # fmt: skip


def bits(values):
    # Of what is no number the bits say nothing.
    return [value.hex() for value in np.asarray(values, float).ravel()]


@given(
    st.lists(st.tuples(st.integers(0, len(TWO) + len(ONE) - 1), st.integers(0, 99), st.integers(0, 99)), max_size=12)
)
def test_steps_are_those_of_numpy(steps):
    inputs = np.array([[3.7, 0.0, -1e9, np.inf], [-0.2, -5.0, 1e-9, np.nan]])
    tape = Tape(2)
    with np.errstate(all="ignore"):
        plain, taped = [*inputs, np.full(4, 0.75)], [*tape.inputs, np.array([tape.number(0.75)])]
        for step, first, second in steps:
            for values in (plain, taped):
                a, b = values[first % len(values)], values[second % len(values)]
                values.append(TWO[step](a, b) if step < len(TWO) else ONE[step - len(TWO)](a))
    found = tape.values([value.item() for value in taped], inputs)
    assert bits(found) == bits(plain)


def test_programs_and_measures_come_out_as_without_a_tape():
    program = Program(PROGRAM, "asymptote")
    drawings = program.start[:, None] * [[1.0, 1.1, -0.3, 0.0]]
    trace, taped = program.trace(drawings), program.recording
    assert len(trace.fills) == len(taped.fills) == 1
    found = program.tape.values([recorded(measure, taped) for measure in MEASURES], drawings)
    assert bits(found) == bits([evaluate(measure, trace, 4) for measure in MEASURES])


def plainly_solved(residuals, p, iterations, solved):
    """Levenberg and Marquardt in numpy, over (n, m) starts: what the compiled form does."""

    def linearised(p):
        h = 1e-7 * np.maximum(np.abs(p), 0.1)
        f = residuals(p)
        slopes = [(residuals(p + h * (np.arange(len(p)) == j)[:, None]) - f) / h[j] for j in range(len(p))]
        return f, np.array(slopes).transpose(2, 1, 0)

    def cost_of(f):
        return np.where(np.isfinite(f).all(axis=0), (f * f).sum(axis=0), np.inf)

    damping = np.full(p.shape[1], 1e-3)
    f, jacobian = linearised(p)
    for _ in range(iterations):
        if (cost_of(f) < solved**2 / 100).all():
            break
        trial = p - arithmetic.damped_steps(jacobian, f, damping).T
        trial_f, trial_jacobian = linearised(trial)
        better = cost_of(trial_f) < cost_of(f)
        p, f = np.where(better, trial, p), np.where(better, trial_f, f)
        jacobian = np.where(better[:, None, None], trial_jacobian, jacobian)
        damping = np.clip(np.where(better, damping / 8, damping * 6), 1e-14, 1e8)
    return p[:, np.abs(f).max(axis=0) < solved]


@pytest.mark.parametrize("iterations", [0, 1, 5, 60])
@pytest.mark.parametrize("size", [5.0, 0.5, -1.0])
def test_least_squares_are_those_of_the_plain_form(size, iterations):
    def residuals(p):
        x, y, z = p
        return [np.sqrt(x * x + y * y) / size - 1, (x - y) / (z * z) - 1, np.sqrt(z - 1) * x - y * 0.5]

    starts = np.random.default_rng(3).normal(size=(3, 9)) * 2
    starts[:, 8] = [3.0, 0.0, 1e-3]
    with np.errstate(all="ignore"):
        plain = plainly_solved(lambda p: np.array(residuals(p)), starts, iterations, 1e-9)
    tape = Tape(3)
    found = tape.solved([made.item() for made in residuals(tape.inputs)], starts, iterations, 1e-9)
    assert bits(found) == bits(plain)
    assert plain.shape[1] > 0 or iterations < 60 or size < 1


def test_without_a_measure_every_start_is_a_solution():
    starts = np.ones((2, 4))
    assert (Tape(2).solved([], starts, 60, 1e-9) == starts).all()
    assert Tape(0).solved([0.0], np.ones((0, 4)), 60, 1e-9).shape == (0, 4)
    assert Tape(0).solved([1.0], np.ones((0, 4)), 60, 1e-9).shape == (0, 0)


def test_what_takes_a_drawing_at_a_time_is_no_fact():
    givens = '{"given": [["hull(A, B, C)", "4"]], "asked": "dist(A, B)"}'
    with pytest.raises(UnreadableError, match="hull is no fact"):
        recover("It is 4.", "pair A = (0.5, 2.5), B = (1.5, 0.5), C = (3.5, 4.5);", "asymptote", givens)
