"""Traversal's tables and figures find what was planted in simulated models, and nothing where nothing was planted."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import simulated_traversal as simulated
from simulated import holds
from simulated_traversal import by_bins, found, share_held, simulation, uniform

from planimeter.evals.scores.tables import figures
from planimeter.suites.traversal import scores as traversal
from planimeter.suites.traversal.scores import effects

FEW = simulated.rows(2)


def figures_of(scored):
    return figures(traversal.tables(scored))


def test_a_model_that_breaks_at_the_first_crossing_is_found():
    scored, tables = simulation(simulated.breaks_at_crossings)
    frame = tables["around_crossings"]
    first, behind = frame[frame["crossing"] == 1], frame[(frame["crossing"] > 1) & (frame["offset"] >= 0)]
    assert first["offset"].tolist() == list(range(-3, 4))
    assert share_held(first, "accuracy", [0.8] * 3 + [0.4] * 4) >= 6 / 7
    assert share_held(frame, "control", 0.9) >= 0.9
    assert share_held(behind, "accuracy", 0.4) >= 0.8
    row = tables["crossing_drop"].iloc[0]
    planted = {"drop": 0.4, "control_drop": 0.0, "beyond_control": 0.4, "before": 0.8, "past": 0.4}
    assert all(holds(row, name, value) for name, value in planted.items())
    (row,) = tables["prefix"].to_dict("records")
    lengths = [simulated.past(path)[0] for _, path in scored.rows["base"].iterrows() if path["crossings"]]
    assert (row["n"], row["mean_length"]) == (len(lengths), pytest.approx(np.mean(lengths)))
    here, control = (np.mean([chance**length for length in lengths]) for chance in (0.8, 0.9))
    assert holds(row, "prefix", here) and holds(row, "control", control)
    assert holds(row, "difference", here - control)


#: Tables and columns in which a model without any effect shows none -> in how many of their lines at least.
NO_EFFECT = {
    "crossing_drop.drop crossing_drop.beyond_control regimes.difference": 0.75,
    "around_spur.difference direction_terms.after by_spurs_passed.difference": 0.85,
    "prefix.difference spurs.difference spurs.per_spur reading_order.change_with_lanes": 1,
}


def test_models_without_effects_show_none():
    tables = simulation(uniform)[1]
    for places, least in NO_EFFECT.items():
        for name, column in (place.split(".") for place in places.split()):
            assert share_held(tables[name], column, 0.0) >= least, (name, column)
    for value in (0.0, 1.0):
        tables = found(simulated.scored(FEW, {"m": lambda config, row, n, value=value: [value] * n}))
        for name in ("around_crossings", "around_spur", "by_spurs_passed"):
            frame = tables[name]
            assert (frame["accuracy"] == value).all()
            assert (frame["accuracy_high"] - frame["accuracy_low"]).between(1e-4, 0.9).all()
            assert frame["accuracy_low"].ge(0).all() and frame["accuracy_high"].le(1).all()
        assert holds(tables["crossing_drop"].iloc[0], "drop", 0.0)


def test_the_order_of_the_replies_changes_nothing():
    scored, tables = simulation(simulated.breaks_at_crossings)
    turned = found(replace(scored, frame=scored.frame.sample(frac=1, random_state=3).reset_index(drop=True)))
    for name, frame in tables.items():
        pd.testing.assert_frame_equal(turned[name], frame, rtol=1e-5, atol=1e-6)
        for rate in (rate for rate in frame if f"{rate}_low" in frame):
            known = frame.dropna(subset=[rate, f"{rate}_low"])
            assert (known[f"{rate}_low"] <= known[rate] + 1e-6).all(), (name, rate)
            assert (known[f"{rate}_high"] >= known[rate] - 1e-6).all(), (name, rate)


BOTH = pytest.param(("base", "confounded"), marks=pytest.mark.slow)


@pytest.mark.parametrize("configs", [("base",), ("confounded",), ("reading_order",), BOTH])
def test_replies_to_a_part_have_the_tables_of_that_part(configs):
    scored = simulated.scored({config: FEW[config] for config in configs}, {"m": uniform})
    whole = replace(scored, rows={config: pd.DataFrame(rows).set_index("id") for config, rows in FEW.items()})
    for given in (scored, whole):
        tables = found(given)
        assert all(len(frame) for frame in tables.values())
        assert ("grid" in tables) == ("base" in configs) and ("reading_order" in tables) == ("reading_order" in configs)
    few = simulated.scored({config: FEW[config][:3] for config in configs[:1]}, {"m": uniform})
    assert found(few)
    for figure in figures_of(few) if len(configs) == 1 else ():
        ElementTree.fromstring(figure.svg)


def test_figures_name_every_model_and_bin():
    by_name = {figure.name: figure for figure in figures_of(simulated.scored(FEW, {"one": uniform, "two": by_bins}))}
    names = {"grid_exact", "grid_token_accuracy", "curves", "around_crossings", "crossing_drop", "regimes"}
    assert set(by_name) == names | {"around_spur", "by_spurs_passed", "hard_subset"}
    assert all(name in figure.svg for figure in by_name.values() for name in ("one", "two"))
    shown = [node.text for node in ElementTree.fromstring(by_name["grid_exact"].svg).iter() if node.text]
    assert {"1–1.3", "6.5–9", *map(str, simulated.CROSSINGS)} <= set(shown)


def test_bending_that_costs_as_much_as_it_gains_is_no_difference():
    """A marker more on 30 bent paths, ten markers less on 3: a sign test of paths has p = 1e-6."""
    bent = np.repeat([0.6, 0.4, 0.5], [30, 3, 5]) + np.repeat([-0.09, 0.0, 0.0], [30, 3, 5])
    paths = pd.DataFrame({"question": [str(path) for path in range(38)], "exact": 0.0})
    drawn = [paths.assign(smoothness=1.0, token_accuracy=bent), paths.assign(smoothness=0.0, token_accuracy=0.5)]
    row = effects.curvature.make({"curved": pd.concat(drawn).assign(model="m")}).iloc[0]
    assert row["difference_low"] < 0 < row["difference_high"]
    assert (row["better_bent"], row["better_straight"]) == (30, 3)
    assert row["p"] > 0.5
