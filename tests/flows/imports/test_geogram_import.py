"""`planimeter import geogram`: every line ends as a row or with a reason, and a person has the last word."""

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import command_line
import corpora
import plain
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpora import rows_of
from hypothesis import given
from hypothesis import strategies as st

from planimeter.export.errors import CurationError
from planimeter.export.verify.folder import verify
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.imports import corpus as reading
from planimeter.flows.imports import figures
from planimeter.flows.imports.chunks import Options
from planimeter.flows.imports.corpus import Corpus, corpus_of, read
from planimeter.flows.service import run
from planimeter.flows.store.storage import local_copy
from planimeter.items import CuratedProblem
from planimeter.items.corpora import RawProblem
from planimeter.suites.geogram_import.recipe import Columns

TRIANGLE = '[asy]\ndraw((0,0)--(4.2,1)--(1,5)--cycle); // sides\nlabel("$A$", (0,0), SW);\n[/asy]'
PYTHON = "```python\nimport matplotlib.pyplot as plt\nplt.plot([0, 3, 1, 0], [0, 1, 2, 0], 'k')\nplt.axis('equal')\n```"

TRIANGLES = {"problem": f"What is the area of triangle ABC with the sides 13, 14, 15? {TRIANGLE}", "answer": "84"}
CIRCLE = {"problem": f"A circle and its tangent: how long is the radius, in feet, of it? {PYTHON}", "answer": "6"}
#: What waits for a person: an answer in words, and programs that are not understood.
WORDS = {"problem": f"Which triangles of the figure are congruent to ABC, in order? {TRIANGLE}", "answer": "DEF"}
ANGLE = {"problem": "Find the angle at the vertex. [asy]\nimport cse5; draw(nosuch(A));\n[/asy]", "answer": "60"}
CUBE = {"problem": "Find the diagonal of the cube. [asy]\nimport three; draw(O--X);\n[/asy]", "answer": "60"}
#: Each line, and the check that drops it.
LINES: list[tuple[dict[str, Any] | str, str]] = [
    (TRIANGLES, ""),
    ("{not json", "read"),
    ({"problem": "What is the area of a square of side 3?", "answer": "9"}, "code"),
    ({"problem": f"How many students take the survey, by this bar graph? {TRIANGLE}", "answer": "9"}, "geometry"),
    (WORDS, "review"),
    (ANGLE, "review"),
    ({"problem": 7, "answer": "60"}, "read"),
    (CUBE, "review"),
]


def options_of(folder: Path, *lines: dict[str, Any] | str) -> Options:
    return Options(files=(str(corpora.write(folder / "x.jsonl", lines)),), outputs=folder / "out")


def test_every_line_ends_as_a_row_or_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def curate(_: object, files: list[str], out: str, corpus_license: str, **__: object) -> str:
        return str(plain.curate(Options(files=tuple(map(str, files)), outputs=Path(out), license=corpus_license)))

    monkeypatch.setattr(run, "run_flow", curate)
    corpus = corpora.write(tmp_path / "Little Corpus.jsonl", [line for line, _ in LINES])
    given = ("geogram", str(corpus), "--out", str(tmp_path), "--license", "MIT")
    ended = command_line.here("import", *given)
    assert ended.code == 0, ended.err
    printed = ended.err + "".join(capsys.readouterr())
    assert "Little Corpus.jsonl:2: not JSON" in printed and "Little Corpus.jsonl:7: need text" in printed
    folder = tmp_path / "geogram-little-corpus" / "1.0.0"
    assert f"for review by a person: open {folder}-review.html or edit {folder}-review.jsonl, then" in ended.out
    assert verify(folder) == []
    rows = rows_of(folder)
    assert [(row["seed"], row["language"]) for row in rows] == [(1, "asymptote")]
    assert {row["origin"] for row in rows} == {"Little Corpus"} and rows[0]["certified_by"].startswith("none")
    assert rows[0]["code"].startswith("draw(") and "//" not in rows[0]["code"]
    dropped = {line: entry["check"] for line, entry in corpora.dropped(folder).items()}
    assert dropped == {number: check for number, (_, check) in enumerate(LINES, 1) if check}
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["recipe"]["license"], manifest["funnel"]["geogram"]["read"]["seen"]) == ("MIT", len(LINES))
    assert sum(e["seen"] - e["kept"] for e in manifest["funnel"]["geogram"].values()) + len(rows) == len(LINES)
    assert folder.with_name("1.0.0-review.html").stat().st_size > 10_000
    assert rows[0]["image"] is None
    assert [entry["line"] for entry in corpora.waiting(folder)] == [5, 6, 8]
    assert {entry["doubts"][-1] for entry in corpora.waiting(folder)[1:]} == {"leaks not searched"}


