"""Files are checked apart: what their checkers say together is what one checker of all rows says."""

import copy
import functools
import itertools
import pickle
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_folder import ROWS, any_row

from planimeter.export.checks import Checker
from planimeter.export.promises import MISSHAPEN
from planimeter.export.schema import COLUMNS, schema_of
from planimeter.export.verify.checks import checker
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

RECIPES = {
    "marvl_qa": "marvl-qa-mini",
    "traversal": "traversal",
    "curves": "curves",
    "curves_maps": "curves-maps",
    "geogram": "geogram",
}

#: (config, row); some rows come again.
Rows = list[tuple[str, dict[str, Any]]]


def recipe_of(suite: str) -> dict[str, Any]:
    if suite not in RECIPES:
        return {"suite": suite}
    recipe = load(RECIPES[suite])
    assert isinstance(recipe, Recipe)
    return recipe.model_dump(mode="json")


@functools.cache
def rows_of(suite: str) -> Rows:
    found = [(config, any_row(schema_of(suite, config), i % 4)) for config in COLUMNS[suite] for i in range(9)]
    if suite == "marvl_qa":
        found += [(config, row) for config in ROWS for row in (*ROWS[config], *ROWS[config][:3])]
        found.append(("counting", {**ROWS["counting"][0], "count": 19}))
    if suite == "traversal":
        twin = any_row(schema_of(suite, "confounded"), 1)
        twins = [twin | {"source_id": f"item-{i % 3}", "condition": c} for i in range(4) for c in ("low", "high")]
        found += [("confounded", row) for row in twins]
    return found


def fed(suite: str, rows: Sequence[tuple[str, dict[str, Any]]]) -> Checker:
    found = checker(suite, recipe_of(suite))
    for config, row in rows:
        try:
            list(found.row(config, {**copy.deepcopy(row), "split": "test"}))
        except MISSHAPEN:
            continue
    # From one process to another.
    sent: Checker = pickle.loads(pickle.dumps(found))
    return sent


@functools.cache
def faults_of_all_rows(suite: str) -> list[tuple[str, str]]:
    return list(fed(suite, rows_of(suite)).whole())


@pytest.mark.parametrize("suite", sorted(COLUMNS))
@given(data=st.data())
def test_checkers_of_parts_say_together_what_one_of_all_rows_says(suite: str, data: st.DataObject) -> None:
    rows = rows_of(suite)
    cuts = data.draw(st.lists(st.integers(0, len(rows)), max_size=4))
    ends = [0, *sorted(cuts), len(rows)]
    together = checker(suite, recipe_of(suite))
    for start, end in itertools.pairwise(ends):
        together.merge(fed(suite, rows[start:end]))
    assert list(together.whole()) == faults_of_all_rows(suite)
    assert bool(faults_of_all_rows(suite)) == bool(together.remembered)
