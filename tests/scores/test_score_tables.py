"""Simulated models whose behaviour is known are found out by the tables, within the printed intervals."""

from collections import Counter
from math import comb
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scored_replies import counting_rows, geogram_rows, scored, transformation_rows

from planimeter import evals
from planimeter.scores import tables as every
from planimeter.scores.forms import Table
from planimeter.scores.intervals import wilson

QUESTIONS, PAIRS = 172, 300


def tag(answer):
    return f"<final_answer>{answer}</final_answer>"


def gold(config, row, rng):
    return tag(row["answer"])


def silent(config, row, rng):
    return ""


def always_x(config, row, rng):
    return tag(row["options"].index("translate_x") + 1)


def always_second(config, row, rng):
    return tag(2)


def undercounts(config, row, rng):
    """Right below 8, and one too few from there on; every tenth reply cannot be read."""
    count = int(row["answer"])
    return "I see hills." if rng.random() < 0.1 else tag(count - (count >= 8))


def talkative(config, row, rng):
    """Right in 60%, but of what it says a quarter is not in the asked format."""
    said = row["answer"] if rng.random() < 0.6 else int(row["answer"]) + 7
    return f"The answer is {said}." if rng.random() < 0.25 else tag(said)


def colour_blind(config, row, rng):
    """90% where both plots have the same type, and 30% elsewhere."""
    right = rng.random() < (0.9 if row["plot_type_a"] == row["plot_type_b"] else 0.3)
    return tag(row["answer"] if right else int(row["answer"]) % 5 + 1)


@pytest.fixture(scope="module")
def counting():
    models = {"gold": gold, "silent": silent, "undercounts": undercounts, "talkative": talkative}
    return scored("marvl_qa", {"counting": counting_rows(QUESTIONS)}, models)


@pytest.fixture(scope="module")
def transformation():
    models = {"gold": gold, "always-x": always_x, "always-second": always_second, "colour-blind": colour_blind}
    return scored("marvl_qa", {"transformation": transformation_rows(PAIRS)}, models)


@pytest.fixture(scope="module")
def of_counting(counting):
    return every.tables(counting)


@pytest.fixture(scope="module")
def of_transformation(transformation):
    return every.tables(transformation)


@pytest.fixture(scope="module")
def of_problems(problems):
    return every.tables(problems)


def named(found, name):
    return next(table for table in found if table.name == name).frame


def line(frame, **where):
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def holds(row, name, truth):
    """Whether the printed interval holds the truth."""
    return row[f"{name}_low"] <= truth <= row[f"{name}_high"]


def test_models_are_ranked_with_intervals_that_do_not_take_rows_as_independent(of_counting):
    overview = named(of_counting, "overview")
    assert overview["model"].tolist()[::3] == ["gold", "silent"]
    assert named(of_counting, "t1_counting")["model"].tolist() == overview["model"].tolist()
    row = line(overview, model="talkative")
    assert (row["n"], row["questions"]) == (9 * QUESTIONS, QUESTIONS)
    assert holds(row, "accuracy", 0.6)
    under = line(overview, model="undercounts")
    # Nine rows of one question are right or wrong together.
    by_rows = wilson(round(under["accuracy"] * under["n"]), int(under["n"]))
    assert under["accuracy_high"] - under["accuracy_low"] > 2.5 * (by_rows.high - by_rows.low)


def test_what_replies_are_like_has_no_interval_where_all_are_alike(of_counting):
    overview = named(of_counting, "overview")
    gold, under = (line(overview, model=model) for model in ("gold", "undercounts"))
    assert holds(under, "answered", 0.9)
    assert (gold["answered"], gold["cut_off"], gold["lenient_less_strict"]) == (1, 0, 0)
    assert gold[["answered_low", "cut_off_low", "lenient_less_strict_high"]].isna().all()
    assert gold["accuracy_low"] < 1
    shown = every.markdown(next(table for table in of_counting if table.name == "overview"))
    assert "| gold | 1548 | 172 | 100.0 [97.8, 100.0] | 100.0 [97.8, 100.0] | 0.0 | 100.0 | 0.0 |" in shown


def test_samples_are_not_counted_as_rows(of_problems):
    """Eight samples of each of 252 problems, taken as 2,016 rows, would promise three times as much."""
    assert not [name for table in of_problems for name in table.frame if "by_rows" in name]
    assert "by rows" not in "".join(map(every.markdown, of_problems))


