"""Pieces of programs mean alone what they mean together; steps on a tape are those of numpy, bit for bit."""

import operator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.filters.certify.geogram import arithmetic, program
from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.certificate import arranged, measure, recover
from planimeter.filters.certify.geogram.tape import Tape

ASYMPTOTE = (
    "pair A = (0.5, 1.5), B = 2.5dir(30.5);\nreal E3 = 2.0;\nreal e = 0.5E3;",
    'pair A = (0.5, 1.5);\npair E = (2.5, 0.5);\npair F = 0.5E + 1.5(A + E);\ndraw(A--E);\nlabel("$A\'$", A, N);',
    "pair A = (1.5, 2);\nfill(A--(0.5, 2.5)--(3.5, 1.25)--cycle, gray( 0.25));\nfill(A--(0.5, 0)--cycle, white);",
    'pair A = (1.5, 2); // a "quote of 0.5\npair B = (0.5, 1.25); /* " 2.5 */ pair C = A + 0.5*B;\nlabel("1.5", B);',
    "real f(real x) {\n  return 0.25*x + 1.5;\n}\nreal b = f(4.5) + f(0.25);\nfill(graph(f, 0, 1), white);",
    "int n = 2;\nreal a = 0.5;\nif (n == 2) a = 1.5;\nelse { a = 2.5; }\nimport olympiad\nreal b = 3.5;\nreal c = n;",
    "real a = 0.2718281828;\nreal b = 1.5 + 0.2718281828;\nreal c = .5 + 1. + 0.75;\nreal d = .2718281828 + 1.5;",
    "real a = 0.5;\nfor (int i = 0; i < 3; ++i) {\n  a = 0.5*a + 1.5;\n  draw((a, 0.5)--(0, 0));\n}\nreal b = 2*a;",
)
MATPLOTLIB = (
    "A = np.array([0.5, 1.5])\nv = np.array([1.0, 2.0])\n"
    'ax.fill(*zip(A + 0.5*v, v, A, A + 0.50*v), color="0.75")\n'
    'ax.fill(*zip(A + 0.5*v, v, A, A + 0.25*v), color="white")',
    'b = (0.5 +\n2.5)\nfor i in range(2):\n    # " 0.5\n    a = 0.5*a\n\n    b = a + 0.25',
    "A = np.array([0.5, 2.5])\nax.annotate('0.5', A)\nax.fill(*zip(A, 0.5*A, 0.75*A), color='0.25')\nt = 0.5",
    "def f(x):\n    return 0.25*x\n\ndef g(x):\n    return f(x) + 0.5\na = g(1.5)\ndef f(x):\n    return 0.75*x",
    "a = 1.5e1 + 0.5\nb = 1_0.5\nc = 2.5",
    'a = 0.5\nax.set_aspect("""\n0.5\n""")' + "\nb = 1.5",
)

SQUARES = ((0.25, "gray(0.5)"), (8.5, "gray(0.5)"), (0.5, "white"), (0.001, "gray(0.5)"))


PROGRAMS = [(code, "asymptote") for code in ASYMPTOTE] + [(code, "matplotlib") for code in MATPLOTLIB]


@pytest.mark.parametrize(("code", "language"), PROGRAMS, ids=map(str, range(len(PROGRAMS))))
def test_pieces_mean_alone_what_they_mean_together(code, language, monkeypatch):
    def met():
        try:
            made = program.Program(code, language)
            trace = made.trace(made.start[:, None] * [[1.0, 1.25]])
        except UnreadableError as error:
            return str(error)
        fills = [(region.shade, len(region.pieces)) for region in trace.fills]
        return str((made.start, made.labels, made.edges, sorted(trace.values.items()), fills, trace.steps))

    apart = met()
    monkeypatch.setattr(
        program, "_pieces", lambda code, language: [(program._piece.__wrapped__(code, language, ()), {})]
    )
    assert apart == met()


def test_programs_that_differ_in_numbers_are_read_once():
    code = "pair A = ({0}, {1});\npair B = A + {0}*dir({2});\ndraw(A--B);"
    first = program.Program(code.format(0.5, 1.25, 30.75), "asymptote")
    seen = program._piece.cache_info().misses
    again = program.Program(code.format(2.5, 0.75, 4.5), "asymptote")
    assert program._piece.cache_info().misses == seen
    assert first.start.tolist() == [0.5, 1.25, 0.5, 30.75]
    assert again.start.tolist() == [2.5, 0.75, 2.5, 4.5]


