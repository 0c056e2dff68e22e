"""Each step of curation, and one row of a foreign corpus never costs the others."""

import os
import platform
import re
from pathlib import Path
from typing import Any

import corpora
import plain
import pytest
from corpora import asy, good, rows_of
from hypothesis import given
from hypothesis import strategies as st
from listed import listed

from planimeter.export.errors import CurationError
from planimeter.export.promises import LONGEST_TEXT, _text_faults
from planimeter.export.verify.folder import verify
from planimeter.filters.geogram import curation
from planimeter.filters.geogram.answers import choice, number_of, standard
from planimeter.filters.geogram.duplicates import Texts
from planimeter.filters.geogram.programs import lint, without_comments
from planimeter.flows.errors import PlanimeterError, VersionExistsError
from planimeter.flows.imports.chunks import Options
from planimeter.flows.imports.figures import sketch_of
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
    "an address with a path": ("?", " at ftp.example.org/home/ann?"),
    "a NUL": ("?", "\0?"),
    "an escape sequence": ("?", " \x1b[31m?"),
    "a control character in the code": (asy(), asy('label("\x07", (0,0));')),
    "half a character": ("?", "\ud800?"),
    "a book": ("?", " and so on" * 20_000 + "?"),
    "comments without end": (asy(), asy("/*" * 14_000)),
    "no statement": {"problem": asy()},
    "no code": (asy(), "[asy]\n\n[/asy]"),
    "no answer": {"answer": "  "},
    "an answer that is a word": {"answer": "ABC or DEF"},
    "an answer of brackets": {"answer": "(" * 5_000 + "1" + ")" * 5_000},
    "an answer of many digits": {"answer": "0." + "3" * 6_000},
    "a fraction of many digits": {"answer": f"\\frac{{{'3' * 6_000}}}{{7}}"},
    "a tower of powers": {"answer": "9^{9^{9^{9}}}"},
    "a division by nothing": {"answer": "\\frac{1}{0}"},
    "not a number": {"answer": "nan"},
    "infinity": {"answer": "\\infty"},
    "a formula": {"answer": '=HYPERLINK("x")'},
    "brackets without end": (asy(), asy("draw(" + "(" * 3_000 + ");")),
    "a loop without end": (asy(), asy("while(true) { draw((0,0)--(1,1)); }")),
    "a huge coordinate": (asy(), asy("draw((0,0)--(1e300,1e300));")),
    "a link": ("?", "? See https://example.org/x"),
    "a statement that is a list": {"problem": ["x"]},
    "an answer that is a table": {"answer": {"x": 1}},
}
#: Those whose figure matplotlib draws, in a process of its own: what is added to the program, and the reason.
PLOTTED = {
    "a flat picture": ("plt.gcf().set_size_inches(40, 0.2)", "sides must be 32"),
    "a narrow picture": ("plt.gcf().set_size_inches(0.2, 40)", "sides must be 32"),
    "a path in matplotlib": ("plt.savefig('/home/ann/x.png')", "prompt holds a local path; code holds a local path"),
    "a path of Windows": ("x = r'C:\\Users\\ann'", "prompt holds a local path; code holds a local path"),
}
KINDS = st.sampled_from([*HOSTILE, *PLOTTED])
#: Odd, and no fault: statements that would be headings, links, tags, fences, cells or formulas elsewhere.
ODD = (
    "](../../x) [a](b.png)",
    '<img src="x.png"> <script>alert(1)</script> </html>',
    "```` ``` ~~~~",
    "| a | b | --- |",
    "=1+1 @SUM(A1) -2+3",
    "hf_abcdefghijklmnopqrstuvwxyzabcdef0123",
    '"quoted", ; \t and \u2028 line \u200f signs',
    "{{ 7 * 7 }} {% raw %} ${HOME} %s",
)


def hostile(kind: str) -> dict[str, Any]:
    row = {"problem": f"What is the area of the triangle {kind.replace(' ', '_')}? {asy()}", "answer": "17"}
    change = (asy(), python(PLOTTED[kind][0])) if kind in PLOTTED else HOSTILE[kind]
    return row | (change if isinstance(change, dict) else {"problem": row["problem"].replace(*change)})


