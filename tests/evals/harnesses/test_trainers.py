"""The trainers themselves load what we give them and get our scores for rewards, each in an environment of its own.

EasyR1 is in no index of packages: what its own loader makes of our files is not tried here.
"""

import json
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import command_line
import pytest
import yaml
from asked_folders import write_small
from card_snippets import snippets
from recorded_replies import recorded, scores
from small_datasets import CELLS, Small
from trainer_environments import SCRIPTS, call, python_of, run

from planimeter.evals.harnesses.exports import export
from planimeter.evals.harnesses.rows import source
from planimeter.export.manifest import Manifest
from planimeter.export.pages.card import card_configs
from planimeter.export.pages.templating import environment
from planimeter.export.texts import text_of

pytestmark = pytest.mark.slow

#: Of each dataset; 10,000 in all.
REPLIES = 2_000
DATASETS = [name for name in CELLS if name not in ("curves-train", "curves-looks", "curves-polygons", "geogram-paired")]
SPLITS = {"train": 4, "validation": 4}
TRAINING = command_line.ROOT / "docs" / "training"


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model with random weights and its processor."""
    folder = tmp_path_factory.mktemp("model")
    subprocess.run([python_of("trl"), SCRIPTS / "tiny_model.py", folder], check=True, capture_output=True)
    return folder


def carded(folder: Path) -> Path:
    """Give a dataset that has none a card, by which `datasets` finds its configs."""
    front = yaml.safe_dump({"configs": card_configs(Manifest.read(folder))})
    (folder / "README.md").write_text(f"---\n{front}---\n")
    return folder


def exported(folder: Path, trainer: str, out: Path, model: Path) -> list[str]:
    """Export for ``trainer``, and return the arguments of the command line that the export names."""
    command = export(source(str(folder)), trainer, out, "default")
    words = shlex.split(command.replace("\\\n", " ").replace("MODEL", str(model)))
    return [word for word in words if word != "..."]


@pytest.mark.parametrize(
    ("name", "config"), [("curves", "easy"), ("marvl-qa-mini", "counting"), ("geogram", "geogram")]
)
def test_trl_trains_on_a_dataset_as_it_is_published(
    name: str, config: str, small: Callable[[str], Small], model: Path, tmp_path: Path
) -> None:
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


@dataclass(frozen=True)
class Recorded:
    """Replies to the rows of a config: each a row's id, its number and the text; and what `planimeter score` says."""

    folder: Path
    config: str
    replies: list[tuple[str, int, str]]
    scores: list[float]


@pytest.fixture(scope="module")
def replies(small: Callable[[str], Small], tmp_path_factory: pytest.TempPathFactory) -> list[Recorded]:
    parts = []
    for name in DATASETS:
        made = small(name)
        rows = {row["id"]: (config, place) for config, part in made.rows.items() for place, row in enumerate(part)}
        given = list(recorded(made.suite, [row for part in made.rows.values() for row in part], REPLIES))
        graded = scores(made, given, tmp_path_factory.mktemp(name) / "replies.jsonl")
        for config in made.rows:
            here = [
                (line, score) for line, (score, _) in zip(given, graded, strict=True) if rows[line["id"]][0] == config
            ]
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


def test_the_run_of_the_paper_starts(small: Callable[[str], Small], model: Path, tmp_path: Path) -> None:
    """With its own script and settings, but of sizes that a CPU can do."""
    sizes = {
        "dataset_name": carded(small("curves").folder),
        "dataset_train_split": "test",
        "dataset_test_split": "test",
        "model_name_or_path": model,
        "dtype": "float32",
        "bf16": "false",
        "use_vllm": "false",
        "max_steps": 2,
        "num_generations": 2,
        "num_generations_eval": 2,
        "per_device_train_batch_size": 2,
        "per_device_eval_batch_size": 2,
        "gradient_accumulation_steps": 1,
        "max_completion_length": 8,
        "eval_steps": 1,
        "save_steps": 1,
        "output_dir": tmp_path / "trained",
    }
    flags = [word for name, value in sizes.items() for word in (f"--{name}", value)]
    given = ("--config", TRAINING / "curvebench.yaml", "--reward", "tree", *flags)
    run(python_of("trl"), TRAINING / "curvebench.py", *given, home=tmp_path)
    history = json.loads((tmp_path / "trained" / "trainer_state.json").read_text())["log_history"]
    for metric in ("rewards/reward_tree_accuracy/mean", "eval_rewards/reward_tree_accuracy/mean"):
        assert [line["step"] for line in history if metric in line] == [1, 2]
    adapter = json.loads((tmp_path / "trained" / "adapter_config.json").read_text())
    assert (adapter["r"], adapter["lora_alpha"], adapter["lora_dropout"]) == (4, 8, 0.0)
    drawn = tmp_path / "figure.svg"
    ended = command_line.here(
        "train-log", str(tmp_path / "trained"), "--metric", "reward_tree_accuracy", "--out", str(drawn)
    )
    assert ended.code == 0, ended.err
    assert all(f">{text}<" in drawn.read_text() for text in ("trained", "reward tree accuracy", "held-out questions"))


def test_the_settings_are_the_papers(tmp_path: Path) -> None:
    """As TRL itself reads them, for one device."""
    (settings,) = call("trl", [("settings", {"home": str(TRAINING)})], tmp_path)
    weights = {"combined": [0.7, 0.3], "tree": [1.0, 0.0]}
    assert settings == ["dr_grpo", "none", 250, 128, 8, 8e-5, "constant", 4, 8, "all-linear", 8192, 0.0, weights]
