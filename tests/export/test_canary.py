"""The canary: in each file of a dataset, and found in what quotes one."""

import json
import shutil
from pathlib import Path

import command_line
import pyarrow.parquet as pq
import pytest

from planimeter.export.canary import KEY, Canary, canary_of, find
from planimeter.export.manifest import Manifest, canonical_json
from planimeter.export.verify.folder import verify


def test_a_canary_is_a_guid_of_dataset_and_version():
    guids = {Canary(name, version).guid for name in ("curves", "traversal") for version in ("1.0.0", "1.0.1")}
    assert len(guids) == 4
    assert all([len(part) for part in guid.split("-")] == [8, 4, 4, 4, 12] for guid in guids)
    assert canary_of("curves", "1.0.0") == f"PLANIMETER-CANARY curves 1.0.0 {Canary('curves', '1.0.0').guid}"


@pytest.mark.parametrize("quote", ["{}", "see `{}`, which", '{{"canary": "{}"}}', "> {}"])
def test_a_canary_is_found_in_a_quote(quote):
    assert [*find(quote.format(canary_of("curves", "1.4.0")))] == [Canary("curves", "1.4.0")]


def test_a_canary_is_found_over_a_line_break():
    broken = canary_of("curves", "1.4.0").replace(" ", "\n> ")
    assert [*find(f"> {broken}")] == [Canary("curves", "1.4.0")]


def test_another_guid_is_no_canary():
    assert not [*find(canary_of("curves", "1.4.0").replace("curves", "traversal"))]


def test_each_file_of_a_dataset_has_its_canary(certified: Path):
    manifest = Manifest.read(certified)
    canary = canary_of(manifest.dataset, manifest.version)
    assert manifest.canary == canary
    assert json.loads((certified / "croissant.json").read_bytes())["identifier"] == canary
    assert canary in (certified / "README.md").read_text()
    assert {pq.read_schema(certified / file.path).metadata[KEY].decode() for file in manifest.files} == {canary}
    for record in manifest.files:
        rows = pq.read_table(certified / record.path, columns=["image"])["image"].to_pylist()
        assert not any(b"CANARY" in row["bytes"] for row in rows)
    files = ("README.md", "croissant.json", "manifest.json", *(file.path for file in manifest.files))
    ended = command_line.here("canary", *(str(certified / name) for name in files))
    assert ended.code == 0
    assert all(f"{name}: {manifest.dataset} {manifest.version}" in ended.out.replace("\n", "") for name in files)


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
