"""The trainers themselves load what we give them and get our scores for rewards, each in an environment of its own.

EasyR1 is in no index of packages: what its own loader makes of our files is not tried here.
"""

import json
import shlex
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import command_line
import pandas as pd
import pytest
import yaml
from asked_folders import write_small
from card_snippets import snippets
from recorded_replies import recorded
from small_datasets import CELLS, Small
from trainer_environments import SCRIPTS, python_of, run

from planimeter.evals import suite
from planimeter.export.manifest import Manifest
from planimeter.export.pages.card import card_configs
from planimeter.export.pages.templating import environment
from planimeter.export.texts import text_of
from planimeter.harness.exports import export
from planimeter.harness.rows import source

pytestmark = pytest.mark.slow

#: Of each dataset; 10,000 in all.
REPLIES = 2_000
DATASETS = [name for name in CELLS if name not in ("curves-train", "curves-looks", "curves-polygons", "geogram-paired")]
SPLITS = {"train": 4, "validation": 4}


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model with random weights and its processor."""
    folder = tmp_path_factory.mktemp("model")
    subprocess.run([python_of("trl"), SCRIPTS / "tiny_model.py", folder], check=True, capture_output=True)
    return folder


def asked(name: str, calls: Iterable[tuple[str, dict[str, Any]]], home: Path) -> Any:
    """Call functions of the script that runs beside the trainer ``name``, and return what they return."""
    (home / "calls.json").write_text(json.dumps(list(calls)))
    return run(name, SCRIPTS / f"in_{name}.py", home / "calls.json", home=home)


def carded(folder: Path) -> Path:
    """Give a dataset that has none a card, by which `datasets` finds its configs."""
    told = yaml.safe_dump({"configs": card_configs(Manifest.read(folder))})
    (folder / "README.md").write_text(f"---\n{told}---\n")
    return folder


def command_of(told: str, model: Path) -> list[str]:
    """Return the arguments of the command line that an export tells."""
    words = shlex.split(told.replace("\\\n", " ").replace("MODEL", str(model)))
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
    told = environment().get_template("train.md.j2").render(system=system, shows_picture=shows)
    (lines,) = snippets(told, "python")
    given = {"model": str(model), "folder": str(carded(made.folder)), "config": config, "lines": lines}
    for steps in asked("trl", [("trained", given | {"streaming": how}) for how in (False, True)], tmp_path):
        assert len(steps) == 2
        assert all(line["rewards/reward/mean"] == line["reward"] == 0.0 for line in steps)


@pytest.mark.parametrize("name", ["curves", "geogram"])
def test_verl_loads_what_is_exported_for_it(name: str, model: Path, tmp_path: Path) -> None:
    found = source(str(write_small(tmp_path / name, name, SPLITS)))
    command = command_of(export(found, "verl", tmp_path / "out", "default"), model)
    assert command[:3] == ["python", "-m", "verl.trainer.main_ppo"]
    given = {"model": str(model), "command": command[3:], "shows": found.shows_pictures}
    (loaded,) = asked("verl", [("loaded", given)], tmp_path)
    (config,) = found.manifest.configs
    rows = list(found.rows(config, "train"))
    assert [one["text"] for one in loaded] == [row["prompt"] for row in rows]
    for index, (one, row) in enumerate(zip(loaded, rows, strict=True)):
        assert one["roles"] == (["system", "user"] if row["system_prompt"] else ["user"])
        assert one["kinds"] == (["image", "text"] if found.shows_pictures else [])
        assert len(one["sizes"]) == found.shows_pictures
        assert (one["source"], one["truth"], one["index"]) == (f"{name}/{config}", row["answer"], index)


@pytest.mark.parametrize("name", ["curves", "geogram"])
def test_swift_loads_what_is_exported_for_it(name: str, tmp_path: Path) -> None:
    found = source(str(write_small(tmp_path / name, name, SPLITS)))
    export(found, "swift", tmp_path / "out", "default")
    (config,) = found.manifest.configs
    (loaded,) = asked("swift", [("loaded", {"path": str(tmp_path / "out" / "train" / f"{config}.jsonl")})], tmp_path)
    for one, row in zip(loaded, found.rows(config, "train"), strict=True):
        assert one == {
            "roles": ["system", "user"] if row["system_prompt"] else ["user"],
            "text": ("<image>" if found.shows_pictures else "") + row["prompt"],
            "sizes": [[8, 8]] * found.shows_pictures,
            "truth": row["answer"],
        }


@dataclass(frozen=True)
class Told:
    """Replies to the rows of a config: each a row's id, its number and the text; and what `planimeter score` says."""

    folder: Path
    config: str
    replies: list[tuple[str, int, str]]
    scores: list[float]


