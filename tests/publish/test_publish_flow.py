"""`planimeter publish`: what the command and its flow say, the token that is never shown, and what readers load."""

import hashlib
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from typing import Any, cast

import command_line
import pytest
from command_line import digests
from prefect.states import State
from small_datasets import Small, probe
from stand_in_hub import REPO, Hub

from planimeter.evals.probes.tables import HEADING
from planimeter.export.hub.files import Changes, added_files
from planimeter.export.hub.publish import Published
from planimeter.export.manifest import ADDED
from planimeter.export.measures import beside
from planimeter.export.pages.sections import section
from planimeter.export.verify.folder import verify
from planimeter.flows.service import hub as service
from planimeter.flows.service import publish as flow
from planimeter.flows.service.measure import measure_folder
from planimeter.flows.service.probe import probe_folder


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that the flow shows in Prefect; it runs without one."""
    shown: list[str] = []
    monkeypatch.setattr(flow, "get_run_logger", lambda: logging.getLogger(__name__))
    monkeypatch.setattr(flow, "create_link_artifact", lambda link, **_: shown.append(link))
    monkeypatch.setattr(flow.events, "emit", lambda *_: None)
    return shown


def published(**given: object) -> tuple[State[Any], list[str]]:
    """The state in which the flow ends, and the lines that it logs."""
    lines: list[str] = []
    context = copy_context()
    context.run(flow.LISTENER.set, lines.append)
    return cast("State[Any]", context.run(flow.publish_dataset.fn, **given)), lines


def test_a_dry_run_lists_every_step_and_file_and_shows_no_address(hub: Hub, certified: Path, links: list[str]) -> None:
    probe(certified)
    (beside(certified) / "probes.svg").write_text("<svg/>")
    _, lines = published(folder=str(certified), repo=REPO, dry_run=True)
    assert f"would do: create the public repository {REPO}" in lines
    added = {line.removeprefix("  add ") for line in lines if line.startswith("  add ")}
    assert added == {*digests(certified), *ADDED}
    assert (links, hub.repos) == ([], {})


@pytest.mark.parametrize(
    ("steps", "name", "message"),
    [(("commit",), "Completed", "published o/n v1.0.0, at A"), ((), "Unchanged", "found published: o/n v1.0.0, at A")],
)
def test_a_run_says_where_it_published_and_is_unchanged_where_nothing_was_to_do(
    steps: tuple[str, ...], name: str, message: str, sample: Path, links: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    unchanged = Changes(added=(), changed=(), removed=())
    done = Published(address="A", loader="L", tag="v1.0.0", steps=steps, changes=unchanged)
    monkeypatch.setattr(flow, "_as_asset", lambda *_: done)
    state, _ = published(folder=str(sample), repo="o/n")
    assert (state.name, state.message, links) == (name, message, ["A"])


def test_a_folder_that_breaks_a_promise_ends_in_one_line(hub: Hub, folder: Path, links: list[str]) -> None:
    arguments = ("publish", str(folder), "--repo", REPO, "--dry-run")
    unprobed = command_line.here(*arguments)
    assert (unprobed.code, len(unprobed.lines)) == (1, 1)
    assert f"run `planimeter probe {folder}`" in unprobed.err
    probe(folder)
    (folder / "croissant.json").unlink()
    broken = command_line.here(*arguments)
    assert (broken.code, len(broken.lines)) == (1, 1)
    assert "is not published, it breaks 1 promise (croissant.json: is missing" in broken.err
    state, _ = published(folder=str(folder), repo=REPO, dry_run=True)
    assert (state.name, f"planimeter: {state.message}") == ("Refused", *broken.lines)
    assert (links, hub.repos) == ([], {})


@pytest.mark.process
def test_the_command_publishes_through_prefect_and_never_shows_the_token(
    hub: Hub, certified: Path, tmp_path: Path
) -> None:
    probe_folder(certified, beside(certified))
    home, env = tmp_path / "prefect", hub.environment(tmp_path) | {"PREFECT_LOGGING_LEVEL": "DEBUG"}
    done = command_line.run("publish", str(certified), "--repo", REPO, "--no-space", home=home, **env)
    assert done.code == 0, done.err
    assert f"{hub.url}/datasets/{REPO}/tree/v1.0.0" in done.out
    assert f'load_dataset("{REPO}", "counting", revision="v1.0.0")' in done.out
    assert hub.files() == hub.files(revision="v1.0.0") == digests(certified)
    assert hub.titles() == ["marvl-qa-mini 1.0.0"]
    again = command_line.here("publish", str(certified), "--repo", REPO, "--dry-run")
    assert again.code == 0 and f"nothing: {REPO} has v1.0.0 with this content" in again.out
    assert "hf_local" not in done.out + done.err
    # Prefect's database, its logs, its results; the folder; the client's cache.
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size < 50_000_000]
    assert any(path.name == "prefect.db" for path in written)
    assert [str(path) for path in written if b"hf_local" in path.read_bytes()] == []


READER = """
import hashlib, json, sys, datasets, mlcroissant
from huggingface_hub import snapshot_download
repo, *configs = sys.argv[1:]
datasets.disable_progress_bars()
digest = lambda picture: hashlib.sha256(picture).hexdigest()
def plain(rows):
    bare = rows.cast_column("image", datasets.Image(decode=False))
    return [row | {"image": digest(row["image"]["bytes"])} for row in bare]
