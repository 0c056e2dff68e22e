"""What is written for harnesses and trainers: rows as they are asked, our scores and rewards, no name as a path."""

import csv
import importlib.util
import io
import json
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import command_line
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from asked_folders import ROWS, SUITES, write_small
from datasets import load_dataset
from PIL import Image
from small_datasets import Small

from planimeter.evals import grade, suite
from planimeter.evals.harnesses import lmms_eval
from planimeter.evals.harnesses.export import PLACEHOLDERS, export
from planimeter.evals.harnesses.rows import source
from planimeter.evals.rewards import compute_score, packed
from planimeter.evals.scores import dataset, intake, scored
from planimeter.export.atomic import ExportError
from planimeter.export.built import Built

SPLITS = {"train": 5, "validation": 3, "test": 2}
Find = Callable[[str], Small]


class _Loader(yaml.SafeLoader):
    pass


_Loader.add_constructor("!function", lambda loader, node: f"!{loader.construct_scalar(node)}")


def module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("utils", path)
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def handmade(folder: Path, name: str, splits: Mapping[str, int] = MappingProxyType({"test": ROWS})) -> Built:
    return source(str(write_small(folder / name, name, splits)))


@pytest.fixture
def curves(tmp_path: Path) -> Built:
    return handmade(tmp_path, "curves", SPLITS)


@pytest.fixture(params=[*SUITES, "marvl_qa"])
def rows(request: pytest.FixtureRequest, small: Find, tmp_path: Path) -> Built:
    """A dataset of each suite, with splits to train with but for MaRVL-QA."""
    if request.param == "marvl_qa":
        return source(str(small("marvl-qa-mini").folder))
    return handmade(tmp_path, request.param, SPLITS)


def read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def exported(found: Built, out: Path) -> Path:
    export(found, out, "default")
    return out


def task_of(found: Built, out: Path) -> dict[str, Any]:
    (config,) = found.tests
    return yaml.load((out / f"planimeter_{found.suite}_{config}.yaml").read_text(), _Loader)


def commands(out: Path) -> dict[str, list[str]]:
    """The words of each command in README.md, by the name before it."""
    text = (out / "README.md").read_text()
    blocks = re.findall(r"^(?:## |)([\w-]+):?\n\n((?:    .*\n)+)", text, re.MULTILINE)
    return {name: shlex.split(block.replace("\\\n", " ")) for name, block in blocks}


def test_a_line_has_what_each_trainer_reads(rows: Built, tmp_path: Path) -> None:
    out = exported(rows, tmp_path / "out")
    assert module(out / "reward.py").compute_score is compute_score
    for config, splits in rows.manifest.configs.items():
        for split, count in splits.items():
            written = read(out / split / f"{config}.jsonl")
            assert len(written) == count
            for index, (row, line) in enumerate(zip(rows.rows(config, split), written, strict=True)):
                system = [{"role": "system", "content": row["system_prompt"]}] if row["system_prompt"] else []
                shown = "<image>" if rows.shows_pictures else ""
                assert line["messages"] == [*system, {"role": "user", "content": shown + row["prompt"]}]
                assert line["text"] == "\n\n".join(turn["content"] for turn in line["messages"])
                assert line["solution"] == line["reward_model"]["ground_truth"] == row["answer"]
                assert line["extra_info"] == {"split": split, "index": index, "row": line["row"]}
                assert line["row"] == packed(row, suite=rows.suite, config=config)
                pictures = [Path(path).read_bytes() for path in line.get("images", ())]
                assert pictures == [row["image"]] * rows.shows_pictures


