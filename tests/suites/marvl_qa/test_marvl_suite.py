"""MaRVL-QA as a suite: what its plan deals, which parts its datasets share, and what its shards say of themselves."""

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.evals.marvl_qa.prompt import LABELS
from planimeter.flows.shards import Shard
from planimeter.generators.marvl_qa.plan import counting_cells, families, family, transformation_cells
from planimeter.generators.seeding import without_variant
from planimeter.items import TRANSFORMATIONS
from planimeter.suites.loading import load
from planimeter.suites.marvl_qa import checks as checks
from planimeter.suites.marvl_qa.recipe import SuiteRecipe
from planimeter.suites.pipeline import suite_of

RECIPE = load("marvl-qa-mini")
assert isinstance(RECIPE, SuiteRecipe)
suite = suite_of(RECIPE)
COUNTING, TASK = RECIPE.counting, RECIPE.transformation
#: Keys of the transformation task in which the mini set may differ from the full one.
APART = {"pairs", "styles", "pairs_per_shard"}


def shard_of(config: str, *cell: str | int, count: int = 1) -> Shard:
    return Shard(suite="marvl_qa", config=config, cell=cell, first=0, count=count)


@given(st.floats(0.001, 30))
def test_the_plan_deals_every_quota_whatever_the_scale(scale: float) -> None:
    cells = counting_cells(COUNTING.questions, COUNTING.count_bins, COUNTING.maxima_share, scale)
    total = max(1, int(172 * scale + 0.5))
    assert sum(quota for _, quota in cells) == total
    assert abs(sum(quota for cell, quota in cells if "maxima" in cell) - total * 81 / 172) <= 1
    dealt = Counter(dict.fromkeys(TRANSFORMATIONS, 0))
    for (_, transformation), quota in transformation_cells(TASK.pairs, scale):
        dealt[transformation] += quota
    assert max(dealt.values()) - min(dealt.values()) <= 1


@given(st.integers(1, 2000), st.integers(0, 2000))
def test_fewer_pairs_have_no_larger_quota(pairs: int, more: int) -> None:
    small, large = (dict(transformation_cells(number, 1.0)) for number in (pairs, pairs + more))
    assert all(quota <= large.get(cell, 0) for cell, quota in small.items())


def test_at_full_scale_bins_are_the_papers() -> None:
    bins, features, held = (Counter[Any]() for _ in range(3))
    cells = counting_cells(COUNTING.questions, COUNTING.count_bins, COUNTING.maxima_share, 1.0)
    for (_, feature, low, _), quota in cells:
        bins[low] += quota
        features[feature] += quota
    assert [bins[low] for low, _ in COUNTING.count_bins] == [71, 65, 30, 6]
    assert features == {"maxima": 81, "minima": 91}
    for (name, _), quota in transformation_cells(TASK.pairs, 1.0):
        held[name] += quota
    assert set(held) == {f.name for f in families() if f.transformations}
    assert max(held.values()) <= 2 * TASK.pairs / len(held)
    for shard in suite.plan(RECIPE):
        assert shard.count <= max(COUNTING.questions_per_shard, TASK.pairs_per_shard)


larger = [pytest.param(seed, 0.008, 8, marks=pytest.mark.slow) for seed in (5, RECIPE.seed)]


@pytest.mark.parametrize(("seed", "scale", "pairs"), [(6, 0.002, 2), *larger])
def test_the_mini_set_is_a_part_of_the_full_one(seed: int, scale: float, pairs: int) -> None:
    """The same ids with the same pictures and the same in all other columns (section 3.3)."""
    published = []
    for name in ("marvl-qa-mini", "marvl-qa"):
        recipe = load(name).model_copy(update={"scale": scale, "seed": seed})
        judge, rows = suite.distinct(recipe), {}
        for shard in suite.plan(recipe):
            if shard.config == "transformation":
                made = suite.make(recipe, shard)
                for item, signature in zip(made.items, made.signatures, strict=True):
                    if judge(shard, [signature.hex()])[0].kept:
                        rows |= {row["id"]: row for row in item["transformation"]}
        published.append(rows)
    mini, full = published
    assert 0 < len(mini) < len(full) == pairs * 81
    assert all(full[name] == row for name, row in mini.items())
    styles = Counter(row["seed"] - without_variant(row["seed"]) for row in full.values())
    assert styles == dict.fromkeys(range(81), pairs), "all styles show each pair of plots"


def test_the_recipes_of_both_differ_in_numbers_and_styles_only() -> None:
    full = load("marvl-qa")
    assert isinstance(full, SuiteRecipe)
    assert (full.seed, full.counting) == (RECIPE.seed, RECIPE.counting)
    assert full.transformation.model_dump(exclude=APART) == TASK.model_dump(exclude=APART)


def test_equal_pairs_are_looked_for_within_their_cell() -> None:
    """How many pairs another cell has must decide nothing here, or the mini set would be no part of the full one."""
    judge, (cone, plane) = (
        suite.distinct(RECIPE),
        (shard_of("transformation", f, "translate_x") for f in ("cone", "plane")),
    )
    assert [judge(shard, ["00"])[0].kept for shard in (cone, plane, cone)] == [True, True, False]
    bins = [shard_of("counting", "wave_surface", "minima", *ends) for ends in ((6, 10), (1, 5))]
    assert [judge(shard, ["00"])[0].kept for shard in bins] == [True, False]


def test_an_ambiguous_example_says_what_fits_as_well() -> None:
    """Among what fits is what the filter stopped at, of the question that it was asked as."""
    named = re.compile(r"(?:as (\w+): )?looks like (\w+)")
    shard = shard_of("transformation", "wave_surface", "translate_x", count=4)
    rejected = [e for e in suite.make(RECIPE, shard).rejects if e.check == "ambiguity"]
    confused = [(example, reason) for example in rejected if (reason := named.match(example.reason))]
    assert {bool(reason[1]) for _, reason in confused} == {True, False}, "asked as itself, and as another"
    for example, reason in confused:
        assert example.answer == LABELS[reason[1] or "translate_x"]
        assert LABELS[reason[2]] in example.fits.split("; ")
        assert example.answer not in example.fits


@pytest.mark.parametrize("name", [f.name for f in families()])
def test_every_family_can_be_asked_what_it_declares(name: str) -> None:
    """One item of each kind that the plan may deal to the family; the certificates are part of making it."""
    declared = family(name)
    assert declared.transformations or declared.counts, "a family that nobody asks about"
    for transformation in declared.transformations[:1]:
        assert suite.make(RECIPE, shard_of("transformation", name, transformation)).missing == 0
    for feature, (low, high) in declared.counts.items():
        (item,) = suite.make(RECIPE, shard_of("counting", name, feature, low, high)).items
        rows = item["counting"]
        assert all(row["answer"] == str(row["count"]) for row in rows)
        assert [row["seed"] - without_variant(row["seed"]) for row in rows] == list(range(9))
        assert len({without_variant(row["seed"]) for row in rows}) == 1
        assert len({row["id"] for row in rows}) == 9