def odd(number: int, text: str) -> dict[str, Any]:
    row = good(number)
    return row | {"problem": row["problem"].replace("has which", f"{text} has which")}


def curated(lines: list[dict[str, Any]], folder: Path, **more: Any) -> Path:
    corpus = corpora.write(folder / "corpus.jsonl", lines)
    built = plain.curate(Options(files=(str(corpus),), outputs=folder / "out", **more))
    assert verify(built) == []
    assert numbers(built).isdisjoint(dropped := corpora.dropped(built))
    assert numbers(built) | dropped.keys() == set(range(1, len(lines) + 1))
    return built


def numbers(built: Path) -> set[int]:
    return {row["seed"] for row in rows_of(built)}


def test_every_hostile_row_is_dropped_with_its_reason_and_every_good_one_is_published(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("kind", ["a flat picture", *(pytest.param(k, marks=pytest.mark.slow) for k in [*PLOTTED][1:])])
def test_a_plot_that_breaks_a_promise_waits_for_a_person_and_costs_nobody_else(kind: str, tmp_path: Path) -> None:
    built = curated([good(0), hostile(kind)], tmp_path)
    assert PLOTTED[kind][1] in corpora.dropped(built)[2]["reason"]
    assert [entry["line"] for entry in corpora.waiting(built)] == [2]


@pytest.mark.slow
@given(kinds=st.lists(KINDS, max_size=4), texts=st.lists(st.sampled_from(ODD), max_size=3), data=st.data())
def test_hostile_rows_in_any_order_cost_nobody_else(
    kinds: list[str], texts: list[str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sound = [odd(number, text) for number, text in enumerate(texts)] + [good(len(texts)), good(len(texts) + 1)]
    lines = [(True, row) for row in sound] + [(False, hostile(kind)) for kind in kinds]
    order = data.draw(st.permutations(lines))
    built = curated([row for _, row in order], tmp_path_factory.mktemp("any"))
    assert numbers(built) == {number for number, (is_sound, _) in enumerate(order, 1) if is_sound}


@pytest.mark.parametrize("texts", [ODD[:4], ODD[4:]], ids=["first", "second"])
def test_no_statement_breaks_card_or_report_where_it_stands_first(texts: tuple[str, ...], tmp_path: Path) -> None:
    text = " ".join(texts)
    code = 'label("' + re.sub(r'["\\$]', "", text) + '\n## Changelog\n\n````\n[x](y.png)", (0,0));'
    first = odd(0, text)
    first["problem"] = first["problem"].replace("draw((0,0)--(0.5", f"{code}\ndraw((0,0)--(0.5")
    assert numbers(curated([first, good(1)], tmp_path)) == {1, 2}


def test_a_person_may_edit_keep_and_drop_and_what_is_still_wrong_waits_again(tmp_path: Path) -> None:
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


def test_a_corpus_of_hostile_rows_alone_or_of_a_name_that_no_card_can_show_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(PlanimeterError, match="no problem of the corpus is left"):
        curated([hostile("a path in the code")], tmp_path)
    for name in (b"caf\xe9.jsonl", b"x\n## Load.jsonl", b"\x1b[31mx.jsonl"):
        corpus = corpora.write(tmp_path / os.fsdecode(name), [good(0)])
        with pytest.raises(CurationError, match="no name that a card could show") as caught:
            plain.curate(Options(files=(str(corpus),), outputs=tmp_path / "out"))
        assert str(caught.value).isprintable()


def test_a_row_may_hold_the_name_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which machine imports must not decide what is published, nor may a build leave the machine's name anywhere."""
    monkeypatch.setattr(platform, "node", lambda: "node-17")
    built = curated([odd(0, "at node-17")], tmp_path)
    page = built / "report" / "index.html"
    assert "node-17" in page.read_text()
    monkeypatch.setattr(platform, "node", lambda: "node-18")
    page.write_text(page.read_text().replace("node-17", "node-18"))
    assert [problem.what for problem in verify(built)] == ["names the machine node-18"]
    assert list(_text_faults("x" * LONGEST_TEXT)) == []
    assert list(_text_faults("x" * (LONGEST_TEXT + 1))) == ["has more than 100,000 characters"]


CODE = 'draw((0,0)--(4.2,1)--(1,5)--cycle); // a triangle\nlabel("$A$//", (0,0), SW);'


def raw(problem: str, answer: str = "7") -> RawProblem:
    return RawProblem(line=3, problem=problem, answer=answer)


def item(problem: str = "Find the area of the triangle.", answer: str = "7", code: str = CODE) -> CuratedProblem:
    found, _ = curation.with_code(raw(f"{problem}\n[asy]\n{code}\n[/asy]", answer))
    assert found is not None
    return found


def test_malformed_lines_and_half_a_character_are_named_and_the_rest_is_read() -> None:
    good = {"q": "x", "a": 5}
    rows = [good, ValueError("no JSON"), [1], {"q": "x"}, {"q": 3, "a": "x"}, None, good | {"q": "é😀", "a": 1.5}]
    rows += [good | {"q": "\ud800"}, good | {"a": "\udfff"}, {"\ud800": "1", "a": "1"}]
    found, faults = curation.read_rows(enumerate(rows, 1), problem="q", answer="a")
    assert [(p.line, p.answer) for p in found] == [(1, "5"), (7, "1.5")]
    numbers, reasons = zip(*faults, strict=True)
    assert numbers == (2, 3, 4, 5, 6, 8, 9, 10)
    assert "no column 'a'" in reasons[2] and "'q'" in reasons[5] and "'a'" in reasons[6]
    assert "half a character" in reasons[5] and "\n".join(reasons).encode(), "it can be printed"


def test_statement_and_code_are_parted_and_comments_go() -> None:
    found = item()
    assert found.problem == "Find the area of the triangle."
    assert found.code == 'draw((0,0)--(4.2,1)--(1,5)--cycle);\nlabel("$A$//", (0,0), SW);'
    assert found.language == "asymptote" and "comments stripped" in found.changes
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


def test_multiple_choice_is_opened_unless_it_needs_its_options() -> None:
    options = r" $\textbf{(A)}\ 3 \qquad \textbf{(B)}\ 4\sqrt{2} \qquad \textbf{(C)}\ 5$"
    changed, verdict = curation.open_form(item("What is the area?" + options, r"\text{(B)}"))
    assert verdict.kept and changed.problem == "What is the area?" and standard(changed.answer_latex) == r"4\sqrt{2}"
    assert not curation.open_form(item("Which of the following is the area?" + options, "B"))[1].kept
    assert not curation.open_form(item("What is the area?", r"\text{B}"))[1].kept


ANSWERS = listed(r"""
155^\circ → 155 ¦ 8\text{ cm} → 8 ¦ 8,\!424,\!000 → 8424000 ¦ 0.57 → \frac{57}{100} ¦ .6 → \frac{3}{5} ¦ 48.0 → 48
\dfrac{28}{6} → \frac{14}{3} ¦ 10\sqrt3 → 10\sqrt{3} ¦ 36 - 12\sqrt{3} - 4\pi → 36-12\sqrt{3}-4\pi ¦ \$425 → 425
1\frac{4}{5} → \frac{9}{5} ¦ x = 5 → 5 ¦ \frac12 → \frac{1}{2} ¦ \frac{28}{\sqrt{7}} → 4\sqrt{7} ¦ 072 → 72
28/\sqrt 7 → 4\sqrt{7} ¦ \sqrt{12} → 2\sqrt{3} ¦ \frac{1}{1+\sqrt2} → \sqrt{2}-1
5 - \frac{6 \pi}{4} → \frac{10-3\pi}{2} ¦ +5 → 5 ¦ + 2\sqrt{3} → 2\sqrt{3}
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
    with pytest.raises(ValueError, match="decision"):
        curation.reviewed(doubtful, [curation.review_entry(doubtful) | {"decision": "perhaps"}])
    letters = {r"\text{(B)}": "B", "C": "C", r"\textbf{(A)}": "A", "12": "", r"\text{CBAD}": ""}
    assert {answer: choice(answer) for answer in letters} == letters


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
    code = 'label("a // b"); /* x\n y */ draw(A); // "end'
    assert without_comments(code, "asymptote") == 'label("a // b");  draw(A);'
    assert without_comments("x = '#1'  \n# gone\ny = 2 # gone", "matplotlib") == "x = '#1'\ny = 2"
