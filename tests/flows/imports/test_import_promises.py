"""Each step of curation, and one row of a foreign corpus never costs the others."""

import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import corpora
import plain
import pytest
from corpora import asy, good, rows_of
from listed import listed

from planimeter.export.errors import CurationError
from planimeter.export.verify.folder import verify
from planimeter.filters.geogram import curation
from planimeter.filters.geogram.answers import choice, number_of, standard
from planimeter.flows.errors import PlanimeterError, VersionExistsError
from planimeter.flows.imports.chunks import Options
from planimeter.items import CuratedProblem
from planimeter.items.corpora import RawProblem

PLOT = "import matplotlib.pyplot as plt\nplt.plot([0, 3, 1, 0], [0, 1, 2, 0], 'k')"


def python(more: str) -> str:
    return f"```python\n{PLOT}\n{more}\n```"


#: What would break a promise of the folder, or the rules themselves: (what is replaced in the problem, by what), or
#: the columns that are given instead.
HOSTILE: dict[str, tuple[str, str] | dict[str, Any]] = {
    "a path in the code": (asy(), asy('label("/home/ann/x.png", (0,0));')),
    "a path in the statement": ("?", " in /Users/ann/fig.asy?"),
    "a NUL": ("?", "\0?"),
    "an escape sequence": ("?", " \x1b[31m?"),
    "half a character": ("?", "\ud800?"),
    "a book": ("?", " and so on" * 20_000 + "?"),
    "comments without end": (asy(), asy("/*" * 14_000)),
    "no statement": {"problem": asy()},
    "no code": (asy(), "[asy]\n\n[/asy]"),
    "no answer": {"answer": "  "},
    "an answer that is a word": {"answer": "ABC or DEF"},
    "an answer of brackets": {"answer": "(" * 5_000 + "1" + ")" * 5_000},
    "a fraction of many digits": {"answer": f"\\frac{{{'3' * 6_000}}}{{7}}"},
    "a tower of powers": {"answer": "9^{9^{9^{9}}}"},
    "a division by nothing": {"answer": "\\frac{1}{0}"},
    "infinity": {"answer": "\\infty"},
    "a formula": {"answer": '=HYPERLINK("x")'},
    "a huge coordinate": (asy(), asy("draw((0,0)--(1e300,1e300));")),
    "a link": ("?", "? See https://example.org/x"),
    "an answer that is a table": {"answer": {"x": 1}},
    "a path in matplotlib": (asy(), python("plt.savefig('/home/ann/x.png')")),
    "a path that doubles": (asy(), asy("path p = (0,0)--(1,1); for (int i = 0; i < 99; ++i) { p = p^^p; }")),
    "a polygon of many corners": (asy(), asy("draw(polygon(2000000000));")),
    "numbers that double": (asy(), python("n = 3\nfor i in range(9999):\n    n = n*n")),
}


def hostile(kind: str) -> dict[str, Any]:
    row = {"problem": f"What is the area of the triangle {kind.replace(' ', '_')}? {asy()}", "answer": "17"}
    change = HOSTILE[kind]
    return row | (change if isinstance(change, dict) else {"problem": row["problem"].replace(*change)})


def curated(lines: list[dict[str, Any]], folder: Path, **more: Any) -> Path:
    corpus = corpora.write(folder / "corpus.jsonl", lines)
    built = plain.curate(Options(files=(str(corpus),), outputs=folder / "out", **more))
    assert verify(built) == []
    assert numbers(built).isdisjoint(dropped := corpora.dropped(built))
    assert numbers(built) | dropped.keys() == set(range(1, len(lines) + 1))
    return built


def numbers(built: Path) -> set[int]:
    return {row["seed"] for row in rows_of(built)}


def test_every_hostile_row_is_dropped_with_its_reason(tmp_path: Path) -> None:
    kinds = {kind: place for place, kind in enumerate(HOSTILE)}
    lines = [hostile(kind) for kind in kinds]
    for place in range(0, len(HOSTILE), 4):
        lines[place:place] = [good(place)]
    built = curated(lines, tmp_path)
    at = {kind: lines.index(hostile(kind)) + 1 for kind in HOSTILE}
    reasons = {kind: corpora.dropped(built)[line]["reason"] for kind, line in at.items()}
    assert [kind for kind, reason in reasons.items() if not reason] == []
    assert numbers(built) == {*range(1, len(lines) + 1)} - {*at.values()}
    assert reasons["a path in the code"] == "prompt holds a local path; code holds a local path"
    assert "control character" in reasons["a NUL"] and "30,000 are the most" in reasons["a book"]
    doubtful = ("a path in the code", "a NUL", "an answer that is a word", "a fraction of many digits")
    assert {at[kind] for kind in doubtful} <= {entry["line"] for entry in corpora.waiting(built)}


