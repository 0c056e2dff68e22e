"""Trainers and verifiers themselves load what we give them and get our scores, each in an environment of its own.

EasyR1 is in no index of packages: what its own loader makes of our files is not tried here.
"""

import json
import math
import os
import shlex
import subprocess
import sysconfig
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import command_line
import pytest
import stand_in_hub
import wheels
import yaml
from asked_folders import ROWS, write_small
from card_snippets import snippets
from huggingface_hub import HfApi
from loopback_openai import serving
from recorded_replies import recorded, scores
from reply_files import lines
from small_datasets import CELLS, Small
from stand_in_hub import REPO
from trainer_environments import SCRIPTS, call, python_of, run

from planimeter.evals import suite
from planimeter.evals.harnesses.exports import export
from planimeter.evals.harnesses.rows import source
from planimeter.evals.rewards import reward
from planimeter.evals.scores.replies import read
from planimeter.export.manifest import Manifest
from planimeter.export.pages.card import card_configs
from planimeter.export.pages.templating import environment
from planimeter.export.texts import text_of

pytestmark = pytest.mark.slow

Find = Callable[[str], Small]
#: Of each dataset; 10,000 in all.
REPLIES = 2_000
DATASETS = [name for name in CELLS if name not in ("curves-train", "curves-looks", "curves-polygons", "geogram-paired")]
SPLITS = {"train": 4, "validation": 4}
TRAINING = command_line.ROOT / "docs" / "training"


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    subprocess.run([python_of("trl"), SCRIPTS / "tiny_model.py", folder], check=True, capture_output=True)
    return folder


def carded(folder: Path) -> Path:
    front = yaml.safe_dump({"configs": card_configs(Manifest.read(folder))})
    (folder / "README.md").write_text(f"---\n{front}---\n")
    return folder


def exported(folder: Path, trainer: str, out: Path, model: Path) -> list[str]:
    command = export(source(str(folder)), trainer, out, "default")
    words = shlex.split(command.replace("\\\n", " ").replace("MODEL", str(model)))
    return [word for word in words if word != "..."]


TRAINED = [("curves", "easy"), ("marvl-qa-mini", "counting"), ("geogram", "geogram")]


@pytest.mark.parametrize(("name", "config"), TRAINED)
def test_trl_trains_on_a_published_dataset(name: str, config: str, small: Find, model: Path, tmp_path: Path) -> None:
    """By the lines of its card, at once and as a stream."""
    made = small(name)
    system, shows = made.rows[config][0]["system_prompt"], text_of(made.suite).shows_picture
    card = environment().get_template("train.md.j2").render(system=system, shows_picture=shows)
    (lines,) = snippets(card, "python")
    given = {"model": str(model), "folder": str(carded(made.folder)), "config": config, "lines": lines}
    for steps in call("trl", [("trained", given | {"streaming": how}) for how in (False, True)], tmp_path):
        assert len(steps) == 2
        assert all(line["rewards/reward/mean"] == line["reward"] == 0.0 for line in steps)


@pytest.mark.parametrize("trainer", ["verl", "swift"])
@pytest.mark.parametrize("name", ["curves", "geogram"])
def test_a_trainer_loads_what_is_exported_for_it(trainer: str, name: str, model: Path, tmp_path: Path) -> None:
    found = source(str(write_small(tmp_path / name, name, SPLITS)))
    command, shows = exported(found.folder, trainer, tmp_path / "out", model), found.shows_pictures
    (config,) = found.manifest.configs
    given = {"path": str(tmp_path / "out" / "train" / f"{config}.jsonl")}
    if trainer == "verl":
        assert command[:3] == ["python", "-m", "verl.trainer.main_ppo"]
        given = {"model": str(model), "command": command[3:], "shows": shows}
    (loaded,) = call(trainer, [("loaded", given)], tmp_path)
    for index, (line, row) in enumerate(zip(loaded, found.rows(config, "train"), strict=True)):
        roles = ["system", "user"] if row["system_prompt"] else ["user"]
        wanted = {"roles": roles, "text": row["prompt"], "sizes": [[8, 8]] * shows, "truth": row["answer"]}
        if trainer == "verl":
            assert len(line.pop("sizes")) == len(wanted.pop("sizes"))
            kinds = ["image", "text"] if shows else []
            wanted |= {"kinds": kinds, "source": f"{name}/{config}", "index": index}
        else:
            wanted["text"] = "<image>" * shows + row["prompt"]
        assert line == wanted


class Recorded(NamedTuple):
    """Replies to the rows of a config: each a row's id, its number and the text; and what `planimeter score` says."""

    folder: Path
    config: str
    replies: list[tuple[str, int, str]]
    scores: list[float]


