"""A disk that is too small is found before a build begins, one that runs full is one line, with nothing half-written;
and what kills leave lying is removed by the next build.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

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
from planimeter.recipes.loading import load


def free(monkeypatch, size):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=int(size)))


def planned(recipe):
    return [Planned(shard, key_of(recipe, shard)) for shard in suite_of(recipe).plan(recipe)]


def place_of(name, outputs):
    place = Place(load(name), outputs)
    place.prepare()
    return place


def test_a_full_build_on_a_small_disk_is_refused_with_both_numbers_and_what_helps(tmp_path, monkeypatch):
    place = place_of("marvl-qa", tmp_path / "out")
    shards = planned(place.recipe)
    free(monkeypatch, 1e9)
    with pytest.raises(DiskError, match=r"81,090 rows, about 1\.9 GB of disk .*1\.0 GB are free"):
        disk.require(place, shards)
    free(monkeypatch, 2e9)
    before = disk.require(place, shards)
    for _, key in shards[::2]:
        place.store.put(f"{RECORDS}/{key}", b"")
    after = disk.require(place, shards)
    assert after.folder == before.folder
    assert 0.3 < after.shards / before.shards < 0.7, "finished shards are counted again"
    # A dataset for a bucket is put together in a temporary folder, and --out moves nothing of that.
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = RemotePlace(place.recipe, "memory://shelf/disk")
    place.prepare()
    with monkeypatch.context() as small:
        free(small, 1e8)
        with pytest.raises(DiskError, match=r"free some space, name another temporary folder in TMPDIR, or build less"):
            disk.require(place, shards)
    shutil.rmtree(place.outputs / STORE)
    (place.outputs / STORE).touch()
    with pytest.raises(DiskError, match=r"mend the permissions, or name another temporary folder in TMPDIR"):
        place.prepare()


def test_a_small_build_is_never_refused_by_an_estimate_and_less_than_a_gigabyte_is_not_none(tmp_path, monkeypatch):
    free(monkeypatch, 0)
    place = place_of("geogram", tmp_path)
    assert disk.require(place, planned(place.recipe)).total < disk.SMALL
    for size, words in {0: "0 MB", 12_000_000: "12 MB", 999_000_000: "999 MB", 1_940_000_000: "1.9 GB"}.items():
        assert disk.in_words(size) == words


def test_the_estimate_holds_for_a_built_dataset(dataset):
    manifest = json.loads((dataset / "manifest.json").read_text())
    recipe = load("marvl-qa-mini", scale=manifest["recipe"]["scale"])
    rooms = [suite_of(recipe).room(recipe, shard) for shard in suite_of(recipe).plan(recipe)]
    assert sum(rows for rows, _ in rooms) == sum(record["rows"] for record in manifest["files"])
    estimate, real = sum(rows * size for rows, size in rooms), sum(record["bytes"] for record in manifest["files"])
    assert 0.5 < estimate / real < 2


ROOM = "no space left on the disk; free some and run the same command again"


def output_of(*command):
    """The lines that ``full_disk`` prints."""
    path = os.pathsep.join(map(str, (command_line.ROOT / "tests" / "support", command_line.ROOT)))
    done = command_line.child(*map(str, command), env={**os.environ, "PYTHONPATH": path})
    # Arrow's abort is -6.
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def attempts(kind, disk, *more):
    disk.mkdir()
    mount = command_line.child("unshare", "-rm", "mount", "-t", "tmpfs", "none", str(disk), env={**os.environ})
    if mount.code:
        pytest.skip("needs the right to mount a tmpfs in a namespace of its own")
    return output_of("unshare", "-rm", sys.executable, full_disk.__file__, kind, disk, *more)


#: Small pictures fill less than a page of Parquet; of large ones Arrow writes pages in the middle of a column.
DISKS = [
    pytest.param(1_500, 8, id="small pictures"),
    pytest.param(45_000, 256, id="large pictures"),
    pytest.param(1_500, 1, id="small pictures, every page", marks=pytest.mark.slow),
    pytest.param(45_000, 16, id="large pictures, every 16 pages", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("picture, pages", DISKS)
def test_a_full_disk_is_reported_wherever_it_strikes_and_with_enough_room_the_bytes_are_the_same(
    tmp_path, picture, pages
):
    step = pages * full_disk.PAGE
    assert full_disk.write(tmp_path / "whole", full_disk.table(picture)) == ""
    *short, last = attempts("parquet", tmp_path / "disk", picture, step)
    assert {attempt["message"].partition(": ")[2] for attempt in short} == {ROOM}
    assert last["message"] == "" and last["files"] == command_line.digests(tmp_path / "whole")
    size = sum(path.stat().st_size for path in (tmp_path / "whole").rglob("*.parquet"))
    assert len(short) >= size // step > 5


def test_a_file_that_may_not_grow_is_reported_where_nothing_can_be_mounted(tmp_path):
    """The limit of a process on the size of its files, for machines where the test above is skipped."""
    limits = ("0", "1", "4", "1000", "100000", "200000")
    messages = output_of(sys.executable, full_disk.__file__, "limited", tmp_path, *limits)
    assert len(messages) == len(limits)
    assert all("cannot be written: [Errno 27]" in message and "\n" not in message for message in messages)


@pytest.mark.slow
def test_a_build_on_a_full_disk_is_one_line_and_the_rerun_makes_the_same_bytes(built, tmp_path):
    *short, last = attempts("build", tmp_path / "disk", built)
    assert len(short) == len(full_disk.FRESH) + len(full_disk.LEVELS)
    for number, attempt in enumerate(short):
        lines = attempt["lines"]
        assert attempt["code"] == 1 and attempt["files"] == {}
        assert not any("Traceback" in line or "Check failed" in line for line in lines)
        full = [line for line in lines if "no space left on" in line.lower() or "full" in line.lower()]
        assert full, attempt
        assert number < len(full_disk.FRESH) or (full == lines[-1:] and "free some" in full[0])
    assert last["code"] == 0, last["lines"]
    assert last["files"] == command_line.digests(built / "marvl-qa-mini")


LITTER = (".planimeter/shards/0a/.tmp-77-0a", ".planimeter/builds/.tmp-77-x.json")
LITTER += (".planimeter/parts/marvl-qa-mini/.tmp-77-0", "marvl-qa-mini/.0.9.0.staging/data/x")
KEPT = (".planimeter/shards/0a/0a.arrow", f".planimeter/made/{'0' * 64}")
KEPT += ("marvl-qa-mini/0.8.0/README.md", "curves/.1.2.1.staging/README.md")


def test_litter_goes_and_all_else_stays_also_the_half_written_shards_of_a_build_at_work(tmp_path):
    place = place_of("marvl-qa-mini", tmp_path)
    for path in map(tmp_path.joinpath, (*LITTER, *KEPT)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content")
    other = Path(place.lock().lock_file).parent / "curves.lock"
    with place.locked():
        with FileLock(other):
            sweep(place)
        assert [(tmp_path / name).exists() for name in (*LITTER, *KEPT)] == [True] * 3 + [False] + [True] * 4
        other.touch()
        sweep(place)
    assert [(tmp_path / name).exists() for name in (*LITTER, *KEPT)] == [False] * 4 + [True] * 4
    assert not (tmp_path / LITTER[-1]).parent.parent.exists(), "an empty folder under construction is left"