folder = snapshot_download(repo, repo_type="dataset", revision="v1.0.0")
found = {}
for config in configs:
    loaded = datasets.load_dataset(repo, config, split="test", revision="v1.0.0")
    found[config] = plain(loaded)
    streamed = datasets.load_dataset(repo, config, split="test", revision="v1.0.0", streaming=True)
    assert plain(streamed) == found[config]
    assert next(iter(streamed))["image"].tobytes() == loaded[0]["image"].tobytes()
    records = list(mlcroissant.Dataset(jsonld=folder + "/croissant.json").records(config))
    for column in ("id", "prompt", "answer"):
        assert [r[f"{config}/{column}"].decode() for r in records] == [row[column] for row in found[config]]
    pictures = [r[f"{config}/image"].convert("RGB") for r in records]
    assert [p.tobytes() for p in pictures] == [row["image"].tobytes() for row in loaded]
    measured = datasets.load_dataset(repo, f"{config}_measures", split="test", revision="v1.0.0")
    assert measured.features["readable_at"].dtype == "int32"
    assert measured["id"] == loaded["id"]
    sizes = dict(zip(measured["id"], measured["readable_at"]))
    assert all(0 < size <= max(row["image"].size) for row in loaded for size in [sizes[row["id"]]])
print(json.dumps(found))
"""


@pytest.mark.slow
def test_every_reader_loads_back_what_was_published_with_its_measures(
    hub: Hub, small: Callable[[str], Small], certified: Path, tmp_path: Path
) -> None:
    probe_folder(certified, beside(certified))
    measure_folder(certified, 1)
    assert len(added := added_files(beside(certified))) == len(ADDED) + 2
    built = {*digests(certified)}
    service.publish_folder(certified, REPO, private=False, dry_run=False, tell=str, space=False)
    assert hub.files(revision="v1.0.0") == digests(certified)
    assert set(hub.files()) == {*built, *added}
    assert section((certified / "README.md").read_text(), HEADING)
    assert verify(certified) == []
    rows = small("marvl-qa-mini").rows
    read = subprocess.run(
        [sys.executable, "-c", READER, REPO, *rows],
        env={**os.environ, **hub.environment(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert read.returncode == 0, read.stderr
    for config, loaded in json.loads(read.stdout).items():
        assert loaded == [row | {"image": hashlib.sha256(row["image"]["bytes"]).hexdigest()} for row in rows[config]]
