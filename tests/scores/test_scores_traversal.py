"""Traversal's tables and figures find what was planted in simulated models, and nothing where nothing was planted."""

from collections import defaultdict

import numpy as np
import pytest
import simulated_traversal as simulated
from simulated_traversal import (
    breaks_at_crossings,
    by_bins,
    found,
    holds,
    loses_track_at_spurs,
    reads_rightwards,
    share_held,
    simulation,
    tires_with_spurs,
    uniform,
)

from planimeter.scores.suites.traversal.positions import models, nearest_segments

OFFSETS = range(-3, 4)


# --- crossings


def test_a_model_that_breaks_at_the_first_crossing_is_found_out_by_figure_5() -> None:
    frame = simulation(breaks_at_crossings, 12)[1]["around_crossings"]
    first = frame[frame["crossing"] == 1].set_index("offset")
    assert list(first.index) == list(OFFSETS)
    for offset, row in first.iterrows():
        assert float(row["accuracy"]) == pytest.approx(0.8 if offset < 0 else 0.4, abs=0.04)
    assert share_held(first, "accuracy", [0.8] * 3 + [0.4] * 4) >= 6 / 7
    assert share_held(frame, "control", 0.9) >= 0.9
    behind = frame[(frame["crossing"] > 1) & (frame["offset"] >= 0)]
    assert behind["accuracy"].to_numpy() == pytest.approx(0.4, abs=0.05)
    assert share_held(behind, "accuracy", 0.4) >= 0.8


def test_the_drop_at_the_crossing_is_what_was_planted_and_the_control_drops_by_nothing() -> None:
    row = simulation(breaks_at_crossings)[1]["crossing_drop"].iloc[0]
    assert holds(row, "drop", 0.4)
    assert holds(row, "control_drop", 0.0)
    assert holds(row, "beyond_control", 0.4)
    assert holds(row, "before", 0.8)
    assert holds(row, "past", 0.4)


def test_prefixes_before_the_first_crossing_are_as_often_right_as_planted_and_shorter_of_none() -> None:
    scored, tables = simulation(breaks_at_crossings)
    (row,) = tables["prefix"].to_dict("records")
    base = scored.rows["base"]
    lengths = [simulated.past(path)[0] for path in base.itertuples() if path.crossings]
    assert row["n"] == len(lengths)
    assert row["mean_length"] == pytest.approx(np.mean(lengths))
    here, control = (np.mean([chance**length for length in lengths]) for chance in (0.8, 0.9))
    assert holds(row, "prefix", here)
    assert holds(row, "control", control)
    assert holds(row, "difference", here - control)


def test_crossings_and_prefixes_are_those_of_a_plain_count() -> None:
    """The same statistics in loops, on a model whose accuracy falls along the path."""
    scored = simulated.scored(simulated.rows(2), {"m": lambda config, row, n: np.linspace(0.9, 0.3, n)}, samples=2)
    tables, rows = found(scored), scored.rows["base"]
    replies = scored.frame[scored.frame["config"] == "base"]
    plain: defaultdict[tuple[int, int, str], list[bool]] = defaultdict(list)
    crossing = []
    for name, right in zip(replies["id"], replies["correct"], strict=True):
        met = simulated.past(rows.loc[name])
        if met:
            crossing.append((met, right))
        for k in range(0 if met else len(right)):
            plain[len(right), k, "marker"].append(right[k])
            plain[len(right), k, "prefix"].append(all(right[: k + 1]))
    for line in tables["around_crossings"].itertuples():
        here = [
            (right[place], np.mean(plain[len(right), place, "marker"]))
            for met, right in crossing
            if len(met) >= line.crossing and 0 <= (place := met[line.crossing - 1] + line.offset) < len(right)
        ]
        assert line.n == len(here)
        assert (line.accuracy, line.control) == pytest.approx(tuple(np.mean(here, axis=0)))
    prefixes = [(all(right[: met[0]]), np.mean(plain[len(right), met[0] - 1, "prefix"])) for met, right in crossing]
    (row,) = tables["prefix"].itertuples()
    assert (row.prefix, row.control) == pytest.approx(tuple(np.mean(prefixes, axis=0)))
    assert row.difference == pytest.approx(row.prefix - row.control)


