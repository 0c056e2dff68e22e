"""A model as the judge of an import: what it is asked, how it is read, an endpoint or an import that dies."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import command_line
import corpora
import httpx
import plain
import pytest
from corpora import rows_of
from loopback_judge import WHY, JudgeModel
from loopback_openai import running

from planimeter.export.errors import CurationError
from planimeter.export.verify.folder import verify
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.imports import judge as judging
from planimeter.flows.imports import questions
from planimeter.flows.imports.chunks import Options
from planimeter.flows.imports.judge import TOKEN, Judge


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "FIRST_WAIT", 0.01)


def test_questions_are_asked_and_replies_parsed() -> None:
    geometry = {"Yes.": True, "**no**": False, "No, it counts paths.": False, "Perhaps": None, "": None}
    geometry["<think>no, or is it? yes</think> \n yes"] = True
    assert {reply: questions.read_geometry(reply) for reply in geometry} == geometry
    one_circle = "- Category: Primitive Recognition\n- Justification: One circle."
    levels = {
        one_circle: ("primitive", "One circle."),
        "**Category:** [Local Relation Composition]\n\n**Justification:** a\n b": ("compositional", "a b"),
        "category - global abstract integration": ("abstract", ""),
        "Category: Primitive Recognition? No. Category: Global Abstract Integration": None,
        "Category: [Primitive Recognition / Local Relation Composition]": None,
        "Category: hard": None,
        "Primitive Recognition / Local Relation Composition / Global Abstract Integration": None,
    }
    assert {reply: questions.read_level(reply) for reply in levels} == levels
    question = questions.level("How long is AB?", "draw(A--B);")
    assert question.endswith("Problem:\nHow long is AB?\n\nProgram:\ndraw(A--B);")
    assert "[Primitive Recognition / Local Relation Composition / Global Abstract Integration]" in question


def corpus_of(folder: Path, count: int) -> Path:
    about = {"level": "Level 5", "difficulty": 2.5}
    lines = [corpora.good(number) | {"source": f"aops {number}", **about} for number in range(count)]
    return corpora.write(folder / "x.jsonl", lines)


def test_the_model_decides_the_level_and_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "sesame-open")
    model = JudgeModel()
    judge = Judge(url=model.url, model="m")
    options = Options(files=(str(corpus_of(tmp_path, 6)),), outputs=tmp_path / "out", judge=judge)
    with running(model):
        folder = plain.curate(options)
        rows = rows_of(folder)
        assert len(rows) == 6 and {row["level"] for row in rows} > {"primitive"}
        assert {json.loads(str(row["givens"]))["justification"] for row in rows} == {WHY}
        assert [row["source"] for row in rows] == [f"aops {number}" for number in range(6)]
        assert {(row["source_level"], row["source_difficulty"]) for row in rows} == {("Level 5", "2.5")}
        assert {*model.answered.values()} == {1} and model.given == 12
        assert json.loads((folder / "manifest.json").read_text())["recipe"]["judge"] == "m"
        again = rows_of(plain.curate(replace(options, version="1.1.0")))
        assert again == rows and model.given == 12
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"sesame-open" in path.read_bytes()]


def test_a_problem_without_a_judgement_waits_for_a_person(tmp_path: Path) -> None:
    model = JudgeModel()
    judge = Judge(url=model.url, model="mute")
    options = Options(files=(str(corpus_of(tmp_path, 2)),), outputs=tmp_path / "out", judge=judge)
    with running(model):
        with pytest.raises(PlanimeterError, match="no problem of the corpus is left"):
            plain.curate(options)
        folder = tmp_path / "out" / "geogram-x" / "1.0.0"
        entries = corpora.waiting(folder)
        doubts = ["the judge does not say whether it is geometry", "the judge names no level"]
        assert [entry["doubts"] for entry in entries] == [doubts] * 2
        decided = [entry | {"decision": "keep", "level": "abstract"} for entry in entries]
        folder.with_name("1.0.0-review.jsonl").unlink()
        assert folder == plain.curate(replace(options, review=corpora.write(tmp_path / "edited.jsonl", decided)))
    assert {row["level"] for row in rows_of(folder)} == {"abstract"} and model.given == 4 and verify(folder) == []


def test_an_endpoint_that_died_is_asked_for_the_rest(tmp_path: Path) -> None:
    undisturbed, broken = JudgeModel(), JudgeModel(gate=10)
    judge = Judge(url=undisturbed.url, model="m")
    options = Options(files=(str(corpus_of(tmp_path, 6)),), outputs=tmp_path / "whole", judge=judge)
    with running(undisturbed):
        whole = plain.curate(options)
    options = replace(options, outputs=tmp_path / "out", judge=Judge(url=broken.url, model="m", patience=0.3))
    with running(broken):
        with pytest.raises(CurationError, match=r"failed.*judgements so far are kept") as caught:
            plain.curate(options)
        assert str(caught.value).isprintable() and broken.given == 10
        broken.gate = 1000
        folder = plain.curate(replace(options, judge=Judge(url=broken.url, model="m")))
    assert broken.answered == undisturbed.answered and {*broken.answered.values()} == {1}
    assert (folder / "manifest.json").read_bytes() == (whole / "manifest.json").read_bytes()


def test_a_busy_endpoint_is_asked_again_after_its_delay() -> None:
    waits = {}
    for status, delay in ((429, "7"), (503, "soon"), (401, "7")):
        response = httpx.Response(status, headers={"Retry-After": delay}, request=httpx.Request("POST", "http://x"))
        waits[status] = judging._wait(httpx.HTTPStatusError("", request=response.request, response=response), 1)
    assert waits == {429: 7.0, 503: 0.02, 401: None}


@pytest.fixture
def refusing() -> Iterator[str]:
    """The address of a server that answers 501 to every request."""
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("token", "url", "message"),
    [
        ("SECRET\r\n", "http://{}", "the judge at http://{} failed (HTTP status 501); go without --judge"),
        ("SEC\nRET", "http://{}", TOKEN),
        ("", "http://u:SECRET@{}", "the judge at http://***@{} failed (HTTP status 501); go without --judge"),
        ("", "http://u:SEC@RET@{}/v1", "the judge at http://***@{}/v1 failed"),
        ("", "http://u:SEC\nRET@{}", "the judge at http://***@{} failed (that is not a valid address)"),
        ("", "ftp://u:SECRET@{}", "the judge at ftp://***@{} failed"),
        ("", "http://{}/v1?key=SECRET", "the judge at http://{}/v1 failed"),
    ],
)
def test_no_line_of_the_judge_shows_a_token_or_a_password(
    token: str, url: str, message: str, refusing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN, token)
    with pytest.raises(CurationError) as caught:
        Judge(url=url.format(refusing), model="m").ask("x")
    line = str(caught.value)
    assert line.startswith(message.format(refusing))
    assert "SEC" not in line and "RET" not in line and len(line.splitlines()) == 1


#: The replies that are kept, and the token of a judge.
JUDGED, SECRET = ".planimeter/judged/[!.]*", "sesame-open"


@contextmanager
def importing(corpus: Path, out: Path, model: JudgeModel) -> Iterator["subprocess.Popen[str]"]:
    """Run an import until the end of the block."""
    given = ("--judge", model.url, "--judge-model", "m", "--workers", "2", "--license", "MIT")
    command = ("import", "geogram", str(corpus), "--out", str(out), *given)
    with running(model):
        home = out.with_name(f"{out.name}-prefect")
        process = command_line.start(*command, home=home, PLANIMETER_JUDGE_TOKEN=SECRET)
        try:
            yield process
        finally:
            # It leads a group of its own, whose other processes may outlive it.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def finished(corpus: Path, out: Path, model: JudgeModel) -> dict[str, str]:
    with importing(corpus, out, model) as process:
        printed = "".join(process.communicate(timeout=command_line.PATIENCE))
        assert process.returncode == 0 and SECRET not in printed, printed
    return {name: digest for name, digest in command_line.digests(out).items() if name[0] != "."}


@pytest.mark.slow
def test_a_killed_import_asks_nothing_twice_and_has_equal_bytes(tmp_path: Path) -> None:
    corpus = corpora.write(tmp_path / "x.jsonl", [corpora.good(number) for number in range(60)])
    undisturbed, out = JudgeModel(), tmp_path / "out"
    whole = finished(corpus, tmp_path / "whole", undisturbed)
    # It answers up to the gate, and holds what is asked then, so that each reply is noted before the kill.
    gate = undisturbed.given // 2
    killed, last = JudgeModel(gate=gate, holds=True), JudgeModel(faults=True)
    with importing(corpus, out, killed) as process:
        command_line.wait_until(lambda: process.poll() is not None or len([*out.glob(JUDGED)]) >= gate)
        process.send_signal(signal.SIGKILL)
        process.wait(command_line.PATIENCE)
    assert finished(corpus, out, last) == whole
    assert killed.answered + last.answered == undisturbed.answered and {*undisturbed.answered.values()} == {1}
    assert [path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()] == []