@pytest.mark.parametrize("name", SUITES)
def test_a_task_of_lmms_eval_asks_and_scores_as_we_do(name: str, tmp_path: Path) -> None:
    """With the functions that its YAML names; lmms-eval itself is too large for this environment.

    The path of the export has the signs of patterns.
    """
    found, out = handmade(tmp_path, name), tmp_path / "out [1]* ?{c}"
    export(found, out, "default")
    task, utils, own = task_of(found, out), module(out / "utils.py"), suite(found.suite)
    assert str(out) in commands(out)["lmms-eval"]
    for function in ("doc_to_visual", "doc_to_text", "doc_to_messages", "process_results"):
        assert task[function] == f"!utils.{function}" and callable(getattr(utils, function))
    assert [metric["metric"] for metric in task["metric_list"]] == [own.HEADLINE]
    (config,) = found.tests
    results: dict[str, list[Any]] = {"gold": [], "empty": []}
    files = task["dataset_kwargs"]["data_files"]
    documents = load_dataset("json", data_files=files, cache_dir=str(tmp_path / "cache"))["test"]
    for row, document in zip(found.rows(config, "test"), documents, strict=True):
        messages = utils.doc_to_messages(document)
        assert messages[-1]["content"][-1]["text"] == row["prompt"]
        assert [turn["role"] for turn in messages] == (["system", "user"] if row["system_prompt"] else ["user"])
        shown = [picture.tobytes() for picture in utils.doc_to_visual(document)]
        pictures = [row["image"]] * found.shows_pictures
        assert shown == [Image.open(io.BytesIO(png)).convert("RGB").tobytes() for png in pictures]
        assert utils.doc_to_text(document) == "\n\n".join(filter(None, (row["system_prompt"], row["prompt"])))
        for kind, reply in (("gold", own.render(row["answer"])), ("empty", "")):
            (value,) = utils.process_results(document, [reply]).values()
            score = grade(row, reply, suite=found.suite, config=config).value
            assert (value["score"], value["id"]) == (score, row["id"])
            results[kind].append(value)
    assert (utils.average(results["gold"]), utils.average(results["empty"])) == (1.0, 0.0)
    assert len(results["gold"]) == ROWS


def test_lmms_eval_samples_as_the_paper_and_scores_every_reply(tmp_path: Path) -> None:
    """Its filter by default, `take_first`, keeps one of ``repeats`` replies (0.7.3, lmms_eval/api/task.py)."""
    found = handmade(tmp_path, "geogram")
    out = exported(found, tmp_path / "out")
    task, utils = task_of(found, out), module(out / "utils.py")
    sampling = {"max_new_tokens": 8192, "until": [], "temperature": 0.6, "do_sample": True}
    assert (task["generation_kwargs"], task["repeats"]) == (sampling, 8)
    ((kept,),) = [entry["filter"] for entry in task["filter_list"]]
    assert kept == {"function": "take_first_k", "k": task["repeats"]}
    document = read(out / "test/geogram.jsonl")[0]
    gold = suite("geogram").render(document["solution"])
    (value,) = utils.process_results(document, [gold, "", gold, gold]).values()
    assert value["score"] == 0.75


def test_lmms_eval_asks_nothing_that_cannot_be_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lmms_eval, "version", lambda _: "0.8.3")
    lmms_eval.check("curves")
    with pytest.raises(SystemExit, match=r"math-verify 0\.8\.3 is too old\); run pip install"):
        lmms_eval.check("geogram")


def test_predictions_of_vlmevalkit_come_back(small: Find, tmp_path: Path) -> None:
    found = source(str(small("marvl-qa-mini").folder))
    out = exported(found, tmp_path / "out")
    predictions = []
    for config in found.tests:
        name = f"planimeter_marvl_qa_{config}_openended"
        assert name in commands(out)["VLMEvalKit"]
        with (out / f"{name}.tsv").open(newline="") as file:
            lines = list(csv.DictReader(file, delimiter="\t"))
        rows = {row["id"]: row for row in found.rows(config, "test")}
        assert [line["index"] for line in lines] == list(rows)
        for line in lines:
            row = rows[line["index"]]
            assert line["question"] == f"{row['system_prompt']}\n\n{row['prompt']}"
            assert Path(line["image_path"]).read_bytes() == row["image"]
            assert not {"A", "B"} & line.keys()
        # As VLMEvalKit writes it: its table and the replies.
        path = tmp_path / f"model_{name}.tsv"
        with path.open("w", newline="") as file:
            table = csv.writer(file, delimiter="\t")
            table.writerow([*lines[0], "prediction"])
            table.writerows([*line.values(), suite("marvl_qa").render(line["answer"])] for line in lines)
        predictions.append(path)
    data = dataset.load(found.folder)
    frame = scored.score(data, intake.take(predictions, data, list(data.rows))).frame
    asked = [row["id"] for config, split in found.tests.items() for row in found.rows(config, split, pictures=False)]
    assert sorted(frame["id"]) == sorted(asked)
    assert set(frame[suite("marvl_qa").HEADLINE]) == {1.0}


