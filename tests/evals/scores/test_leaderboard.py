"""The leaderboard: one score of each dataset, their macro average over models that have all, and marks of parts."""

import math
from dataclasses import replace

import command_line
import pandas as pd
import pytest
from sample_folder import ROWS
from simulated import gold, simulate

from planimeter.evals.report import render_leaderboard
from planimeter.evals.scores import scored
from planimeter.evals.scores.forms import Scored
from planimeter.evals.scores.leaderboard import AVERAGE, leaderboard
from planimeter.evals.scores.sides import ComparisonError, load


def half(config, row, rng):
    return gold(config, row, rng) if config == "counting" else "no idea"


def of(dataset: str, version: str = "1.0.0", size: int = 18, **models) -> Scored:
    sizes = {"counting": {"test": size}, "transformation": {"test": 8}}
    return replace(simulate("marvl_qa", ROWS, models, dataset=dataset), version=version, sizes=sizes)


def test_a_model_without_a_dataset_has_no_average_and_a_config_of_more_rows_does_not_outweigh_the_others():
    board = leaderboard({"a": of("one", m=half, other=gold), "b": of("two", m=gold)})
    frame = board.table.frame.set_index("model")
    assert frame.loc["m", ["one", "two", AVERAGE]].tolist() == [0.5, 1.0, 0.75], "18 of 26 rows, but one of two configs"
    assert pd.isna(frame.loc["other", AVERAGE]) and frame.loc["other", "one"] == 1.0
    assert list(frame.index) == ["m", "other"], "ranked by the average"
    assert "<h3>macro average</h3>" in render_leaderboard(board)
    assert leaderboard({"a": of("one", m=half)}).table.frame[["one", AVERAGE]].to_numpy().tolist() == [[0.5, 0.5]]


def test_a_part_of_the_rows_or_configs_is_marked():
    both = of("two", n=gold)
    part = replace(both, frame=both.frame[both.frame["config"] != "counting"])
    board = leaderboard({"a": of("one", size=1548, m=gold), "b": of("two", m=gold), "c": part})
    partial = {"m": "one: 26 of 1,556 rows", "n": "two: 1 of 2 configs"}
    assert board.table.frame.set_index("model")["partial"].to_dict() == partial
    assert "26 of 1,556 rows asked" in render_leaderboard(board)


def test_two_versions_or_two_scores_of_a_model_are_refused_and_a_mean_has_the_interval_of_independent_parts():
    with pytest.raises(ComparisonError, match="whose rows differ"):
        leaderboard({"a": of("one", m=gold), "b": of("one", "2.0.0", n=gold)})
    with pytest.raises(ComparisonError, match="two files have scores of m on one"):
        leaderboard({"a": of("one", m=gold), "b": of("one", m=half)})
    (line,) = leaderboard({"a": of("one", m=half), "b": of("two", m=gold)}).table.frame.to_dict("records")
    lower, upper = ([abs(line[name + end] - line[name]) for name in ("one", "two")] for end in ("_low", "_high"))
    bounds = [line[f"{AVERAGE}_{end}"] for end in ("low", "high")]
    assert bounds == pytest.approx([0.75 - math.hypot(*lower) / 2, 0.75 + math.hypot(*upper) / 2])


def test_the_command_prints_the_table_and_writes_it_and_a_page(tmp_path):
    for name in ("one", "two"):
        scored.write(simulate("marvl_qa", ROWS, {"m": gold}, dataset=name), tmp_path / name)
    assert load(tmp_path / "one").dataset == "one"
    ended = command_line.here("leaderboard", *(str(tmp_path / name) for name in ("one", "two")), "--out", str(tmp_path))
    assert ended.code == 0, ended.err
    assert ended.out.split()[:4] == ["model", "macro", "average", "(%)"]
    assert pd.read_csv(tmp_path / "leaderboard.csv")[AVERAGE].tolist() == [1.0]
    assert "100.0 [" in (tmp_path / "leaderboard.md").read_text() and (tmp_path / "leaderboard.html").is_file()
    ended = command_line.here("leaderboard", str(tmp_path / "nowhere"))
    assert ended.code == 1 and len(ended.lines) == 1