@pytest.fixture(scope="module")
def replies(small: Find, tmp_path_factory: pytest.TempPathFactory) -> list[Recorded]:
    parts = []
    for name in DATASETS:
        made = small(name)
        rows = {row["id"]: (config, place) for config, part in made.rows.items() for place, row in enumerate(part)}
        given = list(recorded(made.suite, [row for part in made.rows.values() for row in part], REPLIES))
        graded = scores(made, given, tmp_path_factory.mktemp(name) / "replies.jsonl")
        for config in made.rows:
            scored = zip(given, graded, strict=True)
            here = [(line, score) for line, (score, _) in scored if rows[line["id"]][0] == config]
            texts = [(line["id"], rows[line["id"]][1], line["reply"]) for line, _ in here]
            parts.append(Recorded(carded(made.folder), config, texts, [score for _, score in here]))
    assert sum(len(part.scores) for part in parts) == 10_000
    # As many are right as wrong, so that no constant would do.
    assert all(0.2 < sum(part.scores) / len(part.scores) < 0.8 for part in parts)
    return parts


@pytest.mark.parametrize("trainer", ["trl", "verl", "swift"])
def test_rewards_are_our_scores(trainer: str, replies: list[Recorded], model: Path, tmp_path: Path) -> None:
    """Each of 10,000 recorded replies, through the trainer's own call of rewards; verl's begins at the tokens."""

    @cache
    def command(folder: Path) -> tuple[Path, list[str]]:
        out = tmp_path / source(str(folder)).suite
        return out, exported(folder, trainer, out, model)[3:]

    def trl(part: Recorded) -> dict[str, Any]:
        texts = [[name, text] for name, _, text in part.replies]
        return {"model": str(model), "folder": str(part.folder), "config": part.config, "replies": texts}

    def verl(part: Recorded) -> dict[str, Any]:
        out, words = command(part.folder)
        files = f"data.val_files=[{out / 'test' / part.config}.parquet]"
        return {"model": str(model), "command": [*words, files], "replies": [reply[1:] for reply in part.replies]}

    def swift(part: Recorded) -> dict[str, Any]:
        out, _ = command(part.folder)
        given = {"path": str(out / "test" / f"{part.config}.jsonl"), "plugin": str(out / "plugin.py")}
        return given | {"replies": [reply[1:] for reply in part.replies]}

    given = {"trl": trl, "verl": verl, "swift": swift}[trainer]
    rewards = call(trainer, [("rewarded", given(part)) for part in replies], tmp_path)
    assert rewards == [part.scores for part in replies]


def test_the_run_of_the_paper_starts(small: Find, model: Path, tmp_path: Path) -> None:
    """With its own script and settings, but of sizes that a CPU can do."""
    sizes: dict[str, object] = {"dataset_name": carded(small("curves").folder), "model_name_or_path": model}
    sizes |= dict.fromkeys(("dataset_train_split", "dataset_test_split"), "test")
    sizes |= {"dtype": "float32", "bf16": "false", "use_vllm": "false", "output_dir": tmp_path / "trained"}
    twos = ("num_generations", "num_generations_eval", "per_device_train_batch_size", "per_device_eval_batch_size")
    sizes |= dict.fromkeys((*twos, "max_steps"), 2) | {"max_completion_length": 8}
    sizes |= dict.fromkeys(("gradient_accumulation_steps", "eval_steps", "save_steps"), 1)
    flags = [word for name, value in sizes.items() for word in (f"--{name}", value)]
    given = ("--config", TRAINING / "curvebench.yaml", "--reward", "tree", *flags)
    run(python_of("trl"), TRAINING / "curvebench.py", *given, home=tmp_path)
    history = json.loads((tmp_path / "trained" / "trainer_state.json").read_text())["log_history"]
    for metric in ("rewards/reward_tree_accuracy/mean", "eval_rewards/reward_tree_accuracy/mean"):
        assert [line["step"] for line in history if metric in line] == [1, 2]
    adapter = json.loads((tmp_path / "trained" / "adapter_config.json").read_text())
    assert (adapter["r"], adapter["lora_alpha"], adapter["lora_dropout"]) == (4, 8, 0.0)


def test_the_settings_are_the_papers(tmp_path: Path) -> None:
    (settings,) = call("trl", [("settings", {"home": str(TRAINING)})], tmp_path)
    weights = {"combined": [0.7, 0.3], "tree": [1.0, 0.0]}
    assert settings == ["dr_grpo", "none", 250, 128, 8, 8e-5, "constant", 4, 8, "all-linear", 8192, 0.0, weights]


# --- verifiers


NAMES = sorted({*CELLS} - {"curves-looks", "curves-polygons", "geogram-paired"})
SCRIPT = Path(__file__).parents[1] / "support" / "rewarded_by_verifiers.py"
#: Nothing goes to a cloud, no tools, no container.
LOCAL = ("--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess", "--no-push", "--no-rich")