def test_a_person_may_edit_keep_and_drop(tmp_path: Path) -> None:
    kinds = ("a path in the code", "a path in the statement", "no code", "an answer that is a word")
    lines = [good(0), *map(hostile, (*kinds, "a NUL", "infinity"))]
    mended = {entry["line"]: entry for entry in corpora.waiting(curated(lines, tmp_path))}
    edits = {"problem": "Edited?", "answer": "0.5", "level": "abstract"}
    mended[2] |= {**edits, "decision": "keep", "code": mended[2]["code"].replace("/home/ann/", "")}
    mended[3] |= {"decision": "keep"}
    mended[6] |= {"decision": "drop"}
    mended[5] = {"line": 5, "decision": "keep", **{name: mended[2][name] for name in ("problem", "code", "answer")}}
    review = corpora.write(tmp_path / "edited.jsonl", [*mended.values()])
    with pytest.raises(VersionExistsError, match="--version"):
        curated(lines, tmp_path, review=review)
    built = curated(lines, tmp_path, version="1.1.0", review=review)
    _, edited = rows_of(built)
    assert (edited["seed"], edited["problem"], edited["level"]) == (2, "Edited?", "abstract")
    assert (edited["answer"], edited["answer_value"]) == ("\\frac{1}{2}", 0.5)
    dropped = corpora.dropped(built)
    assert dropped[6]["reason"] == "dropped by review"
    assert [entry["line"] for entry in corpora.waiting(built)] == [3, 4, 5, 7]
    assert "local path" in dropped[3]["reason"] and dropped[5]["reason"] == "its id occurs twice"


def test_a_corpus_without_a_sound_row_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(PlanimeterError, match="no problem of the corpus is left"):
        curated([hostile("a path in the code")], tmp_path)
    for name in (b"caf\xe9.jsonl", b"x\n## Load.jsonl", b"\x1b[31mx.jsonl"):
        corpus = corpora.write(tmp_path / os.fsdecode(name), [good(0)])
        with pytest.raises(CurationError, match="this name has unprintable characters") as caught:
            plain.curate(Options(files=(str(corpus),), outputs=tmp_path / "out"))
        assert str(caught.value).isprintable()


CODE = 'draw((0,0)--(4.2,1)--(1,5)--cycle); // a triangle\nlabel("$A$//", (0,0), SW);'


def raw(problem: str, answer: str = "7") -> RawProblem:
    return RawProblem(line=3, problem=problem, answer=answer)


def item(problem: str = "Find the area of the triangle.", answer: str = "7", code: str = CODE) -> CuratedProblem:
    found, _ = curation.with_code(raw(f"{problem}\n[asy]\n{code}\n[/asy]", answer))
    assert found is not None
    return found


def test_malformed_lines_are_named_and_the_rest_is_read() -> None:
    good = {"q": "x", "a": 5}
    rows = [good, ValueError("not JSON"), [1], {"q": "x"}, {"q": 3, "a": "x"}, None, good | {"q": "é😀", "a": 1.5}]
    rows += [good | {"q": "\ud800"}, good | {"a": "\udfff"}, {"\ud800": "1", "a": "1"}]
    found, faults = curation.read_rows(enumerate(rows, 1), problem="q", answer="a")
    assert [(p.line, p.answer) for p in found] == [(1, "5"), (7, "1.5")]
    numbers, reasons = zip(*faults, strict=True)
    assert numbers == (2, 3, 4, 5, 6, 8, 9, 10)
    assert "no column 'a'" in reasons[2] and "'q'" in reasons[5] and "'a'" in reasons[6]
    assert "half a character" in reasons[5] and "\n".join(reasons).encode(), "it can be printed"


