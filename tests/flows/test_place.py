"""Odd states of the folders that builds leave behind: one line each, never a traceback, and nothing replaced."""

import io
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest
from filelock import FileLock
from prefect.logging import disable_run_logger
from rich.console import Console

from planimeter.export.errors import CurationError
from planimeter.export.manifest import architecture
from planimeter.export.rejects import RejectExample
from planimeter.flows import build, writing
from planimeter.flows.build import deployment_command as command_of
from planimeter.flows.commands import cli, rebuild, status
from planimeter.flows.errors import PlanimeterError, VersionExistsError
from planimeter.flows.shards import Made, Shard
from planimeter.flows.store import journal, shard_cache, tables
from planimeter.flows.store.place import Place
from planimeter.flows.store.sources import Code
from planimeter.flows.store.storage import FolderStore
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

RECIPE = load("marvl-qa-mini")
assert isinstance(RECIPE, Recipe)


def silent() -> Console:
    return Console(file=io.StringIO(), soft_wrap=True)


@pytest.mark.parametrize("content", ["", "[]", "3", "{}", "\udcff", None])
def test_a_manifest_of_another_form_or_a_link_that_leads_nowhere_is_other_content(
    content: str | None, tmp_path: Path
) -> None:
    place = Place(RECIPE, tmp_path)
    if content is None:
        place.folder.parent.mkdir(parents=True)
        place.folder.symlink_to(tmp_path / "nowhere")
    else:
        place.folder.mkdir(parents=True)
        (place.folder / "manifest.json").write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(VersionExistsError, match="is not replaced"):
        place.is_built()


def test_two_builds_that_begin_at_once_do_not_remove_each_other_s_probe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, other = Path.write_bytes, [Place(RECIPE, tmp_path)]

    def and_then(path: Path, content: bytes) -> int:
        written = plain(path, content)
        if other:
            other.pop().prepare()
        return written

    monkeypatch.setattr(Path, "write_bytes", and_then)
    Place(RECIPE, tmp_path).prepare()
    assert not list(tmp_path.rglob("*writable*"))