def test_the_same_import_twice_leaves_the_dataset_as_it_is(tmp_path: Path) -> None:
    options = options_of(tmp_path, TRIANGLES, "{not json", WORDS, CIRCLE)
    folder = plain.curate(options)
    row = {row["language"]: row for row in rows_of(folder)}["matplotlib"]
    assert row["answer"] == "6" and "plt.plot([0, 3, 1, 0]" in row["code"]
    digests = command_line.digests(folder)
    assert command_line.digests(plain.curate(options)) == digests
    assert command_line.digests(plain.curate(replace(options, outputs=tmp_path / "there"))) == digests


def test_an_import_refuses_an_invalid_review_with_its_line(tmp_path: Path) -> None:
    for line, message in (
        ("{", "edited.jsonl:1: not JSON"),
        ('{"decision": "keep"}', "whole number"),
        ('{"line": 1, "decision": "perhaps"}', "'perhaps'"),
        ('{"line": 1, "decision": "keep", "answer": 7}', "need text in 'answer'"),
        ('{"line": 1, "answer": "\\ud800"}', "surrogates not allowed"),
        ('{"line": 99}', "line 99 of x.jsonl"),
        ('{"line": 1}\n{"line": 1}', "edited.jsonl:2: a second decision"),
    ):
        review = corpora.write(tmp_path / "edited.jsonl", [line])
        with pytest.raises(CurationError) as caught:
            plain.curate(replace(options_of(tmp_path, TRIANGLES), review=review))
        assert message in str(caught.value)


@pytest.mark.parametrize("how", ["decided", "fed back", "half edited"])
def test_a_list_with_decisions_is_not_written_over(tmp_path: Path, how: str) -> None:
    options = options_of(tmp_path, WORDS)
    listed = tmp_path / "out" / "geogram-x" / "1.0.0-review.jsonl"
    for _ in range(2):
        # Untouched, the list is simply made anew.
        with pytest.raises(PlanimeterError, match="no problem of the corpus is left"):
            plain.curate(options)
    (entry,) = corpora.entries(listed)
    listed.write_text(json.dumps(entry) + "\n{" if how == "half edited" else json.dumps(entry | {"decision": "keep"}))
    work = listed.read_bytes()
    with pytest.raises(CurationError, match=r"1\.0\.0-review\.jsonl contains review decisions.*rename it, and pass"):
        plain.curate(replace(options, review=listed if how == "fed back" else None))
    assert listed.read_bytes() == work
    if how == "decided":
        renamed = listed.rename(tmp_path / "edited.jsonl")
        assert verify(plain.curate(replace(options, review=renamed))) == []
        assert renamed.read_bytes() == work


def problems_of(corpus: Corpus, columns: Columns) -> list[RawProblem]:
    return [problem for chunk in read(corpus, columns) for problem in chunk.problems]


@pytest.mark.parametrize("suffix", ["jsonl", "utf16.jsonl", "json", "parquet"])
def test_each_format_and_mapped_columns_give_the_same_problems(tmp_path: Path, suffix: str) -> None:
    rows = [{"q": "Area?", "a": "5", "c": "draw((0,0)--(1,1));"}, {"q": "Angle?", "a": "7", "c": "plt.plot([0], [1])"}]
    path = tmp_path / f"x.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        text = json.dumps(rows) if suffix == "json" else "\n".join(map(json.dumps, rows))
        path.write_text(text, encoding="utf-16" if "16" in suffix else "utf-8")
    for address in (str(path), f"file://{path}"):
        corpus = corpus_of(address, local_copy(address, tmp_path / "copy"))
        assert corpus.name == path.name and corpus.path == path
        problems = problems_of(corpus, Columns(problem="q", answer="a", code="c"))
        assert [p.answer for p in problems] == ["5", "7"]
        assert "[asy]\ndraw((0,0)" in problems[0].problem and "[python]\nplt.plot" in problems[1].problem


FORMS = st.sampled_from([b"", b"  ", b"\r", b"null", b"{", b"LONG"]) | st.just(b"good")