def test_positions_without_a_control_count_on_neither_side() -> None:
    dataset = simulated.rows(2)
    short = dataset["base"][(dataset["base"]["self_intersections"] > 0) | (dataset["base"]["n_points"] == 9)]
    frame = found(simulated.scored({"base": short}, {"m": uniform}))["around_crossings"]
    paths = [path for path in short.itertuples() if path.crossings]
    assert frame.set_index(["crossing", "offset"]).loc[(1, 0), "n"] == sum(path.n_points == 9 for path in paths)
    none = found(simulated.scored({"base": short[short["self_intersections"] > 0]}, {"m": uniform}))
    assert "around_crossings" not in none
    assert "prefix" not in none


# --- spurs


def test_a_model_that_loses_track_at_spurs_is_found_out_by_figure_6() -> None:
    tables = simulation(loses_track_at_spurs)[1]
    passed = tables["by_spurs_passed"]
    assert list(passed["spurs_passed"]) == list(range(8))
    assert share_held(passed, "accuracy", 0.9 - 0.1 * passed["spurs_passed"]) >= 7 / 8
    assert share_held(passed, "control", 0.9) >= 7 / 8
    assert share_held(passed, "difference", -0.1 * passed["spurs_passed"]) >= 7 / 8
    around = tables["around_spur"]
    before, past = around[around["offset"] < 0], around[around["offset"] >= 0]
    assert share_held(before, "difference", 0.0) >= 5 / 6
    assert (past["difference_high"] < 0).all()
    assert (past["accuracy"] < past["control"]).all()


def test_the_accuracy_around_the_first_spur_is_that_of_a_plain_count() -> None:
    scored = simulated.scored(simulated.rows(2), {"m": loses_track_at_spurs}, samples=2)
    frame = found(scored)["around_spur"].set_index(["condition", "offset"])
    rows = scored.rows["confounded"]
    source: defaultdict[str, list[list[bool]]] = defaultdict(list)
    for name, right in zip(scored.frame["id"], scored.frame["correct"], strict=True):
        source[name].append(right)
    for (condition, offset), line in frame.iterrows():
        here = []
        for row in rows[rows["condition"] == condition].itertuples():
            place = min(row.segments) + 1 + offset
            if 0 <= place < row.n_points:
                control = np.mean([right[place] for right in source[row.source_id]])
                here += [(right[place], control) for right in source[row.Index]]
        assert line["n"] == len(here)
        assert (line["accuracy"], line["control"]) == pytest.approx(tuple(np.mean(here, axis=0)))


def test_the_cost_of_a_spur_is_what_was_planted() -> None:
    scored, tables = simulation(tires_with_spurs)
    row = tables["spurs"].set_index("outcome").loc["token_accuracy"]
    spurs = scored.rows["confounded"]["confounders"].map(len)
    assert holds(row, "per_spur", -0.03)
    assert holds(row, "difference", -0.03 * spurs.mean())
    assert row["per_spur_high"] < 0


def test_confounded_rows_whose_source_was_not_asked_have_no_control() -> None:
    dataset = simulated.rows(2)
    half = dataset["base"].iloc[::2]
    scored = simulated.scored({**dataset, "base": half}, {"m": uniform})
    pairs, _, _ = next(models(scored)).pairs
    assert set(pairs.frame["source_id"]) == set(half.index) & set(dataset["confounded"]["source_id"])


def test_an_anchor_is_found_on_its_segment() -> None:
    path = np.array([[0, 0], [10, 0], [10, 10], [20, 10], [np.nan, np.nan]], float)
    anchors = np.array([[5, 1], [9, 4], [14, 10], [30, 10]], float)
    assert nearest_segments(np.stack([path] * 4), anchors).tolist() == [0, 1, 2, 2]


# --- bins, parts, answers


