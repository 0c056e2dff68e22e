"""`planimeter-env` in an environment of its own: found, validated, asked and scored by verifiers' own commands."""

import json
import math
import os
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stand_in_hub
import wheels
from asked_folders import ROWS, write_small
from huggingface_hub import HfApi
from loopback_openai import serving
from recorded_replies import recorded, scores
from reply_files import lines
from small_datasets import CELLS, Small
from stand_in_hub import REPO

from planimeter.evals import suite
from planimeter.evals.harnesses.rows import source
from planimeter.evals.rewards import reward
from planimeter.evals.scores.replies import read

pytestmark = pytest.mark.slow

NAMES = sorted({*CELLS} - {"curves-looks", "curves-polygons", "geogram-paired"})
SCRIPT = Path(__file__).parents[1] / "support" / "rewarded_by_verifiers.py"
#: Nothing goes to a cloud, no tools, no container.
LOCAL = ("--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess", "--no-push", "--no-rich")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return wheels.built(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def binaries(built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment with verifiers and the slim wheel."""
    folder = tmp_path_factory.mktemp("verifiers")
    return wheels.environment(folder / "venv", f"{built['planimeter_evals']}[verifiers]")


@pytest.fixture(scope="module")
def whole(built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of another one that has all of Planimeter too, whose other libraries are those of this environment."""
    folder = tmp_path_factory.mktemp("whole")
    binaries = wheels.environment(folder / "venv", f"{built['planimeter_evals']}[verifiers]")
    done = wheels.uv(*("pip", "install", "--no-deps", "--python", binaries / "python", str(built["planimeter"])))
    assert done.returncode == 0, done.stderr
    (packages,) = folder.glob("venv/lib/python*/site-packages")
    (packages / "libraries.pth").write_text("\n".join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}))
    return binaries


def ran(binaries: Path, name: str, *arguments: object, folder: Path, fails: bool = False, **more: str) -> str:
    """Run a command of that environment, with its Python and uv on the PATH and a home of its own."""
    path = os.pathsep.join([str(binaries), os.environ["PATH"]])
    surroundings = {"PATH": path, "HOME": str(folder), "KEY": "none", "no_proxy": "127.0.0.1", **more}
    for key in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_CACHE_DIR", "PIP_INDEX_URL", "SSL_CERT_FILE"):
        surroundings |= {key: os.environ[key]} if key in os.environ else {}
    command = [binaries / name, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, timeout=600)
    assert (done.returncode != 0) == fails, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stderr if fails else done.stdout


def valid(binaries: Path, *arguments: object, folder: Path, **more: str) -> int:
    """Return how many tasks vf-validate looked at, all of them valid."""
    options = ("--only-gold", "--runtime.type", "subprocess")
    printed = ran(binaries, "vf-validate", "planimeter-env", *arguments, *options, folder=folder, **more)
    summary = json.loads(printed[printed.index("{") :])
    assert (summary["valid_rate"], summary["outcomes"]["valid"]) == (1.0, summary["total"])
    return int(summary["total"])


@pytest.mark.parametrize("name", ["curves", "geogram", "marvl-qa-mini"])
def test_every_row_is_valid(name: str, binaries: Path, small: Callable[[str], Small], tmp_path: Path) -> None:
    found = small(name)
    assert valid(binaries, "--taskset.dataset", found.folder, folder=tmp_path) == sum(map(len, found.rows.values()))


