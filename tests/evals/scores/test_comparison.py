"""Planted differences between models and editions are found; datasets are averaged; scores elsewhere go with ours."""

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

from planimeter.evals import suite
from planimeter.evals.scores.comparison import AVERAGE, average, correlations, differences
from planimeter.evals.scores.equating import gaps
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
    with pytest.raises(PlanimeterError, match="score of 'm0' in the benchmarks is not a number"):
        correlations(scored, there.assign(score="high"))


# --- the command


def replies(folder, *wrong, **models):
    """Write replies to the sample dataset: each model's text for every row, or the answer except to ``wrong`` ids."""
    rows = [row for part in ROWS.values() for row in part]
    said = [
        {"id": row["id"], "model": name, "reply": text or tag(99 if row["id"] in wrong else row["answer"])}
        for name, text in (models or {"m": ""}).items()
        for row in rows
    ]
    folder.mkdir(exist_ok=True)
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


#: Chances of a right answer, by stratum.
CHANCES = (0.85, 0.6, 0.35, 0.15, 0.05)
METRIC = suite("geogram").HEADLINE


def edition(rng, rows=500, knows=0.0, models=("m",), chances=CHANCES):
    """An edition with the same rows in each stratum, and a model that knows this share of them."""
    stratum = np.arange(rows) % len(chances)
    ids = [f"r{number}" for number in range(rows)]
    parts = []
    for model in models:
        right = (rng.random(rows) < np.array(chances)[stratum]) | (rng.random(rows) < knows)
        parts.append(pd.DataFrame({"id": ids, "question": ids, "model": model, METRIC: right.astype(float)}))
    frame = pd.concat(parts, ignore_index=True).assign(config="geogram", split="test", variant="default")
    return Scored(suite="geogram", frame=frame), {"geogram": pd.Series([f"s{each}" for each in stratum], ids)}


def gap(rng, **public):
    (one, strata), (other, others) = edition(rng, **public), edition(rng)
    return gaps(one, other, (strata, others)).frame.iloc[0]


def test_a_model_that_knows_a_fifth_of_the_rows_is_found():
    rng = np.random.default_rng(12)
    found = [gap(rng, knows=0.2)["gap_low"] > 0 for _ in range(20)]
    alarms = [gap(rng)["gap_low"] > 0 for _ in range(100)]
    # Of 1,000 runs, 22 are false alarms.
    assert sum(found) >= 19 and sum(alarms) <= 5


def test_the_gap_is_the_difference_of_means_where_strata_are_equal():
    rng = np.random.default_rng(1)
    one, strata = edition(rng, knows=0.2, models=("both", "public"))
    other, others = edition(rng, models=("both", "sealed"))
    (line,) = gaps(one, other, (strata, others)).frame.to_dict("records")
    assert line["model"] == "both" and line["gap"] == pytest.approx(line["public_mean"] - line["sealed_mean"])
    assert line["gap_low"] < line["gap"] < line["gap_high"] and line["public_n"] == line["sealed_n"] == 500


def test_the_gap_is_taken_between_rows_of_one_stratum():
    """A run of the easy public rows alone is no gap."""
    rng = np.random.default_rng(2)
    (one, strata), (other, others) = edition(rng), edition(rng)
    easy = one.frame[one.frame["id"].map(strata["geogram"]).isin(["s0", "s1"])]
    line = gaps(Scored(suite="geogram", frame=easy), other, (strata, others)).frame.iloc[0]
    assert line["public_mean"] - line["sealed_mean"] > 0.2
    assert abs(line["gap"]) < 0.12 and line["gap_low"] < 0 < line["gap_high"]


@pytest.fixture
def editions(sample, tmp_path) -> tuple[Path, Path]:
    """The sample, and a stand-in for a sealed edition of it: other ids, and a seal in place of the seed."""
    other = Path(shutil.copytree(sample, tmp_path / "sealed"))
    manifest = json.loads((other / "manifest.json").read_text())
    del manifest["seed"]
    manifest["recipe"]["seed"] = None
    (other / "manifest.json").write_text(json.dumps(manifest | {"seal": "ab" * 32}))
    return sample, other


def test_the_command_prints_the_gap_of_two_editions(editions, tmp_path):
    public, sealed = editions
    right, worse = replies(tmp_path / "a"), replies(tmp_path / "b", "c01", "c02", "t00", "t10")
    out = tmp_path / "out"
    # In either order.
    ended = command_line.here("score", str(sealed), worse, str(public), right, "--out", str(out))
    assert ended.code == 0, ended.err
    table = pd.read_csv(out / "tables" / "gap.csv").set_index("config")
    assert table.loc["counting", ["public_mean", "sealed_mean"]].tolist() == pytest.approx([1, 16 / 18])
    assert table.loc["transformation", "gap"] == pytest.approx(0.25)
    assert "public and sealed edition: " in ended.out and len(list(out.glob("*/scores.parquet"))) == 2


def test_editions_of_other_recipes_are_refused(editions, tmp_path):
    public, sealed = editions
    manifest = json.loads((sealed / "manifest.json").read_text())
    manifest["recipe"] |= {"scale": 0.5, "title": "Other"}
    (sealed / "manifest.json").write_text(json.dumps(manifest))
    right = replies(tmp_path / "a")
    ended = command_line.here("score", str(public), right, str(sealed), right)
    assert ended.code == 1 and "are not editions of one recipe: scale, title differ" in ended.err
