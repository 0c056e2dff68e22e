"""One row of a foreign corpus never costs the others: whatever would break a promise is found before it is written."""

import json
import os
import platform
import re
from pathlib import Path
from typing import Any

import plain
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.curation.errors import CurationError
from planimeter.export.promises import LONGEST_TEXT, _text_faults
from planimeter.export.verify.folder import verify
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.imports.chunks import Options

PLOT = "import matplotlib.pyplot as plt\nplt.plot([0, 3, 1, 0], [0, 1, 2, 0], 'k')"


def asy(more: str = "") -> str:
    return f"[asy]\ndraw((0,0)--(4.2,1)--(1,5)--cycle);\n{more}\n[/asy]"


def python(more: str = "", before: str = "") -> str:
    return f"```python\n{before}{PLOT}\n{more}\n```"


def good(number: int) -> dict[str, Any]:
    """A problem like no other."""
    words = " ".join(f"w{number}x{i}" for i in range(12))
    return {"problem": f"Triangle {words} has which area? {asy(f'draw((0,0)--({number}.5,0.25));')}", "answer": "84"}


#: What would break a promise of the folder, or the rules themselves: (what is replaced in the problem, by what), or
#: the columns that are given instead.
HOSTILE: dict[str, tuple[str, str] | dict[str, Any]] = {
    "a path in the code": (asy(), python("plt.savefig('/home/ann/x.png')")),
    "a path in the statement": ("?", " in /Users/ann/fig.asy?"),
    "a path of Windows": (asy(), python("x = r'C:\\Users\\ann'")),
    "an address with a path": ("?", " at ftp.example.org/home/ann?"),
    "a flat picture": (asy(), python("plt.gcf().set_size_inches(40, 0.2)")),
    "a narrow picture": (asy(), python("plt.gcf().set_size_inches(0.2, 40)")),
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


def hostile(kind: str) -> dict[str, Any]:
    row = {"problem": f"What is the area of the triangle {kind.replace(' ', '_')}? {asy()}", "answer": "17"}
    change = HOSTILE[kind]
    return row | (change if isinstance(change, dict) else {"problem": row["problem"].replace(*change)})


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


def curated(lines: list[dict[str, Any]], folder: Path) -> tuple[set[int], dict[int, str], set[int]]:
    """Import ``lines``; return the numbers of those that are rows, why others are none, and which wait for a person."""
    corpus = folder / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, lines)))
    built = plain.curate(Options(files=(str(corpus),), outputs=folder / "out"))
    assert verify(built) == []
    rows = {row["seed"] for row in pq.read_table(built / "data").to_pylist()}
    dropped, waiting = (
        [json.loads(line) for line in built.with_name(f"1.0.0-{name}.jsonl").read_text().splitlines()]
        for name in ("dropped", "review")
    )
    assert not rows & {entry["line"] for entry in dropped}
    return rows, {entry["line"]: entry["reason"] for entry in dropped}, {entry["line"] for entry in waiting}


def test_every_hostile_row_is_told_with_its_reason_and_every_good_one_is_published(tmp_path: Path) -> None:
    lines = [line for place, kind in enumerate(HOSTILE) for line in (good(place), hostile(kind))]
    rows, dropped, waiting = curated(lines, tmp_path)
    at = {kind: 2 * place + 2 for place, kind in enumerate(HOSTILE)}
    reasons = {kind: dropped.get(line, "") for kind, line in at.items()}
    assert [kind for kind, reason in reasons.items() if not reason] == []
    assert rows == {2 * place + 1 for place in range(len(HOSTILE))}
    assert reasons["a path in the code"] == "prompt holds a local path; code holds a local path"
    assert "sides must be 32" in reasons["a flat picture"] and "sides must be 32" in reasons["a narrow picture"]
    assert "control character" in reasons["a NUL"] and "30,000 are the most" in reasons["a book"]
    asked = ("a path in the code", "a flat picture", "a NUL", "an answer that is a word", "a fraction of many digits")
    assert {at[kind] for kind in asked} <= waiting


