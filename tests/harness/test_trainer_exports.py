"""What is written for verl, EasyR1 and ms-swift: the rows as they are asked, and rewards that are our scores."""

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import command_line
import pyarrow.parquet as pq
import pytest
from asked_folders import SUITES, write_small
from datasets import load_dataset
from test_harness_exports import module

from planimeter.evals import grade, suite
from planimeter.evals.rewards import reward
from planimeter.export.atomic import ExportError
from planimeter.harness.exports import export
from planimeter.harness.rows import Row, Source, source

SPLITS = {"train": 5, "validation": 3, "test": 2}
Score = Callable[[dict[str, Any], str], float]


@pytest.fixture(params=[*SUITES, "marvl_qa"])
def found(request: pytest.FixtureRequest, tmp_path: Path) -> Source:
    if request.param == "marvl_qa":
        return source(str(request.getfixturevalue("dataset")))
    return source(str(write_small(tmp_path / request.param, request.param, SPLITS)))


def pairs(found: Source, read: Callable[[str], list[dict[str, Any]]]) -> Iterator[tuple[str, str, int, Row, Any]]:
    """Each row of the dataset with what was written for it: config, split, number in the split, row, written."""
    for config, splits in found.manifest.configs.items():
        for split, count in splits.items():
            written = read(f"{split}/{config}")
            assert len(written) == count
            for index, (row, one) in enumerate(zip(found.rows(config, split), written, strict=True)):
                yield config, split, index, row, one


def is_scored(row: Row, found: Source, config: str, score: Callable[[str], float]) -> None:
    gold = suite(found.suite).render(row["answer"])
    for reply in (gold, f"{row['prompt']}\n{gold}", row["prompt"], "<answer>\n1\n1 0\n</answer>", ""):
        assert score(reply) == grade(row, reply, suite=found.suite, config=config).value
    assert (score(gold), score("")) == (1.0, 0.0)


def test_verl_gets_messages_pictures_and_the_answer(found: Source, tmp_path: Path) -> None:
    export(found, "verl", tmp_path / "out", "default")
    score = module(tmp_path / "out" / "reward.py").compute_score
    names = ["data_source", "prompt", "ability", "reward_model", "extra_info", "images"]
    for config, split, index, row, one in pairs(
        found, lambda name: pq.read_table(tmp_path / "out" / f"{name}.parquet").to_pylist()
    ):
        assert list(one) == (names if found.shows_pictures else names[:-1])
        system = [{"role": "system", "content": row["system_prompt"]}] if row["system_prompt"] else []
        shown = "<image>" if found.shows_pictures else ""
        assert one["prompt"] == [*system, {"role": "user", "content": shown + row["prompt"]}]
        assert one["data_source"] == f"{found.suite}/{config}"
        assert one["ability"] == found.suite
        assert one["reward_model"] == {"style": "rule", "ground_truth": row["answer"]}
        assert (one["extra_info"]["split"], one["extra_info"]["index"]) == (split, index)
        assert [picture["bytes"] for picture in one.get("images", [])] == [row["image"]] * found.shows_pictures
        is_scored(
            row,
            found,
            config,
            lambda reply, one=one: score(
                data_source=one["data_source"],
                solution_str=reply,
                ground_truth=one["reward_model"]["ground_truth"],
                extra_info=one["extra_info"],
            )["score"],
        )


def test_easyr1_gets_one_text_and_the_answer_tells_the_rest(found: Source, tmp_path: Path) -> None:
    export(found, "easyr1", tmp_path / "out", "default")
    score = module(tmp_path / "out" / "reward.py").compute_score_batch
    names = ["prompt", "answer", "images"]
    for config, _, _, row, one in pairs(
        found, lambda name: pq.read_table(tmp_path / "out" / f"{name}.parquet").to_pylist()
    ):
        assert list(one) == (names if found.shows_pictures else names[:-1])
        before, _, after = one["prompt"].rpartition("<image>")
        assert after == (
            row["prompt"] if found.shows_pictures else "\n\n".join(filter(None, (row["system_prompt"], row["prompt"])))
        )
        assert before == (f"{row['system_prompt']}\n\n" if row["system_prompt"] and found.shows_pictures else "")
        assert [picture["bytes"] for picture in one.get("images", [])] == [row["image"]] * found.shows_pictures
        is_scored(
            row,
            found,
            config,
            lambda reply, one=one: score([{"response": reply, "response_length": 3, "ground_truth": one["answer"]}])[0][
                "overall"
            ],
        )


def test_easyr1_asks_datasets_for_a_folder_of_each_side(tmp_path: Path) -> None:
    """Its loader (verl/utils/dataset.py, 8700709) takes the ending of any file in the folder for the builder, and
    always the split `train` of it; its reward manager wants the same numbers of each reply.
    """
    found = source(str(write_small(tmp_path / "c", "curves", SPLITS)))
    export(found, "easyr1", tmp_path / "out", "default")
    for split, rows in SPLITS.items():
        folder = tmp_path / "out" / split
        assert {path.suffix for path in folder.iterdir()} == {".parquet"}
        loaded = load_dataset("parquet", data_dir=str(folder), split="train", cache_dir=str(tmp_path / "cache"))
        assert len(loaded) == rows * len(found.manifest.configs)
        (picture,) = loaded[0]["images"]
        # No feature of `datasets`: its loader opens the bytes by itself.
        assert picture["bytes"].startswith(b"\x89PNG")
        assert loaded[0]["prompt"].split("<image>")[1]
        score = module(tmp_path / "out" / "reward.py").compute_score_batch
        scores = score(
            [{"response": text, "response_length": 3, "ground_truth": loaded[0]["answer"]} for text in ("", "1")]
        )
        assert len({tuple(one) for one in scores}) == 1
        assert all(isinstance(value, float) and value == value for one in scores for value in one.values())


