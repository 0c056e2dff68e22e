"""Streams: rows are functions of their addresses, whoever makes them; none is a test item; ladders hold a target."""

import json
import pickle
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from datasets.distributed import split_dataset_by_node
from hypothesis import given
from hypothesis import strategies as st

from planimeter.evals import grade
from planimeter.evals.grading import protocol
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.suites import suite_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.editions import CHECK, likeness, refusal
from planimeter.recipes.loading import available, load
from planimeter.streams import LADDERS, Adaptive, again, levels, mixture, stream
from planimeter.streams.items import Items
from planimeter.streams.ladders import ROOTS, SEEDS, Source, parsed
from planimeter.streams.stream import SHARD, Stream

#: The quickest one.
QUICK = {"ladder": "curves", "level": 1, "seed": 11}


def quick(**more: int):
    return stream(QUICK["ladder"], level=QUICK["level"], seed=QUICK["seed"], **more)


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    """The first rows of the quick stream."""
    return list(islice(quick(), 20))


@pytest.mark.parametrize(
    "ladder", [pytest.param(name, marks=[pytest.mark.slow] * (name == "traversal-curved")) for name in LADDERS]
)
def test_rows_have_the_columns_of_the_training_dataset_and_are_right(ladder: str) -> None:
    made = stream(ladder, level=2, seed=3)
    row = next(iter(made))
    suite, config = made.source.recipe.suite, made.source.config
    assert set(row) == set(made.schema.by_name)
    assert row.get("difficulty", row["level"]) == 2
    assert grade(row, protocol(suite).render(row["answer"]), suite=suite, config=config).value == 1.0
    assert row["image"]["bytes"].startswith(b"\x89PNG")
    assert row["certified_by"]
    assert again(row["address"]) == row
    checks = made.funnel[config]
    assert checks[CHECK]["kept"] >= 1
    assert checks["certify"]["kept"] >= 1


@pytest.mark.parametrize("ladder", LADDERS)
def test_levels_and_seeds_share_no_item_and_cells_come_by_their_weights(ladder: str) -> None:
    source = Source(ladder=ladder, level=1, seed=0)
    others = (Source(ladder=ladder, level=2, seed=0), Source(ladder=ladder, level=1, seed=1))
    seeds = [{item_seed_of(one, k) for k in range(200)} for one in (source, *others)]
    assert all(len(found) == 200 for found in seeds)
    assert len(set.union(*seeds)) == 600
    cells, ends = source.cells
    drawn = [cells.index(source.cell_of(k)) for k in range(2000)]
    share = np.bincount(drawn, minlength=len(cells)) / len(drawn)
    assert abs(share - np.diff(ends, prepend=0)).max() < 0.05


def item_seed_of(source: Source, k: int) -> int:
    maker = source.suite.maker(source.recipe, source.cell_of(k))
    return next(iter(maker.seeds(k)))


def test_roots_are_apart_from_those_of_every_recipe() -> None:
    recipes = [recipe for name in available() if isinstance(recipe := load(name), Recipe)]
    assert max(recipe.seed for recipe in recipes) < ROOTS
    assert Source(ladder="curves", level=1, seed=SEEDS - 1).recipe.seed < 2**63
    assert Source(ladder="curves", level=1, seed=0).recipe.seed == ROOTS


def test_what_is_asked_for_decides_nothing(rows: list[dict]) -> None:
    assert list(islice(quick(start=5), 15)) == rows[5:]
    items = Items(Source(**QUICK))
    assert [items.item(k).row for k in (19, 3, 7)] == [rows[19], rows[3], rows[7]]
    assert [item.row for item in quick().shard(1)] == rows[SHARD : 2 * SHARD]


def test_a_state_goes_on_behind_the_last_row_here_and_in_other_processes(rows: list[dict]) -> None:
    first = quick()
    assert list(islice(first, 9)) == rows[:9]
    second = quick()
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert list(islice(second, 2)) == rows[9:11]
    assert next(iter(pickle.loads(pickle.dumps(first)))) == rows[9]


