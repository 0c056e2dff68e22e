"""The folder as a whole, as its readers open it: `datasets`, mlcroissant, a reader of the manifest."""

import dataclasses
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import command_line
import datasets
import mlcroissant
import pyarrow.parquet as pq
import pytest
from PIL import Image
from sample_folder import FUNNEL, RECIPE, ROWS, any_row, png, tables

from planimeter.export import croissant, manifest
from planimeter.export.atomic import ExportError
from planimeter.export.parquet import row_table, write_split
from planimeter.export.schema import COLUMNS, schema_of
from planimeter.export.texts import text_of
from planimeter.export.verify.croissant import RESPONSIBLE_AI, mlcroissant_says

TEXT = text_of("marvl_qa")


def plain(value: Any) -> Any:
    """A record of mlcroissant as plain values: names without their record set, text as str."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {key.rsplit("/", 1)[-1]: plain(part) for key, part in value.items()}
    return value


def without_picture(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "image"}


def test_every_file_is_the_same_in_another_process_and_other_chunks(sample: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "x")
    code = f"from pathlib import Path; from sample_folder import write_sample; write_sample(Path({target!r}), 7)"
    path = f"{command_line.ROOT}{os.pathsep}{command_line.ROOT / 'tests' / 'support'}"
    environment = command_line.environment(tmp_path, PYTHONHASHSEED="1", PYTHONPATH=path)
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert command_line.digests(tmp_path / "x") == command_line.digests(sample)


@pytest.mark.parametrize("config", [None, "counting", "transformation"])
@pytest.mark.parametrize("streaming", [False, True])
def test_datasets_loads_the_folder_with_pictures_in_colours_not_palette_indices(
    sample: Path, tmp_path: Path, config: str | None, streaming: bool
) -> None:
    loaded = datasets.load_dataset(str(sample), config, split="test", streaming=streaming, cache_dir=str(tmp_path))
    for row, wanted in zip(loaded, ROWS[config or "counting"], strict=True):
        stored = Image.open(io.BytesIO(wanted["image"]))
        assert (stored.mode, stored.size) == ("P", (96, 64))
        assert row["image"] == stored.convert("RGB")
        assert without_picture(row) == without_picture(wanted)


@pytest.mark.parametrize("config", ["counting", "transformation"])
def test_mlcroissant_loads_every_record_and_picture(sample: Path, config: str) -> None:
    records = mlcroissant.Dataset(jsonld=sample / "croissant.json").records(config)
    for record, wanted in zip(records, ROWS[config], strict=True):
        found = plain(record)
        picture = found.pop("image")
        picture.load()
        assert picture.size == (96, 64)
        assert found == without_picture(wanted)


def test_mlcroissant_has_nothing_to_say(sample: Path) -> None:
    assert mlcroissant_says(sample / "croissant.json") == []
    document = json.loads((sample / "croissant.json").read_bytes())
    assert set(RESPONSIBLE_AI) <= set(document)
    assert document["datePublished"] == RECIPE["release_date"]


@pytest.mark.parametrize("suite", list(COLUMNS))
def test_the_columns_of_every_suite_survive_croissant_and_datasets(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Suites whose prose is not written yet borrow that of MaRVL-QA: nested lists are what may go wrong here."""
    borrowed = dataclasses.replace(TEXT, configs=dict.fromkeys(COLUMNS[suite], TEXT.configs["counting"]))
    monkeypatch.setattr(croissant, "text_of", lambda _: borrowed)
    splits = ("train", "validation", "test") if suite == "curves" else ("test",)
    files, rows = {}, {}
    for config in COLUMNS[suite]:
        schema = schema_of(suite, config)
        rows[config] = [any_row(schema, i) for i in range(3)]
        files[config] = {
            split: write_split(tmp_path, config, split, tables(rows[config], schema, 2), schema, 2) for split in splits
        }
    named: dict[str, Any] = {"dataset": "trial", "version": "1.0.0", "seed": 0, "code_digest": "0" * 64}
    document = manifest.build(recipe=RECIPE | {"suite": suite}, **named, libraries={}, files=files, funnel={})
    (tmp_path / "croissant.json").write_bytes(manifest.canonical_json(croissant.build(document)))
    assert mlcroissant_says(tmp_path / "croissant.json") == []
    config = next(reversed(COLUMNS[suite]))
    wanted = [without_picture(row) for row in rows[config]]
    found = [plain(r) for r in mlcroissant.Dataset(jsonld=tmp_path / "croissant.json").records(config)]
    assert len(found) == 3 * len(splits)
    for record in found:
        record.pop("image").load()
    if len(splits) > 1:
        assert {record.pop("split") for record in found} == set(splits)
    assert [record for record in found if record in wanted] == found
    paths = [str(tmp_path / record.path) for record in files[config]["test"]]
    loaded = datasets.load_dataset("parquet", data_files=paths, split="train", cache_dir=str(tmp_path / "cache"))
    assert [without_picture(row) for row in loaded] == wanted
    assert loaded[0]["image"].size == (96, 64)


def test_geogram_may_have_no_number_for_an_answer(tmp_path: Path) -> None:
    schema = schema_of("geogram", "geogram")
    row = any_row(schema, 1) | {"answer_value": None}
    (record,) = write_split(tmp_path, "geogram", "test", [row_table([row], schema)], schema, 10)
    assert pq.read_table(tmp_path / record.path)["answer_value"].to_pylist() == [None]


def test_manifest_has_the_promised_keys(sample: Path) -> None:
    document = json.loads((sample / "manifest.json").read_bytes())
    keys = "architecture code configs dataset files funnel libraries recipe seed version"
    assert " ".join(sorted(document)) == keys
    assert document["configs"] == {"counting": {"test": 18}, "transformation": {"test": 8}}
    assert document["recipe"] == RECIPE
    assert document["funnel"] == FUNNEL
    assert {"numpy", "pyarrow", "deflate", "matplotlib"} <= set(document["libraries"])


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"bytes"])
def test_json_that_would_differ_from_reader_to_reader_is_refused(value: Any) -> None:
    with pytest.raises(ExportError, match="cannot be written as JSON"):
        manifest.canonical_json({"recipe": value})


def test_a_library_that_is_missing_is_named() -> None:
    with pytest.raises(ExportError, match="no-such-package decides bytes"):
        manifest.library_versions(["no-such-package"])


def test_the_prose_of_a_suite_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ExportError, match="there is no suite 'mazes'; there are: marvl_qa, traversal, curves"):
        text_of("mazes")


def test_pictures_of_the_sample_differ() -> None:
    assert len({png(i) for i in range(48)}) == 48
