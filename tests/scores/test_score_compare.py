"""Planted differences between models and conditions are found, paired by row or by question; faults are named."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scored_replies import counting_rows, scored, transformation_rows
from test_score_tables import gold, holds, line, named, silent, tag
from typer.testing import CliRunner

from planimeter.export.atomic import ExportError
from planimeter.flows.commands import cli
from planimeter.flows.errors import PlanimeterError
from planimeter.scores import compare, sides
from planimeter.scores.correlations import correlations
from planimeter.scores.dataset import load
from planimeter.scores.summary import strata

ROWS = {"counting": counting_rows(172), "transformation": transformation_rows(300)}


def able(easy, hard):
    """Right with these chances, where each question is hard for everybody or for nobody."""

    def model(config, row, rng):
        is_easy = int(row["question"][1:]) % 3 > 0
        right = rng.random() < (easy if is_easy else hard)
        return tag(row["answer"] if right else int(row["answer"]) % 5 + 1)

    return model


MODELS = {"strong": able(0.9, 0.5), "weak": able(0.8, 0.4), "gold": gold}


@pytest.fixture(scope="module")
def everything():
    return scored("marvl_qa", ROWS, MODELS)


def of(everything, *names):
    return {name: one(everything.frame[everything.frame["model"] == name].reset_index(drop=True)) for name in names}


def one(frame, suite="marvl_qa"):
    return sides.Scores(suite, frame)


def test_two_models_differ_as_planted_by_row(everything):
    found = compare.tables(sides.comparison(of(everything, "strong", "weak")))
    differences = named(found, "differences")
    row = line(differences, config="counting", metric="accuracy")
    assert (row["a"], row["b"], row["paired_by"], row["unpaired_a"], row["n"]) == ("strong", "weak", "row", 0, 1548)
    assert holds(row, "difference", 0.1)
    assert row["difference"] == pytest.approx(row["a_mean"] - row["b_mean"])
    assert row["difference"] == pytest.approx((row["only_a"] - row["only_b"]) / row["n"])
    assert row["p"] < 0.01 > row["p_mcnemar"]
    alone = named(found, "sides")
    apart = sum(line(alone, config="counting", side=name)["accuracy_high"] for name in ("strong", "weak"))
    apart -= sum(line(alone, config="counting", side=name)["accuracy"] for name in ("strong", "weak"))
    assert (row["difference_high"] - row["difference_low"]) / 2 < apart
    assert "p_holm" not in differences


def test_sides_that_are_equally_often_right_do_not_differ_however_many_questions_one_wins():
    """A is right in one row more on 135 questions, B in five rows more on 27: the sign test has p = 2e-18."""
    more = np.repeat([1, -5, 0], [135, 27, 10])
    rows = [(question, row) for question in range(172) for row in range(9)]
    lines = [
        {"id": f"{question}-{row}", "config": "counting", "split": "test", "question": str(question), "model": model}
        | {"variant": "default", "accuracy": float(row < sign * more[question])}
        for question, row in rows
        for model, sign in (("a", 1), ("b", -1))
    ]
    found = compare.tables(sides.comparison({"x": one(pd.DataFrame(lines))}))
    row = line(named(found, "differences"), metric="accuracy")
    assert (row["difference"], row["p"]) == (0, 1)
    assert row["difference_low"] < 0 < row["difference_high"]
    assert row["p_sign_test"] < 1e-17
    assert row["p_mcnemar"] == 1


def test_the_same_model_twice_differs_by_nothing(everything):
    strong = of(everything, "strong")["strong"]
    found = compare.tables(sides.comparison({"first": strong, "second": strong}))
    row = line(named(found, "differences"), config="transformation", metric="accuracy")
    assert (row["a"], row["b"], row["difference"], row["p"]) == ("strong, first", "strong, second", 0, 1)
    assert row["difference_low"] < 0 < row["difference_high"]


def test_many_models_are_compared_each_with_each(everything):
    found = compare.tables(sides.comparison(of(everything, "weak", "gold", "strong")))
    assert named(found, "sides")["side"].tolist() == ["gold", "strong", "weak"] * 2
    differences = named(found, "differences")
    own = differences[(differences["config"] == "counting") & (differences["metric"] == "accuracy")]
    assert list(zip(own["a"], own["b"], strict=True)) == [("gold", "strong"), ("gold", "weak"), ("strong", "weak")]
    assert (own["p_holm"] >= own["p"]).all()
    assert own["p_holm"].max() == own["p"].max()
    assert own["p_holm"].min() == pytest.approx(3 * own["p"].min())
    errors = named(found, "differences_of_numbers")
    assert set(errors["metric"]) == {"signed_error"}
    assert errors["only_a"].isna().all()


def test_differences_by_stratum_are_where_they_were_planted(everything):
    def needs_colour(config, row, rng):
        right = rng.random() < (0.9 if row.get("plot_type") != "contour" else 0.3)
        return tag(row["answer"] if right else 40)

    rows = {"counting": ROWS["counting"]}
    other = scored("marvl_qa", rows, {"plain": needs_colour, "base": able(0.9, 0.9)})
    compared = sides.comparison({"x": one(other.frame)}, rows=other.rows)
    by_stratum = named(compare.tables(compared), "differences_by_stratum")
    lost, kept = (line(by_stratum, stratum="plot_type", value=value) for value in ("contour", "heatmap"))
    assert (lost["a"], lost["b"]) == ("base", "plain")
    assert holds(lost, "difference", 0.6)
    assert holds(kept, "difference", 0)
    assert lost["p"] < 1e-6 < kept["p"]
    assert by_stratum[by_stratum["stratum"] == "feature"]["n"].sum() == 1548


def with_confounders():
    """Scores of one model on 200 paths, 90% right, and on each drawn twice with confounders, 60% right where high."""
    rng, lines = np.random.default_rng(4), []
    for number in range(200):
        for config, kind, chance in (("base", "", 0.9), ("confounded", "low", 0.9), ("confounded", "high", 0.6)):
            for model in ("m", "n"):
                right = float(rng.random() < chance)
                line = {"id": f"{config}{kind}{number}", "config": config, "split": "test", "question": f"q{number}"}
                line |= {"model": model, "variant": "default", "exact": right, "token_accuracy": (1 + right) / 2}
                lines.append(line | {"kind": kind})
    lines.append(lines[0] | {"id": "base-alone", "question": "alone"})
    return pd.DataFrame(lines)


def test_a_condition_is_compared_with_the_plain_picture_of_the_same_path():
    compared = sides.comparison({"x": one(with_confounders(), "traversal")}, between=("config", ("base", "confounded")))
    assert [side.label for side in compared.sides] == ["m: base", "m: confounded", "n: base", "n: confounded"]
    differences = named(compare.tables(compared), "differences")
    row = line(differences, a="m: base", metric="exact")
    assert (row["b"], row["paired_by"], row["config"]) == ("m: confounded", "question", "base / confounded")
    assert (row["n"], row["questions"], row["unpaired_a"], row["unpaired_b"]) == (400, 200, 1, 0)
    assert holds(row, "difference", 0.15)
    assert row["difference_low"] > 0
    tokens = line(differences, a="m: base", metric="token_accuracy")
    assert tokens["difference"] == pytest.approx(row["difference"] / 2)
    assert pd.isna(tokens["only_a"])
    swapped = sides.comparison({"x": one(with_confounders(), "traversal")}, between=("config", ("confounded", "base")))
    back = line(named(compare.tables(swapped), "differences"), a="m: confounded", metric="exact")
    assert back["n"] == 200
    assert back["difference"] == pytest.approx(-row["difference"])


def test_samples_of_a_row_count_as_their_mean():
    rows = {"transformation": ROWS["transformation"][:120]}
    found = scored("marvl_qa", rows, {"half": able(0.5, 0.5), "gold": gold}, samples=6)
    row = line(named(compare.tables(sides.comparison({"x": one(found.frame)})), "differences"), metric="accuracy")
    assert (row["n"], row["questions"]) == (120, 60)
    assert holds(row, "difference", 0.5)
    assert pd.isna(row["only_a"])


def test_scores_elsewhere_go_with_ours():
    names = [f"m{place}" for place in range(9)]
    frame = pd.DataFrame({"config": "c", "model": names, "accuracy": np.linspace(0.1, 0.9, 9)})
    there = pd.DataFrame({"model": names, "benchmark": "MMMU", "score": [1, 2, 3, 4, 5, 6, 7, 9, 8]})
    table = correlations(frame, pd.concat([there, there.head(2).assign(benchmark="few")]), "accuracy").frame
    row = line(table, benchmark="MMMU")
    # 1 - 6 * 2 / (9 * 80), and the p of Student's t with seven degrees of freedom.
    assert (row["rho"], row["n"]) == (pytest.approx(1 - 12 / 720), 9)
    assert row["p"] == pytest.approx(1.94e-6, rel=0.01)
    assert pd.isna(line(table, benchmark="few")["rho"])
    down = correlations(frame, there.assign(score=-there["score"]), "accuracy").frame
    assert down["rho"].iloc[0] == -row["rho"]
    with pytest.raises(sides.ComparisonError, match="no column 'score'"):
        correlations(frame, there.drop(columns="score"), "accuracy")
    with pytest.raises(sides.ComparisonError, match="score of 'm0' that is no number"):
        correlations(frame, there.assign(score="high"), "accuracy")


def save(frame, path, suite="marvl_qa", version="1.0.0"):
    table = pa.Table.from_pandas(frame)
    about = {"suite": suite, "dataset": "marvl-qa-mini", "version": version}
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, **about}), path)


@pytest.fixture
def shelf(tmp_path: Path, everything) -> Path:
    for name, scores in of(everything, "strong", "weak").items():
        (tmp_path / name).mkdir()
        save(scores.frame, tmp_path / name / "scores.parquet")
    return tmp_path


def ran(*arguments: object) -> str:
    result = CliRunner().invoke(cli.app, ["compare", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_the_command_prints_what_it_would_write(shelf: Path, tmp_path: Path):
    asked = (shelf / "strong", shelf / "weak" / "scores.parquet")
    printed = ran(*asked)
    assert "| counting | strong | weak | accuracy | 1548 | 172 |" in printed
    ran(*asked, "--out", tmp_path / "out")
    written = (tmp_path / "out" / "tables" / "differences.md").read_text()
    assert written in printed
    assert (tmp_path / "out" / "figures" / "differences.svg").read_text().startswith("<svg")


def test_the_command_ends_in_the_differences_also_where_it_writes_files(shelf: Path, tmp_path: Path, everything):
    found = compare.tables(sides.comparison(of(everything, "strong", "weak")))
    row = line(named(found, "differences"), config="counting", metric="accuracy")
    bounds = (f"{100 * row[f'difference{bound}']:.1f}" for bound in ("", "_low", "_high"))
    assert row["p"] < 0.0001
    expected = ["counting", "strong", "weak", *"{} [{}, {}]".format(*bounds).split(), "<0.0001"]
    for more in ((), ("--out", tmp_path / "out")):
        printed = ran(shelf / "strong", shelf / "weak", *more)
        assert [shown for shown in printed.splitlines() if shown.split() == expected]


def test_versions_with_other_rows_are_refused_and_those_with_the_same_compared(shelf: Path, everything):
    weak = of(everything, "weak")["weak"].frame
    save(weak, shelf / "third.parquet", version="1.0.3")
    assert "strong" in ran(shelf / "strong", shelf / "third.parquet")
    save(weak, shelf / "second.parquet", version="1.2.0")
    message = "strong is of marvl-qa-mini 1.0.0 and second.parquet of marvl-qa-mini 1.2.0, whose rows differ"
    with pytest.raises(PlanimeterError, match=message):
        ran(shelf / "strong", shelf / "second.parquet")


def test_strata_of_another_version_are_refused(shelf: Path, sample: Path, everything):
    save(of(everything, "weak")["weak"].frame, shelf / "late.parquet", version="7.0.0")
    with pytest.raises(PlanimeterError, match=r"late.parquet is of marvl-qa-mini 7.0.0 and .* of marvl-qa-mini"):
        ran(shelf / "late.parquet", "--dataset", sample)


def test_the_command_compares_conditions_and_benchmarks(shelf: Path, sample: Path):
    """With the dataset at hand strata are conditions, too."""
    rows = {config: found.reset_index().to_dict("records") for config, found in load(sample).rows.items()}
    asked = {config: [row | {"question": str(row["seed"] >> 8)} for row in found] for config, found in rows.items()}
    found = scored("marvl_qa", asked, {"m": silent, "n": gold})
    save(found.frame, shelf / "real.parquet")
    (shelf / "elsewhere.csv").write_text("model,benchmark,score\nm,MMMU,70\nn,MMMU,60\n")
    printed = ran(shelf / "real.parquet", "--dataset", sample, "--benchmarks", shelf / "elsewhere.csv")
    assert "| counting | n | m | plot_type | contour |" in printed
    assert "| transformation | MMMU | – | – | 2 |" in printed
    printed = ran(shelf / "real.parquet", "--dataset", sample, "--between", "plot_type=contour,heatmap")
    assert "m: contour | m: heatmap | accuracy" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no such file; `planimeter score` writes one"),
        (["odd.parquet", "strong"], "no Parquet file of scores"),
        (["thin.parquet", "strong"], "has no column 'question'"),
        (["strong", "empty.parquet"], "holds no reply"),
        (["strong", "other.parquet"], "different suites: geogram, marvl_qa"),
        (["strong", "strange.parquet"], "names no suite"),
        (["strong"], "need two sides to compare, found strong"),
        (["strong", "strong"], "same file"),
        (["strong", "--between", "variant"], "need COLUMN=A,B with two values"),
        (["strong", "--between", "variant=default,json"], "no reply with variant=json; there are: default"),
        (["strong", "--between", "hue=red,blue"], "neither the scores nor the strata have 'hue'"),
        (["strong", "--between", "config=counting,transformation"], "neither a row nor a question in common"),
        (["strong", "weak", "--dataset", "weak"], "weak"),
        (["strong", "weak", "--benchmarks", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_what_cannot_be_compared_is_named(shelf: Path, monkeypatch, arguments, message):
    frame = pd.read_parquet(shelf / "weak" / "scores.parquet")
    (shelf / "odd.parquet").write_text("no parquet")
    save(frame.drop(columns="question"), shelf / "thin.parquet")
    save(frame.head(0), shelf / "empty.parquet")
    save(frame, shelf / "other.parquet", "geogram")
    frame.to_parquet(shelf / "strange.parquet")
    monkeypatch.chdir(shelf)
    with pytest.raises((PlanimeterError, ExportError), match=message):
        CliRunner().invoke(cli.app, ["compare", *arguments], catch_exceptions=False)


def test_silent_and_gold_differ_by_everything():
    found = scored("marvl_qa", {"counting": counting_rows(5)}, {"gold": gold, "silent": silent})
    compared = sides.comparison({"x": one(found.frame)}, rows=found.rows)
    differences = named(compare.tables(compared), "differences")
    assert (differences["difference"] == 1).all()
    assert (differences["only_a"] == 45).all()
    assert len(compare.figures(compared)) == 1
    assert compared.strata["counting"].equals(strata(found.rows["counting"], suite="marvl_qa", config="counting"))
