"""A disk that is too small is found before a build begins, one that runs full is one line, with nothing half-written;
and what kills leave lying is removed by the next build.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import command_line
import full_disk
import pytest
from filelock import FileLock

from planimeter.flows.errors import DiskError
from planimeter.flows.shards import Planned
from planimeter.flows.store import disk
from planimeter.flows.store.place import Place
from planimeter.flows.store.remote_place import RemotePlace
from planimeter.flows.store.shard_cache import RECORDS, key_of
from planimeter.flows.store.storage import STORE
from planimeter.flows.store.sweep import sweep
from planimeter.flows.suites import suite_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load


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
def test_less_than_a_gigabyte_is_not_printed_as_none(size: int, words: str) -> None:
    assert disk.in_words(size) == words


def test_the_remedy_for_a_bucket_is_one_that_helps_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_estimate_holds_for_a_built_dataset(dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text())
    recipe = load("marvl-qa-mini", scale=manifest["recipe"]["scale"])
    assert isinstance(recipe, Recipe)
    suite = suite_of(recipe)
    rooms = [suite.room(recipe, shard) for shard in suite.plan(recipe)]
    assert sum(rows for rows, _ in rooms) == sum(record["rows"] for record in manifest["files"])
    estimate, real = sum(rows * size for rows, size in rooms), sum(record["bytes"] for record in manifest["files"])
    assert 0.5 < estimate / real < 2


ROOM = "no space left on the disk; free some and run the same command again"


def output_of(command: list[str]) -> Iterator[Any]:
    """The lines that ``full_disk`` prints."""
    path = f"{command_line.ROOT / 'tests' / 'support'}{os.pathsep}{command_line.ROOT}"
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=600)
    # Arrow's abort is -6.
    assert done.returncode == 0, done.stderr
    yield from map(json.loads, done.stdout.splitlines())


def attempts(kind: str, disk: Path, *more: str) -> Iterator[Any]:
    disk.mkdir()
    if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", str(disk)], capture_output=True).returncode:
        pytest.skip("needs the right to mount a tmpfs in a namespace of its own")
    return output_of(["unshare", "-rm", sys.executable, full_disk.__file__, kind, str(disk), *more])


@pytest.mark.parametrize(
    ("picture", "step"),
    # Small pictures fill less than a page of Parquet; of large ones Arrow writes pages in the middle of a column.
    [
        pytest.param(1_500, 8 * full_disk.PAGE, id="small pictures"),
        pytest.param(45_000, 256 * full_disk.PAGE, id="large pictures"),
        pytest.param(1_500, full_disk.PAGE, id="small pictures, every page", marks=pytest.mark.slow),
        pytest.param(45_000, 16 * full_disk.PAGE, id="large pictures, every 16 pages", marks=pytest.mark.slow),
    ],
)
def test_a_full_disk_is_reported_wherever_it_strikes_and_with_enough_room_the_bytes_are_the_same(
    tmp_path: Path, picture: int, step: int
) -> None:
    assert full_disk.write(tmp_path / "whole", full_disk.table(picture)) == ""
    *short, last = attempts("parquet", tmp_path / "disk", str(picture), str(step))
    assert {attempt["message"].partition(": ")[2] for attempt in short} == {ROOM}
    assert last["message"] == "" and last["files"] == command_line.digests(tmp_path / "whole")
    size = sum(path.stat().st_size for path in (tmp_path / "whole").rglob("*.parquet"))
    assert len(short) >= size // step > 5


def test_a_file_that_may_not_grow_is_reported_where_nothing_can_be_mounted(tmp_path: Path) -> None:
    """The limit of a process on the size of its files, for machines where the test above is skipped."""
    limits = ("0", "1", "4", "1000", "100000", "200000")
    messages = list(output_of([sys.executable, full_disk.__file__, "limited", str(tmp_path), *limits]))
    assert len(messages) == len(limits)
    assert all("cannot be written: [Errno 27]" in message and "\n" not in message for message in messages)


@pytest.mark.slow
def test_a_build_on_a_full_disk_is_one_line_and_the_rerun_makes_the_same_bytes(built: Path, tmp_path: Path) -> None:
    *short, last = attempts("build", tmp_path / "disk", str(built))
    assert len(short) == len(full_disk.FRESH) + len(full_disk.LEVELS)
    for number, attempt in enumerate(short):
        assert attempt["code"] == 1 and attempt["files"] == {}
        assert not any("Traceback" in line or "Check failed" in line for line in attempt["lines"])
        said = [line for line in attempt["lines"] if "no space left on" in line.lower() or "full" in line.lower()]
        assert said, attempt
        if number >= len(full_disk.FRESH):
            assert len(said) == 1 and attempt["lines"][-1] == said[0] and "free some" in said[0]
    assert last["code"] == 0, last["lines"]
    assert last["files"] == command_line.digests(built / "marvl-qa-mini")


def littered(outputs: Path) -> tuple[Place, list[Path], list[Path]]:
    """A place, what is to go from it, and what is to stay."""
    place = place_of("marvl-qa-mini", outputs)
    store, versions = Path(place.lock().lock_file).parent.parent, place.folder.parent
    litter = [
        store / "shards/0a/.tmp-77-0a",
        store / "builds/.tmp-77-x.json",
        store / "parts/marvl-qa-mini/.tmp-77-0",
        versions / ".0.9.0.staging/data/x",
    ]
    kept = [
        store / "shards/0a/0a.arrow",
        store / "made" / ("0" * 64),
        versions / "0.8.0/README.md",
        outputs / "curves/.1.2.1.staging/README.md",
    ]
    for path in litter + kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content")
    return place, litter, kept


def test_litter_goes_and_all_else_stays(tmp_path: Path) -> None:
    place, litter, kept = littered(tmp_path)
    (Path(place.lock().lock_file).parent / "curves.lock").touch()
    with place.locked():
        sweep(place)
    assert not any(path.exists() for path in litter)
    assert not litter[-1].parent.parent.exists(), "an empty folder under construction is left"
    assert all(path.exists() for path in kept)


def test_the_half_written_shards_of_a_build_at_work_stay(tmp_path: Path) -> None:
    place, litter, kept = littered(tmp_path)
    with place.locked(), FileLock(Path(place.lock().lock_file).parent / "curves.lock"):
        sweep(place)
    assert all(path.exists() for path in [*litter[:3], *kept])
    assert not litter[3].exists(), "the lock of this dataset is ours"
