"""MaRVL-QA as a suite: what its plan deals, which parts its datasets share, and what its shards say of themselves."""

import hashlib
import itertools
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.evals.marvl_qa.prompt import LABELS
from planimeter.export.verify.checks import marvl_qa as checks
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Made, Shard
from planimeter.flows.suites import suite_of
from planimeter.generators import registry
from planimeter.generators.marvl_qa.curriculum import TRANSFORMATION
from planimeter.generators.marvl_qa.plan import FAMILIES, counting_cells, families, transformation_cells
from planimeter.generators.seeding import without_variant
from planimeter.items import TRANSFORMATIONS
from planimeter.recipes.loading import load
from planimeter.recipes.marvl_qa import SuiteRecipe

RECIPE = load("marvl-qa-mini")
assert isinstance(RECIPE, SuiteRecipe)
suite = suite_of(RECIPE)
COUNTING, TASK = RECIPE.counting, RECIPE.transformation
#: Keys of the transformation task in which the mini set may differ from the full one.
APART = {"pairs", "styles", "pairs_per_shard"}


def shard_of(config: str, *cell: str | int, first: int = 0, count: int = 1) -> Shard:
    return Shard(suite="marvl_qa", config=config, cell=cell, first=first, count=count)


#: One shard of each task: small, and of families whose candidates are often rejected.
SHARDS = (
    shard_of("counting", "wave_surface", "minima", 6, 10),
    shard_of("transformation", "gabor_function", "translate_x", count=2),
)


def content(made: Made) -> str:
    whole = hashlib.sha256()
    for item in made.items:
        for row in next(iter(item.values())):
            whole.update(row["image"]["bytes"])
            whole.update(json.dumps({**row, "image": None}, sort_keys=True).encode())
    return whole.hexdigest()


@given(st.floats(0.001, 30))
def test_the_plan_deals_every_quota_whatever_the_scale(scale: float) -> None:
    cells = counting_cells(COUNTING.questions, COUNTING.count_bins, COUNTING.maxima_share, scale)
    total = max(1, int(172 * scale + 0.5))
    assert sum(cell.quota for cell in cells) == total
    assert abs(sum(cell.quota for cell in cells if cell.feature == "maxima") - total * 81 / 172) <= 1
    dealt = Counter(dict.fromkeys(TRANSFORMATIONS, 0))
    for cell in transformation_cells(TASK.pairs, scale):
        dealt[cell.transformation] += cell.quota
    assert max(dealt.values()) - min(dealt.values()) <= 1


@given(st.integers(1, 2000), st.integers(0, 2000))
def test_a_smaller_number_of_pairs_has_no_quota_above_a_larger_ones(pairs: int, more: int) -> None:
    small, large = (
        {(cell.family, cell.transformation): cell.quota for cell in transformation_cells(number, 1.0)}
        for number in (pairs, pairs + more)
    )
    assert all(quota <= large.get(cell, 0) for cell, quota in small.items())


def test_at_full_scale_bins_are_the_papers_and_no_family_has_more_than_a_fair_share_of_the_pairs() -> None:
    bins, features, held = (Counter[Any]() for _ in range(3))
    for cell in counting_cells(COUNTING.questions, COUNTING.count_bins, COUNTING.maxima_share, 1.0):
        bins[cell.low] += cell.quota
        features[cell.feature] += cell.quota
    assert [bins[low] for low, _ in COUNTING.count_bins] == [71, 65, 30, 6]
    assert features == {"maxima": 81, "minima": 91}
    for cell in transformation_cells(TASK.pairs, 1.0):
        held[cell.family] += cell.quota
    assert set(held) == {f.name for f in families() if f.transformations}
    assert max(held.values()) <= 2 * TASK.pairs / len(held)


@pytest.mark.parametrize(
    ("seed", "scale", "pairs"),
    [
        (6, 0.002, 2),
        pytest.param(5, 0.008, 8, marks=pytest.mark.slow),
        pytest.param(RECIPE.seed, 0.008, 8, marks=pytest.mark.slow),
    ],
)
def test_the_mini_set_is_a_part_of_the_full_one_at_any_scale_and_seed(seed: int, scale: float, pairs: int) -> None:
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