def test_the_grid_has_each_cell_in_its_place() -> None:
    frame = simulation(by_bins)[1]["grid"]
    assert len(frame) == 6 * 7 - len(simulated.SKIPPED)
    planted = 0.95 - 0.04 * frame["tortuosity"] - 0.09 * frame["crossings"]
    assert share_held(frame, "token_accuracy", planted) >= 0.9
    assert np.abs(frame["token_accuracy"] - planted).max() < 0.12


def test_the_curves_follow_their_factor_and_compare_paths_with_themselves() -> None:
    scored, tables = simulation(by_bins)
    frame = tables["curves"]
    sources = scored.rows["base"].loc[scored.rows["confounded"]["source_id"].unique()]
    planted = 0.95 - 0.04 * sources["tortuosity_bin"] - 0.09 * sources["self_intersection_bin"]
    columns = {"tortuosity": "tortuosity_bin", "crossings": "self_intersection_bin", "points": "n_points"}
    for (factor, part), lines in frame.groupby(["factor", "part"]):
        expected = planted.groupby(sources[columns[str(factor)]]).mean()
        assert lines["n"].sum() == len(sources) * (1 if part == "base" else 2)
        assert list(lines["value"]) == list(expected.index)
        assert lines["token_accuracy"].to_numpy() == pytest.approx(expected.to_numpy(), abs=0.05)


def test_main_results_tell_the_parts_apart_and_what_was_answered() -> None:
    scored = simulated.scored(simulated.rows(2), {"m": tires_with_spurs})
    silent = scored.frame.index % 4 == 0
    scored.frame.loc[silent, ["answered", "exact", "token_accuracy"]] = [False, 0.0, 0.0]
    frame = found(scored)["main"].set_index("part")
    told = scored.frame.assign(part=scored.frame["config"])
    assert set(frame.index) == {"base", "confounded", "confounded low", "confounded high", "reading_order"}
    for part in ("base", "confounded", "reading_order"):
        group = told[told["part"] == part]
        answered = group[group["answered"].astype(bool)]
        assert frame.loc[part, "n"] == len(group)
        assert frame.loc[part, "answered"] == pytest.approx(len(answered) / len(group))
        assert frame.loc[part, "exact_if_answered"] == pytest.approx(answered["exact"].mean())
    assert frame.loc["confounded low", "n"] == frame.loc["confounded high", "n"]
    assert "reasoning_tokens" not in frame
    assert frame.loc["base", "completion_tokens"] == 40


def test_hard_examples_are_those_of_the_papers_cells() -> None:
    scored = simulated.scored(simulated.rows(2), {"m": lambda config, row, n: [0.97] * n})
    silent = scored.frame.index % 3 == 0
    scored.frame.loc[silent, ["answered", "exact"]] = [False, 0.0]
    frame = found(scored)["hard_subset"]
    base = scored.rows["base"]
    hard = base[
        base["tortuosity_bin"].isin((4, 5)) & base["self_intersection_bin"].isin((4, 5)) & (base["n_points"] > 9)
    ]
    replies = scored.frame[scored.frame["id"].isin(hard.index)]
    whole = frame[frame["points"].isna()].iloc[0]
    assert whole["n"] == len(hard) == 2 * 2 * 2 * 2
    assert whole["exact"] == pytest.approx(replies["exact"].mean())
    assert whole["answered"] == pytest.approx(replies["answered"].mean())
    assert whole["exact_if_answered"] == pytest.approx(replies.loc[replies["answered"].astype(bool), "exact"].mean())
    cells = frame.dropna(subset=["crossings"])
    assert len(cells) == 8
    assert set(cells["n"]) == {2}
    assert cells["n"].sum() == whole["n"]


# --- regressions


