"""The command `evaluate` against an endpoint with faults: no cached replies, and an end to each run."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

import command_line
import loopback_openai
import pytest
from asked_folders import ROWS, write_small
from inspect_ai._cli.main import main as inspect_main

from planimeter.evals.harnesses.rows import source
from planimeter.flows.commands import evaluate


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_small(tmp_path / "1.0.0", "curves")


@pytest.fixture
def endpoint(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[loopback_openai.Endpoint]:
    with loopback_openai.serving(source(str(folder))) as server:
        for name, value in {**server.environment, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}.items():
            monkeypatch.setenv(name, value)
        yield server


def evaluated(folder: Path, *flags: str) -> command_line.Ended:
    model = ("--model", "openai-api/loopback/gold")
    return command_line.here("evaluate", str(folder), *model, "--display", "none", *flags)


@pytest.mark.slow
def test_replies_of_another_checkpoint_come_from_no_cache(
    folder: Path, endpoint: loopback_openai.Endpoint, tmp_path: Path
) -> None:
    first = evaluated(folder, "--log-dir", str(tmp_path / "first"), "--cache", "1h")
    assert (first.code, sum(endpoint.answered.values())) == (0, ROWS), first.err
    assert "100.0" in first.out and "--cache: replies may be those of another model" in first.out
    # Another checkpoint, served under the same name and URL.
    endpoint.rows = {key: (name, "<answer>no</answer>") for key, (name, _) in endpoint.rows.items()}
    endpoint.answered.clear()
    second = evaluated(folder, "--log-dir", str(tmp_path / "second"))
    assert (second.code, sum(endpoint.answered.values())) == (0, ROWS), second.err
    assert "100.0" not in second.out and "--cache" not in second.out
    again = evaluated(folder, "--log-dir", str(tmp_path / "second"))
    assert (again.code, sum(endpoint.answered.values())) == (0, ROWS), again.err
    assert f"nothing was asked: {tmp_path / 'second'} holds every reply" in again.out


@pytest.mark.slow
def test_refused_and_stalled_rows_do_not_keep_it_from_its_end(
    folder: Path, endpoint: loopback_openai.Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [name for name, _ in endpoint.rows.values()]
    # The second fault of the row that is broken meets the retry of the whole task.
    faults = (["refused"], ["refused"], ["filtered"], ["broken", "broken"], ["stalled"])
    endpoint.faulty = dict(zip(names, faults, strict=False))
    limits = [limit.replace("=300", "=2") for limit in evaluate.TIME_LIMITS]
    monkeypatch.setattr(evaluate, "TIME_LIMITS", limits)
    command = (folder, "--log-dir", str(tmp_path / "logs"))
    first = evaluated(*command)
    assert first.code == 1 and len(first.lines) == 1
    assert "not every row was answered (1 x JSONDecodeError(" in first.err and "the same command asks for" in first.err
    second = evaluated(*command)
    assert second.code == 0, second.err
    assert (
        "3 rows refused, which count as wrong: 2 x BadRequestError('Error code: 400 - it is refused'); 1 x"
        in " ".join(second.out.split())
    )
    assert "50.0" in second.out and (tmp_path / "logs" / "scores" / "report.html").is_file()


def inspect_here(command: Sequence[str]) -> int:
    """Run Inspect in this process, which spares its imports."""
    with mock.patch.object(sys, "argv", [*command[command.index("inspect_ai") :]]), pytest.raises(SystemExit) as ended:
        inspect_main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize(
    "apart", [pytest.param(False, marks=pytest.mark.process), pytest.param(True, marks=pytest.mark.slow)]
)
def test_a_model_that_refuses_every_row_is_not_scored(
    apart: bool, folder: Path, endpoint: loopback_openai.Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Apart, in a folder in which a wheel of Planimeter was built, which must not hide its tasks."""
    (tmp_path / "planimeter.egg-info").mkdir()
    (tmp_path / "planimeter.egg-info" / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: planimeter\nVersion: 0\n")
    run = (lambda command: subprocess.run(command, cwd=tmp_path).returncode) if apart else inspect_here
    monkeypatch.setattr(evaluate, "_run", run)
    endpoint.faulty = {name: ["refused"] for name, _ in endpoint.rows.values()}
    ended = evaluated(folder)
    assert ended.code == 1 and ended.lines == [
        "planimeter: openai-api/loopback/gold refuses every row: 6 x BadRequestError('Error code: 400 - it is refused')"
    ]


def test_no_model_is_scored_on_pictures_that_it_is_not_shown(folder: Path) -> None:
    ended = command_line.here("evaluate", str(folder), "--model", "transformer_lens/gpt2")
    assert ended.code == 1 and len(ended.lines) == 1
    assert "--model: transformer_lens/gpt2 would see no picture" in ended.err


def test_a_model_in_this_process_has_no_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(evaluate, "_run", lambda command: commands.append(command) or 1)
    words = write_small(tmp_path / "words", "geogram")
    for model in ("hf/Qwen/Qwen3-8B", "vllm/Qwen/Qwen3-8B"):
        ended = command_line.here("evaluate", str(words), "--model", model, "--attempt-timeout", "9")
        assert ended.lines == ["planimeter: Inspect could not ask anything; it says above why"]
    local, served = commands
    assert [flag for flag in local if "timeout" in flag] == ["--attempt-timeout"]
    # Of two options of one name the later counts.
    assert [flag for flag in served if "timeout" in flag] == ["--attempt-timeout=300", "--attempt-timeout"]
