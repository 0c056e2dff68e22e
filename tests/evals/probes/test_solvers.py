"""The reference models: right where they must be, at chance where they guess, and the same bytes however they run."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import command_line
import numpy as np
import pytest
from small_datasets import CELLS, Small, scores, solved, written

from planimeter.evals import grade
from planimeter.evals import suite as protocol_of
from planimeter.evals.baselines import solving
from planimeter.evals.baselines.solver import Solver, commonest
from planimeter.export.built import Built
from planimeter.export.columns import COMMON
from planimeter.export.manifest import Manifest
from planimeter.export.schema import schema_of
from planimeter.items import OPTIONS, STYLES
from planimeter.items.suites import SUITES
from planimeter.suites.marvl_qa.probes import registered
from planimeter.suites.marvl_qa.thumbnails import peaks

#: What says the answer: a model that claims to see only pictures or code may look at none of it.
TELLING = "answer count extrema extrema_px transformation offset offset_px parents canonical curves adjacent areas"


def solver(small: Small, name: str, config: str) -> Solver:
    built = Built.at(small.folder)
    _, found = solving.solvers(small.suite, name, built.manifest.recipe, [config])
    return solving.taught(found[config], built.groups(config))


def answer(one: Solver, row: dict[str, Any]) -> str:
    return one.answer(row, np.random.default_rng(0))


def guesses(one: Solver, row: dict[str, Any], number: int) -> Iterator[str]:
    return (one.answer(row, np.random.default_rng(seed)) for seed in range(number))


def is_about(hits: int, number: int, share: float) -> bool:
    """Whether ``hits`` of ``number`` are within five standard deviations of ``share``."""
    return abs(hits - number * share) <= 5 * math.sqrt(number * share * (1 - share)) + 1e-9


@pytest.mark.parametrize("name", CELLS)
def test_the_certifier_is_right_about_every_row(small, name, tmp_path):
    given = small(name)
    replies = solved(given, "certifier", tmp_path / "replies.jsonl")
    assert {(reply["model"], reply["sample"], len(reply)) for reply in replies} == {("certifier", 0, 4)}
    assert {one for found in scores(given, replies).values() for one in found} == {1.0}
    assert len(replies) == sum(map(len, given.rows.values()))


@pytest.mark.parametrize("name", [name for name in CELLS if not name.startswith("geogram")])
def test_the_certifier_reads_the_picture_and_not_the_row(small, name):
    given = small(name)
    for config in given.rows:
        one = solver(given, "certifier", config)
        assert "image" in one.columns
        assert not set(TELLING.split()) & set(one.columns)
        # Which markers there are it takes from the row; their order must not matter but for the start.
        for row in given.rows[config][:3]:
            shown = {column: row[column] for column in one.columns}
            if "markers" in shown:
                shown["markers"] = [row["markers"][0], *sorted(row["markers"][1:])]
            assert answer(one, shown) == row["answer"]
            assert answer(one, {**shown, "image": {"bytes": b"no picture"}}) == ""


def test_the_certifier_takes_no_answer_that_it_does_not_find(small):
    given = small("geogram")
    one = solver(given, "certifier", "geogram")
    for row in given.rows["geogram"]:
        reply = answer(one, {**row, "answer_latex": f"{row['answer']}+1"})
        assert float(reply) == pytest.approx(row["answer_value"], rel=2e-6)


@pytest.mark.parametrize("name", ["curves", "curves-train", "curves-looks", "curves-maps", "geogram"])
def test_majority_has_the_share_of_the_commonest_answer(small, name, tmp_path):
    given = small(name)
    values = scores(given, solved(given, "majority", tmp_path / "replies.jsonl"))
    for config, rows in given.rows.items():
        most = max(Counter(row["answer"] for row in rows).values())
        # Two maps may be one, but for the numbers of the faces.
        assert sum(values[config]) >= most if name == "curves-maps" else sum(values[config]) == most


def test_majority_names_the_commonest_marker_of_a_position(small):
    assert commonest({"b": 2, "a": 2, "c": 1}) == "a", "of equally common ones the first in the alphabet"
    given = small("traversal")
    rows = given.rows["confounded"]
    one = solver(given, "majority", "confounded")
    for row in rows:
        said = answer(one, row).split(", ")
        assert (said[0], len(said)) == (row["markers"][0], row["n_points"])
        for position, marker in enumerate(said[1:], start=1):
            there = Counter(other["markers"][position] for other in rows)
            assert there[marker] == max(there.values())


def are_about(drawn: Counter[Any], shares: dict[Any, float]) -> bool:
    """Whether nothing but these were drawn, and each about as often as its share says."""
    return set(drawn) == set(shares) and all(is_about(drawn[name], drawn.total(), p) for name, p in shares.items())


def test_random_counts_options_and_answers_are_at_chance(small, tmp_path):
    given = small("marvl-qa-mini")
    row, counts = given.rows["counting"][0], enumerate((1, 1, 1, 2, 2, 7))
    rows = [{**row, "count": count, "answer": str(count), "id": f"{row['id']}{place}"} for place, count in counts]
    made = written(tmp_path, Manifest.read(given.folder).recipe, {"counting": rows})
    drawn = Counter(guesses(solver(made, "random", "counting"), rows[0], 3000))
    assert are_about(drawn, {"1": 1 / 2, "2": 1 / 3, "7": 1 / 6})
    drawn = Counter(guesses(solver(given, "random", "transformation"), given.rows["transformation"][0], 3000))
    assert are_about(drawn, dict.fromkeys("12345", 0.2))
    # An answer is that of another problem, each alike.
    rows = small("geogram").rows["geogram"]
    drawn = Counter(guesses(solver(small("geogram"), "random", "geogram"), rows[0], 3000))
    others = Counter(row["answer"] for row in rows[1:])
    assert are_about(drawn, {said: number / (len(rows) - 1) for said, number in others.items()})


@pytest.mark.parametrize(("name", "config"), [("curves-train", "curriculum"), ("curves-maps", "planar_map")])
def test_a_random_tree_or_map_has_the_size_of_a_row(small, name, config):
    given = small(name)
    rows = given.rows[config]
    said = list(guesses(solver(given, "random", config), rows[0], 1000))
    sizes = Counter(row["answer"].split("\n", 1)[0] for row in rows)
    drawn = Counter(answer.split("\n", 1)[0] for answer in said)
    assert are_about(drawn, {size: number / len(rows) for size, number in sizes.items()})
    replies = (f"<answer>\n{answer}\n</answer>" for answer in said[:100])
    assert all(grade(rows[0], reply, suite=given.suite, config=config).answered for reply in replies)


def test_a_random_path_is_at_chance_position_by_position(small):
    given = small("traversal")
    for config in ("base", "reading_order"):
        row, one, number = given.rows[config][0], solver(given, "random", config), 2000
        graded = [grade(row, reply, suite="traversal", config=config) for reply in guesses(one, row, number)]
        n = row["n_points"]
        hits = np.sum([score.correct for score in graded], axis=0)
        assert hits[0] == number
        assert all(is_about(int(h), number, 1 / (n - 1)) for h in hits[1:])
        # (1 + 1) / n of the tokens, and one list in (n - 1)!.
        assert np.mean([s.metrics["token_accuracy"] for s in graded]) == pytest.approx(2 / n, abs=0.02)
        assert sum(s.value for s in graded) <= 2


def test_a_thumbnail_shows_the_peaks_of_a_heatmap(small):
    given = small("marvl-qa-mini")
    one = solver(given, "thumbnail-32", "counting")
    rows = [row for row in given.rows["counting"] if row["plot_type"] == "heatmap"]
    assert len(rows) == 4 * len(given.rows["counting"]) / len(STYLES)
    assert [answer(one, row) for row in rows] == [row["answer"] for row in rows]
    assert peaks(np.zeros((24, 24), np.float32), "maxima") == 0


@pytest.mark.parametrize("size", [8, 24])
def test_registration_names_what_was_done_to_a_thumbnail(size):
    wide = np.random.default_rng(1).normal(size=(2 * size, 2 * size)).astype(np.float32)
    field, step = wide[:size, :size], size // 6
    done = {
        "no_change": field,
        "rotate_90_clockwise": np.rot90(field, -1),
        "rotate_180": np.rot90(field, 2),
        "translate_x": wide[:size, step : size + step],
        "translate_y": wide[step : size + step, :size],
    }
    assert set(done) == set(OPTIONS)
    assert all(registered(field, 3 * after + 7, OPTIONS) == name for name, after in done.items())
    # Either way along an axis is the same option.
    assert registered(done["translate_x"], field, OPTIONS) == "translate_x"
    assert registered(done["translate_y"], field, OPTIONS) == "translate_y"


def test_plots_of_weak_and_strong_colours_have_a_common_scale():
    field = np.random.default_rng(0).normal(0, 0.01, (24, 24)).astype(np.float32)
    # Every shift leaves these edges out, so that little differs unless each thumbnail is scaled.
    field[:, 0], field[0] = 5.0, 5.0
    assert registered(field, 0.1 * np.rot90(field, 2), OPTIONS) == "rotate_180"


def test_paths_are_guessed_from_places_alone():
    row = {"markers": ["a", "b", "c", "d"], "points": [[5.0, 0.0], [0.0, 0.0], [6.0, 0.0], [9.0, 0.0]]}
    for name, wanted in (("nearest", "a, c, d, b"), ("left-to-right", "a, b, c, d")):
        _, found = solving.solvers("traversal", name, {}, ["base"])
        for order in ([0, 1, 2, 3], [0, 3, 2, 1], [0, 2, 3, 1]):
            shown = {column: [values[k] for k in order] for column, values in row.items()}
            assert answer(found["base"], shown) == wanted


@pytest.mark.parametrize(("name", "config"), [("curves", "polygon"), ("curves-maps", "planar_map")])
def test_chain_and_star_have_the_right_count(small, name, config):
    given = small(name)
    for shape in ("chain", "star"):
        one = solver(given, shape, config)
        for row in given.rows[config]:
            reply = protocol_of(given.suite).render(answer(one, row))
            assert grade(row, reply, suite=given.suite, config=config).metrics["count_accuracy"] == 1.0
    for shape, tree in (("chain", "3\n1 0\n2 1\n3 2"), ("star", "3\n1 0\n2 0\n3 0")):
        assert answer(solving.solvers("curves", shape, {}, ["easy"])[1]["easy"], {"num_nodes": 3}) == tree


def test_copies_are_of_the_statement_and_rulers_of_the_drawing(small):
    given = small("geogram")
    for row in given.rows["geogram"]:
        stated = set(re.findall(r"\d+(?:\.\d+)?", row["problem"]))
        assert set(guesses(solver(given, "copy", "geogram"), row, 200)) == stated
        (measured,) = set(guesses(solver(given, "ruler", "geogram"), row, 2))
        assert float(measured) != pytest.approx(row["answer_value"], rel=1e-3), "a drawing to scale"
    copy = solver(given, "copy", "geogram")
    assert answer(copy, {"problem": "Find the angle."}) == ""


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_has_reference_models_for_every_config(suite):
    listed = solving.names(suite)
    assert {"majority", "random"} <= set(listed)
    assert all(said.endswith(".") and "\n" not in said for said in listed.values())
    configs = list(protocol_of(suite).CONFIGS)
    recipe: dict[str, Any] = {config: {} for config in configs}
    columns = {config: {column.name for column in schema_of(suite, config).columns} for config in configs}
    for name in listed:
        full, found = solving.solvers(suite, name, recipe, configs)
        assert full == name
        assert list(found) == configs
        for config, one in found.items():
            assert {*one.columns, *one.learns} <= columns[config] | {column.name for column in COMMON}


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_bytes_depend_on_the_seed_alone(small, tmp_path, workers):
    given, models = small("geogram"), "certifier,random,copy"
    for name, options in (("a", {}), ("b", {"workers": workers}), ("c", {"seed": 1})):
        solved(given, models, tmp_path / name, **options)
    first, again, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == again != other
    # One model's replies do not depend on which others are asked.
    solved(given, "copy", tmp_path / "d")
    assert first.endswith((tmp_path / "d").read_bytes())
    assert sorted(path.name for path in tmp_path.iterdir()) == list("abcd")


def test_configs_come_in_the_order_of_the_dataset(small, tmp_path):
    given = small("traversal")
    replies = solved(given, "nearest, majority,nearest", tmp_path / "r", config="reading_order,base")
    asked = [row["id"] for config in ("base", "reading_order") for row in given.rows[config]]
    assert [reply["id"] for reply in replies] == asked * 2
    assert [reply["model"] for reply in replies] == ["nearest"] * len(asked) + ["majority"] * len(asked)


def test_training_rows_are_answered_on_request_only(small, tmp_path):
    made = small("geogram")
    recipe = Manifest.read(made.folder).recipe
    given = written(tmp_path / "1.0.0", recipe, made.rows, ("train", "test"))
    tests, trained = made.rows["geogram"][1::2], made.rows["geogram"][::2]
    asked = solved(given, "majority", tmp_path / "asked")
    assert [reply["id"] for reply in asked] == [row["id"] for row in tests]
    # It is the commonest answer of the very rows that are asked.
    assert {reply["reply"] for reply in asked} <= {f"\\boxed{{{row['answer']}}}" for row in tests}
    every = solved(given, "majority", tmp_path / "every", all_splits=True)
    assert {reply["id"] for reply in every} == {row["id"] for row in [*tests, *trained]}


def test_the_models_are_listed(sample):
    listed = command_line.here("solve", "--list")
    assert (listed.code, listed.err) == (0, "")
    assert all(suite in listed.out.splitlines() for suite in SUITES)
    assert "thumbnail-24" in listed.out and "left-to-right" in listed.out
    listed = command_line.here("solve", str(sample), "--list")
    assert listed.out.splitlines()[0] == "marvl_qa" and "left-to-right" not in listed.out
