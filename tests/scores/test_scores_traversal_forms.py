"""Traversal's tables and figures as such: whatever part was asked, in any order, legible and the same each time."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import simulated_traversal as simulated
from matplotlib.figure import Figure
from simulated_traversal import breaks_at_crossings, by_bins, found, simulation, uniform

from planimeter.scores.forms import Scored, Table
from planimeter.scores.suites import traversal
from planimeter.scores.suites.traversal import effects
from planimeter.scores.suites.traversal.figures import _line
from planimeter.scores.summary import labelled


def test_models_and_prompts_stand_apart_the_best_one_first() -> None:
    dataset = simulated.rows(2)
    scored = simulated.scored(dataset, {"bad": uniform, "good": lambda config, row, n: [0.99] * n})
    again = scored.frame[scored.frame["model"] == "bad"].assign(variant="json")
    both = Scored(
        dataset="traversal",
        version="0",
        suite="traversal",
        frame=pd.concat([scored.frame, again], ignore_index=True),
        rows=dataset,
    )
    for table in traversal.tables(both):
        if "model" in table.frame:
            assert table.frame["model"].iloc[0] == "good"
            assert set(table.frame["model"]) == {"good", "bad", "bad, json"}
    before = found(scored)["crossing_drop"].set_index("model").loc["bad"]
    after = found(both)["crossing_drop"].set_index("model").loc["bad, json"]
    assert after["drop_low"].tolist() == before["drop_low"].tolist()


def test_the_order_of_the_replies_changes_nothing() -> None:
    scored, tables = simulation(breaks_at_crossings)
    turned = Scored(
        dataset="traversal",
        version="0",
        suite="traversal",
        frame=scored.frame.sample(frac=1, random_state=3).reset_index(drop=True),
        rows=scored.rows,
    )
    for name, frame in found(turned).items():
        pd.testing.assert_frame_equal(frame, tables[name], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("configs", [("base",), ("confounded",), ("reading_order",), ("base", "confounded")])
def test_a_model_that_was_asked_a_part_gets_the_tables_of_that_part(configs: tuple[str, ...]) -> None:
    dataset = simulated.rows(2)
    scored = simulated.scored({config: dataset[config] for config in configs}, {"m": uniform})
    whole = Scored(dataset="traversal", version="0", suite="traversal", frame=scored.frame, rows=dataset)
    for given in (scored, whole):
        tables = traversal.tables(given)
        assert all(len(table.frame) for table in tables)
        assert ("grid" in {table.name for table in tables}) == ("base" in configs)
        assert ("reading_order" in {table.name for table in tables}) == ("reading_order" in configs)
        for figure in traversal.figures(given):
            ElementTree.fromstring(figure.svg)


def test_a_few_replies_are_enough_for_tables_and_figures() -> None:
    dataset = {config: some.iloc[:3] for config, some in simulated.rows(2).items()}
    scored = simulated.scored(dataset, {"m": uniform})
    assert traversal.tables(scored)
    for figure in traversal.figures(scored):
        ElementTree.fromstring(figure.svg)


def test_the_grids_panels_have_tortuosity_downwards_and_no_value_in_skipped_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scored, tables = simulation(by_bins)
    drawn: list[tuple[Any, ...]] = []
    monkeypatch.setattr("planimeter.scores.drawing.heat", lambda panel, *given, **more: drawn.append(given))
    traversal.figures(scored)
    values, down, across = drawn[1]
    assert down == ["1–1.3", "1.3–2", "2–3", "3–4.5", "4.5–6.5", "6.5–9"]
    assert across == [str(least) for least in simulated.CROSSINGS]
    assert set(zip(*np.nonzero(np.isnan(values)), strict=True)) == set(simulated.SKIPPED)
    cells = tables["grid"].set_index(["tortuosity", "crossings"])["token_accuracy"]
    assert values[3, 1] == cells.loc[(3, 1)] != cells.loc[(1, 3)]


def test_figures_name_every_model_and_are_the_same_each_time() -> None:
    scored = simulated.scored(simulated.rows(2), {"one": uniform, "two": by_bins})
    drawn = {figure.name: figure for figure in traversal.figures(scored)}
    assert set(drawn) == {
        "grid_exact",
        "grid_token_accuracy",
        "curves",
        "around_crossings",
        "crossing_drop",
        "spurs",
        "regimes",
        "hard_subset",
    }
    assert {figure.source for figure in drawn.values()} == {f"Figure {number}" for number in (2, 11, 3, 5, 6, 8, 10)}
    for name in ("one", "two"):
        assert all(name in figure.svg for figure in drawn.values())
    assert [figure.svg for figure in traversal.figures(scored)] == [figure.svg for figure in drawn.values()]


@pytest.mark.parametrize(("models", "bands"), [(1, 1), (4, 1), (5, 0)])
def test_bands_are_drawn_where_they_do_not_hide_each_other(models: int, bands: int) -> None:
    told = pd.DataFrame({"accuracy": [0.5, 0.6], "accuracy_low": [0.4, 0.5], "accuracy_high": [0.6, 0.7]})
    panel = Figure().subplots()
    _line(panel, told, "accuracy", 0, "m", models)
    assert (len(panel.lines), len(panel.collections)) == (1, bands)


def test_every_rate_has_its_bounds_around_it() -> None:
    tables: list[Table] = traversal.tables(simulation(breaks_at_crossings)[0])
    for table in tables:
        rates = [name for name in table.frame if f"{name}_low" in table.frame]
        for name in rates:
            told = table.frame.dropna(subset=[name, f"{name}_low"])
            assert (told[f"{name}_low"] <= told[name] + 1e-6).all(), (table.name, name)
            assert (told[f"{name}_high"] >= told[name] - 1e-6).all(), (table.name, name)


def test_scores_that_were_changed_are_analysed_anew() -> None:
    scored = simulated.scored(simulated.rows(2), {"m": uniform})
    before = found(scored)["main"]["exact"]
    scored.frame["exact"] = 1.0
    assert found(scored)["main"]["exact"].eq(1).all()
    assert not before.eq(1).any()
    other = simulated.scored(simulated.rows(2), {"m": uniform}, seed=3)
    assert not found(other)["main"]["exact"].eq(1).any()


def test_tables_and_figures_of_the_same_scores_share_one_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    scored = simulated.scored(simulated.rows(2), {"m": uniform})
    tables = found(scored)
    monkeypatch.setattr(traversal, "models", lambda given: pytest.fail("analysed twice"))
    assert traversal.figures(replace(scored, frame=scored.frame.assign(variant="")))
    pd.testing.assert_frame_equal(found(scored)["main"], tables["main"])


def test_labelling_twice_is_labelling_once() -> None:
    scored = simulated.scored(simulated.rows(2), {"m": uniform})
    half = scored.frame["sample"].index % 2 == 0
    mixed = replace(scored, frame=scored.frame.assign(variant=np.where(half, "json", "default")))
    once = labelled(mixed)
    assert set(once.frame["model"]) == {"m", "m, json"}
    pd.testing.assert_frame_equal(labelled(once).frame, once.frame)


def test_bending_that_costs_few_paths_as_much_as_it_gains_many_is_no_difference() -> None:
    """A marker more on 30 bent paths, ten markers less on 3: a sign test of paths has p = 1e-6."""
    bent = np.repeat([0.6, 0.4, 0.5], [30, 3, 5]) + np.repeat([-0.09, 0.0, 0.0], [30, 3, 5])
    paths = pd.DataFrame({"question": [str(path) for path in range(38)], "exact": 0.0})
    drawn = [paths.assign(smoothness=1.0, token_accuracy=bent), paths.assign(smoothness=0.0, token_accuracy=0.5)]
    row = effects.curvature(SimpleNamespace(curved=SimpleNamespace(frame=pd.concat(drawn)))).iloc[0]
    assert row["difference_low"] < 0 < row["difference_high"]
    assert (row["better_bent"], row["better_straight"]) == (30, 3)
    assert row["p"] > 0.5