def test_an_import_keeps_the_first_of_equal_problems(tmp_path: Path) -> None:
    problem, figure = good(0), asy("draw((0,0)--(0.5,0.25));")
    unusable, other_answer = problem | {"answer": " "}, problem | {"answer": "85"}
    copy = problem | {"problem": problem["problem"].replace("has which", "has, now, which")}
    other_figure = problem | {"problem": problem["problem"].replace(figure, python("plt.axis('off')"))}
    built = curated([unusable, problem, problem, copy, other_answer, other_figure], tmp_path)
    assert numbers(built) == {2}
    alike = "the statement is like that of corpus.jsonl:2"
    reasons = {line: entry["reason"] for line, entry in corpora.dropped(built).items()}
    assert (reasons[1], reasons[3], reasons[4]) == ("no answer", alike, alike)
    waiting = {entry["line"]: entry["doubts"] for entry in corpora.waiting(built)}
    doubts = [f"{alike}, and the code or the answer is not"]
    assert waiting == {5: doubts, 6: doubts}


def test_curation_keeps_geometry_and_drops_counting() -> None:
    sure, verdict = curation.geometry(item("What is the perimeter of triangle ABC?"))
    assert verdict.kept and not sure.doubts
    assert not curation.geometry(item("What is the probability that the spinner stops on an even number?"))[1].kept
    assert not curation.geometry(item("What is the perimeter?"), judge=lambda _: False)[1].kept
    for problem in ("In the diagram, what is x?", "What is the probability that the area is odd?"):
        doubtful, verdict = curation.geometry(item(problem))
        assert verdict.kept and doubtful.doubts == ("perhaps no geometry",)


def test_a_problem_with_several_questions_waits_for_a_person() -> None:
    for problem, reason in (
        ("Prove that the triangle is isosceles.", "a proof"),
        ("(a) Find the area. (b) Find the perimeter.", "several parts"),
        ("See https://example.org for the triangle.", "a hyperlink"),
    ):
        doubtful, verdict = curation.open_form(item(problem, answer=" "))
        assert verdict.kept and doubtful.doubts == (reason,)
        doubtful, verdict = curation.standard_answer(doubtful)
        assert verdict.kept and curation.reviewed(doubtful, {})[1].reason == f"waits for review: {reason}"
    assert not curation.standard_answer(item(answer=" "))[1].kept


def test_multiple_choice_is_opened_unless_it_needs_its_options() -> None:
    options = r" $\textbf{(A)}\ 3 \qquad \textbf{(B)}\ 4\sqrt{2} \qquad \textbf{(C)}\ 5$"
    changed, verdict = curation.open_form(item("What is the area?" + options, r"\text{(B)}"))
    assert verdict.kept and changed.problem == "What is the area?" and standard(changed.answer_latex) == r"4\sqrt{2}"
    for problem, answer, doubt in (
        ("Which of the following is the area?" + options, "B", "a choice that needs its options"),
        ("What is the area?", r"\text{B}", "the answer is a letter without options"),
        ("What is the area?" + options, "E", "a choice whose answer is none of its options"),
    ):
        doubtful, verdict = curation.open_form(item(problem, answer))
        assert verdict.kept and doubtful.doubts == (doubt,)


ANSWERS = listed(r"""
155^\circ → 155 ¦ 8\text{ cm} → 8 ¦ 8,\!424,\!000 → 8424000 ¦ 0.57 → \frac{57}{100} ¦ .6 → \frac{3}{5} ¦ 48.0 → 48
\dfrac{28}{6} → \frac{14}{3} ¦ 10\sqrt3 → 10\sqrt{3} ¦ 36 - 12\sqrt{3} - 4\pi → 36-12\sqrt{3}-4\pi ¦ \$425 → 425
1\frac{4}{5} → \frac{9}{5} ¦ \frac12 → \frac{1}{2} ¦ \frac{28}{\sqrt{7}} → 4\sqrt{7} ¦ 072 → 72
28/\sqrt 7 → 4\sqrt{7} ¦ \sqrt{12} → 2\sqrt{3} ¦ \frac{1}{1+\sqrt2} → \sqrt{2}-1
5 - \frac{6 \pi}{4} → \frac{10-3\pi}{2} ¦ +5 → 5 ¦ + 2\sqrt{3} → 2\sqrt{3}
5 1/2 → \frac{11}{2} ¦ 1\frac{1}{2}\pi → \frac{3\pi}{2} ¦ \sqrt12 → 2\sqrt{3} ¦ 1\,250 → 1250 ¦ 12 000 → 12000
32,\! 349 → 32349 ¦ 1{,}250 → 1250 ¦ 8\text{ square feet} → 8 ¦ $\$54.60$ → \frac{273}{5} ¦ 0.\overline{3} → \frac{1}{3}
""")


@pytest.mark.parametrize("answer", ANSWERS)
def test_answers_get_one_form(answer: str) -> None:
    given, wanted = answer.split(" → ")
    assert standard(given) == wanted
    value = number_of(standard(given))
    assert value is not None and value == number_of(wanted)


