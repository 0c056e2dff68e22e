"""CurveBench's tables and figures, and those of planar maps, find what was planted in simulated models."""

from collections.abc import Sequence
from xml.etree import ElementTree

import pytest
from simulated import by_rows, curves_rows, named, simulate

from planimeter.evals.curves.prompt import answer
from planimeter.evals.scores.tables import figures
from planimeter.suites.curves import scores as curves

TREES = curves_rows()


def without(parents: Sequence[int], gone: set[int]) -> list[int]:
    """Return the tree without some leaves."""
    kept = [node for node in range(1, len(parents) + 1) if node not in gone]
    number = {0: 0, **{node: place for place, node in enumerate(kept, start=1)}}
    return [number[parents[node - 1]] for node in kept]


def boxed(text: str) -> str:
    return f"<answer>\n{text}\n</answer>"


def right(config, row, rng):
    return boxed(row["answer"])


def a_chain(config, row, rng):
    """The right number of curves, each inside the one before."""
    return boxed(answer(range(row["num_nodes"])))


def misses_the_deepest(config, row, rng):
    levels = [0]
    for parent in row["parents"]:
        levels.append(levels[parent] + 1)
    return boxed(answer(without(row["parents"], {node for node, level in enumerate(levels) if level == max(levels)})))


MODELS = {"chain": a_chain, "deepest": misses_the_deepest}


@pytest.fixture(scope="module")
def scored():
    return simulate("curves", TREES, MODELS, samples={"easy": 4})


@pytest.fixture(scope="module")
def table(scored):
    tables = curves.tables(scored)
    return lambda name, index="model": named(tables, name).set_index(index)


@pytest.fixture
def diagnostics(table):
    return lambda model, stratum: table("diagnostics", ["model", "stratum"]).loc[(model, stratum)].set_index("value")


def test_easy_is_the_test_split_and_hard_the_other_configs(scored, table):
    easy, hard = table("easy"), table("hard")
    assert (set(easy["n"]), set(easy["questions"]), set(hard["n"])) == ({12 * 4}, {12}, {4 * 12})
    for model in MODELS:
        replies = scored.frame[(scored.frame["model"] == model) & (scored.frame["config"] != "easy")]
        for metric in ("tree_accuracy", "count_accuracy", "reward"):
            assert hard.loc[model, metric] == pytest.approx(replies[metric].mean())
    assert hard["tree_accuracy"].is_monotonic_decreasing
    # Samples of a row are no more independent than the row.
    chain = easy.loc["chain"]
    rows = by_rows(round(chain["tree_accuracy"] * chain["n"]), int(chain["n"]))
    assert chain["tree_accuracy_high"] - chain["tree_accuracy_low"] > 1.5 * (rows.high - rows.low)


def test_chains_and_trees_without_their_deepest_level_are_found(table, diagnostics):
    frame = table("rewards", ["model", "category"])
    rewards = ["reward_1", "reward_0_3", "reward_0"]
    for category in ("topographical", "maze", "counting"):
        assert frame.loc[("chain", category), rewards].tolist() == [0, 1, 0]
    assert frame.loc[("deepest", "counting"), rewards].tolist() == [0, 0, 1]
    assert frame[rewards].sum(axis=1).to_numpy() == pytest.approx(1)
    sizes = diagnostics("chain", "size")
    assert sizes["node_error"].eq(0).all() and sizes["count_accuracy"].eq(1).all()
    assert sizes["depth_error"].is_monotonic_increasing
    assert sizes.loc["21-50", "depth_error_low"] > 5
    planted = {"depth_error": -1, "absolute_depth_error": 1, "depth_accuracy": 0}
    planted |= {"node_error_under": 1, "node_error_over": 0}
    for stratum in ("size", "depth", "category"):
        frame = diagnostics("deepest", stratum)
        for name, value in planted.items():
            assert frame[name].eq(value).all(), name
        assert (frame.loc[frame["questions"] > 9, "node_error_high"] < 0).all()
    assert diagnostics("deepest", "size").loc["21-50", "parent_f1"] > 0.9


@pytest.fixture(scope="module")
def drawn(scored):
    return figures(curves.tables(scored))


def test_figures_show_every_category_and_model(drawn):
    assert [figure.name for figure in drawn] == ["categories", "rewards", "diagnostics_size", "diagnostics_depth"]
    for figure in drawn:
        ElementTree.fromstring(figure.svg)
        assert all(model in figure.svg for model in MODELS), figure.name
        names = ["1-2", "21-50", "51+"] if figure.name == "diagnostics_size" else list(TREES)
        assert figure.name == "diagnostics_depth" or all(name in figure.svg for name in names), figure.name
