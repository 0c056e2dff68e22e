"""Curation of imported problems: every step, with the wrong thing that it prevents."""

from dataclasses import replace
from pathlib import Path

import pytest
from listed import listed

from planimeter.filters.geogram import curation
from planimeter.filters.geogram.answers import choice, number_of, standard
from planimeter.filters.geogram.duplicates import Texts
from planimeter.filters.geogram.lint import lint, without_comments
from planimeter.flows.imports.corpus import CHUNK_BYTES, Chunk, Corpus, Mark
from planimeter.flows.imports.figures import sketch_of
from planimeter.items import CuratedProblem
from planimeter.items.corpora import RawProblem

CODE = 'draw((0,0)--(4.2,1)--(1,5)--cycle); // a triangle\nlabel("$A$//", (0,0), SW);'


def raw(problem: str, answer: str = "7") -> RawProblem:
    return RawProblem(line=3, problem=problem, answer=answer)


def item(problem: str = "Find the area of the triangle.", answer: str = "7", code: str = CODE) -> CuratedProblem:
    found, _ = curation.with_code(raw(f"{problem}\n[asy]\n{code}\n[/asy]", answer))
    assert found is not None
    return found


def test_malformed_lines_are_named_and_the_rest_is_read() -> None:
    good = {"q": "x", "a": 5}
    rows = [good, ValueError("no JSON"), [1], {"q": "x"}, {"q": 3, "a": "x"}, None, good | {"a": 1.5}]
    found, faults = curation.read_rows(enumerate(rows, 1), problem="q", answer="a")
    assert [(p.line, p.answer) for p in found] == [(1, "5"), (7, "1.5")]
    assert [number for number, _ in faults] == [2, 3, 4, 5, 6]
    assert "no column 'a'" in faults[2][1]


def test_statement_and_code_are_parted_and_comments_go() -> None:
    found = item()
    assert found.problem == "Find the area of the triangle."
    assert found.code == 'draw((0,0)--(4.2,1)--(1,5)--cycle);\nlabel("$A$//", (0,0), SW);'
    assert found.language == "asymptote" and "comments stripped" in found.changes
    # Matplotlib is code, and other Python is not.
    plot = "import matplotlib.pyplot as plt\nplt.plot([0, 1], [0, 1])"
    found, _ = curation.with_code(raw(f"Area?\n```python\n{plot}\n```"))
    assert found is not None and (found.language, found.code) == ("matplotlib", plot)
    none, verdict = curation.with_code(raw("Area?\n```python\nprint(1)\n```"))
    assert (none, verdict.reason) == (None, "no drawing code")


def test_a_repeated_statement_is_dropped_and_a_repeated_figure_is_not() -> None:
    texts = Texts(0.5)
    one = item("In triangle ABC the sides are 3, 4 and 5 units long. What is the radius of its circle?")
    two = item("Find how far the midpoint of AB is from the other corner C of the same triangle, please.")
    assert [curation.duplicate(p, texts).kept for p in (one, two, one)] == [True, True, False]


def test_geometry_stays_and_counting_goes() -> None:
    assert curation.geometry(item("What is the perimeter of triangle ABC?")).kept
    assert not curation.geometry(item("What is the probability that the spinner stops on an even number?")).kept
    assert not curation.geometry(item("What is the perimeter?"), judge=lambda _: False).kept


def test_what_is_no_single_question_waits_for_a_person_even_without_an_answer() -> None:
    for problem, reason in (
        ("Prove that the triangle is isosceles.", "a proof"),
        ("(a) Find the area. (b) Find the perimeter.", "several parts"),
        ("See https://example.org for the triangle.", "a hyperlink"),
    ):
        doubtful, verdict = curation.open_form(item(problem, answer=" "))
        assert verdict.kept and doubtful.doubts == (reason,)
        doubtful, verdict = curation.standard_answer(doubtful)
        assert verdict.kept and curation.reviewed(doubtful, [])[1].reason == f"waits for review: {reason}"
    assert not curation.standard_answer(item(answer=" "))[1].kept


OPTIONS = r" $\textbf{(A)}\ 3 \qquad \textbf{(B)}\ 4\sqrt{2} \qquad \textbf{(C)}\ 5$"


def test_multiple_choice_is_opened_unless_it_needs_its_options() -> None:
    changed, verdict = curation.open_form(item("What is the area?" + OPTIONS, r"\text{(B)}"))
    assert verdict.kept and changed.problem == "What is the area?" and standard(changed.answer_latex) == r"4\sqrt{2}"
    assert not curation.open_form(item("Which of the following is the area?" + OPTIONS, "B"))[1].kept
    assert not curation.open_form(item("What is the area?", r"\text{B}"))[1].kept


ANSWERS = listed(r"""
155^\circ → 155 ¦ 8\text{ cm} → 8 ¦ 8,\!424,\!000 → 8424000 ¦ 0.57 → \frac{57}{100} ¦ .6 → \frac{3}{5} ¦ 48.0 → 48
\dfrac{28}{6} → \frac{14}{3} ¦ 10\sqrt3 → 10\sqrt{3} ¦ 36 - 12\sqrt{3} - 4\pi → 36-12\sqrt{3}-4\pi ¦ \$425 → 425
1\frac{4}{5} → \frac{9}{5} ¦ x = 5 → 5 ¦ \frac12 → \frac{1}{2} ¦ \frac{28}{\sqrt{7}} → 4\sqrt{7} ¦ 072 → 72
28/\sqrt 7 → 4\sqrt{7} ¦ \sqrt{12} → 2\sqrt{3} ¦ \frac{1}{1+\sqrt2} → \sqrt{2}-1
5 - \frac{6 \pi}{4} → \frac{10-3\pi}{2}
""")