@given(
    kinds=st.lists(st.sampled_from(list(HOSTILE)), max_size=4),
    odd=st.lists(st.sampled_from(ODD), max_size=3),
    data=st.data(),
)
def test_hostile_rows_in_any_order_cost_nobody_else(
    kinds: list[str], odd: list[str], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    named: list[tuple[str, dict[str, Any]]] = [("bad", hostile(kind)) for kind in kinds]
    for number, text in enumerate(odd):
        row = good(number)
        named.append(("good", row | {"problem": row["problem"].replace("has which", f"{text} has which")}))
    named += [("good", good(len(odd) + number)) for number in range(2)]
    order = data.draw(st.permutations(named))
    rows, dropped, _ = curated([row for _, row in order], tmp_path_factory.mktemp("any"))
    assert rows == {number for number, (name, _) in enumerate(order, 1) if name == "good"}
    assert set(dropped) == {number for number, (name, _) in enumerate(order, 1) if name == "bad"}


@pytest.mark.parametrize("text", ODD)
def test_no_statement_breaks_card_or_report_where_it_stands_first(text: str, tmp_path: Path) -> None:
    code = 'label("' + re.sub(r'["\\$]', "", text) + '\n## Changelog\n\n````\n[x](y.png)", (0,0));'
    problem = good(0)["problem"].replace("has which", f"{text} has which")
    first = good(0) | {"problem": problem.replace("draw((0,0)--(0.5", f"{code}\ndraw((0,0)--(0.5")}
    rows, dropped, _ = curated([first, good(1)], tmp_path)
    assert rows == {1, 2}, dropped


def test_a_person_may_mend_the_row_and_what_is_still_wrong_waits_again(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    lines = [
        good(0),
        hostile("a path in the code"),
        hostile("a path in the statement"),
        hostile("no code"),
        hostile("a flat picture"),
    ]
    corpus.write_text("\n".join(map(json.dumps, lines)))
    first = plain.curate(Options(files=(str(corpus),), outputs=tmp_path / "out"))
    words = [json.loads(line) for line in first.with_name("1.0.0-review.jsonl").read_text().splitlines()]
    mended = {word["line"]: word for word in words}
    mended[2] |= {"decision": "keep", "code": mended[2]["code"].replace("/home/ann/", "")}
    mended[3] |= {"decision": "keep"}
    # A person makes of two problems the same one.
    mended[5] = {"line": 5, "decision": "keep", "problem": mended[2]["problem"], "code": mended[2]["code"]}
    review = tmp_path / "edited.jsonl"
    review.write_text("\n".join(map(json.dumps, mended.values())))
    options = Options(files=(str(corpus),), outputs=tmp_path / "out", version="1.1.0", review=review)
    second = plain.curate(options)
    assert verify(second) == []
    assert {row["seed"] for row in pq.read_table(second / "data").to_pylist()} == {1, 2}
    dropped = {
        entry["line"]: entry["reason"]
        for entry in map(json.loads, second.with_name("1.1.0-dropped.jsonl").read_text().splitlines())
    }
    assert "local path" in dropped[3] and dropped[5] == "its id occurs twice"


def test_a_corpus_of_hostile_rows_alone_is_one_line(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps(hostile("a path in the code")))
    with pytest.raises(PlanimeterError, match="no problem of the corpus is left"):
        plain.curate(Options(files=(str(corpus),), outputs=tmp_path))


@pytest.mark.parametrize("name", [b"caf\xe9.jsonl", b"x\n## Load.jsonl", b"\x1b[31mx.jsonl"])
def test_a_file_whose_name_no_card_can_show_is_refused_in_one_line(name: bytes, tmp_path: Path) -> None:
    corpus = tmp_path / os.fsdecode(name)
    corpus.write_text(json.dumps(good(0)))
    with pytest.raises(CurationError, match="no name that a card could show") as caught:
        plain.curate(Options(files=(str(corpus),), outputs=tmp_path / "out"))
    assert str(caught.value).isprintable()


def test_a_row_may_hold_the_name_of_the_machine_that_the_report_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which machine imports must not decide what is published, nor may a build leave the machine's name anywhere."""
    monkeypatch.setattr(platform, "node", lambda: "node-17")
    row = good(0)
    rows, _, _ = curated([row | {"problem": row["problem"].replace("has which", "at node-17 has which")}], tmp_path)
    assert rows == {1}
    (built,) = (tmp_path / "out").glob("*/1.0.0")
    page = built / "report" / "index.html"
    assert "node-17" in page.read_text()
    monkeypatch.setattr(platform, "node", lambda: "node-18")
    page.write_text(page.read_text().replace("node-17", "node-18"))
    assert [problem.what for problem in verify(built)] == ["names the machine node-18"]


def test_a_text_of_any_length_is_told() -> None:
    assert list(_text_faults("x" * LONGEST_TEXT)) == []
    assert list(_text_faults("x" * (LONGEST_TEXT + 1))) == ["has more than 100,000 characters"]