def test_easyr1_asks_datasets_for_a_folder_of_each_side(curves: Built, tmp_path: Path) -> None:
    """Its loader (verl/utils/dataset.py, 8700709) takes the ending of any file in the folder for the builder, and
    always the split `train` of it. Pictures are paths, which it opens.
    """
    out = exported(curves, tmp_path / "out")
    for split, count in SPLITS.items():
        assert {path.suffix for path in (out / split).iterdir()} == {".jsonl"}
        loaded = load_dataset("json", data_dir=str(out / split), split="train", cache_dir=str(tmp_path / "cache"))
        assert len(loaded) == count * len(curves.manifest.configs)
        (picture,) = loaded[0]["images"]
        assert Path(picture).read_bytes().startswith(b"\x89PNG") and loaded[0]["text"].split("<image>")[1]


def test_commands_name_the_files_that_were_written(curves: Built, tmp_path: Path) -> None:
    out = tmp_path / "an export's folder"
    ended = command_line.here("export", str(curves.folder), "--out", str(out))
    assert ended.code == 0, ended.err
    for trainer, scorer in (("verl", "reward.py"), ("EasyR1", "reward.py"), ("ms-swift", "plugin.py")):
        # verl's options are Hydra's, which has quotes of its own.
        words = [word.replace("[", "=").replace("]", "").split("=") for word in commands(out)[trainer]]
        parts = [part.strip("'").replace("\\'", "'") for word in words for part in word]
        paths = {Path(part.removesuffix(":compute_score_batch")) for part in parts if str(out) in part}
        assert all(path.exists() for path in paths)
        assert {path.relative_to(out).parts[0] for path in paths} == {"train", "validation", scorer}


def test_a_variant_has_its_words_and_no_split_to_train_with(tmp_path: Path) -> None:
    found, out = handmade(tmp_path, "curves"), tmp_path / "out"
    export(found, out, "count_given")
    words = commands(out)["verl"]
    assert "data.train_files=[OTHER_EXPORT/train/CONFIG.jsonl]" in words
    assert f"data.val_files=[{out / 'test' / 'easy.jsonl'}]" in words
    line = read(out / "test/easy.jsonl")[0]
    prompt = line["messages"][-1]["content"].removeprefix("<image>")
    assert (json.loads(line["row"])["prompt"], line["variant"]) == (prompt, "count_given")
    assert prompt != next(found.rows("easy", "test"))["prompt"]


ELSEWHERE = ("../../x", "/tmp/x", "a/b", ".hidden", "a\x1b[31m")
REFUSED: list[tuple[str, object, str]] = [
    *(("id", name, "rename it at its source") for name in ELSEWHERE),
    *(("prompt", f"See {text}.", f"the prompt of the row easy-.* contains {text}") for text in PLACEHOLDERS),
    ("system_prompt", "See <image>.", "the prompt of the row easy-.* contains <image>"),
    ("image", {"bytes": None, "path": "/etc/passwd"}, "cannot be read .* shows the details"),
]


@pytest.mark.parametrize(("column", "value", "message"), REFUSED)
def test_a_row_that_no_harness_can_take_is_refused(
    column: str, value: object, message: str, curves: Built, tmp_path: Path
) -> None:
    (path,) = curves.files("easy", "test")
    table = pq.read_table(path)
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())]) if column == "image" else pa.string()
    values = pa.array([value, *table[column].to_pylist()[1:]], kind)
    pq.write_table(table.set_column(table.column_names.index(column), column, values), path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ExportError, match=message):
        export(curves, tmp_path / "out", "default")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_split_that_leads_elsewhere_is_no_dataset(curves: Built) -> None:
    path = curves.folder / "manifest.json"
    path.write_text(path.read_text().replace('"validation": 3', '"../../../escaped": 3'))
    ended = command_line.here("export", str(curves.folder), "--out", str(curves.folder.parent / "out"))
    assert (ended.code, len(ended.lines)) == (1, 1) and "cannot be read" in ended.err