@given(lines=st.lists(FORMS, max_size=12), ends=st.booleans(), size=st.integers(1, 3), full=st.integers(1, 9))
def test_a_file_cut_into_chunks_has_the_same_problems(
    lines: list[bytes], ends: bool, size: int, full: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("LINES", size), ("STEPS", 2), ("FULL", full), ("LONGEST_LINE", 90)):
        monkeypatch.setattr(reading, name, value)
    texts = {b"good": b'{"problem": "x%d", "answer": "1"}', b"LONG": b'{"problem": "%d' + b"y" * 200}
    content = [texts[line] % number if line in texts else line for number, line in enumerate(lines, 1)]
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join(content) + (b"\n" if ends else b""))
    corpus = corpus_of(str(path), path)
    assert corpus.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    chunks = list(read(corpus, Columns()))
    numbers = [number for number, line in enumerate(lines, 1) if line == b"good"]
    assert [(p.line, p.problem) for chunk in chunks for p in chunk.problems] == [(n, f"x{n}") for n in numbers]
    odd = {number: line for number, line in enumerate(lines, 1) if line in (b"null", b"{", b"LONG")}
    faults = [fault for chunk in chunks for fault in chunk.faults]
    assert [number for number, _ in faults] == [*odd]
    assert all(("more than 90 characters" in said) == (odd[number] == b"LONG") for number, said in faults)
    sizes = [len(chunk.problems) + len(chunk.faults) for chunk in chunks]
    assert all(number <= size * (1 + at // 2) for at, number in enumerate(sizes))
    # A problem and its answer are three characters or four: of those that fill a chunk the last one ends it.
    assert all(3 * (len(chunk.problems) - 1) < full for chunk in chunks)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", b"a,b", "need a file that ends in"),
        ("x.json", b"{}", "need a list"),
        ("x.json", b"[" * 100_000, "cannot be read as json"),
        ("x.parquet", b"PAR1", "cannot be read as parquet"),
        ("x.jsonl", b"", "contains no problem"),
        ("x.jsonl", b'{"question": "x", "answer": 1}', "no column 'problem'; it has: answer, question"),
        ("x.jsonl", b"\xff\xfe\x00", "cannot be read as jsonl"),
        ("x.jsonl", b'{"problem": "x", "answer": 1, "answer": 2}', "two columns are named 'answer'"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_file_that_cannot_be_read_is_refused(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CurationError, match=message):
        plain.curate(Options(files=(str(tmp_path / name),), outputs=tmp_path / "out"))


def item(code: str, language: str = "asymptote") -> CuratedProblem:
    asked: Any = {"line": 1, "problem": "x", "answer_latex": "1", "level": "primitive"}
    return CuratedProblem(code=code, language=language, **asked)


def asymptote_of(folder: Path, picture: str) -> figures.Asymptote:
    """Return a program that notes how it was called, and saves what the Python expression ``picture`` is."""
    asy = folder / "asy"
    code = f"from PIL import Image; ({picture}).save('figure.png')"
    asy.write_text(f'#!/bin/sh\necho "$@" > {folder}/order\nenv >> {folder}/order\n{sys.executable} -c "{code}"\n')
    asy.chmod(0o755)
    return figures.Asymptote(path=str(asy), version="9", knows_globalread=True)


HALF = "Image.linear_gradient('L').resize((900, 300))"


def test_an_import_draws_only_on_request(tmp_path: Path) -> None:
    asy = asymptote_of(tmp_path, HALF)
    assert figures.figure_of(item("draw((0,0)--(1,1));"), None) == figures.NOT_ASKED
    assert not (tmp_path / "order").exists()
    drawn = figures.figure_of(item("draw((0,0)--(1,1));"), asy)
    assert drawn.png and drawn.png[:4] == b"\x89PNG"
    said = (tmp_path / "order").read_text()
    for word in ("-safe", "-noglobalwrite", "-noglobalread", "openin_any=p", "shell_escape=f", "TMPDIR=/", "TMP=/"):
        assert word in said
    assert "PREFECT" not in said and f"HOME={Path.home()}\n" not in said


def test_programs_that_read_files_are_refused_with_their_reason(tmp_path: Path) -> None:
    asy = asymptote_of(tmp_path, HALF)
    for code in (
        'label("\\input{/etc/passwd}", (0,0));',
        'label("$\\csname x\\endcsname$", (0,0));',
        'label("^^5cinput x", (0,0));',
        'system("ls");',
        'file f = input("/etc/passwd");',
        'import "/etc/passwd" as x;',
        "include secret;",
        'string s = locatefile("x");',
        'postscript("(/tmp/x) deletefile");',
        'tex ("x");',
        'label("\\spe" + "cial{ps: (/tmp/x) deletefile}", (0,0));',
    ):
        refused = figures.figure_of(item(code), asy)
        assert refused.reason == "the program reaches outside of the drawing", code
    assert (
        figures.figure_of(item("open('/etc/passwd')", "matplotlib"), asy).reason == "matplotlib is read, and never run"
    )
    assert not (tmp_path / "order").exists()


def test_draw_without_asy_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CurationError, match="asy is not on the PATH"):
        plain.curate(replace(options_of(tmp_path, TRIANGLES), draw=True))
