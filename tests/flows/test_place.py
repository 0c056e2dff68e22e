"""Odd states of the folders that builds leave behind, and disks that run full: one line each, nothing half-written."""

import json
import os
import shutil
import sys
from types import SimpleNamespace

import command_line
import full_disk
import pytest
from filelock import FileLock

from planimeter.flows.errors import DiskError, VersionExistsError
from planimeter.flows.store import disk
from planimeter.flows.store.keys import plan
from planimeter.flows.store.place import Place
from planimeter.flows.store.results import FOLDER
from planimeter.flows.store.storage import STORE
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of

RECIPE = load("marvl-qa-mini")


@pytest.mark.parametrize("content", ["", "[]", "3", "{}", "\udcff", None])
def test_a_manifest_of_another_form_is_other_content(content, tmp_path):
    place = Place(RECIPE, tmp_path)
    place.folder.parent.mkdir(parents=True)
    if content is None:
        place.folder.symlink_to(tmp_path / "nowhere")
    else:
        place.folder.mkdir()
        (place.folder / "manifest.json").write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(VersionExistsError, match="is not replaced"):
        place.is_built()


def free(monkeypatch, size):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=int(size)))


def place_of(name, outputs):
    place = Place(load(name), outputs)
    place.prepare()
    return place


def test_a_full_build_on_a_small_disk_is_refused(tmp_path, monkeypatch):
    place = place_of("marvl-qa", tmp_path / "out")
    shards = plan(place.recipe)
    free(monkeypatch, 1e9)
    with pytest.raises(DiskError, match=r"81,090 rows, about 1\.72 GB of disk; 1\.00 GB are free below"):
        disk.require(place, shards)
    for _, key in shards[::2]:
        place.store.write(f"{FOLDER}/{key}", b"")
    # The estimate of a small build refuses nothing.
    small = place_of("geogram", tmp_path / "out")
    free(monkeypatch, 0)
    assert disk.require(small, plan(small.recipe)).startswith("500 rows, about 0.0")
    free(monkeypatch, 1.5e9)
    assert "about 1.2" in disk.require(place, shards), "finished shards are counted again"
    # A dataset for a bucket is put together in a temporary folder, and --out moves nothing of that.
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = Place(place.recipe, "memory://shelf/disk")
    place.prepare()
    with monkeypatch.context() as small:
        free(small, 1e8)
        with pytest.raises(DiskError, match=r"free some space, name another temporary folder in TMPDIR, or build less"):
            disk.require(place, shards)
    shutil.rmtree(place.outputs / STORE)
    (place.outputs / STORE).touch()
    with pytest.raises(DiskError, match=r"fix the permissions, or name another temporary folder in TMPDIR"):
        place.prepare()


def test_the_estimate_holds_for_a_built_dataset(dataset):
    manifest = json.loads((dataset / "manifest.json").read_text())
    recipe = load("marvl-qa-mini", scale=manifest["recipe"]["scale"])
    sizes = [suite_of(recipe).estimate_size(recipe, shard) for shard in suite_of(recipe).plan(recipe)]
    assert sum(rows for rows, _ in sizes) == sum(record["rows"] for record in manifest["files"])
    estimate, real = sum(rows * size for rows, size in sizes), sum(record["bytes"] for record in manifest["files"])
    assert 0.5 < estimate / real < 2


ROOM = "no space left on the disk; free some and run the same command again"


def attempts(kind, disk, *more):
    """The lines that ``full_disk`` prints."""
    disk.mkdir()
    mount = command_line.child("unshare", "-rm", "mount", "-t", "tmpfs", "none", str(disk), env={**os.environ})
    if mount.code:
        pytest.skip("needs the right to mount a tmpfs in a namespace of its own")
    path = os.pathsep.join(map(str, (command_line.ROOT / "tests" / "support", command_line.ROOT)))
    command = ("unshare", "-rm", sys.executable, full_disk.__file__, kind, str(disk), *map(str, more))
    done = command_line.child(*command, env={**os.environ, "PYTHONPATH": path})
    # Arrow's abort is -6.
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


#: Small pictures fill less than a page of Parquet; of large ones Arrow writes pages in the middle of a column.
DISKS = [
    pytest.param(1_500, 8, id="small pictures"),
    pytest.param(45_000, 256, id="large pictures", marks=pytest.mark.slow),
    pytest.param(1_500, 1, id="small pictures, every page", marks=pytest.mark.slow),
    pytest.param(45_000, 16, id="large pictures, every 16 pages", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("picture, pages", DISKS)
def test_a_full_disk_is_reported_at_any_page(tmp_path, picture, pages):
    step = pages * full_disk.PAGE
    assert full_disk.write(tmp_path / "whole", full_disk.table(picture)) == ""
    *short, last = attempts("parquet", tmp_path / "disk", picture, step)
    assert {attempt["message"].partition(": ")[2] for attempt in short} == {ROOM}
    assert last["message"] == "" and last["files"] == command_line.digests(tmp_path / "whole")
    size = sum(path.stat().st_size for path in (tmp_path / "whole").rglob("*.parquet"))
    assert len(short) >= size // step > 5


@pytest.mark.slow
def test_a_build_on_a_full_disk_is_one_line(built, tmp_path):
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
KEPT = (".planimeter/shards/0a/0a.arrow", ".planimeter/shards/0a/0a.json")
KEPT += ("marvl-qa-mini/0.8.0/README.md", "curves/.1.2.1.staging/README.md")


def test_a_sweep_removes_half_written_files_only(tmp_path):
    place = place_of("marvl-qa-mini", tmp_path)
    for path in map(tmp_path.joinpath, (*LITTER, *KEPT)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content")
    other = place.lock_file.with_name("curves.lock")
    with place.locked():
        with FileLock(other):
            place.sweep()
        assert [(tmp_path / name).exists() for name in (*LITTER, *KEPT)] == [True] * 3 + [False] + [True] * 4
        other.touch()
        place.sweep()
    assert [(tmp_path / name).exists() for name in (*LITTER, *KEPT)] == [False] * 4 + [True] * 4
    assert not (tmp_path / LITTER[-1]).parent.parent.exists(), "an empty folder under construction is left"