@pytest.fixture(scope="module")
def told(small: Callable[[str], Small], tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    found = []
    for name in DATASETS:
        made, home = small(name), tmp_path_factory.mktemp(name)
        rows = {row["id"]: (config, place) for config, part in made.rows.items() for place, row in enumerate(part)}
        lines = list(recorded(made.suite, [row for part in made.rows.values() for row in part], REPLIES))
        (home / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        given = (str(carded(made.folder)), str(home / "replies.jsonl"), "--out", str(home / "scores"))
        ended = command_line.run("score", *given, home=home)
        assert ended.code == 0, ended.err
        frame = pd.read_parquet(home / "scores" / "scores.parquet").set_index(["id", "sample"])
        scores = frame[suite(made.suite).HEADLINE]
        for config in made.rows:
            asked_here = [line for line in lines if rows[line["id"]][0] == config]
            found.append(
                Told(
                    made.folder,
                    config,
                    [(line["id"], rows[line["id"]][1], line["reply"]) for line in asked_here],
                    [float(scores[line["id"], line["sample"]]) for line in asked_here],
                )
            )
    assert sum(len(one.scores) for one in found) == 10_000
    # As many are right as wrong, so that no constant would do.
    assert all(0.2 < sum(one.scores) / len(one.scores) < 0.8 for one in found)
    return found


def test_trl_rewards_by_our_scores(told: list[Told], model: Path, tmp_path: Path) -> None:
    """Each of 10,000 recorded replies, through ``GRPOTrainer``'s own call."""
    calls = [
        (
            "rewarded",
            {
                "model": str(model),
                "folder": str(one.folder),
                "config": one.config,
                "replies": [[name, text] for name, _, text in one.replies],
            },
        )
        for one in told
    ]
    assert asked("trl", calls, tmp_path) == [one.scores for one in told]


def test_verl_rewards_by_our_scores(told: list[Told], model: Path, tmp_path: Path) -> None:
    """Likewise through verl's reward manager, from the tokens of the reply on."""
    calls = []
    for folder in {one.folder: None for one in told}:
        out = tmp_path / source(str(folder)).suite
        command = command_of(export(source(str(folder)), "verl", out, "default"), model)[3:]
        for one in told:
            if one.folder == folder:
                files = f"data.val_files=[{out / 'test' / one.config}.parquet]"
                replies = [[place, text] for _, place, text in one.replies]
                calls.append(("rewarded", {"model": str(model), "command": [*command, files], "replies": replies}))
    assert asked("verl", calls, tmp_path) == [one.scores for one in told]


def test_swift_rewards_by_our_scores(told: list[Told], tmp_path: Path) -> None:
    """Likewise through what GRPO of ms-swift calls its plugins by."""
    calls = []
    for folder in {one.folder: None for one in told}:
        out = tmp_path / source(str(folder)).suite
        export(source(str(folder)), "swift", out, "default")
        for one in told:
            if one.folder == folder:
                given = {"path": str(out / "test" / f"{one.config}.jsonl"), "plugin": str(out / "plugin.py")}
                calls.append(("rewarded", given | {"replies": [[place, text] for _, place, text in one.replies]}))
    assert asked("swift", calls, tmp_path) == [one.scores for one in told]


def test_the_run_of_the_paper_starts(small: Callable[[str], Small], model: Path, tmp_path: Path) -> None:
    """With its own script and settings, but of sizes that a CPU can do."""
    home = command_line.ROOT / "docs" / "training"
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
    run("trl", home / "curvebench.py", "--config", home / "curvebench.yaml", "--reward", "tree", *flags, home=tmp_path)
    history = json.loads((tmp_path / "trained" / "trainer_state.json").read_text())["log_history"]
    assert [line["step"] for line in history if "rewards/reward_tree_accuracy/mean" in line] == [1, 2]
    assert [line["step"] for line in history if "eval_rewards/reward_tree_accuracy/mean" in line] == [1, 2]
    adapter = json.loads((tmp_path / "trained" / "adapter_config.json").read_text())
    assert (adapter["r"], adapter["lora_alpha"], adapter["lora_dropout"]) == (4, 8, 0.0)
    drawn = tmp_path / "figure.svg"
    given = (str(tmp_path / "trained"), "--metric", "reward_tree_accuracy", "--out", str(drawn))
    ended = command_line.run("train-log", *given, home=tmp_path)
    assert ended.code == 0, ended.err
    assert all(f">{text}<" in drawn.read_text() for text in ("trained", "reward tree accuracy", "held-out questions"))


def test_the_settings_are_the_papers(tmp_path: Path) -> None:
    """As TRL itself reads them, for one device."""
    home = command_line.ROOT / "docs" / "training"
    code = f"""
import sys
from told import tell
sys.path.insert(0, {str(home)!r})
from curvebench import WEIGHTS, Arguments
from trl import GRPOConfig, ModelConfig, TrlParser, get_peft_config
arguments, training, model = TrlParser((Arguments, GRPOConfig, ModelConfig)).parse_args_and_config(
    ["--config", {str(home / "curvebench.yaml")!r}, "--bf16", "false"], fail_with_unknown_args=False)
adapter = get_peft_config(model)
batch = 4 * training.per_device_train_batch_size * training.gradient_accumulation_steps
tell([training.loss_type, training.scale_rewards, training.max_steps, batch, training.num_generations,
      training.learning_rate, training.lr_scheduler_type.value, adapter.r, adapter.lora_alpha, adapter.target_modules,
      training.max_completion_length, training.beta, WEIGHTS])
"""
    (tmp_path / "settings.py").write_text(code)
    found = run("trl", tmp_path / "settings.py", home=tmp_path)
    weights = {"combined": [0.7, 0.3], "tree": [1.0, 0.0]}
    assert found == ["dr_grpo", "none", 250, 128, 8, 8e-5, "constant", 4, 8, "all-linear", 8192, 0.0, weights]
