"""The promises of a build: nothing is made twice, lost, replaced or begun without need, and what it says is true."""

import json
import shutil
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import plain
import pyarrow.parquet as pq
import pytest
from command_line import TINY, digests, here
from filelock import FileLock

from planimeter.flows import built as built_before
from planimeter.flows import work
from planimeter.flows.errors import PlanimeterError, ShortfallError, VersionExistsError
from planimeter.flows.selection import Selector
from planimeter.suites.loading import load

NAME, VERSION = "marvl-qa-mini", load("marvl-qa-mini").version
DATASET = Path(NAME) / VERSION


def build(outputs, **given):
    return plain.build(NAME, outputs, **{"scale": 0.02, **given})


def rows_of(folder, config):
    files = sorted((folder / "data" / config).glob("*.parquet"))
    columns = [name for name in pq.read_schema(files[0]).names if name != "image"]
    return [row for path in files for row in pq.read_table(path, columns=columns).to_pylist()]


def times_below(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def flip(path):
    """Turn one bit in the middle."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.fixture
def verified(monkeypatch):
    """The folders that are verified from here on."""
    folders, problems_of = [], built_before.problems_of
    monkeypatch.setattr(built_before, "problems_of", lambda *given: [folders.append(given[0]), problems_of(*given)][1])
    return folders


def test_a_second_build_verifies_and_changes_nothing(built, dataset, verified):
    before = times_below(dataset)
    again = build(built)
    assert (again.stood, verified, times_below(dataset)) == (True, [dataset], before)
    assert again.message.startswith(f"found built and sound: {NAME} {VERSION}, 51 rows, at ")


def test_a_build_into_other_content_is_refused(built, dataset, verified):
    before, other = digests(dataset), "exists with other content (its recipe differs: "
    for options, words in (
        ({"seed": 1}, (f"{other}seed", "--version")),
        ({"scale": 0.03}, (f"{other}scale there 0.02, wanted 0.03", "--version")),
        ({}, (f"another build of {NAME} is running", "--out")),
    ):
        held = nullcontext() if options else FileLock(built / ".planimeter" / "locks" / f"{NAME}.lock")
        with held, pytest.raises(PlanimeterError) as refused:
            build(built, **options)
        assert all(word in str(refused.value) for word in words) and not verified
    assert digests(dataset) == before


def test_a_build_keeps_a_folder_that_is_not_a_dataset(tmp_path):
    (tmp_path / DATASET).mkdir(parents=True)
    (tmp_path / DATASET / "thesis.txt").write_text("years of work")
    with pytest.raises(VersionExistsError, match="not a dataset that Planimeter finished"):
        build(tmp_path)
    assert (tmp_path / DATASET / "thesis.txt").read_text() == "years of work"


def test_a_build_makes_only_damaged_shards_again(little, tmp_path, monkeypatch):
    made, make_shard = [], work.make_shard
    monkeypatch.setattr(work, "make_shard", lambda *given: [made.append(str(given[1])), make_shard(*given)][1])
    shutil.copytree(little / ".planimeter", tmp_path / ".planimeter")
    flip(max((tmp_path / ".planimeter" / "shards").rglob("*.arrow"), key=lambda path: path.stat().st_size))
    build(tmp_path, scale=0.001)
    assert digests(tmp_path / DATASET) == digests(little / DATASET)
    assert len(made) == 1, "both, or none"
    shutil.rmtree(tmp_path / NAME)
    for record in (tmp_path / ".planimeter" / "results").iterdir():
        flip(record)
    build(tmp_path, scale=0.001)
    assert digests(tmp_path / DATASET) == digests(little / DATASET)
    assert len({*made}) == 2 and len(made) == 3
    assert not list(tmp_path.glob(".planimeter/*/.tmp-*"))


def test_quotas_that_cannot_be_filled_are_listed(little, tmp_path, monkeypatch):
    selection = Selector.selection
    shortfall = ("counting/a: 1 of 2 items not found", "counting/b")
    monkeypatch.setattr(Selector, "selection", lambda self: replace(selection(self), shortfall=shortfall))
    words = r"these quotas could not be filled:\n  counting/a: 1 of 2 items not found\n  counting/b\nRaise `attempts`"
    shutil.copytree(little / ".planimeter", tmp_path / ".planimeter")
    with pytest.raises(ShortfallError, match=words):
        build(tmp_path, scale=0.001)
    assert not (tmp_path / DATASET).exists()
    assert len(list(tmp_path.glob(".planimeter/results/*"))) == 2, "finished shards are lost"
    allowed = load(NAME, scale=0.001).model_copy(update={"allow_shortfall": True})
    assert plain.build(allowed, tmp_path).folder == tmp_path / DATASET


def test_a_build_refuses_a_dataset_that_was_changed(little, tmp_path, verified):
    shutil.copytree(little / DATASET, tmp_path / DATASET)
    assert build(tmp_path, scale=0.001).stood and len(verified) == 1
    flip(next((tmp_path / DATASET).rglob("*.parquet")))
    changed = digests(tmp_path / DATASET)
    with pytest.raises(PlanimeterError, match="its SHA-256 is not the one in manifest"):
        build(tmp_path, scale=0.001)
    assert len(verified) == 2 and digests(tmp_path / DATASET) == changed


def test_a_row_is_made_again_from_its_address(built, dataset, tmp_path):
    """Also one that was downloaded to a folder of any name."""
    downloaded = Path(shutil.copytree(dataset, tmp_path / "from-the-hub"))
    for config, folder in (("counting", dataset), ("transformation", downloaded)):
        wanted = str(rows_of(dataset, config)[-1]["id"])
        ended = here("rebuild", str(folder), wanted)
        assert (ended.code, ended.out.splitlines()[-1]) == (0, f"{wanted}: same bytes"), ended.err
    ended = here("verify", str(dataset))
    assert (ended.code, ended.err) == (0, "")
    assert "built: 15 of 15 shards are finished" in here("status", *TINY, "--out", str(built)).out
    shown = here("show", str(dataset)).out
    for config, splits in json.loads((dataset / "manifest.json").read_text())["configs"].items():
        assert f"{config}" in shown and f"{splits['test']}" in shown
    assert "certify" in shown and str(dataset / "report" / "index.html") in shown
