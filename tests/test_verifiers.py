"""`planimeter-env` in an environment of its own: found, validated, asked and scored by verifiers' own commands."""

import json
import math
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wheels
from loopback_openai import serving
from recorded_replies import recorded
from reply_files import lines
from small_datasets import CELLS, Small

from planimeter.evals import suite
from planimeter.harness.rows import source
from planimeter.scores import dataset, intake, scored
from planimeter.scores.replies import read

pytestmark = pytest.mark.slow

NAMES = sorted({*CELLS} - {"curves-looks"})
SCRIPT = Path(__file__).with_name("rewarded_by_verifiers.py")
#: Nothing goes to a cloud, no tools, no container.
LOCAL = ("--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess", "--no-push", "--no-rich")


@pytest.fixture(scope="module")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment with verifiers and the slim wheel."""
    folder = tmp_path_factory.mktemp("verifiers")
    return wheels.environment(folder / "venv", f"{wheels.built(folder)['planimeter_evals']}[verifiers]")


def ran(binaries: Path, name: str, *arguments: object, folder: Path) -> str:
    """Run a command of that environment, with its Python and uv on the PATH and a home of its own."""
    path = os.pathsep.join([str(binaries), os.environ["PATH"]])
    surroundings = {"PATH": path, "HOME": str(folder), "KEY": "none", "no_proxy": "127.0.0.1"}
    for key in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_CACHE_DIR", "PIP_INDEX_URL", "SSL_CERT_FILE"):
        surroundings |= {key: os.environ[key]} if key in os.environ else {}
    command = [binaries / name, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("name", ["curves", "geogram", "marvl-qa-mini"])
def test_every_row_is_valid(name: str, binaries: Path, small: Callable[[str], Small], tmp_path: Path) -> None:
    found = small(name)
    told = ran(
        binaries,
        "vf-validate",
        "planimeter-env",
        *("--taskset.dataset", found.folder, "--only-gold", "--runtime.type", "subprocess"),
        folder=tmp_path,
    )
    outcomes = json.loads(told[told.index("{") :])
    rows = sum(map(len, found.rows.values()))
    assert (outcomes["valid_rate"], outcomes["total"], outcomes["outcomes"]["valid"]) == (1.0, rows, rows)


@pytest.mark.parametrize("name", ["geogram", "traversal"])
def test_a_model_behind_a_server_is_asked_and_scored(
    name: str, binaries: Path, small: Callable[[str], Small], tmp_path: Path
) -> None:
    """And its traces are read by `planimeter score`."""
    found = small(name)
    with serving(source(str(found.folder))) as endpoint:
        ran(
            binaries,
            *("vf-eval", "planimeter-env", "--env.taskset.dataset", found.folder, *LOCAL, "--model", "gold"),
            *("--client.base-url", f"http://127.0.0.1:{endpoint.server_port}/v1", "--client.api-key-var", "KEY"),
            *("-n", 3, "-r", 2),
            folder=tmp_path,
        )
        asked = dict(endpoint.answered)
    assert [*asked.values()] == [2, 2, 2]
    (traces,) = tmp_path.glob("outputs/*/traces.jsonl")
    episodes = [json.loads(line) for line in traces.read_text().splitlines()]
    rewards = [trace["rewards"]["reward"]["score"] for episode in episodes for trace in episode["traces"]]
    assert rewards == [1.0] * 6
    answers = {row["id"]: row["answer"] for rows in found.rows.values() for row in rows}
    replies = [reply for reply in read(traces) if not isinstance(reply, Exception)]
    render = suite(found.suite).render
    assert sorted((reply.id, reply.text) for reply in replies) == sorted(
        (i, render(answers[i])) for i in asked for _ in "12"
    )


def test_ten_thousand_replies_get_the_reward_that_planimeter_score_gives(
    binaries: Path, small: Callable[[str], Small], tmp_path: Path
) -> None:
    folders = [small(name) for name in NAMES]
    every: list[dict[str, Any]] = []
    expected: list[tuple[float, float]] = []
    for name, found in zip(NAMES, folders, strict=True):
        rows = [row for config in found.rows.values() for row in config]
        said = list(recorded(found.suite, rows, 10_002 // len(NAMES), seed=len(every)))
        data = dataset.load(found.folder)
        taken = intake.take([lines(tmp_path / f"{name}.jsonl", said)], data, list(data.rows))
        frame = scored.score(data, taken).frame
        frame = frame[frame["reason"] != scored.NO_REPLY]
        key = dict(zip(zip(frame["id"], frame["sample"], strict=True), frame.itertuples(), strict=True))
        own = suite(found.suite)
        every += said
        expected += [
            (getattr(key[one["id"], one["sample"]], own.HEADLINE), float(not key[one["id"], one["sample"]].reason))
            for one in said
        ]
    replies = lines(tmp_path / "replies.jsonl", every)
    told = ran(binaries, "python", SCRIPT, replies, "headline", *(f.folder for f in folders), folder=tmp_path)
    got = [json.loads(line) for line in told.splitlines()]
    assert len(got) == len(every) >= 10_000
    assert [(line["reward"], line["metrics"]["answered"]) for line in got] == expected
    # Neither is empty: replies of every worth are among them.
    assert 0.2 < sum(reward for reward, _ in expected) / len(expected) < 0.8
    assert not any(math.isnan(value) for line in got for value in line["metrics"].values())
