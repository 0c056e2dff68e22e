"""The leaderboard: one score of each dataset, their macro average over models that have all, and marks of parts."""

from pathlib import Path
from typing import Any

import command_line
import pandas as pd
import pytest
from sample_folder import ROWS
from scored_frames import scored_frame

from planimeter.scores import scored
from planimeter.scores.intervals import Interval
from planimeter.scores.leaderboard import AVERAGE, average, leaderboard
from planimeter.scores.page import render_leaderboard
from planimeter.scores.sides import ComparisonError, Scores, load


def right(config: str, row: Any) -> str:
    return f"<final_answer>{row['answer']}</final_answer>"


def half(config: str, row: Any) -> str:
    return right(config, row) if config == "counting" else "no idea"


def of(dataset: str, version: str = "1.0.0", size: int = 18, **models: Any) -> Scores:
    found = scored_frame("marvl_qa", ROWS, models, dataset)
    sizes = {"counting": {"test": size}, "transformation": {"test": 8}}
    return Scores("marvl_qa", found.frame, dataset, version, sizes)


def test_a_config_of_more_rows_does_not_outweigh_the_others() -> None:
    found = leaderboard({"a": of("one", m=half)}).table.frame
    assert found["one"].tolist() == [0.5], "18 of 26 rows are right, but one of two configs"
    assert found[AVERAGE].tolist() == [0.5]


def test_a_model_without_a_dataset_has_no_average() -> None:
    found = leaderboard({"a": of("one", m=half, other=right), "b": of("two", m=right)})
    frame = found.table.frame.set_index("model")
    assert frame.loc["m", ["one", "two", AVERAGE]].tolist() == [0.5, 1.0, 0.75]
    assert pd.isna(frame.loc["other", AVERAGE]) and frame.loc["other", "one"] == 1.0
    assert list(frame.index) == ["m", "other"], "ranked by the average"
    assert "<h3>macro average</h3>" in render_leaderboard(found)


def test_a_part_of_the_rows_or_configs_is_marked() -> None:
    part = of("two", n=right)
    part.frame.drop(part.frame.index[part.frame["config"] == "counting"], inplace=True)
    found = leaderboard({"a": of("one", size=1548, m=right), "b": of("two", m=right), "c": part})
    assert found.table.frame.set_index("model")["partial"].to_dict() == {
        "m": "one: 26 of 1,556 rows",
        "n": "two: 1 of 2 configs",
    }
    assert "26 of 1,556 rows asked" in render_leaderboard(found)


def test_two_versions_or_two_scores_of_a_model_are_refused() -> None:
    with pytest.raises(ComparisonError, match="whose rows differ"):
        leaderboard({"a": of("one", m=right), "b": of("one", "2.0.0", n=right)})
    with pytest.raises(ComparisonError, match="two files have scores of m on one"):
        leaderboard({"a": of("one", m=right), "b": of("one", m=half)})


def test_the_interval_of_a_mean_is_that_of_independent_parts() -> None:
    found = average([Interval(0.5, 0.4, 0.8, 9, 9), Interval(0.7, 0.4, 0.75, 9, 9)])
    assert found.estimate == pytest.approx(0.6)
    assert found.low == pytest.approx(0.6 - (0.1**2 + 0.3**2) ** 0.5 / 2)
    assert found.high == pytest.approx(0.6 + (0.3**2 + 0.05**2) ** 0.5 / 2)


def test_the_command_prints_the_table_and_writes_it_and_a_page(tmp_path: Path) -> None:
    for name in ("one", "two"):
        scored.write(scored_frame("marvl_qa", ROWS, {"m": right}, name), tmp_path / name)
    assert load(tmp_path / "one").dataset == "one"
    ended = command_line.here("leaderboard", *(str(tmp_path / name) for name in ("one", "two")), "--out", str(tmp_path))
    assert ended.code == 0, ended.err
    assert ended.out.split()[:4] == ["model", "macro", "average", "(%)"]
    assert pd.read_csv(tmp_path / "leaderboard.csv")[AVERAGE].tolist() == [1.0]
    assert "100.0 [" in (tmp_path / "leaderboard.md").read_text() and (tmp_path / "leaderboard.html").is_file()
    ended = command_line.here("leaderboard", str(tmp_path / "nowhere"))
    assert ended.code == 1 and len(ended.lines) == 1