def test_the_format_that_was_not_kept_is_found(of_counting):
    overview, unread = (named(of_counting, name) for name in ("overview", "unread"))
    row = line(overview, model="talkative")
    assert holds(row, "strict_accuracy", 0.45)
    assert holds(row, "lenient_less_strict", 0.15)
    assert row["answered"] == 1
    told = line(unread, model="talkative", reading="strict")
    assert told["reason"] == "not the asked format"
    assert told["share"] == pytest.approx(0.25, abs=0.03)
    assert line(unread, model="silent", reading="lenient")[["n", "share"]].tolist() == [9 * QUESTIONS, 1.0]
    assert line(unread, model="undercounts", reading="lenient")["share"] == pytest.approx(0.1, abs=0.02)
    assert "gold" not in set(unread["model"])


def test_counts_that_are_one_too_low_from_eight_on_are_found(of_counting):
    found = of_counting
    errors = named(found, "signed_errors_by_count")
    low, high = (line(errors, model="undercounts", count=value) for value in ("1-5", "11-15"))
    assert (low["signed_error"], low["under"], low["0"]) == (0, 0, 1)
    assert (high["signed_error"], high["under"], high["over"], high["-1"]) == (-1, 1, 0, 1)
    middle = line(errors, model="undercounts", count="6-10")
    truth = np.mean([row["count"] >= 8 for row in counting_rows(QUESTIONS) if 6 <= row["count"] <= 10])
    assert holds(middle, "under", truth)
    assert holds(middle, "signed_error", -truth)
    by_feature = named(found, "signed_errors_by_feature")
    assert (by_feature[by_feature["model"] == "undercounts"]["signed_error_high"] < 0).all()
    counts = named(found, "t10_counts")
    row = line(counts, model="undercounts", count="11-15")
    assert row["accuracy"] == 0
    # One of 11 to 15 is within 10%, and one of ten only where it can be read.
    assert holds(row, "relaxed_10", 0.9)
    assert line(counts, model="gold", count="16-20")["accuracy"] == 1


def test_a_table_has_a_column_for_each_value_and_every_row_of_it(counting, of_counting):
    found = of_counting
    features, colours = named(found, "t12_features"), named(found, "t11_colormaps")
    frame = counting.frame.join(counting.rows["counting"].drop(columns="answer"), on="id")
    own = frame[frame["model"] == "talkative"]
    row = line(features, model="talkative")
    assert row["minima"] == pytest.approx(own[own["feature"] == "minima"]["accuracy"].mean())
    row = line(colours, model="talkative")
    assert row["plasma"] == pytest.approx(own[own["colormap"] == "plasma"]["strict_accuracy"].mean())
    assert "none" not in colours
    assert row["strict_accuracy"] == pytest.approx(own["strict_accuracy"].mean())
    strata = named(found, "strata_counting")
    for _, part in strata[strata["model"] == "talkative"].groupby("stratum"):
        assert part["n"].sum() == 9 * QUESTIONS
    assert line(strata, model="talkative", stratum="plot_type", value="contour")["n"] == QUESTIONS


