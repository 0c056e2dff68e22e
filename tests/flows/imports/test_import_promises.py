"""One row of a foreign corpus never costs the others: whatever would break a promise is found before it is written."""

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

from planimeter.export.errors import CurationError
from planimeter.export.promises import LONGEST_TEXT, _text_faults
from planimeter.export.verify.folder import verify
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.imports.chunks import Options

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
    """Import ``lines``, and check that each is either a row or dropped."""
    corpus = corpora.write(folder / "corpus.jsonl", lines)
    built = plain.curate(Options(files=(str(corpus),), outputs=folder / "out", **more))
    assert verify(built) == []
    assert numbers(built).isdisjoint(dropped := corpora.dropped(built))
    assert numbers(built) | dropped.keys() == set(range(1, len(lines) + 1))
    return built


def numbers(built: Path) -> set[int]:
    """The lines that are rows."""
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


def test_a_person_may_mend_the_row_and_what_is_still_wrong_waits_again(tmp_path: Path) -> None:
    kinds = ("a path in the code", "a path in the statement", "no code", "an answer that is a word")
    lines = [good(0), *map(hostile, kinds)]
    mended = {entry["line"]: entry for entry in corpora.waiting(curated(lines, tmp_path))}
    mended[2] |= {"decision": "keep", "code": mended[2]["code"].replace("/home/ann/", "")}
    mended[3] |= {"decision": "keep"}
    # A person makes of two problems the same one.
    mended[5] = {"line": 5, "decision": "keep", **{name: mended[2][name] for name in ("problem", "code", "answer")}}
    review = corpora.write(tmp_path / "edited.jsonl", [*mended.values()])
    built = curated(lines, tmp_path, version="1.1.0", review=review)
    assert numbers(built) == {1, 2}
    dropped = corpora.dropped(built)
    assert "local path" in dropped[3]["reason"] and dropped[5]["reason"] == "its id occurs twice"


def test_a_corpus_of_hostile_rows_alone_or_of_a_name_that_no_card_can_show_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(PlanimeterError, match="no problem of the corpus is left"):
        curated([hostile("a path in the code")], tmp_path)
    for name in (b"caf\xe9.jsonl", b"x\n## Load.jsonl", b"\x1b[31mx.jsonl"):
        corpus = corpora.write(tmp_path / os.fsdecode(name), [good(0)])
        with pytest.raises(CurationError, match="no name that a card could show") as caught:
            plain.curate(Options(files=(str(corpus),), outputs=tmp_path / "out"))
        assert str(caught.value).isprintable()


def test_a_row_may_hold_the_name_of_the_machine_that_the_report_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which machine imports must not decide what is published, nor may a build leave the machine's name anywhere."""
    monkeypatch.setattr(platform, "node", lambda: "node-17")
    built = curated([odd(0, "at node-17")], tmp_path)
    page = built / "report" / "index.html"
    assert "node-17" in page.read_text()
    monkeypatch.setattr(platform, "node", lambda: "node-18")
    page.write_text(page.read_text().replace("node-17", "node-18"))
    assert [problem.what for problem in verify(built)] == ["names the machine node-18"]
    # Both sides of the longest text.
    assert list(_text_faults("x" * LONGEST_TEXT)) == []
    assert list(_text_faults("x" * (LONGEST_TEXT + 1))) == ["has more than 100,000 characters"]
