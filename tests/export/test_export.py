"""The folder as its readers open it: `datasets`, mlcroissant, readers of the manifest and of the lines of its card."""

import dataclasses
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import command_line
import datasets
import mlcroissant
import pytest
import stand_in_hub
from card_snippets import snippets
from huggingface_hub import HfApi
from PIL import Image
from sample_folder import FUNNEL, RECIPE, ROWS, any_row, tables, write_sample
from small_datasets import Small, whole

from planimeter.evals import suite as protocol_of
from planimeter.export import croissant, manifest
from planimeter.export.atomic import ExportError
from planimeter.export.hub.publish import Target, publish
from planimeter.export.pages.sections import configs_of, section
from planimeter.export.parquet import write_split
from planimeter.export.schema import COLUMNS, schema_of
from planimeter.export.texts import text_of
from planimeter.export.verify.croissant import mlcroissant_says

TEXT = text_of("marvl_qa")
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


def test_every_file_is_the_same_in_another_process_and_other_chunks(sample: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "x")
    code = f"from pathlib import Path; from sample_folder import write_sample; write_sample(Path({target!r}), 7)"
    path = f"{command_line.ROOT}{os.pathsep}{command_line.ROOT / 'tests' / 'support'}"
    ended = command_line.python(code, tmp_path, PYTHONHASHSEED="1", PYTHONPATH=path)
    assert ended.code == 0, ended.err
    assert command_line.digests(tmp_path / "x") == command_line.digests(sample)


@pytest.mark.parametrize(("config", "streaming"), [(None, False), ("counting", True), ("transformation", False)])
def test_datasets_loads_the_folder_with_pictures_in_colours_not_palette_indices(
    sample: Path, tmp_path: Path, config: str | None, streaming: bool
) -> None:
    loaded = datasets.load_dataset(str(sample), config, split="test", streaming=streaming, cache_dir=str(tmp_path))
    for row, wanted in zip(loaded, ROWS[config or "counting"], strict=True):
        stored = Image.open(io.BytesIO(wanted["image"]))
        assert (stored.mode, stored.size) == ("P", (96, 64))
        assert row["image"] == stored.convert("RGB")
        assert without_picture(row) == without_picture(wanted)


def test_mlcroissant_loads_every_record_and_picture_and_has_nothing_to_say(sample: Path) -> None:
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
def test_columns_of_every_suite_survive_their_readers(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Suites whose prose is not written yet borrow that of MaRVL-QA: nested lists are what may go wrong here."""
    borrowed = dataclasses.replace(TEXT, configs=dict.fromkeys(COLUMNS[suite], TEXT.configs["counting"]))
    monkeypatch.setattr(croissant, "text_for", lambda _: borrowed)
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


def test_manifest_has_the_promised_keys(sample: Path) -> None:
    document = json.loads((sample / "manifest.json").read_bytes())
    keys = "architecture canary code configs dataset files funnel libraries recipe seed version"
    assert " ".join(sorted(document)) == keys
    assert document["configs"] == {"counting": {"test": 18}, "transformation": {"test": 8}}
    assert document["recipe"] == RECIPE
    assert document["funnel"] == FUNNEL
    assert {"numpy", "pyarrow", "deflate", "matplotlib"} <= set(document["libraries"])


def test_what_no_manifest_can_hold_is_refused() -> None:
    for value in (float("nan"), {1, 2}, b"bytes"):
        with pytest.raises(ExportError, match="cannot be written as JSON"):
            manifest.canonical_json({"recipe": value})
    with pytest.raises(ExportError, match="no-such-package decides bytes"):
        manifest.library_versions(("no-such-package",))


def test_the_prose_of_a_suite_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ExportError, match="there is no suite 'mazes'; there are: marvl_qa, traversal, curves"):
        text_of("mazes")


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
def test_the_card_of_another_suite_holds_no_line_that_fails(
    name: str, small: Callable[[str], Small], tmp_path: Path, ran: Callable[[Path], dict[str, object]]
) -> None:
    made = small(name)
    carded = whole(tmp_path / "1.0.0", made, made.rows)
    ended: Any = ran(carded)
    rows = made.rows[configs_of(manifest.Manifest.read(carded))[0]]
    assert ended["rows"] == len(rows) and ended["answer"] in [row["answer"] for row in rows]
    assert ended["scored"][protocol_of(made.suite).HEADLINE] == 1.0


@pytest.mark.slow
def test_the_card_on_the_hub_runs_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own, for which the Hub is this one."""
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
    with stand_in_hub.started() as hub:
        folder = write_sample(tmp_path / "1.0.0")
        for repo in ("tester/elsewhere", "tester/landing"):
            publish(folder, Target(repo=repo), api=HfApi(hub.url), log=str)
        card = Path(HfApi(hub.url).hf_hub_download("tester/landing", "README.md", repo_type="dataset")).read_text()
        assert "elsewhere" not in card
        assert 'load_dataset("tester/landing", "counting", split="test", revision="v1.0.0")' in section(card, "Load")
        env = hub.environment(tmp_path)
        (fetch,) = snippets(card, "sh")
        there = command_line.environment(tmp_path, PATH=f"{Path(sys.executable).parent}:/usr/bin:/bin", **env)
        subprocess.run(["sh", "-ec", fetch], cwd=tmp_path, env=there, check=True, capture_output=True)
        fetched = tmp_path / "marvl-qa-mini"
        # What the client notes beside its download.
        shutil.rmtree(fetched / ".cache", ignore_errors=True)
        here = command_line.digests(fetched)
        assert here == hub.files("tester/landing") | {".gitattributes": here[".gitattributes"]}
        # The readers may lie on a path of the caller's.
        env["PYTHONPATH"] = f"{command_line.ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        env = command_line.environment(tmp_path, **{"HF_HOME": str(tmp_path / "hf"), **env})
        command = [sys.executable, "-c", script(card)]
        ended = subprocess.run(command, cwd=fetched, env=env, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout.splitlines()[-1]) == EXPECTED