def test_a_repeat_is_left_out_and_still_is_behind_a_resume(rows: list[dict], monkeypatch: pytest.MonkeyPatch) -> None:
    made = Items.item

    def doubled(self: Items, k: int):
        return made(self, k // 2)

    monkeypatch.setattr(Items, "item", doubled)
    whole = quick()
    assert list(islice(whole, 3)) == rows[:3]
    later = quick()
    later.load_state_dict(whole.state_dict())
    assert next(iter(later)) == rows[3]


class Judge:
    """Refuses one likeness."""

    def __init__(self, config: str, row: dict) -> None:
        self.refused = likeness("curves", config, row)

    def judge(self, item):
        return refusal(1.0, 0.6, refused=item == self.refused)


def test_what_looks_like_a_test_item_is_refused(rows: list[dict], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planimeter.streams.items.judge_of", lambda _: Judge("curriculum", rows[1]))
    kept = quick()
    first, other, third = islice(kept, 3)
    assert [first, third] == [rows[0], rows[2]]
    # The next candidate at the address takes its place.
    assert other["address"] == rows[1]["address"] and other["curves"] != rows[1]["curves"]
    assert kept.funnel["curriculum"][CHECK]["rejected"] == {"is like a published test item": 1}


def test_a_drawing_like_a_test_item_gives_way_to_the_next_candidate_in_the_build_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recipe = load("curves-train")
    assert isinstance(recipe, Recipe)
    suite = suite_of(recipe)
    shard = replace(suite.plan(recipe)[0], count=2)
    assert suite.tests(shard) is not None
    first, second = (item["curriculum"][0] for item in suite.make(recipe, shard).items)
    monkeypatch.setattr("planimeter.recipes.editions.judge_of", lambda _: Judge("curriculum", first))
    made = suite.make(recipe, shard)
    (other, same) = (item["curriculum"][0] for item in made.items)
    assert made.missing == 0
    assert other["curves"] != first["curves"] and other["seed"] == first["seed"]
    assert same == second
    assert suite.again(recipe, other) == other


def test_a_dataset_resumes_within_a_shard_and_splits_among_nodes(rows: list[dict]) -> None:
    dataset = quick().dataset(shards=2)
    addresses = [row["address"] for row in rows[: 2 * SHARD]]
    first = iter(dataset)
    assert [next(first)["address"] for _ in range(5)] == addresses[:5]
    state = dataset.state_dict()
    again_ = quick().dataset(shards=2)
    again_.load_state_dict(state)
    row = next(iter(again_))
    assert row["address"] == addresses[5]
    assert row["image"].size == (1024, 1024)
    nodes = [[row["address"] for row in split_dataset_by_node(dataset, rank, 2)] for rank in (0, 1)]
    assert nodes == [addresses[:SHARD], addresses[SHARD:]]


def test_a_dataset_that_resumes_late_makes_few_items_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    item = quick().item(0)

    def counted(self: Stream, k: int):
        asked.append(k)
        return item._replace(row={**item.row, "address": str(k)})

    monkeypatch.setattr(Stream, "item", counted)
    dataset = quick().dataset()
    assert dataset.num_shards == 100_000
    first = iter(dataset)
    for _ in range(10 * SHARD):
        next(first)
    later = quick().dataset()
    later.load_state_dict(dataset.state_dict())
    asked.clear()
    assert next(iter(later))["address"] == str(10 * SHARD)
    assert len(asked) <= SHARD + 1


def test_a_mixture_is_drawn_by_its_weights_and_has_common_columns(rows: list[dict]) -> None:
    easy, hard = quick(), stream("curves", level=2, seed=11)
    both = mixture({easy: 3.0, hard: 1.0}, seed=4)
    taken = list(islice(both, 12))
    assert {row["level"] for row in taken} == {1, 2}
    assert all(again(row["address"]) == row for row in taken[:2])
    assert list(islice(mixture({quick(): 1.0}), 3)) == rows[:3]
    row = next(iter(both.dataset(shards=3)))
    assert json.loads(row["row"])["level"] == taken[0]["level"]
    assert row["address"] == taken[0]["address"]


class Reader:
    """A learner whose chance falls by a quarter a level."""

    def __init__(self, skill: float) -> None:
        self.skill = skill

    def rate(self, position: float) -> float:
        return float(np.clip(0.5 + (self.skill - position) / 4, 0, 1))


@given(skill=st.floats(1.5, 7.5), target=st.floats(0.3, 0.7), begin=st.floats(1, 8))
def test_a_ladder_rests_where_the_reward_is_the_target(skill: float, target: float, begin: float) -> None:
    ladder, reader = Adaptive("curves", target=target, level=begin, gain=0.2), Reader(skill)
    for _ in range(400):
        ladder.report(round(ladder.position), reader.rate(ladder.position))
    wanted = np.clip(skill + 4 * (0.5 - target), 1, 8)
    assert ladder.position == pytest.approx(wanted, abs=0.05)


def test_a_ladder_draws_the_levels_about_its_position_and_goes_on_from_its_state() -> None:
    ladder = Adaptive("curves", level=1.5, seed=2)
    first = list(islice(ladder, 6))
    assert {row["level"] for row in first} == {1, 2}
    assert len({row["address"] for row in first}) == 6
    ladder.report(first[0]["address"], 1.0)
    assert ladder.position == pytest.approx(1.5 + 0.05 * 0.5)
    later = Adaptive("curves", seed=2)
    later.load_state_dict(json.loads(json.dumps(ladder.state_dict())))
    assert list(islice(later, 3)) == list(islice(ladder, 3))


def test_rewards_of_levels_left_behind_move_nothing() -> None:
    ladder = Adaptive("curves", level=5.0)
    ladder.report(3, 1.0)
    assert ladder.position == 5.0
    ladder.report(4, 1.0)
    assert ladder.position > 5.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: stream("nothing"), "there are: counting"),
        (lambda: stream("curves", level=0), "levels 1 .easiest. to 8, got 0"),
        (lambda: stream("curves", level=9), "got 9"),
        (lambda: stream("curves", seed=-1), "seed"),
        (lambda: again("curves/1"), "LADDER/LEVEL/SEED/NUMBER"),
        (lambda: again(f"curves/1/0/{2**32}"), "another seed"),
        (lambda: Adaptive("curves", target=1.0), "target"),
        (lambda: Adaptive("curves", gain=0.0), "gain"),
        (lambda: Adaptive("curves", level=9), "levels"),
        (lambda: Adaptive("curves").report(1, 1.5), "0 to 1"),
        (lambda: Adaptive("curves").report("geogram/1/0/0", 1.0), "no row of curves"),
        (lambda: mixture({}), "weights"),
    ],
)
def test_what_is_wrong_is_named(wrong, message: str) -> None:
    with pytest.raises(PlanimeterError, match=message):
        wrong()


def test_an_address_is_read_as_it_is_written() -> None:
    source = Source(ladder="geogram", level=3, seed=9)
    assert parsed(source.address(4)) == (source, 4)
    assert levels("geogram") >= 3