def test_the_recipes_of_both_differ_in_numbers_and_styles_only() -> None:
    full = load("marvl-qa")
    assert isinstance(full, SuiteRecipe)
    assert (full.seed, full.counting) == (RECIPE.seed, RECIPE.counting)
    assert full.transformation.model_dump(exclude=APART) == TASK.model_dump(exclude=APART)


def test_equal_pairs_are_looked_for_within_their_cell() -> None:
    """How many pairs another cell has must decide nothing here, or the mini set would be no part of the full one."""
    judge, (first, second) = suite.distinct(RECIPE), (SHARDS[1], replace(SHARDS[1], cell=("cone", "translate_x")))
    assert [judge(shard, ["00"])[0].kept for shard in (first, second, first)] == [True, True, False]
    counting, other = SHARDS[0], replace(SHARDS[0], cell=("wave_surface", "minima", 1, 5))
    assert [judge(shard, ["00"])[0].kept for shard in (counting, other)] == [True, False]


@given(st.floats(0.01, 4))
def test_shards_cover_each_cell_once_and_stay_small(scale: float) -> None:
    shards = suite.plan(RECIPE.model_copy(update={"scale": scale}))
    reached: dict[tuple[object, ...], int] = {}
    for shard in shards:
        cell = (shard.config, *shard.cell)
        assert shard.first == reached.get(cell, 0), "a gap or an overlap"
        assert 0 < shard.count <= max(COUNTING.questions_per_shard, TASK.pairs_per_shard)
        assert shard.modules == (f"{FAMILIES}.{shard.cell[0]}",)
        reached[cell] = shard.first + shard.count


@pytest.mark.process
def test_an_item_is_the_same_in_any_process() -> None:
    """Under any PYTHONHASHSEED, and whatever was made before it in the process."""
    code = (
        "import sys; sys.path[:0] = ['.', 'tests/support', 'tests/suites']\n"
        "from test_marvl_suite import RECIPE, SHARDS, content, suite\n"
        "for shard in SHARDS[::int(sys.argv[1])]: print(content(suite.make(RECIPE, shard)))"
    )
    here = [content(suite.make(RECIPE, shard)) for shard in SHARDS]
    for salt, step in (("0", 1), ("1", -1)):
        there = subprocess.run(
            [sys.executable, "-c", code, str(step)],
            env={"PYTHONHASHSEED": salt},
            capture_output=True,
            text=True,
            check=True,
        )
        assert there.stdout.split() == here[::step]


@pytest.mark.parametrize("shard", SHARDS, ids=str)
def test_a_row_can_be_made_again_from_its_seed(shard: Shard) -> None:
    recipe = RECIPE.model_copy(update={"scale": 1.0})
    row = suite.make(recipe, shard).items[0][shard.config][-1]
    assert suite.again(recipe, row) == row
    assert suite.again(recipe, {**row, "seed": row["seed"] ^ 1 << 40}) is None


def test_a_row_of_a_late_refill_can_be_made_again() -> None:
    """Three rounds of refills may lie as far behind a cell as three times its quota."""
    ours = [shard for shard in suite.plan(RECIPE) if shard.cell == SHARDS[1].cell]
    quota = sum(shard.count for shard in ours)
    row = suite.make(RECIPE, replace(SHARDS[1], first=4 * quota - 1, count=1)).items[0]["transformation"][0]
    assert suite.again(RECIPE, row) == row