def test_a_share_of_a_machine_is_not_taken_for_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a job of a batch system on 2 of 128 cores, 128 workers would need 90 GB."""
    monkeypatch.setattr(os, "cpu_count", lambda: 128)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5}, raising=False)
    given: list[int] = []

    def note(*arguments: Any) -> None:
        given.append(getattr(arguments[2], "workers", arguments[2]))
        raise PlanimeterError("noted")

    monkeypatch.setattr(build, "build", note)
    with disable_run_logger():
        assert build.run("marvl-qa-mini").message == "noted"
    monkeypatch.setattr(writing, "problems_of", note)
    with pytest.raises(PlanimeterError, match="noted"):
        cli.verify(Path())
    assert given == [2, 2]


def test_a_lock_that_another_only_looks_at_does_not_refuse_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(RECIPE, tmp_path)
    place.prepare()
    glance, poll = FileLock(place.lock().lock_file), time.sleep
    glance.acquire()

    def end(seconds: float) -> None:
        glance.release()
        poll(seconds)

    # It waits before it looks again; a build that does not is refused.
    monkeypatch.setattr(time, "sleep", end)
    with place.locked():
        pass


@pytest.mark.parametrize("values", [[], {}, {"keys": 3}, {"dataset": 3, "keys": []}, {"keys": [3]}])
def test_a_journal_of_another_form_is_no_journal(values: object, tmp_path: Path) -> None:
    sound = {"dataset": "d", "version": "1.0.0", "command": "c", "keys": ["k"]}
    (tmp_path / "builds").mkdir()
    path = tmp_path / "builds" / "d-1.0.0.json"
    path.write_text(json.dumps(sound))
    assert [build.keys for build in journal.unfinished(FolderStore(tmp_path))] == [("k",)]
    path.write_text(json.dumps({**sound, **values} if isinstance(values, dict) and values else values))
    assert journal.unfinished(FolderStore(tmp_path)) == []


def test_the_status_of_a_folder_that_may_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(lock: FileLock, timeout: float) -> None:
        raise PermissionError(13, "Permission denied", lock.lock_file)

    monkeypatch.setattr(FileLock, "acquire", refuse)
    unfinished("again").write(FolderStore(tmp_path / ".planimeter"))
    assert "stopped; go on with: again" in status_of(tmp_path)


def unfinished(command: str, **more: object) -> journal.Journal:
    given = {"dataset": "d", "version": "1.0.0", "keys": (), "code": Code.of(("planimeter.flows.errors",)), **more}
    return journal.Journal(command=command, **given)  # type: ignore[arg-type]


def status_of(outputs: Path, **options: bool) -> str:
    out = silent()
    status.run(str(outputs), out, **options)
    return out.file.getvalue()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("planimeter build d --scale 0.3", "planimeter build d --scale 0.3 --version 1.0.0"),
        ("planimeter build d --version 1.0.0", "planimeter build d --version 1.0.0"),
        ("planimeter build smoke", "planimeter build smoke"),
        ("prefect deployment run build-d/default", "prefect deployment run build-d/default --param version=1.0.0"),
    ],
)
def test_the_status_goes_on_with_the_version_that_was_begun(command: str, shown: str, tmp_path: Path) -> None:
    unfinished(command).write(FolderStore(tmp_path / ".planimeter"))
    assert status_of(tmp_path) == f"d 1.0.0: 0 of 0 shards finished; stopped; go on with: {shown}\n"


@pytest.mark.parametrize(
    "code",
    [None, Code(modules=("planimeter.flows.errors",), digest="0" * 64), Code(modules=("planimeter.gone",), digest="0")],
    ids=["not noted", "other", "gone"],
)
def test_shards_of_other_code_are_reported_and_can_be_forgotten(code: Code | None, tmp_path: Path) -> None:
    store = FolderStore(tmp_path / ".planimeter")
    shard = Shard(suite="geogram", config="geogram", cell=("primitive", "asymptote"), first=0, count=1)
    for key in ("stale", "current"):
        reject = {"config": "geogram", "stratum": "s", "check": "c", "reason": key, "measured": 0.0, "limit": 0.0}
        made = Made(rejects=[RejectExample(**reject, picture=b"")])  # type: ignore[arg-type]
        shard_cache.keep_record(store, key, tables.keep(shard, made, store))
    stale, current = (shard_cache.finished(store, key) for key in ("stale", "current"))
    assert stale and current and stale.tables == current.tables and stale.rejects_path != current.rejects_path
    (store.folder / "made" / "older").write_bytes(b"of another form")
    unfinished("planimeter build d", keys=("stale", "older"), code=code).write(store)
    unfinished("planimeter build e", dataset="e", keys=("current",)).write(store)
    shown = status_of(tmp_path)
    assert "d 1.0.0: 2 of 2 shards finished; stopped, and made by other code, so that a build begins anew; " in shown
    assert f"forget it with: planimeter status --forget --out {tmp_path}\n" in shown
    with FileLock(store.folder / "locks" / "d.lock"):
        assert "d 1.0.0: 2 of 2 shards finished; running now" in status_of(tmp_path, forget=True)
    assert "d 1.0.0: forgotten, 2 shards removed\n" in status_of(tmp_path, forget=True)
    assert store.names("made") == {"current"} and shard_cache.finished(store, "current") == current
    assert not (store.folder / stale.rejects_path).exists()
    assert status_of(tmp_path) == (
        "e 1.0.0: 1 of 1 shards finished; stopped; go on with: planimeter build e --version 1.0.0\n"
    )


def test_the_command_to_go_on_with_can_be_typed() -> None:
    """A flow that builds any recipe is given its name, and a folder may have a blank in its own."""
    given = {"scale": 0.5, "seed": None, "out": "my outputs"}
    assert command_of("my recipe.toml", given) == (
        "prefect deployment run build-dataset/default --param 'recipe=my recipe.toml' --param scale=0.5 "
        "--param 'out=my outputs'"
    )
    assert command_of("marvl-qa-mini", {"scale": None}) == "prefect deployment run build-marvl-mini/default"
    defaults = {"scale": RECIPE.scale, "seed": RECIPE.seed, "version": RECIPE.version}
    assert command_of(RECIPE.dataset, defaults) == command_of(RECIPE.dataset, {})


DAMAGES: dict[str, Callable[[Path], object]] = {
    "data that are not Parquet": lambda folder: min(folder.glob("data/counting/*")).write_bytes(b"garbage"),
    "a manifest that is a list": lambda folder: (folder / "manifest.json").write_text("[]"),
    "a recipe that is a text": lambda folder: (folder / "manifest.json").write_text('{"recipe": "x"}'),
    "a recipe of another form": lambda folder: (folder / "manifest.json").write_text('{"recipe": {"suite": "x"}}'),
}


@pytest.mark.parametrize("name", list(DAMAGES))
def test_a_row_of_a_damaged_dataset_cannot_be_made_again(name: str, folder: Path) -> None:
    DAMAGES[name](folder)
    with pytest.raises(CurationError, match="cannot be read"):
        rebuild.run(folder, "c00", silent())


@pytest.mark.parametrize(("machine", "named"), [("s390x", True), (architecture(), False)])
def test_another_architecture_is_named_where_a_row_differs(
    machine: str, named: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text()) | {"architecture": machine, "recipe": RECIPE.model_dump(mode="json")}
    path.write_text(json.dumps(manifest))
    (first, *_) = sorted(folder.rglob("*.parquet"))
    row = pq.read_table(first).slice(0, 1).to_pylist()[0]
    other = SimpleNamespace(again=lambda *_: row | {"answer": "another"})
    monkeypatch.setattr("planimeter.flows.commands.rebuild.suite_of", lambda _: other)
    out = silent()
    with pytest.raises(PlanimeterError, match="differs"):
        rebuild.run(folder, row["id"], out)
    assert ("was built on s390x" in out.file.getvalue()) == named  # type: ignore[attr-defined]
