"""The certifier's refusals, leaks, near duplicates, exact answers."""

import json
import re

import numpy as np
import pytest
import sympy
from geogram_cases import accepted
from hypothesis import given
from hypothesis import strategies as st

from planimeter.filters.certify.geogram.boxes import surface_path
from planimeter.filters.certify.geogram.certificate import certify
from planimeter.filters.certify.geogram.latex import latex_value
from planimeter.filters.geogram import leakage
from planimeter.filters.geogram.duplicates import Texts, near_duplicates, runs
from planimeter.generators.geogram.exact import exact

TRIANGLE = """size(7cm);
pair A = (0.31, 0.12);
pair B = (4.02, 0.33);
pair C = A + 0.84*(rotate(90)*(B - A));
draw(A--B--C--cycle);
label("$A$", A, SW);
label("$B$", B, SE);
label("$C$", C, N);"""


def givens(asked: str, **given: int) -> str:
    """Return the facts of a problem, lengths by their two points."""
    return json.dumps({"given": [[f"dist({a},{b})", str(value)] for (a, b), value in given.items()], "asked": asked})


SIDES = givens("dist(B,C)", AB=3, AC=4)
STATED = "$AB = 3$ and $AC = 4$. Find $BC$."
FREE = TRIANGLE.replace("A + 0.84*(rotate(90)*(B - A))", "(0.70, 3.10)")
LONG = "for (int i = 0; i < 1000000; ++i) { draw((0.0, 0.0)--(1.0, 1.0)); }"
UNREADABLE = "the program is not readable"


BROKEN = ("pair A = (1.0, 2.0", "while (true) {}", "pair A = f(2.0);", LONG)
UNCERTIFIED = [
    (STATED, FREE, "asymptote", SIDES, "the facts do not determine what is asked"),
    ("$AB = 3$. Find $BC$.", TRIANGLE, "asymptote", SIDES, "a fact is not in the statement"),
    ("3, 4, 9", TRIANGLE, "asymptote", givens("dist(B,C)", AB=3, AC=4, BC=9), "no drawing satisfies the facts"),
    *((STATED, code, "asymptote", SIDES, UNREADABLE) for code in BROKEN),
    # Python is read and never run.
    (STATED, "import os\nos.system('touch /tmp/never')", "matplotlib", SIDES, UNREADABLE),
]


@pytest.mark.parametrize(("problem", "code", "language", "facts", "reason"), UNCERTIFIED)
def test_uncertified_programs_have_a_reason(problem: str, code: str, language: str, facts: str, reason: str) -> None:
    reading = certify(problem, code, language, facts, "5")
    assert (reading.answer, reading.reason) == (None, reason)


def test_the_construction_of_the_code_counts() -> None:
    assert certify(STATED, TRIANGLE, "asymptote", SIDES, "5").answer == "5"
    item = accepted("polygon_prism", "asymptote")
    height = json.loads(item.givens)["asked"].rsplit("*", 1)[-1].rsplit("+", 1)[-1].strip(")")
    silent = item.problem.replace(f"${height}$", "some")
    reading = certify(silent, item.code, item.language, item.givens, item.answer_latex)
    assert (reading.answer, reading.reason) == (None, "a fact is not in the statement")


def test_an_ambiguous_triangle_keeps_its_drawn_arrangement() -> None:
    # Two sides and an angle not between them: D on ray AB with CD = 5 is nearer or farther than the foot.
    code = "pair A = (0.00, 0.00);\npair B = (9.00, 0.00);\npair C = (4.00, 3.00);\n"
    code += "pair H = A + dot(C - A, B - A)/dot(B - A, B - A)*(B - A);\npair D = A + {k}*(B - A);\n"
    code += "draw(A--B);\ndraw(C--D);\n" + "".join(f'label("${point}$", {point}, S);\n' for point in "ABCDH")
    facts = givens("dist(A,D)", AH=8, CH=4, CD=5, AB=20)
    for k, answer in (("0.21", "5"), ("0.70", "11")):
        assert certify("8, 4, 5 and 20", code.replace("{k}", k), "asymptote", facts, "1").answer == answer


@given(st.tuples(*[st.floats(0.5, 6)] * 3), st.tuples(*[st.floats(0, 1)] * 2), st.integers(0, 2**32 - 1))
def test_paths_over_a_box_are_the_shortest_of_its_nets(sides, place, seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn, corner = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3)
    (x, y, z), (s, t) = sides, place
    # From a corner of the base to a point on the top: over one side, or over two, in two nets each.
    p, q = corner, corner + turn @ (s * x, t * y, z)
    length = surface_path(p, q, *(corner + side * axis for side, axis in zip(sides, turn.T, strict=True)), corner)
    over_one = [np.hypot(s * x, z + t * y), np.hypot(t * y, z + s * x)]
    over_two = [np.hypot(x + t * y, z + (1 - s) * x), np.hypot(y + s * x, z + (1 - t) * y)]
    # An end within 1e-9 of an edge lies on both of its faces.
    assert length == pytest.approx(min(over_one + over_two), rel=1e-8)


