"""Leaks of problems: what a statement asks and gives, where its points lie, what a ruler and its own numbers say."""

import pytest

from planimeter.evals.geogram import grader
from planimeter.filters.geogram import leakage
from planimeter.filters.geogram.asked import asked_in
from planimeter.filters.geogram.drawn import leaks, points_of
from planimeter.filters.geogram.reading import sketch_of

RULER = "the drawing measures the answer"
SIZE = "a trivial computation gives the answer"
LITERAL = "the answer is a literal of the code"
GIVENS = "the coordinates equal the givens"

#: The examples of GeoGramBench, appendix C, as they were before the paper's authors changed them.
EXAMPLE_1 = (
    r"In $\triangle ABC$, point $F$ divides side $AC$ in the ratio $1:2$. Let $E$ be the point of intersection of side "
    "$BC$ and $AG$ where $G$ is the midpoint of $BF$. The length of $EC$ divided by the length of $BE$ is ?",
    "size(2.5inch); pair A, B, C, E, F, G; A = (0,3); B = (-1,0); C = (3,0); E = (0,0); F = (1,2);"
    'G = intersectionpoint(B--F,A--E); draw(A--B--C--cycle); draw(A--E); draw(B--F); label("$A$",A,N);',
    3,
)
EXAMPLE_2 = (
    r"In rectangle $ABCD$, point $M$ is the midpoint of $\overline{AD}$. The area of $\triangle AMC$ is $12$, and "
    r"$\frac{AD}{AB} = \frac{3}{2}$. Find the length of side $AD$.",
    'draw((0,4)--(0,0)--(6,0)--(6,8)--(0,8)--(0,4)--(6,8)--(0,0)); label("$A$", (0,0), SW); label("$B$", (6, 0), SE);'
    'label("$C$", (6,8), NE); label("$D$", (0, 8), NW); label("$M$", (0, 4), W);',
    8,
)
TRIANGLE = 'draw((0,0)--(4.2,1)--(1,5)--cycle); label("$A$",(0,0),SW); label("$B$",(4.2,1),E); label("$C$",(1,5),N);'


def found(problem: str, code: str, answer: float) -> dict[str, str]:
    leaked = leaks(problem, code, answer, sketch_of(code, "asymptote"), tolerance=0.002, ruler=0.02)
    return {leak.reason: leak.detail for leak in leaked}


MEASURES = [
    ("What is the length of $PF$?", "dist(P, F)"),
    (r"What is the number of degrees in $m\angle C'DA$?", "angle(C_prime, D, A)"),
    (r"If $\angle EAB=40^\circ$, how many degrees is $\angle CED$?", "angle(C, E, D)"),
    (r"Compute $[ABMO]/[EDCMO]$. ($[XYZ]$ denotes an area.)", "area(A, B, M, O)/area(E, D, C, M, O)"),
    (r"Find the ratio of the area of $\triangle BCX$ to the area of $\triangle ACX$.", "area(B, C, X)/area(A, C, X)"),
    (r"In right triangle $ABC$, what is $\tan B$?", "tan(angle(A, B, C))"),
    ("The perimeter of quadrilateral $ABCD$ equals:", "perimeter(A, B, C, D)"),
    # Said in another way: no measure rather than a wrong one.
    ("Find the distance from $A$ to $BC$.", ""),
    ("What is the square of the length of $QP$?", ""),
    ("What is $AB + x$?", ""),
    (r"In triangles $ABC$ and triangle $BCD$, what is $\angle B$?", ""),
]


KINDS = [
    ("What is the area of the shaded region?", "area"),
    ("How long, in cm, is the common chord? Express your answer in simplest radical form.", "length"),
    ("Find the number of degrees in the measure of angle $x$.", "angle"),
    ("How many triangles are in the figure?", ""),
    ("If the area is $a + b$, what is $a + b$?", ""),
]