def plainly_arranged(points, joined):
    """Do what ``arranged`` says, a pair and a triple after the other."""

    def turn(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    kept, drawing = [], points[:, :, 0]
    flat_below = 1e-6 * np.abs(drawing - drawing[0]).max() ** 2
    for solved in points[:, :, 1:].transpose(2, 0, 1):
        extent = np.abs(solved - solved[0]).max()
        same = [
            ((solved[i] - solved[j]) ** 2).sum() > (1e-3 * extent) ** 2 for i, j in combinations(range(len(points)), 2)
        ]
        for i, j, k in combinations(range(len(points)), 3):
            lines = joined[[i, i, j], [j, k, k]].sum()
            if abs(turn(*drawing[[i, j, k]])) < flat_below:
                for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
                    sides = [np.sign((p[a] - p[b]) @ (p[c] - p[b])) for p in (drawing, solved)]
                    same.append(sides[0] == sides[1])
            elif lines >= 2 or not joined[[i, j, k]].any(axis=1).all():
                same.append(np.sign(turn(*drawing[[i, j, k]])) == np.sign(turn(*solved[[i, j, k]])))
        kept.append(all(same))
    return kept


@given(st.integers(2, 6), st.integers(0, 10**6))
def test_points_are_arranged_as_a_triple_after_the_other_says(count, seed):
    rng = np.random.default_rng(seed)
    drawing = rng.integers(0, 4, (count, 2, 1)).astype(float)
    moved = drawing + rng.choice([0.0, 0.0, 0.0, 1e-4, 1.0], (count, 2, 12)) * rng.integers(-1, 2, (count, 2, 12))
    moved[:, :, 0], moved[-1, 0, 1] = drawing[:, :, 0] * 2 + 1, np.nan
    lines = np.triu(rng.random((count, count)) < 0.4, 1)
    points = np.concatenate([drawing, moved], axis=2)
    points[-1, 0, 0] = np.nan if seed % 5 == 0 else drawing[-1, 0, 0]
    with np.errstate(all="ignore"):
        assert arranged(points, lines | lines.T).tolist() == plainly_arranged(points, lines | lines.T)


def test_small_regions_count_and_those_on_top_cover_what_lies_below():
    squares = "".join(f"fill((0, 0)--({a}, 0)--({a}, {a})--(0, {a})--cycle, {shade});" for a, shade in SQUARES)
    shaded = measure(squares, "asymptote", '{"given": [], "asked": "shaded()"}').asked
    assert shaded == pytest.approx(8.5**2 - 0.5**2 + 0.001**2, rel=1e-12)
    assert measure("real a = 0.5;", "asymptote", '{"given": [], "asked": "shaded()"}').asked == 0
    givens = '{"given": [["hull(A, B, C)", "4"]], "asked": "dist(A, B)"}'
    with pytest.raises(UnreadableError, match="hull is not a fact"):
        recover("It is 4.", "pair A = (0.5, 2.5), B = (1.5, 0.5), C = (3.5, 4.5);", "asymptote", givens)


TWO = (operator.add, operator.sub, operator.mul, operator.truediv, arithmetic.arctan2, lambda a, _: a % 360)
ONE = (
    np.sqrt, np.abs, np.radians, np.degrees, operator.neg, lambda x: x**2,
    arithmetic.sin, arithmetic.cos, arithmetic.positive
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


@pytest.mark.parametrize(("size", "solved"), [(5.0, 2), (3.0, 2), (-1.0, 0)])
def test_starts_that_come_to_a_solution_satisfy_every_measure_and_others_are_left_out(size, solved):
    def residuals(p):
        x, y, z = p
        return [np.sqrt(x * x + y * y) / size - 1, (x - y) / (z * z) - 1, np.sqrt(z - 1) * x - y * 0.5]

    starts, tape = np.random.default_rng(3).normal(size=(3, 9)) * 2, Tape(3)
    starts[:, 8] = [3.0, 0.0, 1e-3]
    measures = [made.item() for made in residuals(tape.inputs)]
    with np.errstate(all="ignore"):
        solutions = [tape.solved(measures, starts, iterations, 1e-9) for iterations in (0, 5, 60)]
        assert all(np.abs(residuals(found)).max(initial=0) < 1e-9 for found in solutions)
    assert [found.shape[1] for found in solutions] == [0, 0, solved]
    # Without a measure every start is a solution.
    assert (Tape(2).solved([], starts[:2], 60, 1e-9) == starts[:2]).all()
    for value, number in ((0.0, 4), (1.0, 0)):
        assert Tape(0).solved([value], np.ones((0, 4)), 60, 1e-9).shape == (0, number)
