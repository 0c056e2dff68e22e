"""A build that the disk cannot hold is refused before it begins, and an estimate that is too low is found here."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from planimeter.flows.errors import DiskError
from planimeter.flows.shards import Planned
from planimeter.flows.store import disk
from planimeter.flows.store.place import Place
from planimeter.flows.store.remote_place import RemotePlace
from planimeter.flows.store.shard_cache import RECORDS, key_of
from planimeter.flows.store.storage import STORE
from planimeter.flows.suites import suite_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import available, load


def free(monkeypatch: pytest.MonkeyPatch, size: float) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=int(size)))


def planned(recipe: Recipe) -> list[Planned]:
    return [Planned(shard, key_of(recipe, shard)) for shard in suite_of(recipe).plan(recipe)]


def place_of(name: str, outputs: Path) -> Place:
    recipe = load(name)
    assert isinstance(recipe, Recipe)
    place = Place(recipe, outputs)
    place.prepare()
    return place


def test_a_full_build_on_a_small_disk_is_refused_with_both_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, 1e9)
    place = place_of("marvl-qa", tmp_path)
    shards = planned(place.recipe)
    with pytest.raises(DiskError, match=r"81,090 rows, about 1\.9 GB of disk .*1\.0 GB are free"):
        disk.require(place, shards)


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 MB"), (12_000_000, "12 MB"), (999_000_000, "999 MB"), (1_940_000_000, "1.9 GB")]
)
def test_less_than_a_gigabyte_is_not_told_as_none(size: int, words: str) -> None:
    assert disk.in_words(size) == words


def test_a_build_in_a_bucket_is_told_of_what_helps_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its dataset is put together in a temporary folder, and --out moves nothing of that."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    recipe = load("marvl-qa")
    assert isinstance(recipe, Recipe)
    place = RemotePlace(recipe, "memory://shelf/disk")
    place.prepare()
    with monkeypatch.context() as small:
        free(small, 1e8)
        with pytest.raises(DiskError, match=r"free some space, name another temporary folder in TMPDIR, or build less"):
            disk.require(place, planned(recipe))
    shutil.rmtree(place.outputs / STORE)
    (place.outputs / STORE).touch()
    with pytest.raises(DiskError, match=r"mend the permissions, or name another temporary folder in TMPDIR"):
        place.prepare()


def test_finished_shards_are_not_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 2e9)
    place = place_of("marvl-qa", tmp_path)
    shards = planned(place.recipe)
    before = disk.require(place, shards)
    for _, key in shards[::2]:
        place.store.put(f"{RECORDS}/{key}", b"")
    after = disk.require(place, shards)
    assert after.folder == before.folder
    assert 0.3 < after.shards / before.shards < 0.7


def test_a_small_build_is_never_refused_by_an_estimate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 0)
    place = place_of("geogram", tmp_path)
    assert disk.require(place, planned(place.recipe)).total < disk.SMALL


@pytest.mark.parametrize("name", available())
def test_every_dataset_says_how_many_rows_it_will_have(name: str, tmp_path: Path) -> None:
    recipe = load(name)
    if not isinstance(recipe, Recipe):
        pytest.skip("a collection")
    suite = suite_of(recipe)
    for shard in suite.plan(recipe):
        rows, size = suite.room(recipe, shard)
        assert rows >= shard.count
        assert size > 0


def test_the_estimate_holds_for_a_built_dataset(built: Path, dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text())
    recipe = load("marvl-qa-mini", scale=manifest["recipe"]["scale"])
    assert isinstance(recipe, Recipe)
    suite = suite_of(recipe)
    rooms = [suite.room(recipe, shard) for shard in suite.plan(recipe)]
    assert sum(rows for rows, _ in rooms) == sum(record["rows"] for record in manifest["files"])
    estimate, real = sum(rows * size for rows, size in rooms), sum(record["bytes"] for record in manifest["files"])
    assert 0.5 < estimate / real < 2
