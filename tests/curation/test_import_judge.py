"""A model as the judge of an import: what it is asked, how its replies are read, an endpoint that is busy or gone."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from email.utils import formatdate
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import plain
import pyarrow.parquet as pq
import pytest
from loopback_judge import WHY, JudgeModel
from loopback_openai import running

from planimeter.curation import judge as judging
from planimeter.curation import questions
from planimeter.curation.errors import CurationError
from planimeter.curation.judge import TOKEN, Judge
from planimeter.export.verify.folder import verify
from planimeter.flows.imports import chunks
from planimeter.flows.imports.chunks import Options
from planimeter.flows.store.storage import open_store


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeModel]:
    monkeypatch.setattr(judging, "FIRST_WAIT", 0.01)
    server = JudgeModel()
    with running(server):
        yield server


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("Yes.", True),
        ("**no**", False),
        ("No, it counts paths.", False),
        ("<think>no, or is it? yes</think> \n yes", True),
        ("Perhaps", None),
        ("", None),
    ],
)
def test_a_word_on_geometry(reply: str, read: bool | None) -> None:
    assert questions.read_geometry(reply) is read


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("- Category: Primitive Recognition\n- Justification: One circle.", ("primitive", "One circle.")),
        ("**Category:** [Local Relation Composition]\n\n**Justification:** a\n b", ("compositional", "a b")),
        ("category - global abstract integration", ("abstract", "")),
        ("Category: Primitive Recognition? No. Category: Global Abstract Integration", None),
        ("Category: [Primitive Recognition / Local Relation Composition]", None),
        ("Category: hard", None),
        ("Primitive Recognition / Local Relation Composition / Global Abstract Integration", None),
    ],
)
def test_a_category_and_its_justification(reply: str, read: tuple[str, str] | None) -> None:
    assert questions.read_level(reply) == read


def test_the_question_for_the_level_holds_statement_program_and_the_three_categories() -> None:
    asked = questions.level("How long is AB?", "draw(A--B);")
    assert asked.endswith("Problem:\nHow long is AB?\n\nProgram:\ndraw(A--B);")
    assert "[Primitive Recognition / Local Relation Composition / Global Abstract Integration]" in asked


def corpus_of(folder: Path, count: int, name: str = "x") -> Path:
    path = folder / f"{name}.jsonl"
    rows = []
    for number in range(count):
        words = " ".join(f"w{number}x{i}" for i in range(12))
        code = f"[asy]\ndraw((0,0)--(4.2,1)--(1,5)--cycle);\ndraw((0,0)--({number}.5,0.25));\n[/asy]"
        about = {"source": f"aops {number}", "level": "Level 5", "difficulty": 2.5}
        rows.append({"problem": f"Triangle {words} has which area? {code}", "answer": "84", **about})
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def rows_of(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pq.read_table(folder / "data").to_pylist()
    return found


def test_the_model_decides_the_level_and_says_why_and_is_asked_once(
    model: JudgeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN, "sesame-open")
    judge = Judge(url=model.url, model="m")
    options = Options(files=(str(corpus_of(tmp_path, 6)),), outputs=tmp_path / "out", judge=judge)
    folder = plain.curate(options)
    rows = rows_of(folder)
    assert len(rows) == 6 and {row["level"] for row in rows} > {"primitive"}
    assert {json.loads(str(row["givens"]))["justification"] for row in rows} == {WHY}
    assert [row["source"] for row in rows] == [f"aops {number}" for number in range(6)]
    assert {(row["source_level"], row["source_difficulty"]) for row in rows} == {("Level 5", "2.5")}
    assert {*model.answered.values()} == {1} and model.given == 12
    assert json.loads((folder / "manifest.json").read_text())["recipe"]["judge"] == "m"
    # Another version, another name, further problems: what was judged stays judged, by this model.
    again = rows_of(plain.curate(replace(options, version="1.1.0")))
    assert again == rows and model.given == 12
    plain.curate(replace(options, files=(str(corpus_of(tmp_path, 8, "y")),)))
    assert model.given == 16
    plain.curate(replace(options, version="1.2.0", judge=replace(judge, model="other")))
    assert model.given == 28 and {*model.answered.values()} == {1}
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"sesame-open" in path.read_bytes()]


def test_two_who_have_one_question_at_once_ask_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "sesame-open")
    slow, store = JudgeModel(delay=0.3), open_store(str(tmp_path))
    with running(slow), ThreadPoolExecutor(2) as pool:
        asked = partial(chunks._replies, Judge(url=slow.url, model="m"), store)
        first, second = pool.map(asked, [["Is it?"], ["Is it?"]])
    assert first == second and slow.given == 1


def test_what_a_mute_model_leaves_open_waits_for_a_person(model: JudgeModel, tmp_path: Path) -> None:
    options = Options(
        files=(str(corpus_of(tmp_path, 2)),), outputs=tmp_path / "out", judge=Judge(url=model.url, model="mute")
    )
    with pytest.raises(Exception, match="no problem of the corpus is left"):
        plain.curate(options)
    listed = tmp_path / "out" / "geogram-x" / "1.0.0-review.jsonl"
    entries = [json.loads(line) for line in listed.read_text().splitlines()]
    assert [entry["doubts"] for entry in entries] == [
        ["the judge does not say whether it is geometry", "the judge names no level"]
    ] * 2
    edited = tmp_path / "edited.jsonl"
    edited.write_text("\n".join(json.dumps(entry | {"decision": "keep", "level": "abstract"}) for entry in entries))
    listed.unlink()
    folder = plain.curate(replace(options, review=edited))
    assert {row["level"] for row in rows_of(folder)} == {"abstract"} and model.given == 4 and verify(folder) == []


def test_an_endpoint_that_dies_keeps_what_it_answered_and_is_asked_for_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "FIRST_WAIT", 0.01)
    undisturbed, broken = JudgeModel(), JudgeModel()
    corpus = corpus_of(tmp_path, 30)
    with running(undisturbed):
        judge = Judge(url=undisturbed.url, model="m")
        whole = plain.curate(Options(files=(str(corpus),), outputs=tmp_path / "whole", judge=judge))
    options = Options(
        files=(str(corpus),), outputs=tmp_path / "out", judge=Judge(url=broken.url, model="m", patience=0.3)
    )
    with running(broken):
        broken.open(gate=20)
        with pytest.raises(CurationError, match=r"gives no answer.*what was judged is kept") as caught:
            plain.curate(options)
        assert str(caught.value).isprintable() and broken.given == 20
        broken.open(gate=1000)
        folder = plain.curate(replace(options, judge=Judge(url=broken.url, model="m")))
    assert broken.answered == undisturbed.answered and {*broken.answered.values()} == {1}
    assert (folder / "manifest.json").read_bytes() == (whole / "manifest.json").read_bytes()


class Scripted(BaseHTTPRequestHandler):
    """Answers with one (status, Retry-After) after the other, then with a word."""

    script: ClassVar[list[tuple[int, str]]] = []
    times: ClassVar[list[float]] = []
    tokens: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        Scripted.times.append(time.time())
        Scripted.tokens.append(self.headers.get("Authorization", ""))
        status, after = Scripted.script.pop(0) if Scripted.script else (200, "")
        self.send_response(status)
        if after:
            self.send_header("Retry-After", after)
        self.end_headers()
        self.wfile.write(json.dumps({"choices": [{"message": {"content": "yes"}}]}).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(judging, "FIRST_WAIT", 0.01)
    Scripted.script, Scripted.times, Scripted.tokens = [], [], []
    server = HTTPServer(("127.0.0.1", 0), Scripted)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/"
    server.shutdown()
    server.server_close()


def test_a_busy_endpoint_is_waited_for_as_long_as_it_asks(scripted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "sesame")
    date = formatdate(time.time() + 2, usegmt=True)
    Scripted.script = [(503, ""), (429, "1"), (500, "nonsense"), (503, date)]
    judge = Judge(url=scripted, model="m", patience=30)
    assert judge.ask("x") == "yes" and "sesame" not in repr(judge)
    gaps = [later - sooner for sooner, later in zip(Scripted.times, Scripted.times[1:], strict=False)]
    assert gaps[1] >= 1.0 and Scripted.times[-1] >= Scripted.times[0] + 1.0 and gaps[0] < 1.0 and gaps[2] < 1.0
    assert {*Scripted.tokens} == {"Bearer sesame"}


@pytest.mark.parametrize(
    ("script", "told", "asked"),
    [
        ([(401, "")], r"it answers 401\); go without --judge", 1),
        ([(429, "3600")], r"it answers 429\), after 0 s and with 3600 s more to wait; what was judged is kept", 1),
        ([(503, "")] * 50, r"it answers 503\), after 0 s", 3),
    ],
)
def test_what_will_not_answer_in_time_ends_in_one_line(
    script: list[tuple[int, str]], told: str, asked: int, scripted: str
) -> None:
    Scripted.script = script
    with pytest.raises(CurationError, match=told) as caught:
        Judge(url=scripted, model="m", patience=0.2).ask("x")
    assert str(caught.value).isprintable() and len(Scripted.times) >= asked


def test_a_dead_endpoint_is_told() -> None:
    with pytest.raises(CurationError, match=r"the judge at http://127.0.0.1:9 gives no answer \(.*what was judged"):
        Judge(url="http://127.0.0.1:9", model="m", patience=0).ask("x")
