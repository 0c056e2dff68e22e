"""An import that is killed time and again asks nothing twice and ends in the same bytes."""

import os
import signal
import subprocess
import time
from pathlib import Path

import command_line
import pytest
from loopback_judge import JudgeModel
from loopback_openai import running
from test_import_judge import corpus_of

#: Kills, and the corpus, for a longer run than the tests': another file, such as the MATH problems with code.
KILLS = int(os.environ.get("PLANIMETER_IMPORT_KILLS", "4"))
CORPUS = os.environ.get("PLANIMETER_IMPORT_CORPUS", "")

TOKEN = "sesame-open"


def start(corpus: Path, out: Path, home: Path, model: JudgeModel, workers: int) -> "subprocess.Popen[str]":
    told = ("--judge", model.url, "--judge-model", "m", "--workers", str(workers), "--patience", "30")
    return command_line.start(
        "import", "geogram", str(corpus), "--out", str(out), *told, home=home, PLANIMETER_JUDGE_TOKEN=TOKEN
    )


def bytes_below(out: Path) -> dict[str, str]:
    return {name: digest for name, digest in command_line.digests(out).items() if not name.startswith(".planimeter/")}


@pytest.mark.slow
def test_killed_time_and_again_it_asks_nothing_twice_and_ends_in_the_same_bytes(tmp_path: Path) -> None:
    corpus = Path(CORPUS) if CORPUS else corpus_of(tmp_path, 150)
    undisturbed = JudgeModel()
    with running(undisturbed):
        process = start(corpus, tmp_path / "whole", tmp_path / "home", undisturbed, 1)
        assert process.wait(900) == 0, process.stderr and process.stderr.read()
    questions = undisturbed.given
    assert {*undisturbed.answered.values()} == {1}

    model = JudgeModel(faults=True)
    model.holds = True
    out, home = tmp_path / "out", tmp_path / "killed"
    with running(model):
        for kill in range(KILLS):
            gate = questions * (kill + 1) // (KILLS + 1)
            model.open(gate)
            process = start(corpus, out, home, model, 2)
            # A reply that came is noted a moment later; what is held has none.
            while process.poll() is None and len([*out.glob(".planimeter/judged/[!.]*")]) < gate:
                time.sleep(0.05)
            assert process.poll() is None, process.stderr and process.stderr.read()
            process.send_signal(signal.SIGINT if kill == 1 else signal.SIGKILL)
            process.wait(60)
            # What it sent last may still be on its way, and would be answered to nobody behind the next gate.
            time.sleep(1)
        model.open(10**9)
        process = start(corpus, out, home, model, 2)
        said, err = process.communicate(timeout=900)
        assert process.returncode == 0, err
    assert model.answered == undisturbed.answered
    assert bytes_below(out) == bytes_below(tmp_path / "whole")
    found = [path for path in tmp_path.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert found == [] and TOKEN not in said + err
