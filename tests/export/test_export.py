"""The folder as its readers open it: `datasets`, mlcroissant, readers of the manifest and of the lines of its card."""

import importlib.util
import io
import json
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import datasets
import mlcroissant
import pytest
from card_snippets import snippets
from PIL import Image
from sample_folder import RECIPE, ROWS, any_row, tables
from small_datasets import Small, whole

from planimeter.evals import suite as protocol_of
from planimeter.export import croissant, manifest
from planimeter.export.pages.sections import configs_of
from planimeter.export.parquet import write_split
from planimeter.export.schema import COLUMNS, schema_of
from planimeter.export.verify.croissant import mlcroissant_says

#: What NeurIPS 2026 asks of the responsible-AI part.
RAI = "dataBiases dataCollection dataLimitations dataSocialImpact dataUseCases hasSyntheticData"
RESPONSIBLE_AI = (
    *(f"rai:{name}" for name in RAI.split()),
    *("rai:personalSensitiveInformation", "prov:wasDerivedFrom", "prov:wasGeneratedBy"),
)


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


@pytest.mark.parametrize(("config", "streaming"), [(None, False), ("counting", True), ("transformation", False)])
def test_datasets_loads_the_folder_with_pictures_in_colours(
    sample: Path, tmp_path: Path, config: str | None, streaming: bool
) -> None:
    loaded = datasets.load_dataset(str(sample), config, split="test", streaming=streaming, cache_dir=str(tmp_path))
    for row, wanted in zip(loaded, ROWS[config or "counting"], strict=True):
        stored = Image.open(io.BytesIO(wanted["image"]))
        assert (stored.mode, stored.size) == ("P", (96, 64))
        assert row["image"] == stored.convert("RGB")
        assert without_picture(row) == without_picture(wanted)


def test_mlcroissant_loads_every_record_and_picture(sample: Path) -> None:
    assert mlcroissant_says(sample / "croissant.json") == []
    document = json.loads((sample / "croissant.json").read_bytes())
    assert all(document.get(key) not in (None, "", []) for key in RESPONSIBLE_AI)
    assert document["datePublished"] == RECIPE["release_date"]
    described = mlcroissant.Dataset(jsonld=sample / "croissant.json")
    for config, rows in ROWS.items():
        for record, wanted in zip(map(plain, described.records(config)), rows, strict=True):
            record["image"].load()
            assert record["image"].size == (96, 64)
            assert without_picture(record) == without_picture(wanted)


@pytest.mark.parametrize("suite", list(COLUMNS))
def test_columns_of_every_suite_survive_their_readers(suite: str, tmp_path: Path) -> None:
    splits, files, rows = ("train", "validation", "test") if suite == "curves" else ("test",), {}, {}
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
    assert len(splits) == 1 or {record.pop("split") for record in found} == set(splits)
    assert [record for record in found if record in wanted] == found
    paths = [str(tmp_path / record.path) for record in files[config]["test"]]
    loaded = datasets.load_dataset("parquet", data_files=paths, split="train", cache_dir=str(tmp_path / "cache"))
    assert [without_picture(row) for row in loaded] == wanted
    assert loaded[0]["image"].size == (96, 64)


#: Readers that are none of ours: their snippets run where they are installed.
READERS = ("duckdb", "polars")


def script(card: str) -> str:
    """All Python of the card in its order, with a line at the end that prints what came of it."""
    missing = [f"import {name}" for name in READERS if importlib.util.find_spec(name) is None]
    parts = [part for part in snippets(card, "python") if not any(line in part for line in missing)]
    assert len(parts) >= 3
    parts[-1] = re.sub(r"\n(grade\(.*\))\n", r"\nscored = \1.metrics\n", parts[-1])
    last = 'print(json.dumps({"rows": len(rows), "size": rows[0]["image"].size, "answer": answer, "scored": scored}))'
    return "\n".join(["import json", *parts, last])


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], dict[str, object]]:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "hf")

    def run(folder: Path) -> dict[str, object]:
        monkeypatch.chdir(folder)
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(script((folder / "README.md").read_text()), "README.md", "exec"), {})
        found: dict[str, object] = json.loads(printed.getvalue().splitlines()[-1])
        return found

    return run


SCORED = {"accuracy": 1.0, "relaxed_10": 1.0, "relaxed_20": 1.0, "signed_error": 0.0}
EXPECTED = {"rows": 18, "size": [96, 64], "answer": "7", "scored": SCORED}


def test_the_card_of_a_folder_runs_in_the_folder(folder: Path, ran: Callable[[Path], dict[str, object]]) -> None:
    assert ran(folder) == EXPECTED


@pytest.mark.parametrize("name", ["traversal", "curves", "curves-maps", "geogram"])
def test_each_line_of_a_card_of_another_suite_runs(
    name: str, small: Callable[[str], Small], tmp_path: Path, ran: Callable[[Path], dict[str, object]]
) -> None:
    made = small(name)
    carded = whole(tmp_path / "1.0.0", made, made.rows)
    ended: Any = ran(carded)
    rows = made.rows[configs_of(manifest.Manifest.read(carded))[0]]
    assert ended["rows"] == len(rows) and ended["answer"] in [row["answer"] for row in rows]
    assert ended["scored"][protocol_of(made.suite).HEADLINE] == 1.0