def test_swift_gets_lines_pictures_and_a_plugin(found: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(found, "swift", tmp_path / "out", "default")
    swift: Any = ModuleType("swift.rewards")
    swift.ORM, swift.orms = object, {}
    monkeypatch.setitem(sys.modules, "swift", ModuleType("swift"))
    monkeypatch.setitem(sys.modules, "swift.rewards", swift)
    module(tmp_path / "out" / "plugin.py")
    score = swift.orms["planimeter"]()
    for config, _, _, row, one in pairs(
        found,
        lambda name: [json.loads(line) for line in (tmp_path / "out" / f"{name}.jsonl").read_text().splitlines()],
    ):
        assert [turn["role"] for turn in one["messages"]] == (["system"] if row["system_prompt"] else []) + ["user"]
        assert one["messages"][-1]["content"] == ("<image>" if found.shows_pictures else "") + row["prompt"]
        assert one["solution"] == row["answer"]
        assert [Path(path).read_bytes() for path in one.get("images", [])] == [row["image"]] * found.shows_pictures
        columns = {name: [value] for name, value in one.items()}
        is_scored(row, found, config, lambda reply, columns=columns: score([reply], **columns)[0])
        monkeypatch.setenv("PLANIMETER_REWARD", "paper")
        reply = "<answer>\n4\n1 0\n2 0\n3 0\n4 0\n</answer>"
        assert score([reply], **columns) == reward([reply], of="paper", **columns)
        monkeypatch.delenv("PLANIMETER_REWARD")


@pytest.mark.parametrize("trainer", ["verl", "easyr1", "swift"])
@pytest.mark.parametrize("where", ["system_prompt", "prompt"])
def test_a_prompt_that_says_image_is_refused(
    trainer: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = source(str(write_small(tmp_path / "c", "curves", SPLITS)))
    of = Source.rows

    def rows(self: Source, config: str, split: str, *, pictures: bool = True) -> Iterator[Row]:
        for number, row in enumerate(of(self, config, split, pictures=pictures)):
            yield {**row, where: "Look at the <image>."} if (split, number) == ("train", 3) else row

    monkeypatch.setattr(Source, "rows", rows)
    with pytest.raises(ExportError, match="easy/train: the prompt of the row easy-0000000000000003 says <image>"):
        export(found, trainer, tmp_path / "out", "default")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("trainer", ["verl", "easyr1"])
def test_a_row_group_is_read_and_written_at_a_time(
    trainer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what is read ahead of what is written, no more than a row group is there."""
    found = source(str(write_small(tmp_path / "c", "curves", {"train": 450})))
    read, ahead = 0, []
    of, write = Source.rows, pq.ParquetWriter.write_table

    def rows(self: Source, config: str, split: str, *, pictures: bool = True) -> Iterator[Row]:
        nonlocal read
        for row in of(self, config, split, pictures=pictures):
            read += 1
            yield row

    def written(self: pq.ParquetWriter, table: Any, **options: Any) -> None:
        nonlocal read
        read -= table.num_rows
        ahead.append(read)
        write(self, table, **options)

    monkeypatch.setattr(Source, "rows", rows)
    monkeypatch.setattr(pq.ParquetWriter, "write_table", written)
    export(found, trainer, tmp_path / "out", "default")
    assert (read, max(ahead)) == (0, 0)
    (path,) = (tmp_path / "out").rglob("*.parquet")
    assert [pq.ParquetFile(path).metadata.row_group(group).num_rows for group in range(5)] == [100] * 4 + [50]


@pytest.mark.parametrize("trainer", ["verl", "easyr1", "swift"])
def test_the_command_names_the_files_that_were_written(trainer: str, tmp_path: Path) -> None:
    folder = write_small(tmp_path / "c", "curves", SPLITS)
    out = tmp_path / "an export's folder"
    ended = command_line.here("export", str(folder), "--for", trainer, "--out", str(out))
    assert ended.code == 0, ended.err
    told = ended.out.split("run it with\n", 1)[1]
    assert told.strip() in (out / "README.md").read_text()
    words = shlex.split(told.replace("\\\n", " "))
    named = {part for word in words for part in word.replace("[", "=").strip("]").split("=") if str(out) in part}
    paths = {Path(part.removesuffix(":compute_score_batch")) for part in named}
    assert all(path.exists() for path in paths)
    assert {path.relative_to(out).parts[0] for path in paths} == {
        "train",
        "validation",
        *(["plugin.py"] if trainer == "swift" else ["reward.py"]),
    }


def test_a_dataset_without_a_split_to_train_with_says_so(tmp_path: Path) -> None:
    found = source(str(write_small(tmp_path / "c", "curves")))
    told = export(found, "verl", tmp_path / "out", "default")
    assert "data.train_files=[OTHER_EXPORT/train/CONFIG.parquet]" in told
    assert f"data.val_files=[{tmp_path / 'out' / 'test' / 'easy.parquet'}]" in told


def test_a_variant_is_asked_and_scored_in_its_words(tmp_path: Path) -> None:
    found = source(str(write_small(tmp_path / "c", "curves_maps")))
    export(found, "verl", tmp_path / "out", "reasoned")
    (one, *_) = pq.read_table(tmp_path / "out" / "test" / "planar_map.parquet").to_pylist()
    asked = one["prompt"][-1]["content"].removeprefix("<image>")
    assert json.loads(one["extra_info"]["row"])["prompt"] == asked
    assert asked != next(found.rows("planar_map", "test"))["prompt"]