@pytest.fixture(scope="module")
def wheels_built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return wheels.built(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def binaries(wheels_built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment with verifiers and the slim wheel."""
    folder = tmp_path_factory.mktemp("verifiers")
    return wheels.environment(folder / "venv", f"{wheels_built['planimeter_evals']}[verifiers]")


def whole_of(wheels_built: dict[str, Path], folder: Path) -> Path:
    """The `bin` of another one that has all of Planimeter too, whose other libraries are those of this environment."""
    binaries = wheels.environment(folder / "venv", f"{wheels_built['planimeter_evals']}[verifiers]")
    done = wheels.uv(*("pip", "install", "--no-deps", "--python", binaries / "python", str(wheels_built["planimeter"])))
    assert done.returncode == 0, done.stderr
    (packages,) = folder.glob("venv/lib/python*/site-packages")
    (packages / "libraries.pth").write_text("\n".join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}))
    return binaries


def ran(binaries: Path, name: str, *arguments: object, folder: Path, fails: bool = False, **more: str) -> str:
    path = os.pathsep.join([str(binaries), os.environ["PATH"]])
    surroundings = {"PATH": path, "HOME": str(folder), "KEY": "none", "no_proxy": "127.0.0.1", **more}
    passed_on = ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_CACHE_DIR", "PIP_INDEX_URL", "SSL_CERT_FILE")
    surroundings |= {key: os.environ[key] for key in passed_on if key in os.environ}
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
def test_every_row_is_valid(name: str, binaries: Path, small: Find, tmp_path: Path) -> None:
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


def test_a_stream_never_ends(wheels_built: dict[str, Path], tmp_path: Path) -> None:
    whole = whole_of(wheels_built, tmp_path)
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
def test_what_is_not_there_is_named(named: Any, message: str, binaries: Path, small: Find, tmp_path: Path) -> None:
    given = (str(small("curves").folder) if word == "HERE" else word for word in named)
    printed = ran(binaries, "vf-validate", "planimeter-env", *given, "-n", 1, folder=tmp_path, fails=True)
    # In a box, but where nothing was named: that is only known when the rows are to be read.
    assert message in " ".join(printed.replace("│", " ").split())
    assert ("Traceback" in printed) == (not named)


@pytest.mark.parametrize("name", ["geogram", "traversal"])
def test_a_model_behind_a_server_is_asked_and_scored(name: str, binaries: Path, small: Find, tmp_path: Path) -> None:
    """And its traces are read by `planimeter score`."""
    found = small(name)
    with serving(source(str(found.folder))) as endpoint:
        served = ("--client.base-url", f"http://127.0.0.1:{endpoint.server_port}/v1", "--client.api-key-var", "KEY")
        given = ("planimeter-env", "--env.taskset.dataset", found.folder, *LOCAL, "--model", "gold", *served)
        ran(binaries, "vf-eval", *given, *("-n", 3, "-r", 2), folder=tmp_path)
        asked = dict(endpoint.answered)
    assert [*asked.values()] == [2, 2, 2]
    (traces,) = tmp_path.glob("outputs/*/traces.jsonl")
    episodes = [json.loads(line) for line in traces.read_text().splitlines()]
    rewards = [trace["rewards"]["reward"]["score"] for episode in episodes for trace in episode["traces"]]
    assert rewards == [1.0] * 6
    render = suite(found.suite).render
    gold = {row["id"]: render(row["answer"]) for rows in found.rows.values() for row in rows}
    replies = [reply for reply in read(traces) if not isinstance(reply, Exception)]
    assert sorted((reply.id, reply.text) for reply in replies) == sorted((i, gold[i]) for i in asked for _ in "12")


def bare_rewards(found: Small, replies: list[dict[str, Any]], of: str) -> list[float | None]:
    rows = {row["id"]: row for config in found.rows.values() for row in config}
    batch = [rows[reply["id"]] for reply in replies]
    names = sorted({name for row in batch for name in row} - {"image"})
    columns = {name: [row.get(name) for row in batch] for name in names}
    return reward([reply["reply"] for reply in replies], of=of, **columns)


@pytest.mark.parametrize(("of", "count"), [("headline", 10_002), ("dense", 600)])
def test_recorded_replies_get_the_same_reward_everywhere(
    of: str, count: int, binaries: Path, small: Find, tmp_path: Path
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
    file = lines(tmp_path / "replies.jsonl", replies)
    printed = ran(binaries, "python", SCRIPT, file, of, *(made.folder for made in folders), folder=tmp_path)
    results = [json.loads(line) for line in printed.splitlines()]
    assert len(replies) == count
    assert [line["reward"] for line in results] == bare
    assert [line["metrics"]["answered"] for line in results] == [answered for _, answered in graded]
    if of == "headline":
        assert bare == [score for score, _ in graded]
    assert 0.2 < sum(score for score, _ in graded) / count < 0.8
    assert not any(math.isnan(value) for line in results for value in line["metrics"].values())
