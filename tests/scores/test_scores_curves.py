"""CurveBench's tables and figures, and those of planar maps, find what was planted in simulated models."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from planimeter import evals
from planimeter.evals.curves.metrics import depth
from planimeter.evals.curves.prompt import answer
from planimeter.scores.forms import Figure, Scored, Table
from planimeter.scores.intervals import wilson
from planimeter.scores.suites import curves, curves_maps

Reply = Callable[[Any, np.random.Generator], str]

SIZES = {"easy": (1, 5), "polygon": (2, 12), "topographical": (6, 24), "maze": (4, 14), "counting": (15, 60)}


def levels(parents: Sequence[int]) -> list[int]:
    found = [0]
    for parent in parents:
        found.append(found[parent] + 1)
    return found


def without(parents: Sequence[int], gone: set[int]) -> list[int]:
    """Return the tree without some leaves."""
    kept = [node for node in range(1, len(parents) + 1) if node not in gone]
    number = {0: 0, **{node: place for place, node in enumerate(kept, start=1)}}
    return [number[parents[node - 1]] for node in kept]


@cache
def trees(rows: int = 12) -> dict[str, pd.DataFrame]:
    """Return rows of each category; the easy ones have three splits."""
    rng = np.random.default_rng(1)
    made: dict[str, list[dict[str, Any]]] = {}
    for category, (least, most) in SIZES.items():
        for item in range(rows * (3 if category == "easy" else 1)):
            size = int(rng.integers(least, most + 1))
            parents = [int(rng.integers(max(0, node - 4), node)) for node in range(1, size + 1)]
            split = ("test", "train", "validation")[item % 3] if category == "easy" else "test"
            row = {"id": f"{category}-{item}", "category": category, "parents": parents, "split": split}
            made.setdefault(category, []).append({**row, "answer": answer(parents), "num_nodes": size})
    return {category: pd.DataFrame(some).set_index("id") for category, some in made.items()}


def scored(
    suite: str, dataset: Mapping[str, pd.DataFrame], models: Mapping[str, Reply], samples: Mapping[str, int]
) -> Scored:
    """Return the replies of ``models`` graded; an empty one was cut off."""
    rng = np.random.default_rng(2)
    lines = []
    for model, reply in models.items():
        for config, rows in dataset.items():
            for row in rows.itertuples():
                for sample in range(samples.get(config, 1)):
                    text = reply(row, rng)
                    whole = text and f"<answer>\n{text}\n</answer>"
                    grade = evals.grade({"answer": row.answer}, whole, suite=suite, config=config)
                    line = {"id": row.Index, "config": config, "split": row.split, "question": row.Index}
                    line |= {"model": model, "variant": "default", "sample": sample}
                    line |= {"finish_reason": "stop" if text else "length", "answered": grade.answered}
                    line |= {"reason": grade.reason, "read": grade.read, "answer": row.answer, **grade.metrics}
                    lines.append(line)
    return Scored(dataset=suite, version="0", suite=suite, frame=pd.DataFrame(lines), rows=dataset)


def right(row: Any, rng: np.random.Generator) -> str:
    return str(row.answer)


def a_chain(row: Any, rng: np.random.Generator) -> str:
    """The right number of curves, each inside the one before."""
    return answer(range(row.num_nodes))


def misses_the_deepest(row: Any, rng: np.random.Generator) -> str:
    found = levels(row.parents)
    return answer(without(row.parents, {node for node, level in enumerate(found) if level == max(found)}))


def misses_one_of_many(row: Any, rng: np.random.Generator) -> str:
    """Right up to 20 curves; beyond, one leaf is missed."""
    return answer(without(row.parents, {row.num_nodes})) if row.num_nodes > 20 else str(row.answer)


def cut_off_in_mazes(row: Any, rng: np.random.Generator) -> str:
    return "" if row.category == "maze" and rng.random() < 0.6 else str(row.answer)


def right_in_three_of_four(row: Any, rng: np.random.Generator) -> str:
    return str(row.answer) if rng.random() < 0.75 else a_chain(row, rng) + "\n"


MODELS = {
    "chain": a_chain,
    "deepest": misses_the_deepest,
    "one of many": misses_one_of_many,
    "cut off": cut_off_in_mazes,
}


@cache
def simulation() -> tuple[Scored, list[Table]]:
    made = scored("curves", trees(), MODELS, {"easy": 4})
    return made, curves.tables(made)


def table(name: str) -> pd.DataFrame:
    return next(found.frame for found in simulation()[1] if found.name == name)


def diagnostics(model: str, stratum: str) -> pd.DataFrame:
    frame = table("diagnostics")
    return frame[(frame["model"] == model) & (frame["stratum"] == stratum)].set_index("value")


def holds(row: Any, column: str, value: float) -> bool:
    return bool(row[f"{column}_low"] <= value <= row[f"{column}_high"])


# --- trees


def test_easy_is_the_test_split_and_hard_the_four_other_categories() -> None:
    easy, hard = table("easy").set_index("model"), table("hard").set_index("model")
    assert set(easy["n"]) == {12 * 4}
    assert set(easy["questions"]) == {12}
    assert set(hard["n"]) == {4 * 12}
    replies = simulation()[0].frame
    for model in MODELS:
        told = replies[(replies["model"] == model) & (replies["config"] != "easy")]
        for metric in ("tree_accuracy", "count_accuracy", "reward"):
            assert hard.loc[model, metric] == pytest.approx(told[metric].mean())
    accuracy = table("hard")["tree_accuracy"]
    assert accuracy.is_monotonic_decreasing


def test_a_chain_with_the_right_number_gets_the_rewards_share_of_the_number() -> None:
    frame = table("rewards").set_index(["model", "category"])
    for category in ("topographical", "maze", "counting"):
        assert frame.loc[("chain", category), ["reward_1", "reward_0_3", "reward_0"]].tolist() == [0, 1, 0]
    assert frame.loc[("deepest", "counting"), ["reward_1", "reward_0_3", "reward_0"]].tolist() == [0, 0, 1]
    shares = frame[["reward_1", "reward_0_3", "reward_0"]].sum(axis=1)
    assert shares.to_numpy() == pytest.approx(1)
    sizes = diagnostics("chain", "size")
    assert sizes["node_error"].eq(0).all()
    assert sizes["count_accuracy"].eq(1).all()
    assert sizes["depth_error"].is_monotonic_increasing
    assert sizes.loc["21-50", "depth_error_low"] > 5


def test_a_model_that_misses_the_deepest_level_is_a_level_short_and_right_above_it() -> None:
    for stratum in ("size", "depth", "category"):
        frame = diagnostics("deepest", stratum)
        assert frame["depth_error"].eq(-1).all()
        assert frame["absolute_depth_error"].eq(1).all()
        assert frame["depth_accuracy"].eq(0).all()
        assert frame["node_error_under"].eq(1).all()
        assert frame["node_error_over"].eq(0).all()
        assert (frame.loc[frame["questions"] > 9, "node_error_high"] < 0).all()
    assert diagnostics("deepest", "size").loc["21-50", "parent_f1"] > 0.9


def test_a_model_that_misses_one_curve_in_big_trees_is_found_out_by_size() -> None:
    frame = diagnostics("one of many", "size")
    small, big = frame.loc[["1-2", "3-5", "6-10", "11-20"]], frame.loc[["21-50", "51+"]]
    assert small["tree_accuracy"].eq(1).all()
    assert small["node_error"].eq(0).all()
    assert big["tree_accuracy"].eq(0).all()
    assert big["node_error"].eq(-1).all()
    assert big["absolute_node_error"].eq(1).all()
    assert (big["edit_distance_high"] < 0.1).all()


def test_strata_hold_the_rows_that_they_name() -> None:
    whole = pd.concat(trees().values())
    whole = whole[whole["split"] == "test"]
    sizes = diagnostics("chain", "size")["n"]
    assert list(sizes.index) == ["1-2", "3-5", "6-10", "11-20", "21-50", "51+"]
    assert sizes.to_list() == np.histogram(whole["num_nodes"], [1, 3, 6, 11, 21, 51, 999])[0].tolist()
    deep = diagnostics("chain", "depth")["n"]
    depths = whole["parents"].map(depth)
    assert deep.to_list() == np.histogram(depths, [1, 2, 3, 5, 9, 999])[0].tolist()


def test_what_was_cut_off_is_unanswered_and_no_error_of_its_own() -> None:
    frame = table("rewards").set_index(["model", "category"]).loc["cut off"]
    assert frame.loc["maze", "cut_off"] == pytest.approx(1 - frame.loc["maze", "answered"])
    assert holds(frame.loc["maze"], "cut_off", 0.6)
    assert frame.drop(index="maze")["cut_off"].eq(0).all()
    maze = diagnostics("cut off", "category").loc["maze"]
    assert maze["node_error"] == 0
    assert maze["tree_accuracy"] == frame.loc["maze", "answered"]


def test_each_row_counts_once_however_many_samples_it_has() -> None:
    """Four samples of each easy row beside one of each other row: rows of 3 to 5 curves are of both kinds."""
    made = scored(
        "curves", trees(), {"m": lambda row, rng: right(row, rng) if row.category != "easy" else "0"}, {"easy": 4}
    )
    frame = next(found.frame for found in curves.tables(made) if found.name == "diagnostics").set_index(
        ["stratum", "value"]
    )
    whole = pd.concat(trees().values())
    whole = whole[(whole["split"] == "test") & whole["num_nodes"].between(3, 5)]
    assert frame.loc[("size", "3-5"), "n"] == len(whole)
    assert frame.loc[("size", "3-5"), "tree_accuracy"] == pytest.approx((whole["category"] != "easy").mean())


def test_samples_of_a_row_are_no_more_independent_than_the_row() -> None:
    easy = table("easy").set_index("model").loc["chain"]
    by_rows = wilson(round(easy["tree_accuracy"] * easy["n"]), int(easy["n"]))
    assert easy["tree_accuracy_high"] - easy["tree_accuracy_low"] > 1.5 * (by_rows.high - by_rows.low)


def test_a_curriculum_is_told_by_level() -> None:
    rows = trees()["polygon"].assign(level=lambda some: np.arange(len(some)) % 3 + 1, split="train")
    made = scored("curves", {"curriculum": rows}, {"m": lambda row, rng: right(row, rng) if row.level < 3 else ""}, {})
    tables = {found.name: found.frame for found in curves.tables(made)}
    assert set(tables) == {"categories", "rewards", "diagnostics"}
    frame = tables["diagnostics"].set_index(["stratum", "value"])
    assert [frame.loc[("level", level), "tree_accuracy"] for level in ("1", "2", "3")] == [1, 1, 0]
    assert "diagnostics_level" in {figure.name for figure in curves.figures(made)}


def test_models_are_told_apart_and_uniform_ones_alike() -> None:
    made = scored("curves", trees(), {"a": right_in_three_of_four, "b": right_in_three_of_four}, {})
    hard = next(found.frame for found in curves.tables(made) if found.name == "hard").set_index("model")
    assert holds(hard.loc["a"], "tree_accuracy", 0.75)
    assert holds(hard.loc["b"], "tree_accuracy", 0.75)


# --- planar maps


@cache
def maps() -> dict[str, pd.DataFrame]:
    """Rings of faces around the exterior, of 3 to 15 faces."""
    rng = np.random.default_rng(3)
    lines = []
    for item in range(40):
        faces, crossings = int(rng.integers(3, 16)), int(rng.integers(2, 15))
        lines.append(
            {
                "id": f"map-{item}",
                "answer": ring(faces),
                "num_faces": faces,
                "num_crossings": crossings,
                "num_curves": 3 + item % 5,
                "adjacent": [],
                "split": "test",
            }
        )
    return {"planar_map": pd.DataFrame(lines).set_index("id")}


def ring(faces: int) -> str:
    pairs = [(face, face % faces + 1) for face in range(1, faces + 1)] if faces > 2 else []
    outer = [(0, face) for face in range(1, faces + 1)]
    return "\n".join([str(faces), *(f"{min(p)} {max(p)}" for p in outer + pairs)])


def misses_a_face_of_many_crossings(row: Any, rng: np.random.Generator) -> str:
    return ring(row.num_faces - 1) if row.num_crossings > 8 else str(row.answer)


def a_star(row: Any, rng: np.random.Generator) -> str:
    """The right number of faces, all beside the exterior alone."""
    return "\n".join([str(row.num_faces), *(f"0 {face}" for face in range(1, row.num_faces + 1))])


@cache
def mapped() -> tuple[Scored, dict[str, pd.DataFrame]]:
    made = scored("curves_maps", maps(), {"face": misses_a_face_of_many_crossings, "star": a_star}, {})
    return made, {found.name: found.frame for found in curves_maps.tables(made)}


def test_a_model_that_misses_a_face_where_there_are_many_crossings_is_found_out() -> None:
    tables = mapped()[1]
    frame = tables["diagnostics"].query("model == 'face' and stratum == 'crossings'").set_index("value")
    few, many = frame.loc[["1-2", "3-4", "5-8"]], frame.loc[["9-12", "13+"]]
    assert few["map_accuracy"].eq(1).all()
    assert few["face_error"].eq(0).all()
    assert many["map_accuracy"].eq(0).all()
    assert many["face_error"].eq(-1).all()
    assert many["pairs_error"].le(-2).all()
    assert frame["n"].sum() == len(maps()["planar_map"])
    (row,) = tables["maps"].query("model == 'face'").to_dict("records")
    assert row["map_accuracy"] == pytest.approx((maps()["planar_map"]["num_crossings"] <= 8).mean())
    assert {"crossings", "faces", "curves"} == set(tables["diagnostics"]["stratum"])


def test_a_star_has_the_right_faces_and_the_wrong_map() -> None:
    tables = mapped()[1]
    row = tables["rewards"].set_index("model").loc["star"]
    assert row[["reward_1", "reward_0_3", "reward_0"]].tolist() == [0, 1, 0]
    frame = tables["diagnostics"].query("model == 'star'")
    assert frame["face_error"].eq(0).all()
    assert (frame["pairs_error"] < 0).all()
    assert (frame["pairs_error_high"][frame["questions"] > 9] < 0).all()


# --- figures


def test_figures_show_every_category_and_model() -> None:
    drawn: list[Figure] = curves.figures(simulation()[0])
    assert [figure.name for figure in drawn] == ["categories", "rewards", "diagnostics_size", "diagnostics_depth"]
    for figure in drawn:
        ElementTree.fromstring(figure.svg)
        assert all(model in figure.svg for model in MODELS), figure.name
    for figure in drawn[:2]:
        assert all(category in figure.svg for category in SIZES), figure.name
    maps_drawn = curves_maps.figures(mapped()[0])
    assert [figure.name for figure in maps_drawn] == [
        "rewards",
        "diagnostics_crossings",
        "diagnostics_faces",
        "diagnostics_curves",
    ]


def test_rows_for_training_alone_make_no_figures() -> None:
    easy = trees()["easy"]
    made = scored("curves", {"easy": easy[easy["split"] == "train"]}, {"m": right}, {})
    assert curves.tables(made) == []
    assert curves.figures(made) == []
