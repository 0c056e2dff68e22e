"""Writing: the folder appears whole and verified, or not at all."""

from pathlib import Path

import pytest

from planimeter.export.verify.problems import Problem
from planimeter.flows import writing
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.selection import select
from planimeter.flows.shards import Shard
from planimeter.flows.store.place import Place
from planimeter.flows.store.tables import keep
from planimeter.flows.suites.marvl_qa import SUITE
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

SHARD = Shard(suite="marvl_qa", config="transformation", cell=("cone", "rotate_180"), first=0, count=1)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    recipe = load("marvl-qa-mini", scale=0.001)
    assert isinstance(recipe, Recipe)
    place = Place(recipe, tmp_path)
    place.prepare()
    return place


def write(place: Place) -> None:
    records = [keep(SHARD, SUITE.make(place.recipe, SHARD), place.store)]
    with bars() as shown:
        writing.write(place, records, select(place.recipe, [SHARD], records), shown)


def test_what_verifies_appears(place: Place) -> None:
    write(place)
    assert (place.folder / "manifest.json").exists()


def test_what_breaks_a_promise_never_appears(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Problem("data", f"row {i} is wrong", "look") for i in range(30)]
    monkeypatch.setattr(writing, "find_problems", lambda _, progress: found)
    with pytest.raises(PlanimeterError, match="row 0 is wrong") as caught:
        write(place)
    assert "and 10 more" in str(caught.value)
    assert not place.folder.exists()
    assert list(place.folder.parent.iterdir()) == []