@pytest.mark.parametrize("answer", ANSWERS)
def test_answers_get_one_form(answer: str) -> None:
    given, wanted = answer.split(" → ")
    assert standard(given) == wanted and number_of(standard(given)) is not None


def test_what_is_no_number_has_no_value_and_waits_for_a_person() -> None:
    for answer in ("(-1,0]", "\\text{CBAD}", "y = 2x", "", "\\frac{1}{0}", "\\frac{"):
        assert number_of(standard(answer)) is None
    doubtful, _ = curation.standard_answer(item(answer="\\text{CBAD}"))
    assert curation.reviewed(doubtful, [])[1].reason == "waits for review: the answer is no number"
    letters = {r"\text{(B)}": "B", "C": "C", r"\textbf{(A)}": "A", "12": "", r"\text{CBAD}": ""}
    assert {answer: choice(answer) for answer in letters} == letters


def test_a_person_may_edit_keep_and_drop() -> None:
    doubtful = replace(item(), doubts=("several drawings",))
    edits = {"decision": "keep", "answer": "0.5", "problem": "Edited?", "level": "abstract"}
    entry = curation.review_entry(doubtful) | edits
    edited, verdict = curation.reviewed(doubtful, [entry])
    written = (edited.problem, edited.answer_latex, edited.level)
    assert verdict.kept and written == ("Edited?", "\\frac{1}{2}", "abstract")
    assert edited.answer_value == 0.5 and edited.doubts == ()
    assert curation.reviewed(doubtful, [entry | {"decision": "drop"}])[1].reason == "dropped by review"
    with pytest.raises(ValueError, match="decision"):
        curation.reviewed(doubtful, [entry | {"decision": "perhaps"}])


def test_a_leak_is_rescaled_away_where_the_figure_allows_it_and_a_doubt_otherwise() -> None:
    leaky, _ = curation.standard_answer(item(answer="8", code="draw((0,0)--(8,0)--(3,6)--cycle);"))
    cured, verdict = curation.without_leak(leaky, sketch_of, 0.002, 0.02)
    assert verdict.kept and "coordinates rescaled" in cured.changes and cured.doubts == ()
    assert cured.code == "draw((0, 0)--(10.96, 0)--(4.11, 8.22)--cycle);"
    # A length of the code is no coordinate.
    leaky, _ = curation.standard_answer(item(answer="8", code="draw(circle((0,0), 8));"))
    doubtful, _ = curation.without_leak(leaky, sketch_of, 0.002, 0.02)
    assert doubtful.doubts == ("the answer is a literal of the code",) and doubtful.code == leaky.code


def test_levels_follow_the_taxonomy() -> None:
    assert curation.level_of(item("What is the area of the triangle?")) == "primitive"
    many = "draw((0,0)--(1,1));\ndraw((0,0)--(2,1));\ndraw((0,0)--(3,1));"
    assert curation.level_of(item("Find the angle.", code=many)) == "compositional"
    assert curation.level_of(item("Find the volume of the cube.")) == "abstract"


def test_the_lint_finds_what_cannot_draw() -> None:
    for code, wrong in (
        ("draw((0,0)--(1,1));", ""),
        ('draw((0,0)--(1,1)); label("$)$", (0,0));', ""),
        ("draw((0,0]--(1,1));", "match"),
        ("draw((0,0)--(1,1)", "stay open"),
        ("import olympiad; draw((0,0)--(1,1));", "module"),
        ("import graph; draw((0,0)--(1,1));", ""),
        ('system("rm -rf /"); draw((0,0)--(1,1));', "reaches outside"),
        ('file f = output("x"); draw((0,0)--(1,1));', "reaches outside"),
        ("pair A = (0,0);", "draws nothing"),
    ):
        assert wrong in lint(code) and bool(lint(code)) == bool(wrong)
    # Comment signs in strings stay.
    code = 'label("a // b"); /* x\n y */ draw(A); // "end'
    assert without_comments(code, "asymptote") == 'label("a // b");  draw(A);'
    assert without_comments("x = '#1'  \n# gone\ny = 2 # gone", "matplotlib") == "x = '#1'\ny = 2"


def test_a_chunk_does_not_grow_beyond_the_bytes_from_which_on_it_is_full() -> None:
    ends = (0, CHUNK_BYTES, 2 * CHUNK_BYTES - 1, 2 * CHUNK_BYTES, 2 * CHUNK_BYTES + 9)
    marks = tuple(Mark(at=end, lines=number, bytes=end) for number, end in enumerate(ends))
    corpus = Corpus(path=Path("x.jsonl"), stamp=(0, 0), name="x.jsonl", sha256="", marks=marks)
    cuts = [(0, CHUNK_BYTES, 1), (CHUNK_BYTES, 2 * CHUNK_BYTES, 2), (2 * CHUNK_BYTES, 2 * CHUNK_BYTES + 9, 4)]
    assert list(corpus.chunks(100)) == [Chunk(*cut) for cut in cuts]