GIVEN = [
    (r"$AB = BC = 2\sqrt{3}$ and $CD=5$ cm.", {"dist(A, B)": 12**0.5, "dist(B, C)": 12**0.5, "dist(C, D)": 5.0}),
    (r"$\angle BAC = 20^\circ$, and angle $ABC$ is 71 degrees.", {"angle(B, A, C)": 20.0, "angle(A, B, C)": 71.0}),
    (
        r"The area of $\triangle ABD$ is $24$, and square $ABCD$ has side length 4.",
        {"area(A, B, D)": 24.0, "dist(A, B)": 4.0},
    ),
    # No values by themselves, and an arc is no chord.
    (r"$AB = 2x$, $CD = 3 + y$, $EF = 2GH$, arc $AS$ is $58^\circ$", {}),
    (r"$\angle AOD$ is $2\frac{1}{2}$ times $\angle AOB$", {}),
]


@pytest.mark.parametrize(("gives", "facts"), GIVEN)
def test_given_measures_are_read(gives: str, facts: dict[str, float]) -> None:
    assert dict(asked_in(gives).given) == pytest.approx(facts)


ASKED = [*((*asked, None) for asked in MEASURES), *((asks, "", kind) for asks, kind in KINDS)]


@pytest.mark.parametrize(("asks", "measure", "kind"), ASKED)
def test_plainly_asked_measures_are_read(asks, measure, kind) -> None:
    asked = asked_in(asks)
    assert (asked.measure, asked.kind if kind is not None else None) == (measure, kind)


def test_points_are_found_by_their_letters_and_their_names() -> None:
    code = 'pair B = (4,0); draw((0,0)--B--(1,3)--cycle); label("$A$",(-0.2,-0.2)); label("$C_1$",(1,3),N); xaxis(0,1);'
    assert points_of(sketch_of(code, "asymptote")) == {"A": (0, 0), "B": (4, 0), "C_1": (1, 3)}
    # A letter that stands for two points is none's name, and code that cannot be read has no points.
    assert points_of(sketch_of('draw((0,0)--(9,9)); label("A",(0,0)); label("A",(9,9));', "asymptote")) == {}
    assert not sketch_of("draw(((", "asymptote").names
    code = "import matplotlib.pyplot as plt\nplt.plot([0, 3, 0, 0], [0, 0, 4, 0])\n"
    code += "plt.text(-0.1, -0.1, '$A$')\nplt.annotate('B', (3, 0))\nplt.text(0, 4.1, 'C')"
    sketch = sketch_of(code, "matplotlib")
    assert points_of(sketch) == {"A": (0, 0), "B": (3, 0), "C": (0, 4)}
    leaked = leaks("In triangle $ABC$, what is $BC$?", code, 5, sketch, tolerance=0.002, ruler=0.02)
    assert [leak.reason for leak in leaked] == [RULER]


TITLE, LABEL = "a title of the drawing gives the answer", "a label of the drawing is the answer"
CORNER = (
    'draw((4,0)--(0,0)--(0,3)); label("$A$",(4,0),E); label("$B$",(0,0),SW); label("$C$",(0,3),N); label("${}$",{});'
)
TEXTS = [
    ("Find the area.", "plt.title('Area is 35')", "matplotlib", 35, TITLE),
    ("Find the area.", "plt.plot([0, 1], [0, 2], label='r = 35')\nplt.legend()", "matplotlib", 35, TITLE),
    ("Find the area.", "plt.legend(['a', '35 square units'])", "matplotlib", 35, TITLE),
    ("Find the area.", "ax.add_patch(plt.Rectangle((0, 0), 7, 5))", "matplotlib", 35, SIZE),
    ("Find the angle.", 'label("$35^\\circ$", (0,0));', "asymptote", 35, LABEL),
    (r"If $x = 90$, what is $\angle ABC$?", CORNER.format("90", "(0.3,0.3)"), "asymptote", 90, LABEL),
    (r"If $x = 90$, what is $\angle ABC$?", CORNER.format("90", "(3,2)"), "asymptote", 90, ""),
]


@pytest.mark.parametrize(("problem", "code", "language", "answer", "reason"), TEXTS)
def test_texts_and_patches_that_give_the_answer_are_found(problem, code, language, answer, reason) -> None:
    sketch = sketch_of(code, language)
    reasons = [leak.reason for leak in leaks(problem, code, answer, sketch, tolerance=0.002, ruler=0.02)]
    assert not sketch.unread and (reason in reasons if reason else LABEL not in reasons)


