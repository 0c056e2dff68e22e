"""Planted differences between models and conditions are found, paired by row or by question; faults are named."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from simulated import counting_rows, gold, holds, line, named, other_option, silent, simulate, tag, transformation_rows
from typer.testing import CliRunner

from planimeter.evals.scores import compare, sides
from planimeter.evals.scores.dataset import load
from planimeter.evals.scores.forms import Scored
from planimeter.evals.scores.summary import strata
from planimeter.evals.scores.tables import figures
from planimeter.export.atomic import ExportError
from planimeter.flows.commands import cli
from planimeter.flows.errors import PlanimeterError

ROWS = {"counting": counting_rows(172), "transformation": transformation_rows(300)}


def able(easy, hard):
    """Right with these chances, where each question is hard for everybody or for nobody."""

    def model(config, row, rng):
        chance = easy if int(row["question"][1:]) % 3 else hard
        return tag(row["answer"] if rng.random() < chance else other_option(row))

    return model


@pytest.fixture(scope="module")
def everything():
    """Gives scores of one or more of three models."""
    models = {"strong": able(0.9, 0.5), "weak": able(0.8, 0.4), "gold": gold}
    frame = simulate("marvl_qa", ROWS, models).frame
    return lambda *names: {name: one(frame[frame["model"] == name].reset_index(drop=True)) for name in names}


def one(frame, suite="marvl_qa"):
    return Scored(suite=suite, frame=frame)


def differences(given, **more):
    return named(compare.tables(sides.comparison(given, **more)), "differences")


def test_two_models_differ_as_planted_by_row(everything):
    tables = compare.tables(sides.comparison(everything("strong", "weak")))
    row = line(named(tables, "differences"), config="counting", metric="accuracy")
    assert (row["a"], row["b"], row["paired_by"], row["unpaired_a"], row["n"]) == ("strong", "weak", "row", 0, 1548)
    assert holds(row, "difference", 0.1)
    assert row["difference"] == pytest.approx(row["a_mean"] - row["b_mean"])
    assert row["difference"] == pytest.approx((row["only_a"] - row["only_b"]) / row["n"])
    assert row["p"] < 0.01 > row["p_mcnemar"]
    alone = [line(named(tables, "sides"), config="counting", side=name) for name in ("strong", "weak")]
    apart = sum(side["accuracy_high"] - side["accuracy"] for side in alone)
    assert (row["difference_high"] - row["difference_low"]) / 2 < apart
    assert "p_holm" not in row


def test_sides_that_are_equally_often_right_do_not_differ_however_many_questions_one_wins():
    """A is right in one row more on 135 questions, B in five rows more on 27: the sign test has p = 2e-18."""
    more = np.repeat([1, -5, 0], [135, 27, 10])
    lines = [
        {"id": f"{question}-{row}", "config": "counting", "split": "test", "question": str(question), "model": model}
        | {"variant": "default", "accuracy": float(row < sign * more[question])}
        for question, row in product(range(172), range(9))
        for model, sign in (("a", 1), ("b", -1))
    ]
    row = line(differences({"x": one(pd.DataFrame(lines))}), metric="accuracy")
    assert (row["difference"], row["p"], row["p_mcnemar"]) == (0, 1, 1)
    assert row["difference_low"] < 0 < row["difference_high"]
    assert row["p_sign_test"] < 1e-17


def test_the_same_model_twice_differs_by_nothing_and_silent_and_gold_by_everything(everything):
    (strong,) = everything("strong").values()
    row = line(differences({"first": strong, "second": strong}), config="transformation", metric="accuracy")
    assert (row["a"], row["b"], row["difference"], row["p"]) == ("strong, first", "strong, second", 0, 1)
    assert row["difference_low"] < 0 < row["difference_high"]
    scored = simulate("marvl_qa", {"counting": counting_rows(5)}, {"gold": gold, "silent": silent})
    compared = sides.comparison({"x": one(scored.frame)}, rows=scored.rows)
    frame = named(compare.tables(compared), "differences")
    assert (frame["difference"] == 1).all() and (frame["only_a"] == 45).all()
    assert len(figures(compare.tables(compared))) == 1
    assert compared.strata["counting"].equals(strata(scored.rows["counting"], suite="marvl_qa", config="counting"))
    # Samples of a row count as their mean.
    rows = {"transformation": ROWS["transformation"][:120]}
    scored = simulate("marvl_qa", rows, {"half": able(0.5, 0.5), "gold": gold}, samples=6)
    row = line(differences({"x": one(scored.frame)}), metric="accuracy")
    assert (row["n"], row["questions"]) == (120, 60)
    assert holds(row, "difference", 0.5) and pd.isna(row["only_a"])


def test_many_models_are_compared_each_with_each(everything):
    tables = compare.tables(sides.comparison(everything("weak", "gold", "strong")))
    assert named(tables, "sides")["side"].tolist() == ["gold", "strong", "weak"] * 2
    pairs = named(tables, "differences").query("config == 'counting' and metric == 'accuracy'")
    assert list(zip(pairs["a"], pairs["b"], strict=True)) == [("gold", "strong"), ("gold", "weak"), ("strong", "weak")]
    assert (pairs["p_holm"] >= pairs["p"]).all() and pairs["p_holm"].max() == pairs["p"].max()
    assert pairs["p_holm"].min() == pytest.approx(3 * pairs["p"].min())
    errors = named(tables, "differences_of_numbers")
    assert set(errors["metric"]) == {"signed_error"} and errors["only_a"].isna().all()


def test_differences_by_stratum_are_where_they_were_planted():
    def needs_colour(config, row, rng):
        return tag(row["answer"] if rng.random() < (0.9 if row["plot_type"] != "contour" else 0.3) else 40)

    scored = simulate("marvl_qa", {"counting": ROWS["counting"]}, {"plain": needs_colour, "base": able(0.9, 0.9)})
    compared = sides.comparison({"x": one(scored.frame)}, rows=scored.rows)
    by_stratum = named(compare.tables(compared), "differences_by_stratum")
    lost, kept = (line(by_stratum, stratum="plot_type", value=value) for value in ("contour", "heatmap"))
    assert (lost["a"], lost["b"]) == ("base", "plain")
    assert holds(lost, "difference", 0.6) and holds(kept, "difference", 0)
    assert lost["p"] < 1e-6 < kept["p"]
    assert by_stratum[by_stratum["stratum"] == "feature"]["n"].sum() == 1548


def test_a_condition_is_compared_with_the_plain_picture_of_the_same_path():
    """Two models on 200 paths, 90% right, and on each drawn twice with confounders, 60% right where these are many."""
    rng, lines = np.random.default_rng(4), []
    conditions = (("base", "", 0.9), ("confounded", "low", 0.9), ("confounded", "high", 0.6))
    for number, (config, kind, chance), model in product(range(200), conditions, "mn"):
        right = float(rng.random() < chance)
        said = {"id": f"{config}{kind}{number}", "config": config, "split": "test", "question": f"q{number}"}
        said |= {"model": model, "variant": "default", "exact": right, "token_accuracy": (1 + right) / 2}
        lines.append(said | {"kind": kind})
    lines.append(lines[0] | {"id": "base-alone", "question": "alone"})
    given = {"x": one(pd.DataFrame(lines), "traversal")}
    compared = sides.comparison(given, between=("config", ("base", "confounded")))
    assert compared.sides == ["m: base", "m: confounded", "n: base", "n: confounded"]
    frame = named(compare.tables(compared), "differences")
    row = line(frame, a="m: base", metric="exact")
    assert (row["b"], row["paired_by"], row["config"]) == ("m: confounded", "question", "base / confounded")
    assert (row["n"], row["questions"], row["unpaired_a"], row["unpaired_b"]) == (400, 200, 1, 0)
    assert holds(row, "difference", 0.15) and row["difference_low"] > 0
    tokens = line(frame, a="m: base", metric="token_accuracy")
    assert tokens["difference"] == pytest.approx(row["difference"] / 2) and pd.isna(tokens["only_a"])
    back = line(differences(given, between=("config", ("confounded", "base"))), a="m: confounded", metric="exact")
    assert (back["n"], back["difference"]) == (200, pytest.approx(-row["difference"]))


def test_scores_elsewhere_go_with_ours():
    names = [f"m{place}" for place in range(9)]
    frame = pd.DataFrame({"config": "c", "model": names, "accuracy": np.linspace(0.1, 0.9, 9)})
    there = pd.DataFrame({"model": names, "benchmark": "MMMU", "score": [1, 2, 3, 4, 5, 6, 7, 9, 8]})
    table = compare.correlations(frame, pd.concat([there, there.head(2).assign(benchmark="few")]), "accuracy").frame
    row = line(table, benchmark="MMMU")
    # 1 - 6 * 2 / (9 * 80), and the p of Student's t with seven degrees of freedom.
    assert (row["rho"], row["n"]) == (pytest.approx(1 - 12 / 720), 9)
    assert row["p"] == pytest.approx(1.94e-6, rel=0.01)
    assert pd.isna(line(table, benchmark="few")["rho"])
    down = compare.correlations(frame, there.assign(score=-there["score"]), "accuracy").frame
    assert down["rho"].iloc[0] == -row["rho"]
    with pytest.raises(sides.ComparisonError, match="no column 'score'"):
        compare.correlations(frame, there.drop(columns="score"), "accuracy")
    with pytest.raises(sides.ComparisonError, match="score of 'm0' that is no number"):
        compare.correlations(frame, there.assign(score="high"), "accuracy")


def save(frame, path, suite="marvl_qa", version="1.0.0"):
    table = pa.Table.from_pandas(frame)
    about = {"suite": suite, "dataset": "marvl-qa-mini", "version": version}
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, **about}), path)


@pytest.fixture
def shelf(tmp_path, everything) -> Path:
    for name, scores in everything("strong", "weak").items():
        (tmp_path / name).mkdir()
        save(scores.frame, tmp_path / name / "scores.parquet")
    return tmp_path


def ran(*arguments: object) -> str:
    result = CliRunner().invoke(cli.app, ["compare", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_the_command_prints_what_it_would_write_and_ends_in_the_differences(shelf, tmp_path, everything):
    row = line(differences(everything("strong", "weak")), config="counting", metric="accuracy")
    bounds = (f"{100 * row[f'difference{bound}']:.1f}" for bound in ("", "_low", "_high"))
    assert row["p"] < 0.0001
    expected = ["counting", "strong", "weak", *"{} [{}, {}]".format(*bounds).split(), "<0.0001"]
    asked = (shelf / "strong", shelf / "weak" / "scores.parquet")
    printed, written = ran(*asked), ran(*asked, "--out", tmp_path / "out")
    assert all([shown for shown in text.splitlines() if shown.split() == expected] for text in (printed, written))
    assert "| counting | strong | weak | accuracy | 1548 | 172 |" in printed
    assert (tmp_path / "out" / "tables" / "differences.md").read_text() in printed
    assert (tmp_path / "out" / "figures" / "differences.svg").read_text().startswith("<svg")


def test_versions_with_other_rows_are_refused_and_those_with_the_same_compared(shelf, sample, everything):
    weak = everything("weak")["weak"].frame
    save(weak, shelf / "third.parquet", version="1.0.3")
    assert "strong" in ran(shelf / "strong", shelf / "third.parquet")
    save(weak, shelf / "second.parquet", version="1.2.0")
    message = "strong is of marvl-qa-mini 1.0.0 and second.parquet of marvl-qa-mini 1.2.0, whose rows differ"
    with pytest.raises(PlanimeterError, match=message):
        ran(shelf / "strong", shelf / "second.parquet")
    save(weak, shelf / "late.parquet", version="7.0.0")
    with pytest.raises(PlanimeterError, match=r"late.parquet is of marvl-qa-mini 7.0.0 and .* of marvl-qa-mini"):
        ran(shelf / "late.parquet", "--dataset", sample)


def test_the_command_compares_conditions_and_benchmarks(shelf, sample):
    """With the dataset at hand strata are conditions, too."""
    rows = {config: found.reset_index().to_dict("records") for config, found in load(sample).rows.items()}
    asked = {config: [row | {"question": str(row["seed"] >> 8)} for row in found] for config, found in rows.items()}
    found = simulate("marvl_qa", asked, {"m": silent, "n": gold})
    save(found.frame, shelf / "real.parquet")
    (shelf / "elsewhere.csv").write_text("model,benchmark,score\nm,MMMU,70\nn,MMMU,60\n")
    printed = ran(shelf / "real.parquet", "--dataset", sample, "--benchmarks", shelf / "elsewhere.csv")
    assert "| counting | n | m | plot_type | contour |" in printed
    assert "| transformation | MMMU | – | – | 2 |" in printed
    printed = ran(shelf / "real.parquet", "--dataset", sample, "--between", "plot_type=contour,heatmap")
    assert "m: contour | m: heatmap | accuracy" in printed


REFUSED = {
    "nowhere": "nowhere: no such file; `planimeter score` writes one",
    "odd.parquet strong": "no Parquet file of scores",
    "thin.parquet strong": "has no column 'question'",
    "strong empty.parquet": "holds no reply",
    "strong other.parquet": "different suites: geogram, marvl_qa",
    "strong strange.parquet": "names no suite",
    "strong": "need two sides to compare, found strong",
    "strong strong": "same file",
    "strong --between variant": "need COLUMN=A,B with two values",
    "strong --between variant=default,json": "no reply with variant=json; there are: default",
    "strong --between hue=red,blue": "neither the scores nor the strata have 'hue'",
    "strong --between config=counting,transformation": "neither a row nor a question in common",
    "strong weak --dataset weak": "weak",
    "strong weak --benchmarks nowhere.csv": "nowhere.csv",
}


def test_what_cannot_be_compared_is_named(shelf, monkeypatch):
    frame = pd.read_parquet(shelf / "weak" / "scores.parquet")
    (shelf / "odd.parquet").write_text("no parquet")
    save(frame.drop(columns="question"), shelf / "thin.parquet")
    save(frame.head(0), shelf / "empty.parquet")
    save(frame, shelf / "other.parquet", "geogram")
    frame.to_parquet(shelf / "strange.parquet")
    monkeypatch.chdir(shelf)
    for arguments, message in REFUSED.items():
        with pytest.raises((PlanimeterError, ExportError), match=message):
            CliRunner().invoke(cli.app, ["compare", *arguments.split()], catch_exceptions=False)
