"""An import that is killed time and again asks nothing twice and ends in the same bytes."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import command_line
import corpora
import pytest
from loopback_judge import JudgeModel
from loopback_openai import running

#: Kills, and the corpus, for a longer run than the tests': another file, such as the MATH problems with code.
KILLS = int(os.environ.get("PLANIMETER_IMPORT_KILLS", "4"))
CORPUS = os.environ.get("PLANIMETER_IMPORT_CORPUS", "")

TOKEN = "sesame-open"
#: Seconds after which a run that stands still has failed; an undisturbed one takes half a minute.
PATIENCE = 900


@contextmanager
def importing(corpus: Path, out: Path, model: JudgeModel, workers: int) -> Iterator["subprocess.Popen[str]"]:
    """An import that runs, with whatever it has started, until the end of the block."""
    given = ("--judge", model.url, "--judge-model", "m", "--workers", str(workers), "--license", "MIT")
    command = ("import", "geogram", str(corpus), "--out", str(out), *given)
    with running(model):
        home = out.with_name(f"{out.name}-prefect")
        process = command_line.start(*command, home=home, PLANIMETER_JUDGE_TOKEN=TOKEN)
        try:
            yield process
        finally:
            # It leads a group of its own, whose other processes may outlive it.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def finished(corpus: Path, out: Path, model: JudgeModel, workers: int) -> tuple[dict[str, str], str]:
    """Import to the end; return what lies in ``out`` beside the store, and what was printed."""
    with importing(corpus, out, model, workers) as process:
        printed = "".join(process.communicate(timeout=PATIENCE))
        assert process.returncode == 0, printed
    digests = command_line.digests(out)
    return {name: digest for name, digest in digests.items() if not name.startswith(".planimeter/")}, printed


def judged(out: Path) -> int:
    """How many replies are noted."""
    return len([*out.glob(".planimeter/judged/[!.]*")])


@pytest.mark.slow
def test_killed_time_and_again_it_asks_nothing_twice_and_ends_in_the_same_bytes(tmp_path: Path) -> None:
    lines = [corpora.good(number) for number in range(150)]
    corpus = Path(CORPUS) if CORPUS else corpora.write(tmp_path / "x.jsonl", lines)
    undisturbed, out, answered = JudgeModel(), tmp_path / "out", Counter[str]()
    whole, _ = finished(corpus, tmp_path / "whole", undisturbed, 1)
    assert {*undisturbed.answered.values()} == {1}
    for kill in range(KILLS):
        # Each run has an endpoint of its own: what a killed one sent last is answered by nobody. This one answers up to
        # the gate, and holds what is asked then, so that each reply is noted before the kill.
        gate = undisturbed.given * (kill + 1) // (KILLS + 1)
        model, deadline = JudgeModel(gate=gate - judged(out), holds=True, faults=True), time.monotonic() + PATIENCE
        with importing(corpus, out, model, 2) as process:
            while process.poll() is None and judged(out) < gate and time.monotonic() < deadline:
                time.sleep(0.05)
            assert (process.poll(), judged(out)) == (None, gate), process.stderr and process.stderr.read()
            process.send_signal(signal.SIGINT if kill == 1 else signal.SIGKILL)
            process.wait(PATIENCE)
        answered += model.answered
    last = JudgeModel(faults=True)
    resumed, printed = finished(corpus, out, last, 2)
    assert answered + last.answered == undisturbed.answered
    assert resumed == whole
    written = [path for path in tmp_path.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert written == [] and TOKEN not in printed