def test_a_model_that_always_says_the_same_is_found(of_transformation):
    found = of_transformation
    collapse = named(found, "collapse")
    x, second, perfect = (line(collapse, model=name) for name in ("always-x", "always-second", "gold"))
    assert (x["most_given_option"], x["collapse_index"]) == ("translate_x", 1)
    assert (second["most_given_position"], second["position_share"]) == ("2", 1)
    assert perfect["collapse_index"] == pytest.approx(0.25)
    assert second["collapse_index"] < 0.3 > x["position_share"]
    assert holds(x, "position_share", 0.2) or x["position_share"] < 0.25
    bias = line(named(found, "fig6_option_bias"), model="always-x")
    assert (bias["n"], bias["translate_x"], bias["top_three"]) == (2 * PAIRS * 3 // 4, 1, "translate_x")
    assert "gold" not in set(named(found, "fig6_option_bias")["model"])
    confusion = named(found, "confusion")
    for asked in ("rotate_180", "translate_y"):
        row = line(confusion, model="always-x", transformation=asked)
        assert (row["translate_x"], row[asked]) == (1, 0)
    each = line(named(found, "t13_transformations"), model="always-x")
    assert (each["translate_x"], each["rotate_180"]) == (1, 0)
    assert holds(each, "accuracy", 0.25)


def test_a_model_that_needs_plots_alike_is_found(of_transformation):
    found = of_transformation
    row = line(named(found, "t2_transformation"), model="colour-blind")
    assert holds(row, "plot_types same", 0.9)
    assert holds(row, "plot_types different", 0.3)
    styles = named(found, "styles")
    own = styles[styles["model"] == "colour-blind"]
    alike = own["style_a"] == own["style_b"]
    assert own[alike]["accuracy"].min() > own[~alike]["accuracy"].max()
    assert len(own) == 9
    strict = line(named(found, "t9_transformation_strict"), model="colour-blind")
    assert strict["plot_types same"] == row["plot_types same"]


def test_all_81_pairs_of_styles_have_a_cell_each():
    asked = {"transformation": transformation_rows(4, all_styles=True)}
    found = scored("marvl_qa", asked, {"colour-blind": colour_blind})
    styles = named(every.tables(found), "styles")
    assert len(styles) == 81
    assert {"contour", "heatmap viridis"} <= set(styles["style_a"])
    assert "contour" in next(figure for figure in every.figures(found) if figure.name == "styles").note


LEVELS = {"primitive": 52, "compositional": 140, "abstract": 60}


def by_level(config, row, rng):
    right = rng.random() < {"primitive": 0.9, "compositional": 0.5, "abstract": 0.1}[row["level"]]
    said = row["answer"] if right else int(row["answer"]) + int(rng.integers(1, 4))
    return f"Thus \\boxed{{{said}}}"


def copies(config, row, rng):
    """Quotes the code in half of its replies, and boxes nothing in those."""
    return row["code"].split("\n")[3] if rng.random() < 0.5 else f"\\boxed{{{row['answer']}}}"


def stubborn(config, row, rng):
    """Right in 40%; its wrong answers are all the same one."""
    return f"\\boxed{{{row['answer'] if rng.random() < 0.4 else 7}}}"


@pytest.fixture(scope="module")
def problems():
    models = {"by-level": by_level, "copies": copies, "stubborn": stubborn}
    return scored("geogram", {"geogram": geogram_rows(LEVELS)}, models, samples=8)


def test_levels_and_samples_of_geogram_are_as_planted(of_problems):
    found = of_problems
    row = line(named(found, "t1_levels"), model="by-level")
    for level, truth in (("primitive", 0.9), ("compositional", 0.5), ("abstract", 0.1)):
        assert holds(row, level, truth)
    assert holds(row, "mean_of_levels", 0.5)
    assert holds(row, "all", (52 * 0.9 + 140 * 0.5 + 60 * 0.1) / 252)
    assert row["all"] != row["mean_of_levels"]
    half_wide = (row["mean_of_levels_high"] - row["mean_of_levels_low"]) / 2
    assert half_wide < max(row[f"{level}_high"] - row[f"{level}_low"] for level in LEVELS) / 2
    samples = line(named(found, "samples"), model="copies")
    for k in (1, 2, 4, 8):
        assert holds(samples, f"pass_at_{k}", 1 - 0.5**k)
    assert line(named(found, "overview"), model="copies")["accuracy"] == pytest.approx(samples["pass_at_1"])
    assert holds(line(named(found, "overview"), model="copies"), "answered", 0.5)


def test_a_vote_counts_answers_and_not_replies(of_problems):
    samples = named(of_problems, "samples").set_index("model")
    # Who boxes the right answer or nothing is right whenever there is an answer.
    assert samples.loc["copies", "maj_at_8"] == samples.loc["copies", "pass_at_8"]
    # Who has one wrong answer needs five of eight, and wins half of the draws.
    chances = [comb(8, right) * 0.4**right * 0.6 ** (8 - right) for right in range(9)]
    truth = sum(chances[5:]) + chances[4] / 2
    assert holds(samples.loc["stubborn"], "maj_at_8", truth)


def test_replies_that_quote_the_code_are_counted(of_problems):
    found = named(of_problems, "replies")
    assert found["level"].tolist() == ["primitive", "compositional", "abstract"] * 3
    for level in LEVELS:
        row = line(found, model="copies", level=level)
        assert holds(row, "quotes_code", 0.5)
        assert row["no_box"] == row["quotes_code"]
        assert line(found, model="stubborn", level=level)["quotes_code"] == 0


def test_pairs_of_one_problem_are_compared_where_there_are_pairs():
    rows = geogram_rows(LEVELS)
    for place, row in enumerate(rows):
        row["pair_id"] = f"p{place // 2}" if place < 94 else ""

    def likes_asymptote(config, row, rng):
        right = rng.random() < (0.9 if row["language"] == "asymptote" else 0.5)
        return f"\\boxed{{{row['answer'] if right else 7}}}"

    found = every.tables(scored("geogram", {"geogram": rows}, {"m": likes_asymptote}))
    row = line(named(found, "pairs"), model="m")
    assert (row["first"], row["second"], row["n"]) == ("asymptote", "matplotlib", 47)
    assert holds(row, "difference", 0.4)
    assert row["difference_low"] > 0 > np.log(row["p"])


def test_tables_are_printed_with_intervals_and_written_with_all_digits(tmp_path: Path):
    frame = pd.DataFrame(
        {
            "model": ["a|b", "c\nd"],
            "n": [1548, 3],
            "accuracy": [0.6314, 0.0],
            "accuracy_low": [0.6074, np.nan],
            "accuracy_high": [0.6554, np.nan],
            "tokens": [1234.5, np.nan],
            "error": [-0.001, 1.5],
            "error_low": [-0.101, 1.0],
            "error_high": [0.099, 2.0],
            "told": [True, False],
        }
    )
    table = Table(name="t", title="T", source="Table 1", frame=frame, note="N.", units={"error": "number"})
    assert every.markdown(table) == (
        "## T (Table 1)\n\nN.\n\n"
        "| model | n | accuracy (%) | tokens | error | told |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n"
        "| a\\|b | 1548 | 63.1 [60.7, 65.5] | 1.23e+03 | 0.00 [-0.10, 0.10] | yes |\n"
        "| c d | 3 | 0.0 | – | 1.50 [1.00, 2.00] | no |\n"
    )
    paths = every.write(tmp_path, [table])
    assert [path.name for path in paths] == ["t.csv", "t.md"]
    pd.testing.assert_frame_equal(pd.read_csv(paths[0]), frame)


def test_every_table_and_figure_is_the_same_each_time_and_has_a_name_of_its_own():
    levels = dict.fromkeys(LEVELS, 4)
    for some in (
        scored("marvl_qa", {"transformation": transformation_rows(8)}, {"m": colour_blind, "x": always_x}),
        scored("geogram", {"geogram": geogram_rows(levels)}, {"m": by_level}, samples=2),
    ):
        found, again = every.tables(some), every.tables(some)
        assert [every.markdown(table) for table in found] == [every.markdown(table) for table in again]
        assert max(Counter(table.name for table in found).values()) == 1
        drawn = every.figures(some)
        assert [figure.svg for figure in drawn] == [figure.svg for figure in every.figures(some)]
        assert max(Counter(figure.name for figure in drawn).values()) == 1


@pytest.mark.parametrize("model", [gold, silent])
def test_a_model_that_is_always_right_or_never_reads_has_tables_and_figures(model):
    rows = {"counting": counting_rows(3), "transformation": transformation_rows(4)}
    found = scored("marvl_qa", rows, {"m": model})
    overview = named(every.tables(found), "overview")
    assert overview["accuracy"].tolist() == [float(model is gold)] * 2
    assert len(every.figures(found)) == 9


def test_two_prompt_variants_are_told_apart():
    rows = {"transformation": transformation_rows(8)}
    first, second = (scored("marvl_qa", rows, {"m": gold}, variant=name) for name in ("default", "reasoning"))
    both = pd.concat([first.frame, second.frame], ignore_index=True)
    found = type(first)(dataset="d", version="1", suite="marvl_qa", frame=both, rows=first.rows)
    assert named(every.tables(found), "overview")["variant"].tolist() == ["default", "reasoning"]
    assert all("m, reasoning" in figure.svg for figure in every.figures(found) if figure.name == "ranking")


def test_real_rows_have_tables_and_figures(dataset: Path):
    """Gold replies to a built dataset score 1.0 in every cell of every table."""
    rows = {
        config: pd.read_parquet(
            next((dataset / "data" / config).glob("*.parquet")),
            columns=["id", "seed", "answer", "family", "tier", *columns],
        )
        for config, columns in (
            ("counting", ["feature", "count", "plot_type", "colormap"]),
            (
                "transformation",
                ["transformation", "options", "plot_type_a", "colormap_a", "plot_type_b", "colormap_b"],
            ),
        )
    }
    asked = {
        config: found.assign(question=found["seed"].floordiv(256).astype(str)).to_dict("records")
        for config, found in rows.items()
    }
    found = scored("marvl_qa", asked, {"gold": gold})
    for table in every.tables(found):
        told = table.frame.filter(regex="^(strict_)?accuracy$")
        assert (told == 1).all(axis=None)
    assert named(every.tables(found), "overview")["questions"].gt(1).all()
    assert evals.suite("marvl_qa").HEADLINE in named(every.tables(found), "overview")
    assert len(every.figures(found)) == 9
