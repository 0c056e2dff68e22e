"""The canary: in each file of a dataset, and found in what quotes one."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import command_line
import pyarrow.parquet as pq
import pytest
from small_datasets import CELLS, Small, whole

from planimeter.export.canary import KEY, Canary, canary_of, find
from planimeter.export.manifest import Manifest, canonical_json
from planimeter.export.verify.folder import verify


@pytest.mark.parametrize("quote", ["{}", "see `{}`, which", '{{"canary": "{}"}}', "> {}", "The card says “{}”."])
def test_a_canary_is_found_in_a_quote(quote):
    assert [*find(quote.format(canary_of("curves", "1.4.0")))] == [Canary("curves", "1.4.0")]


@pytest.mark.parametrize("gap", ["\n> ", "\r\n# ", "\n    // ", "\\n", "\\\\r\\\\n", "&nbsp;", "** *"])
def test_a_canary_is_found_over_a_break(gap):
    canary = Canary("traversal-hard", "1.4.0")
    assert [*find(str(canary).replace(" ", gap))] == [canary]


def test_a_string_with_another_guid_is_skipped():
    assert not [*find(canary_of("curves", "1.4.0").replace("curves", "traversal"))]


@pytest.mark.parametrize("name", CELLS)
def test_each_file_of_a_dataset_has_its_canary(name: str, small: Callable[[str], Small], tmp_path: Path):
    given = small(name)
    folder = whole(tmp_path / "1.0.0", given, given.rows)
    canary, manifest = canary_of(name, "1.0.0"), Manifest.read(folder)
    assert manifest.canary == canary
    assert json.loads((folder / "croissant.json").read_bytes())["identifier"] == canary
    for record in manifest.files:
        assert pq.read_schema(folder / record.path).metadata[KEY].decode() == canary
        assert "CANARY" not in str(pq.read_table(folder / record.path).to_pylist()), "rows and pictures have none"
    files = {path for path in folder.rglob("*") if path.is_file()}
    pictures = {path for path in files if path.suffix == ".png"}
    assert not any(b"CANARY" in path.read_bytes() for path in pictures)
    ended = command_line.here("canary", *map(str, sorted(files - pictures)))
    assert ended.code == 0
    lines = {line.split(",")[0] for line in ended.out.splitlines()}
    assert lines == {f"{path}: {name} 1.0.0" for path in files - pictures}


def test_a_text_without_a_canary_ends_with_one(tmp_path: Path):
    (tmp_path / "text").write_text("nothing")
    ended = command_line.here("canary", str(tmp_path / "text"))
    assert ended.code == 1 and "no canary" in ended.out
    ended = command_line.here("canary", str(tmp_path / "none"))
    assert ended.code == 1 and "cannot be read" in ended.err


def test_verify_finds_a_wrong_canary(certified: Path, tmp_path: Path):
    folder = tmp_path / "copy" / certified.name
    shutil.copytree(certified, folder)
    document = json.loads((folder / "manifest.json").read_bytes())
    document["canary"] = canary_of("curves", "9.9.9")
    (folder / "manifest.json").write_bytes(canonical_json(document))
    found = " ".join(map(str, verify(folder)))
    assert "canary is not PLANIMETER-CANARY" in found and "lacks the canary of manifest.json" in found