def test_an_ambiguous_example_says_what_was_done_and_what_fits_as_well() -> None:
    """Among what fits is what the filter stopped at, of the question that it was asked as."""
    named = re.compile(r"(?:as (\w+): )?looks like (\w+)")
    shard = replace(SHARDS[1], cell=("wave_surface", "translate_x"), count=4)
    rejected = [e for e in suite.make(RECIPE, shard).rejects if e.check == "ambiguity"]
    confused = [(example, reason) for example in rejected if (reason := named.match(example.reason))]
    assert {bool(reason[1]) for _, reason in confused} == {True, False}, "asked as itself, and as another"
    for example, reason in confused:
        assert example.answer == LABELS[reason[1] or "translate_x"]
        assert LABELS[reason[2]] in example.fits.split("; ")
        assert example.answer not in example.fits


def test_numba_without_a_place_for_its_code_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise RuntimeError("cannot cache function '_basins': no locator available for file 'prominence.py'")

    monkeypatch.setattr("importlib.import_module", refuse)
    with pytest.raises(PlanimeterError, match="NUMBA_CACHE_DIR"):
        suite_of(RECIPE)


@pytest.mark.parametrize("name", registry.names(FAMILIES))
def test_every_family_can_be_asked_what_it_declares(name: str) -> None:
    """One item of each kind that the plan may deal to the family; the certificates are part of making it."""
    family = registry.load(FAMILIES, name).FAMILY
    assert family.transformations or family.counts, "a family that nobody asks about"
    for transformation in family.transformations[:1]:
        assert suite.make(RECIPE, shard_of("transformation", name, transformation)).missing == 0
    for feature, (low, high) in family.counts.items():
        (item,) = suite.make(RECIPE, shard_of("counting", name, feature, low, high)).items
        rows = item["counting"]
        assert all(row["answer"] == str(row["count"]) for row in rows)
        assert [row["seed"] - without_variant(row["seed"]) for row in rows] == list(range(9))
        assert len({without_variant(row["seed"]) for row in rows}) == 1
        assert len({row["id"] for row in rows}) == 9


def test_a_cell_that_cannot_be_filled_says_so() -> None:
    hopeless = shard_of("counting", "gabor_function", "maxima", 900, 999, first=3, count=2)
    recipe = RECIPE.model_copy(update={"counting": COUNTING.model_copy(update={"attempts": 3})})
    made = suite.make(recipe, hopeless)
    assert made.items == []
    assert made.missing == 2
    assert made.funnel["counting"]["curation"]["rejected"] == {"count outside the wanted bin": 6}


def test_all_styles_show_one_pair_of_plots_in_81_rows_that_match_the_mini_set() -> None:
    full = load("marvl-qa")
    shard = replace(SHARDS[1], count=1)
    (item,), (mini,) = suite.make(full, shard).items, suite.make(RECIPE, shard).items
    rows = {row["id"]: row for row in item["transformation"]}
    assert len(rows) == 81
    # By plot types, so that like pictures lie side by side.
    assert sorted(row["seed"] - without_variant(row["seed"]) for row in item["transformation"]) == list(range(81))
    # The paper's mini set is a part of the full one (section 3.3).
    assert [rows[row["id"]] for row in mini["transformation"]] == mini["transformation"]


@pytest.mark.parametrize("number", range(1, len(TRANSFORMATION) + 1))
def test_a_pair_of_plots_keeps_to_its_level(number: int) -> None:
    level = TRANSFORMATION[number - 1]
    low, high = level.shifts

    def faults(share: float, same: bool, contours: int) -> list[str]:
        kinds = [*["contour"] * contours, "heatmap", "heatmap"]
        row = {"level": number, "transformation": "translate_left", "offset_px": share * checks._PLOT_PX}
        row |= {"same_style": same, "plot_type_a": kinds[0], "plot_type_b": kinds[1]}
        return [line.split()[2] for line in checks._transformation_level(row)]

    for same, contours in itertools.product((True, False), (0, 1, 2)):
        styles = [] if 0 < level.same < 1 or (level.same == 1) is same else ["has"]
        plots = [] if 0 < level.contour < 1 or (level.contour == 1) is (contours > 0) else ["has"]
        for share in (low, high, -high):
            assert faults(share, same, contours) == styles + plots
        for share in (low - 0.01, high + 0.01):
            assert faults(share, same, contours) == ["shifts", *styles, *plots]