def test_a_path_over_a_box_may_cross_five_faces() -> None:
    # Dudeney's spider and fly in a room of 30 x 12 x 12: 40 over five faces, 40.7 over four, 42 over three.
    room, spider, fly = np.diag([30.0, 12.0, 12.0]), np.array([0.0, 6.0, 11.0]), np.array([30.0, 6.0, 1.0])
    assert surface_path(spider, fly, *room, np.zeros(3)) == pytest.approx(40, rel=1e-12)


SPELT = [
    (sympy.sqrt(12), "2\\sqrt{3}"),
    (3 / sympy.sqrt(2), "\\frac{3\\sqrt{2}}{2}"),
    (sympy.Rational(6, 4), "\\frac{3}{2}"),
    (sympy.pi * 5 + 2, "5\\pi+2"),
    ((sympy.sqrt(5) - 1) / 4, "\\frac{\\sqrt{5}-1}{4}"),
    (sympy.sqrt(3) * sympy.pi / 2, "\\frac{\\sqrt{3}\\pi}{2}"),
    (1 / (1 + sympy.sqrt(2)), "\\sqrt{2}-1"),
]


def test_exact_answers_have_one_spelling_and_its_value() -> None:
    for expr, latex in SPELT:
        answer = exact(expr)
        assert answer.latex == latex
        assert [answer.value, latex_value(latex)] == pytest.approx([float(expr)] * 2, rel=1e-12)
    with pytest.raises(ValueError, match="sum of rationals"):
        exact(sympy.sqrt(1 + sympy.sqrt(2)))


def test_a_ruler_with_a_stated_scale_is_found() -> None:
    lengths, areas, angles = ("dist(B,C)", "area(A,B,C)", "angle(A,B,C)")
    # Angles have no scale: 12 is four times 3, and still no leak.
    for answer, asked, kept in ((12, lengths, False), (14, lengths, True), (48, areas, False), (12, angles, True)):
        assert leakage.check_ruler(answer, asked, 3.0, ((2.0, 8.0, "dist(A,B)"),), 0.05).kept == kept
    dimensions = {"dist(A,B)": 1, "pi*dist(O,A)**2": 2, "4*pi*dist(i,M)**3/3": 3, "angle(A,B,C)": 0}
    dimensions |= {"endless(n, shaded())": 2, "sqrt(area(A,B,C))": 1}
    assert {asked: leakage.dimension(asked) for asked in dimensions} == dimensions


def test_an_answer_in_code_is_a_leak() -> None:
    assert not leakage.check_literal_in_code("pair A = (5.00, 1.20);", 5.0).kept
    assert leakage.check_literal_in_code('label("$5$", A, N);\nsize(5cm);', 5.0).kept
    # A small answer needs a literal within a share of it, not within a fixed distance.
    assert not leakage.check_literal_in_code("pair A = (0.50, 1.20);", 0.502).kept
    assert leakage.check_literal_in_code("pair A = (0.50, 1.20);", 0.505).kept


def eight_grams(text: str) -> tuple[set[str], ...]:
    cuts = text.split(), re.findall(r"\w+", text)
    return tuple({" ".join(words[i : i + 8]) for i in range(max(1, len(words) - 7))} for words in cuts)


@given(st.integers(0, 2**32 - 1))
def test_the_index_finds_what_comparing_all_pairs_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    stock = [" ".join(f"w{rng.integers(40)}" for _ in range(rng.integers(0, 60))) for _ in range(4)]
    index, kept = Texts(0.5), []
    for _ in range(40):
        words = stock[rng.integers(4)].split()[: rng.integers(1, 80)]
        for place in rng.integers(0, max(len(words), 1), int(rng.integers(0, 6))) if words else ():
            words[place] = f"v{rng.integers(10)};v{rng.integers(10)}"
        text = " ".join(words)
        grams = eight_grams(text)
        pairs = [pair for other in kept for pair in zip(grams, other, strict=True)]
        assert index.most_similar(runs(text)) == max((len(a & b) / len(a | b) for a, b in pairs), default=0.0)
        if rng.integers(2):
            index.add(runs(text))
            kept.append(grams)


def test_a_copy_is_rejected_with_its_reason() -> None:
    statement, code = "one two three four five six seven eight nine ten", "pair A = (1, 2); draw(A -- B -- C);"
    problems = [(statement, code), (statement + " eleven", "x"), ("other words", code)]
    verdicts = [(v.kept, v.reason) for v in near_duplicates(problems, Texts(0.5), Texts(0.5))]
    like = [(False, f"the {part} is like an earlier one") for part in ("statement", "code")]
    assert verdicts[0][0] and verdicts[1:] == like