def test_the_examples_of_the_paper_are_caught() -> None:
    assert found(*EXAMPLE_1) == {RULER: "dist(E, C)/dist(B, E) = 3 in the drawing"}
    assert {RULER, LITERAL} <= found(*EXAMPLE_2).keys()
    mended = EXAMPLE_1[1].replace("C = (3,0)", "C = (4,0)").replace("F = (1,2)", "F = (1.14, 2.14)")
    assert found(EXAMPLE_1[0], mended, 3) == {}


def test_a_ruler_needs_no_unit_where_a_length_is_given() -> None:
    leaked = found("In triangle $ABC$, $AB = 43.17$. What is $BC$?", TRIANGLE, 51.2)
    assert leaked[RULER].endswith("to the scale of what is given")
    assert found("In triangle $ABC$, what is $BC$?", TRIANGLE, 51.2) == {}
    assert found("In triangle $ABC$, $AB = 43.17$. What is $BC$?", TRIANGLE, 53.2) == {}
    # 2% are a ruler's; what is asked without points must be hit.
    assert RULER in found("In triangle $ABC$, what is $BC$?", TRIANGLE, 5.05)
    assert found("What is the length of the longest line?", TRIANGLE, 5.15) == {}


PART = "draw((0,0)--(4,0)--(4,4)--(0,4)--cycle); fill((0,0)--(1,0)--(1,3)--(0,3)--cycle);"
MARKED = 'draw((0,0)--(3,0)); label("P",(3,0)); label("Q",(0,0)); label("R",(1,1.732));'
SIZES = [
    ("What is the area of the shaded region?", "fill((0,0)--(7,0)--(7,5)--(0,5)--cycle, gray);", 35),
    ("How long is the chord?", "draw((5,8.66)--(5,-8.66));", 17.3205),
    ("What fraction of the square is shaded?", PART, 3 / 16),
    ("What is the degree measure of the marked angle?", MARKED, 60),
]


@pytest.mark.parametrize(("asks", "code", "answer"), SIZES)
def test_sizes_of_the_asked_kind_are_compared(asks: str, code: str, answer: float) -> None:
    assert SIZE in found(asks, code, answer)
    assert SIZE not in found(asks, code, answer * 1.01)
    assert SIZE not in found("How many ways are there?", code, answer)


def test_coordinates_that_equal_the_givens_are_reported() -> None:
    code = 'pair A=(0,0), B=(5,0), C=(2,3), D=(9,1); draw(A--B--C--cycle); dot(D); label("$A$",A,S); label("$B$",B,S);'
    assert found("In triangle $ABC$, $AB = 5$. What is $x$?", code, 77) == {GIVENS: "drawn as given: dist(A, B)"}
    assert found("In triangle $ABC$, $AB = 6$. What is $x$?", code, 77) == {}
    rounded = code.replace("B=(5,0)", "B=(500.2,0)")
    assert GIVENS in found("In triangle $ABC$, $AB = 500$. What is $x$?", rounded, 77)
    # An angle is as given in every drawing to scale, whatever its coordinates.
    assert found(r"$\angle ABC = 45^\circ$. What is $x$?", code, 77) == {}


SAME = [
    ("In triangle $ABC$, $\\angle BAC = 60^\\circ$. Find $\\angle ABC$.", "60"),
    ("Each side is $\\frac{1}{2}$ of the one before.", "0.5"),
    ("$\\frac{6}{8}$ of the area is grey.", "\\frac{3}{4}"),
    ("a circle of radius $4 \\sqrt{10}$", "4\\sqrt{10}"),
    ("$MK = \\frac{\\sqrt{461}}{2}$", "\\frac{\\sqrt{461}}{2}"),
    ("Three circles touch each other.", "3"),
    ("Its height is halved.", "\\frac{1}{2}"),
    ("with sides $\\frac{3}{7}$ as long", "7"),
]
OTHER = [("$\\angle BAC = 60^\\circ$", "6"), ("Someone is alone, and the third circle often tens", "10")]


@pytest.mark.parametrize(("statement", "answer"), [*SAME, *OTHER])
def test_an_answer_that_the_statement_gives_is_found(statement: str, answer: str):
    value, same = grader.value(answer), (statement, answer) in SAME
    assert value is not None
    verdict = leakage.check_copied_from_statement(statement, value)
    assert (verdict.kept, verdict.measured > verdict.limit == 0) == (not same, same)
    assert not same or (verdict.check, verdict.reason) == ("leakage", "the answer is a number of the statement")