def test_a_repository_of_the_hub_is_a_dataset(binaries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_small(tmp_path / "dataset", "traversal")
    with stand_in_hub.started() as hub:
        stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
        api, repo = HfApi(endpoint=hub.url), {"repo_id": REPO, "repo_type": "dataset"}
        api.create_repo(**repo)
        for path in folder.rglob("*.parquet"):
            api.upload_file(path_or_fileobj=path, path_in_repo=path.relative_to(folder).as_posix(), **repo)
        api.create_tag(**repo, tag="1.0.0")
        given = ("--taskset.dataset", f"{REPO}@1.0.0")
        assert valid(binaries, *given, folder=tmp_path, **hub.environment(tmp_path)) == ROWS


def test_a_stream_never_ends(whole: Path, tmp_path: Path) -> None:
    stream = ("--taskset.stream", "geogram", "--taskset.level", 2, "--taskset.seed", 7)
    assert valid(whole, *stream, "-n", 3, folder=tmp_path) == 3
    printed = ran(whole, "vf-validate", "planimeter-env", *stream, "--only-gold", folder=tmp_path, fails=True)
    assert "PlanimeterTaskset is infinite" in printed


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ((), "name a dataset"),
        (("--taskset.dataset", "./nowhere"), "nowhere has no */*; it has: no data"),
        (("--taskset.dataset", "HERE", "--taskset.config", "hard"), "has no hard/*; it has: easy/test, polygon/test"),
        (("--taskset.dataset", "HERE", "--taskset.stream", "geogram"), "name a dataset"),
        (("--taskset.stream", "geogram"), "a stream needs all of Planimeter: pip install planimeter"),
    ],
)
def test_what_is_not_there_is_named(
    named: tuple[str, ...], message: str, binaries: Path, small: Callable[[str], Small], tmp_path: Path
) -> None:
    given = (str(small("curves").folder) if word == "HERE" else word for word in named)
    printed = ran(binaries, "vf-validate", "planimeter-env", *given, "-n", 1, folder=tmp_path, fails=True)
    # In a box, but where nothing was named: that is only known when the rows are to be read.
    assert message in " ".join(printed.replace("│", " ").split())
    assert ("Traceback" in printed) == (not named)


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


def rewards_of_verifiers(
    binaries: Path, replies: list[dict[str, Any]], of: str, folders: list[Small], home: Path
) -> list[dict[str, Any]]:
    file = lines(home / "replies.jsonl", replies)
    printed = ran(binaries, "python", SCRIPT, file, of, *(found.folder for found in folders), folder=home)
    return [json.loads(line) for line in printed.splitlines()]


def bare_rewards(found: Small, replies: list[dict[str, Any]], of: str) -> list[float | None]:
    """What ``reward`` says of a batch whose columns are those of the dataset."""
    rows = {row["id"]: row for config in found.rows.values() for row in config}
    batch = [rows[reply["id"]] for reply in replies]
    names = sorted({name for row in batch for name in row} - {"image"})
    columns = {name: [row.get(name) for row in batch] for name in names}
    return reward([reply["reply"] for reply in replies], of=of, **columns)


@pytest.mark.parametrize(("of", "count"), [("headline", 10_002), ("dense", 600)])
def test_recorded_replies_get_the_same_reward_everywhere(
    of: str, count: int, binaries: Path, small: Callable[[str], Small], tmp_path: Path
) -> None:
    """Through verifiers' own scoring, by the bare function, and in `planimeter score`."""
    folders = [small(name) for name in NAMES]
    replies: list[dict[str, Any]] = []
    graded: list[tuple[float, float]] = []
    bare: list[float | None] = []
    for name, made in zip(NAMES, folders, strict=True):
        rows = [row for config in made.rows.values() for row in config]
        given = list(recorded(made.suite, rows, count // len(NAMES), seed=len(replies)))
        replies += given
        graded += scores(made, given, tmp_path / f"{name}.jsonl")
        bare += bare_rewards(made, given, of)
    results = rewards_of_verifiers(binaries, replies, of, folders, tmp_path)
    assert len(replies) == count
    assert [line["reward"] for line in results] == bare
    assert [line["metrics"]["answered"] for line in results] == [answered for _, answered in graded]
    if of == "headline":
        assert bare == [score for score, _ in graded]
    # Right and wrong ones are among them.
    assert 0.2 < sum(score for score, _ in graded) / count < 0.8
    assert not any(math.isnan(value) for line in results for value in line["metrics"].values())