def test_an_effect_of_the_direction_is_not_taken_for_one_of_crossings() -> None:
    """Paths with few crossings mostly run to the right: without the direction, crossings seem to matter."""
    dataset = simulated.rows(8, rightwards=lambda s: 0.9 - 0.12 * s)
    tables = found(simulated.scored({"base": dataset["base"]}, {"a": reads_rightwards, "b": reads_rightwards}))
    terms = tables["direction_terms"].query("outcome == 'token_accuracy'").set_index("term")
    assert holds(terms.loc["rightwards"], "after", 0.25)
    crossings = terms[terms.index.str.startswith("crossings")]
    planted = [-0.25 * 0.12 * s for s in range(1, 7)]
    assert crossings["before"].to_numpy() == pytest.approx(planted, abs=0.05)
    assert crossings["before_high"].iloc[-1] < 0
    assert share_held(crossings, "after", 0.0) >= 5 / 6
    table = tables["direction"].set_index(["outcome", "family"]).loc[("token_accuracy", "crossings")]
    assert table["min_before"] == crossings["before"].min()
    assert table["max_after"] == crossings["after"].max()
    assert table["max_change"] == pytest.approx((crossings["after"] - crossings["before"]).max())


def test_crossings_are_regressed_on_bins_below_the_reference() -> None:
    terms = simulation(by_bins)[1]["direction_terms"].query("outcome == 'token_accuracy'").set_index("term")
    for s in range(1, 7):
        assert terms.loc[f"crossings={s}", "before"] == pytest.approx(-0.09 * s, abs=0.04)
    for t in range(1, 6):
        assert terms.loc[f"tortuosity={t}", "before"] == pytest.approx(-0.04 * t, abs=0.04)
    assert share_held(terms.loc[["points=13", "points=17", "rightwards"]], "after", 0.0) >= 2 / 3


def test_the_order_of_reading_is_found_each_cell_counted_once() -> None:
    scored, tables = simulation(reads_rightwards)
    (row,) = tables["reading_order"].to_dict("records")
    assert holds(row, "token_accuracy", 0.6)
    assert holds(row, "change_with_lanes", -0.2)
    assert holds(row, "change_with_vertices", 0.0)
    regimes = tables["regimes"].set_index("regime")
    planted = {"ltr_tb": 0.2, "rtl_tb": -0.1, "ttb_rl": -0.2, "ttb_lr": 0.1}
    for regime, difference in planted.items():
        assert holds(regimes.loc[regime], "difference", difference)
    replies = scored.frame[scored.frame["config"] == "reading_order"].join(
        scored.rows["reading_order"][["regime", "lanes", "n_points"]], on="id"
    )
    cells = replies.groupby(["regime", "lanes", "n_points"])["token_accuracy"].mean()
    assert regimes["token_accuracy"].to_dict() == pytest.approx(cells.groupby("regime").mean().to_dict())
    assert row["token_accuracy"] == pytest.approx(cells.mean())
    assert row["token_accuracy"] != pytest.approx(replies["token_accuracy"].mean())


# --- nothing planted


def test_a_uniform_model_shows_no_effect() -> None:
    tables = simulation(uniform)[1]
    assert share_held(tables["crossing_drop"], "drop", 0.0) >= 3 / 4
    assert share_held(tables["crossing_drop"], "beyond_control", 0.0) >= 3 / 4
    assert holds(tables["prefix"].iloc[0], "difference", 0.0)
    assert share_held(tables["around_spur"], "difference", 0.0) >= 0.85
    assert share_held(tables["by_spurs_passed"], "difference", 0.0) >= 7 / 8
    for column in ("difference", "per_spur"):
        assert share_held(tables["spurs"], column, 0.0) == 1.0
    assert share_held(tables["regimes"], "difference", 0.0) >= 3 / 4
    assert share_held(tables["reading_order"], "change_with_lanes", 0.0) == 1.0
    assert share_held(tables["direction_terms"], "after", 0.0) >= 0.85


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_model_that_is_always_right_or_always_wrong_has_intervals_all_the_same(value: float) -> None:
    scored = simulated.scored(simulated.rows(2), {"m": lambda config, row, n: [value] * n})
    tables = found(scored)
    for name in ("around_crossings", "around_spur", "by_spurs_passed"):
        frame = tables[name]
        assert (frame["accuracy"] == value).all()
        assert (frame["accuracy_high"] - frame["accuracy_low"]).between(1e-4, 0.9).all()
        assert frame["accuracy_low"].ge(0).all()
        assert frame["accuracy_high"].le(1).all()
    assert holds(tables["crossing_drop"].iloc[0], "drop", 0.0)