def test_an_answer_without_a_number_waits_for_a_person() -> None:
    for answer in ("(-1,0]", "\\text{CBAD}", "y = 2x", "", "\\frac{1}{0}", "\\frac{"):
        assert number_of(standard(answer)) is None
    doubtful, _ = curation.standard_answer(item(answer="\\text{CBAD}"))
    assert curation.reviewed(doubtful, {})[1].reason == "waits for review: the answer is not one number"
    letters = {r"\text{(B)}": "B", "C": "C", r"\textbf{(A)}": "A", "12": "", r"\text{CBAD}": ""}
    assert {answer: choice(answer) for answer in letters} == letters


def test_a_leak_is_rescaled_away_or_is_a_doubt() -> None:
    leaky, _ = curation.standard_answer(item(answer="8", code="draw((0,0)--(8,0)--(3,6)--cycle);"))
    cured, verdict = curation.without_leak(leaky, 0.002, 0.02)
    assert verdict.kept and "coordinates rescaled" in cured.changes and cured.doubts == ()
    assert cured.code == "draw((0, 0)--(10.96, 0)--(4.11, 8.22)--cycle);"
    # A length of the code is no coordinate.
    leaky, _ = curation.standard_answer(item(answer="8", code="draw(circle((0,0), 8));"))
    doubtful, _ = curation.without_leak(leaky, 0.002, 0.02)
    assert doubtful.doubts == ("the answer is a literal of the code",) and doubtful.code == leaky.code


#: Texts that are no number, or one of several: they stay as they are.
NOT_ONE = listed(r"""
70° and 40° ¦ 10 or 14 ¦ 5 ft 6 in ¦ 50\% or \frac12 ¦ 0,245 ¦ 3,5 ¦ (1,250) ¦ 10-14 ¦ 1/2\pi ¦ 5 2 1/2 ¦ 12 345 1/2
3\text{ million} ¦ 6:30 ¦ 11/27/2026 ¦ 1\frac{3}{2} ¦ 1.250,5 ¦ 14\text{ ft }6\text{ in} ¦ 36\%
x=4 ¦ \pm 5 ¦ 2 3 ¦ 0.333... ¦ True
""")


@pytest.mark.parametrize("answer", NOT_ONE)
def test_standard_keeps_a_text_that_is_not_one_number(answer: str) -> None:
    assert standard(answer) == answer and number_of(answer) is None


def test_an_answer_loses_the_unit_that_its_question_states() -> None:
    assert [standard("36\\%", "What percent is it?"), standard("x=4", "Find $x$.")] == ["36", "4"]
    assert standard("y=4", "Find $x$.") == "y=4"


@pytest.mark.parametrize(
    ("problem", "doubts"),
    [
        ("Find the area. [asy]\n{}\n[/asy]", ()),
        ("Find the area. \\begin{{asy}}[width=5cm]\n{}\n\\end{{asy}}", ()),
        ("Find the area. [asy width=200]\n{}\n[/asy]", ()),
        ("Find the area. &lt;asy&gt;\n{}\n&lt;/asy&gt;", ()),
        ("<p>Find the '''area'''.</p><br/> <asy>\n{}\n</asy>", ()),
        ("Find the [[area|area]]. [ASY]{}[/ASY]", ()),
        ("Find the area. [asy]\n{}", ("the drawing code is not closed",)),
        ("Find the area. ![](fig.png) [asy]\n{}\n[/asy]", ("a picture that is not here",)),
    ],
)
def test_usual_markers_give_the_same_problem(problem: str, doubts: tuple[str, ...]) -> None:
    found, _ = curation.with_code(raw(problem.format(CODE)))
    assert found is not None
    assert (found.problem, found.code, found.doubts) == ("Find the area.", item().code, doubts)


def test_usual_columns_give_the_same_answer() -> None:
    solution = r"It is $\boxed{3}$, no, $\boxed{\frac{1}{2}}$."
    one, several = {"answer": ["0.5"]}, {"answer": ["1", "2"]}
    rows = [{"solution": solution}, one, {"answer": Decimal("1E+2")}, {"answer": True}, several]
    found, faults = curation.read_rows((n, {"problem": "x", **row}) for n, row in enumerate(rows))
    assert [p.answer for p in found] == [r"\frac{1}{2}", "0.5", "100", "true", '["1", "2"]'] and not faults
