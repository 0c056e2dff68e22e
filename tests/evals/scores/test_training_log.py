"""The curves of a run, from what a trainer logs."""

import json
from pathlib import Path
from typing import Any

import command_line
import pytest

from planimeter.evals.scores.training import FILE, LogError, figure, read, smoothed

TREE = "rewards/reward_tree_accuracy/mean"


def logged(folder: Path, lines: list[dict[str, Any]]) -> Path:
    folder.mkdir(parents=True)
    (folder / FILE).write_text(json.dumps({"global_step": 3, "log_history": lines}))
    return folder


def history(values: list[float], held: list[float]) -> list[dict[str, Any]]:
    """What TRL logs, with steps out of order, one logged twice, and lines that hold no reward."""
    train = [
        {"step": step, "reward": 2 * value, TREE: value, "rewards/x/std": 9} for step, value in enumerate(values, 1)
    ]
    tested = [{"step": 2 * step, f"eval_{TREE}": value} for step, value in enumerate(held, 1)]
    return [{"step": 1, TREE: 0.99}, *tested, *train, {"step": 3, "train_runtime": 1.0}, {TREE: 0.5}]


def test_a_log_is_read_by_steps(tmp_path):
    place = logged(tmp_path / "combined", history([0.1, 0.2, 0.4], [0.3]))
    run = read(place, "reward_tree_accuracy")
    assert (run.name, run.train, run.held) == ("combined", ([1, 2, 3], [0.1, 0.2, 0.4]), ([2], [0.3]))
    assert read(place / FILE, TREE) == run
    assert read(place, "reward").train[1] == [0.2, 0.4, 0.8]


def test_a_run_that_is_not_over_is_read_from_its_newest_checkpoint(tmp_path):
    for step in (9, 100, 25):
        logged(tmp_path / "tree" / f"checkpoint-{step}", history([step / 1000], []))
    run = read(tmp_path / "tree", "reward_tree_accuracy")
    assert (run.name, run.train[1]) == ("tree", [0.1])
    logged(tmp_path / "tree" / "over", [])
    (tmp_path / "tree" / FILE).write_text(json.dumps({"log_history": history([0.7], [])}))
    assert read(tmp_path / "tree", "reward_tree_accuracy").train[1] == [0.7]


def test_the_mean_is_that_of_the_last_points():
    assert smoothed([1.0, 0.0, 0.5, 1.0], 2) == [1.0, 0.5, 0.25, 0.75]


def test_a_figure_has_a_panel_for_what_there_is(tmp_path):
    both = read(logged(tmp_path / "both", history([0.1, 0.2, 0.4], [0.3])), "reward_tree_accuracy")
    alone = read(logged(tmp_path / "alone", history([0.1, 0.2], [])), "reward_tree_accuracy")
    drawn, again = (figure([both, alone], "reward_tree_accuracy", 2) for _ in range(2))
    assert drawn == again
    assert all(f">{text}<" in drawn for text in ("both", "alone", "held-out questions", "reward tree accuracy"))
    assert "held-out" not in figure([alone], "reward_tree_accuracy", 2)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is no log of a trainer: JSONDecodeError"),
        ('{"log_history": 3}', "is no log of a trainer: TypeError"),
        ("{}", "is no log of a trainer: KeyError"),
        ('{"log_history": [{"step": 1, "loss": 2}]}', "holds no metric 'reward_tree'; its rewards: none"),
        (json.dumps({"log_history": history([0.1], [])}), "its rewards: reward, reward_tree_accuracy"),
    ],
)
def test_what_cannot_be_drawn_is_said(content, said, tmp_path):
    (tmp_path / FILE).write_text(content)
    with pytest.raises(LogError, match=said):
        read(tmp_path, "reward_tree")
    with pytest.raises(LogError, match=r"holds no trainer_state\.json; give the folder of a run"):
        read(tmp_path.parent, "reward")


def test_the_command_draws_and_tells(tmp_path):
    places = [str(logged(tmp_path / name, history([0.1, 0.2, 0.4], [0.3, 0.2]))) for name in ("combined", "tree")]
    arguments = (*places, "--metric", "reward_tree_accuracy", "--window", "2", "--out", str(tmp_path / "f" / "fig.svg"))
    ended = command_line.here("train-log", *arguments)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[:2] == [
        f"{name}: 0.300 over the last 2 points trained on; at best 0.300 on held-out questions, at step 2"
        for name in ("combined", "tree")
    ]
    assert (tmp_path / "f" / "fig.svg").read_text().startswith("<svg")
    ended = command_line.here("train-log", str(tmp_path / "none"), "--out", str(tmp_path / "x.svg"))
    assert (ended.code, len(ended.lines)) == (1, 1)
    assert "no log of a trainer: FileNotFoundError" in ended.err
