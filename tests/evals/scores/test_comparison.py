"""Planted differences between models are found; datasets are averaged; scores elsewhere go with ours."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import command_line
import numpy as np
import pandas as pd
import pytest
from reply_files import lines
from sample_folder import ROWS
from simulated import counting_rows, gold, holds, line, named, other_option, simulate, tag, transformation_rows

from planimeter.evals.scores.comparison import AVERAGE, average, correlations, differences
from planimeter.evals.scores.forms import Scored
from planimeter.evals.scores.tables import figures
from planimeter.items.errors import PlanimeterError

ASKED = {"counting": counting_rows(172), "transformation": transformation_rows(300)}


def able(easy, hard):
    """Right with these chances, where each question is hard for everybody or for nobody."""

    def model(config, row, rng):
        chance = easy if int(row["question"][1:]) % 3 else hard
        return tag(row["answer"] if rng.random() < chance else other_option(row))

    return model


@pytest.fixture(scope="module")
def everything():
    return simulate("marvl_qa", ASKED, {"strong": able(0.9, 0.5), "weak": able(0.8, 0.4), "gold": gold})


def only(scored, *names):
    return replace(scored, frame=scored.frame[scored.frame["model"].isin(names)].reset_index(drop=True))


def test_two_models_differ_as_planted(everything):
    table = named(differences(only(everything, "strong", "weak")), "differences")
    row = line(table, config="counting")
    assert (row["a"], row["b"], row["n"], row["questions"]) == ("strong", "weak", 1548, 172)
    assert holds(row, "difference", 0.1)
    assert row["difference"] == pytest.approx(row["a_mean"] - row["b_mean"])
    assert row["p"] == row["p_holm"] < 0.01
    assert [figure.name for figure in figures(differences(everything))] == ["differences"]


# --- several datasets


def half(config, row, rng):
    return gold(config, row, rng) if config == "counting" else "no idea"


def of(dataset: str, **models) -> Scored:
    return simulate("marvl_qa", ROWS, models, dataset=dataset)


def test_an_average_counts_each_config_and_dataset_once():
    frame = average([of("one", m=half, other=gold), of("two", m=gold)]).frame.set_index("model")
    assert frame.loc["m", ["one", "two", AVERAGE]].tolist() == [0.5, 1.0, 0.75], "18 of 26 rows, but one of two configs"
    assert pd.isna(frame.loc["other", AVERAGE]) and frame.loc["other", "one"] == 1.0
    assert list(frame.index) == ["m", "other"], "ranked by the average"


# --- scores elsewhere


def test_scores_elsewhere_go_with_ours():
    names = [f"m{place}" for place in range(9)]
    frame = pd.DataFrame({"config": "c", "model": names, "accuracy": np.linspace(0.1, 0.9, 9)})
    scored = Scored(suite="marvl_qa", frame=frame)
    there = pd.DataFrame({"model": names, "benchmark": "MMMU", "score": [1, 2, 3, 4, 5, 6, 7, 9, 8]})
    table = correlations(scored, pd.concat([there, there.head(2).assign(benchmark="few")])).frame
    row = line(table, benchmark="MMMU")
    # 1 - 6 * 2 / (9 * 80), and the p of Student's t with seven degrees of freedom.
    assert (row["rho"], row["n"]) == (pytest.approx(1 - 12 / 720), 9)
    assert row["p"] == pytest.approx(1.94e-6, rel=0.01)
    assert pd.isna(line(table, benchmark="few")["rho"])
    with pytest.raises(PlanimeterError, match="no column 'score'"):
        correlations(scored, there.drop(columns="score"))
    with pytest.raises(PlanimeterError, match="score of 'm0' that is not a number"):
        correlations(scored, there.assign(score="high"))


# --- the command


def replies(folder, **models):
    """Write a file of replies to the sample dataset: each model's text for every row, or the answer."""
    rows = [row for part in ROWS.values() for row in part]
    said = [
        {"id": row["id"], "model": name, "reply": text or tag(row["answer"])}
        for name, text in models.items()
        for row in rows
    ]
    return str(lines(folder / "r.jsonl", said))


def test_the_command_prints_differences_and_correlations(sample, tmp_path):
    path = replies(tmp_path, right="", five=tag(5))
    (tmp_path / "there.csv").write_text("model,benchmark,score\nright,MMMU,70\nfive,MMMU,60\n")
    ended = command_line.here("score", str(sample), path, "--benchmarks", str(tmp_path / "there.csv"))
    assert ended.code == 0, ended.err
    (shown,) = [each.split() for each in ended.out.splitlines() if each.split()[:3] == ["counting", "right", "five"]]
    assert shown[3:5] == ["18", "2"] and shown[-2:] == ["0.5", "0.5"], "two questions alone differ"
    assert ["counting", "MMMU", "–", "–", "2"] in [each.split() for each in ended.out.splitlines()]
    tables = tmp_path / "r.scores" / "tables"
    assert set(pd.read_csv(tables / "differences.csv")["protocol"]) == {2}
    assert (tables / "differences.tex").read_text().startswith("\\begin{tabular}{lllrr")


def test_the_command_averages_several_datasets(sample, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    other = Path(shutil.copytree(sample, tmp_path / "other"))
    manifest = json.loads((other / "manifest.json").read_text())
    (other / "manifest.json").write_text(json.dumps(manifest | {"dataset": "other-mini"}))
    first, second = replies(tmp_path / "one", m=""), replies(tmp_path / "two", m=tag(5))
    ended = command_line.here("score", str(sample), first, str(other), second, "--out", str(tmp_path / "out"))
    assert ended.code == 0, ended.err
    assert ["model", "macro", "average", "(%)"] in [each.split()[:4] for each in ended.out.splitlines()]
    table = pd.read_csv(tmp_path / "out" / "tables" / "average.csv")
    assert table[AVERAGE].tolist() == [table[["marvl-qa-mini", "other-mini"]].mean(axis=1).item()]
    assert len(list((tmp_path / "out").glob("*/scores.parquet"))) == 2
