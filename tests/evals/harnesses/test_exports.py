"""What is written for harnesses and trainers: the rows as they are asked, and scores and rewards that are ours."""

import csv
import importlib.util
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import command_line
import pyarrow.parquet as pq
import pytest
import wheels
import yaml
from asked_folders import ROWS, SUITES, write_small
from datasets import load_dataset
from PIL import Image
from small_datasets import Small

from planimeter.evals import grade, suite
from planimeter.evals.harnesses.exports import export
from planimeter.evals.harnesses.rows import source
from planimeter.evals.rewards import reward
from planimeter.evals.scores import dataset, intake, scored
from planimeter.export.atomic import ExportError
from planimeter.export.built import Built
from planimeter.items.values import Row

SPLITS = {"train": 5, "validation": 3, "test": 2}
Find = Callable[[str], Small]
TRAINERS = ("verl", "easyr1", "swift")


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


@pytest.mark.parametrize("name", SUITES)
def test_a_task_of_lmms_eval_asks_and_scores_as_we_do(name: str, tmp_path: Path) -> None:
    """With the functions that its YAML names; lmms-eval itself is too large for this environment."""
    found = handmade(tmp_path, name)
    command = export(found, "lmms-eval", tmp_path / "out", "default")
    assert f"--include_path {tmp_path / 'out'} --tasks planimeter_{found.suite}" in command
    (config,) = found.tests
    task = yaml.load((tmp_path / "out" / f"planimeter_{found.suite}_{config}.yaml").read_text(), _Loader)
    assert [Path(file).is_file() for file in task["dataset_kwargs"]["data_files"]["test"]] == [True]
    utils = module(tmp_path / "out" / "utils.py")
    for function in ("doc_to_visual", "doc_to_text", "doc_to_messages", "process_results"):
        assert task[function] == f"!utils.{function}" and callable(getattr(utils, function))
    own = suite(found.suite)
    assert [metric["metric"] for metric in task["metric_list"]] == [own.HEADLINE]
    results: dict[str, list[Any]] = {"gold": [], "empty": []}
    for row in found.rows(config, "test", pictures=False):
        document = {**row, "image": Image.new("P", (8, 8))}
        messages = utils.doc_to_messages(document)
        assert messages[-1]["content"][-1]["text"] == row["prompt"]
        assert [turn["role"] for turn in messages] == (["system", "user"] if row["system_prompt"] else ["user"])
        assert bool(utils.doc_to_visual(document)) == found.shows_pictures
        assert utils.doc_to_text(document).endswith(row["prompt"])
        for kind, reply in (("gold", own.render(row["answer"])), ("empty", "")):
            (value,) = utils.process_results(row, [reply]).values()
            score = grade(row, reply, suite=found.suite, config=config).value
            assert (value["score"], value["id"]) == (score, row["id"])
            results[kind].append(value)
    assert (utils.average(results["gold"]), utils.average(results["empty"])) == (1.0, 0.0)
    assert len(results["gold"]) == ROWS


#: By suite: what lmms-eval is given for sampling, and replies a row.
SAMPLING = {
    "marvl_qa": ({"temperature": 0, "do_sample": False}, 1),
    "traversal": ({}, 1),
    "curves": ({}, 4),
    "geogram": ({"temperature": 0.6, "do_sample": True}, 8),
}


@pytest.mark.parametrize("name", [name for name in SAMPLING if name in SUITES])
def test_exports_have_the_sampling_of_the_paper(name: str, tmp_path: Path) -> None:
    found = handmade(tmp_path, name)
    export(found, "lmms-eval", tmp_path / "out", "default")
    (config,) = found.tests
    task = yaml.load((tmp_path / "out" / f"planimeter_{name}_{config}.yaml").read_text(), _Loader)
    settings, repeats = SAMPLING[name]
    assert task["generation_kwargs"] == {"max_new_tokens": 8192, "until": [], **settings}
    assert task["repeats"] == repeats
    if found.shows_pictures:
        assert "the paper's settings" in export(found, "vlmevalkit", tmp_path / "tables", "default")


def test_a_table_of_vlmevalkit_holds_our_prompts_and_its_predictions_come_back(small: Find, tmp_path: Path) -> None:
    found = source(str(small("marvl-qa-mini").folder))
    command = export(found, "vlmevalkit", tmp_path / "out", "default")
    predictions = []
    for config in found.tests:
        name = f"planimeter_marvl_qa_{config}_openended"
        assert name in command
        with (tmp_path / "out" / f"{name}.tsv").open(newline="") as file:
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


@pytest.mark.parametrize(
    ("name", "lacking", "words", "needed"),
    [
        pytest.param(
            *("geogram", "sys.modules['math_verify'] = None", "math_verify", "math-verify[antlr4_13_2]>=0.9"),
            marks=pytest.mark.slow,
        ),
        ("geogram", "lmms_eval.version = lambda _: '0.1.0'", "math-verify 0.1.0", "math-verify[antlr4_13_2]>=0.9"),
    ],
)
def test_replies_are_not_paid_for_before_it_is_known_that_they_can_be_scored(
    name: str, lacking: str, words: str, needed: str, tmp_path: Path
) -> None:
    export(handmade(tmp_path, name), "lmms-eval", tmp_path / "out", "default")
    script = f"import sys; from planimeter.evals.harnesses import lmms_eval; {lacking}; import utils"
    environment = command_line.environment(tmp_path, PYTHONPATH=f"{command_line.ROOT}:{tmp_path / 'out'}")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("planimeter: replies could not be scored here (")
    assert words in done.stderr.split("): ")[0] and needed in done.stderr.split("): ")[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["curves", "geogram"])
def test_the_pip_line_of_lmms_eval_makes_an_environment_that_scores(name: str, tmp_path: Path) -> None:
    """In what lmms-eval 0.7.3 brings of the libraries that scoring needs; it with PyTorch would be 6 GB."""
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    brought = ("latex2sympy2==1.9.1", "math-verify==0.1.0", "numpy", "pillow")
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", *brought], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"{', '.join(brought)} cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
    wheels.built(tmp_path / "wheels")
    found = handmade(tmp_path, name)
    command = export(found, "lmms-eval", tmp_path / "out", "default")
    (config,) = found.tests
    replies = [(row, [suite(name).render(row["answer"])]) for row in found.rows(config, "test", pictures=False)]
    (tmp_path / "replies.json").write_text(json.dumps([*replies, (replies[0][0], [""])]))
    line = (tmp_path / "out" / "utils.py").read_text().splitlines()[0].removeprefix("# ")
    assert command.startswith(line)
    path = f"{python.parent}:{os.environ['PATH']}"
    wheels.ran("bash", "-c", line, cwd=tmp_path, PATH=path, PIP_FIND_LINKS=str(tmp_path / "wheels"))
    pairs = "utils.process_results(*pair).values() for pair in json.load(open('replies.json'))"
    script = f"import json, utils\nprint(*(value['score'] for (value,) in ({pairs})))"
    (tmp_path / "out" / "scores.py").write_text(script)
    scores = wheels.ran(python, tmp_path / "out" / "scores.py", cwd=tmp_path).split()
    assert scores == ["1.0"] * len(replies) + ["0.0"]


def test_an_exported_task_finds_its_rows_below_any_path(tmp_path: Path) -> None:
    found = handmade(tmp_path / "a [b]* ?{c} d", "curves")
    command = export(found, "lmms-eval", tmp_path / "out [1]", "default")
    assert shlex.split(command.splitlines()[-1])[4] == str(tmp_path / "out [1]")
    (config,) = found.tests
    task = yaml.load((tmp_path / "out [1]" / f"planimeter_curves_{config}.yaml").read_text(), _Loader)
    files = task["dataset_kwargs"]["data_files"]
    assert load_dataset("parquet", data_files=files, cache_dir=str(tmp_path / "cache"))["test"].num_rows == ROWS


def test_what_cannot_be_exported_is_said_in_one_line(curves: Built, tmp_path: Path) -> None:
    for arguments, message in (
        (("--for", "helm"), "there is no export for 'helm'; there are: lmms-eval, vlmevalkit"),
        (("--for", "lmms-eval", "--variant", "sung"), "curves easy has no prompt variant 'sung'; it has:"),
        (("--for", "lmms-eval", "--out", "."), "exists; give --out a folder that does not"),
    ):
        ended = command_line.here("export", str(curves.folder), "--out", str(tmp_path / "out"), *arguments)
        assert (ended.code, len(ended.lines)) == (1, 1) and message in ended.err
    with pytest.raises(ExportError, match="takes no dataset without pictures"):
        export(handmade(tmp_path, "geogram"), "vlmevalkit", tmp_path / "out", "default")
    assert not (tmp_path / "out").exists()


def read(file: Path) -> list[dict[str, Any]]:
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text().splitlines()]
    return pq.read_table(file).to_pylist()


def pairs(found: Built, out: Path) -> Iterator[tuple[str, str, int, Row, Any]]:
    for config, splits in found.manifest.configs.items():
        for split, count in splits.items():
            (file,) = (out / split).glob(f"{config}.*")
            written = read(file)
            assert len(written) == count
            for index, (row, line) in enumerate(zip(found.rows(config, split), written, strict=True)):
                yield config, split, index, row, line


def is_scored(row: Row, found: Built, config: str, score: Callable[[str], float]) -> None:
    gold = suite(found.suite).render(row["answer"])
    for reply in (gold, f"{row['prompt']}\n{gold}", row["prompt"], "<answer>\n1\n1 0\n</answer>", ""):
        assert score(reply) == grade(row, reply, suite=found.suite, config=config).value
    assert (score(gold), score("")) == (1.0, 0.0)


def test_verl_gets_messages_pictures_and_the_answer(rows: Built, tmp_path: Path) -> None:
    export(rows, "verl", tmp_path / "out", "default")
    compute_score = module(tmp_path / "out" / "reward.py").compute_score
    names = ["data_source", "prompt", "ability", "reward_model", "extra_info", "images"]
    for config, split, index, row, line in pairs(rows, tmp_path / "out"):
        assert list(line) == names[: 5 + rows.shows_pictures]
        system = [{"role": "system", "content": row["system_prompt"]}] if row["system_prompt"] else []
        shown = "<image>" if rows.shows_pictures else ""
        assert line["prompt"] == [*system, {"role": "user", "content": shown + row["prompt"]}]
        assert (line["data_source"], line["ability"]) == (f"{rows.suite}/{config}", rows.suite)
        assert line["reward_model"] == {"style": "rule", "ground_truth": row["answer"]}
        assert (line["extra_info"]["split"], line["extra_info"]["index"]) == (split, index)
        assert [picture["bytes"] for picture in line.get("images", [])] == [row["image"]] * rows.shows_pictures
        given = {"data_source": line["data_source"], "ground_truth": row["answer"], "extra_info": line["extra_info"]}
        is_scored(row, rows, config, lambda reply, given=given: compute_score(solution_str=reply, **given)["score"])


def test_easyr1_gets_one_text_and_the_answer_holds_the_rest(rows: Built, tmp_path: Path) -> None:
    export(rows, "easyr1", tmp_path / "out", "default")
    compute_scores = module(tmp_path / "out" / "reward.py").compute_score_batch
    for config, _, _, row, line in pairs(rows, tmp_path / "out"):
        assert list(line) == ["prompt", "answer", "images"][: 2 + rows.shows_pictures]
        before, _, after = line["prompt"].rpartition("<image>")
        texts = [text for text in (row["system_prompt"], row["prompt"]) if text]
        assert (before + after) == "\n\n".join(texts)
        assert after == row["prompt"] or not rows.shows_pictures
        assert [picture["bytes"] for picture in line.get("images", [])] == [row["image"]] * rows.shows_pictures
        given = {"response_length": 3, "ground_truth": line["answer"]}
        is_scored(row, rows, config, lambda reply, on=given: compute_scores([{"response": reply, **on}])[0]["overall"])


def test_swift_gets_lines_pictures_and_a_plugin(rows: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(rows, "swift", tmp_path / "out", "default")
    swift: Any = ModuleType("swift.rewards")
    swift.ORM, swift.orms = object, {}
    monkeypatch.setitem(sys.modules, "swift", ModuleType("swift"))
    monkeypatch.setitem(sys.modules, "swift.rewards", swift)
    module(tmp_path / "out" / "plugin.py")
    score = swift.orms["planimeter"]()
    for config, _, _, row, line in pairs(rows, tmp_path / "out"):
        assert [turn["role"] for turn in line["messages"]] == (["system"] if row["system_prompt"] else []) + ["user"]
        assert line["messages"][-1]["content"] == ("<image>" if rows.shows_pictures else "") + row["prompt"]
        assert line["solution"] == row["answer"]
        assert [Path(path).read_bytes() for path in line.get("images", [])] == [row["image"]] * rows.shows_pictures
        columns = {name: [value] for name, value in line.items()}
        is_scored(row, rows, config, lambda reply, columns=columns: score([reply], **columns)[0])
        monkeypatch.setenv("PLANIMETER_REWARD", "paper")
        reply = "<answer>\n4\n1 0\n2 0\n3 0\n4 0\n</answer>"
        assert score([reply], **columns) == reward([reply], of="paper", **columns)
        monkeypatch.delenv("PLANIMETER_REWARD")


def test_easyr1_asks_datasets_for_a_folder_of_each_side(curves: Built, tmp_path: Path) -> None:
    """Its loader (verl/utils/dataset.py, 8700709) takes the ending of any file in the folder for the builder, and
    always the split `train` of it; its reward manager wants the same numbers of each reply.
    """
    export(curves, "easyr1", tmp_path / "out", "default")
    compute_scores = module(tmp_path / "out" / "reward.py").compute_score_batch
    for split, count in SPLITS.items():
        folder = tmp_path / "out" / split
        assert {path.suffix for path in folder.iterdir()} == {".parquet"}
        loaded = load_dataset("parquet", data_dir=str(folder), split="train", cache_dir=str(tmp_path / "cache"))
        assert len(loaded) == count * len(curves.manifest.configs)
        (picture,) = loaded[0]["images"]
        # No feature of `datasets`: its loader opens the bytes by itself.
        assert picture["bytes"].startswith(b"\x89PNG")
        assert loaded[0]["prompt"].split("<image>")[1]
        given = {"response_length": 3, "ground_truth": loaded[0]["answer"]}
        scores = compute_scores([{"response": text, **given} for text in ("", "1")])
        assert len({tuple(names) for names in scores}) == 1
        assert all(isinstance(value, float) and value == value for names in scores for value in names.values())


@pytest.mark.parametrize("where", ["system_prompt", "prompt"])
def test_a_prompt_that_says_image_is_refused(
    where: str, curves: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_rows = Built.rows

    def rows(self: Built, config: str, split: str, *, pictures: bool = True) -> Iterator[Row]:
        for number, row in enumerate(read_rows(self, config, split, pictures=pictures)):
            yield {**row, where: "Look at the <image>."} if (split, number) == ("train", 3) else row

    monkeypatch.setattr(Built, "rows", rows)
    for trainer in TRAINERS:
        with pytest.raises(ExportError, match="easy/train: the prompt of the row easy-0000000000000003 says <image>"):
            export(curves, trainer, tmp_path / "out", "default")
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("trainer", ["verl", "easyr1"])
def test_one_row_group_is_held_at_a_time(trainer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = handmade(tmp_path, "curves", {"train": 250})
    ahead, most = 0, []
    read_rows, write = Built.rows, pq.ParquetWriter.write_table

    def rows(self: Built, config: str, split: str, *, pictures: bool = True) -> Iterator[Row]:
        nonlocal ahead
        for row in read_rows(self, config, split, pictures=pictures):
            ahead += 1
            yield row

    def written(self: pq.ParquetWriter, table: Any, **options: Any) -> None:
        nonlocal ahead
        ahead -= table.num_rows
        most.append(ahead)
        write(self, table, **options)

    monkeypatch.setattr(Built, "rows", rows)
    monkeypatch.setattr(pq.ParquetWriter, "write_table", written)
    export(found, trainer, tmp_path / "out", "default")
    assert (ahead, max(most)) == (0, 0)
    (path,) = (tmp_path / "out").rglob("*.parquet")
    assert [pq.ParquetFile(path).metadata.row_group(group).num_rows for group in range(3)] == [100, 100, 50]


@pytest.mark.parametrize("trainer", TRAINERS)
def test_the_command_names_the_files_that_were_written(trainer: str, curves: Built, tmp_path: Path) -> None:
    out = tmp_path / "an export's folder"
    ended = command_line.here("export", str(curves.folder), "--for", trainer, "--out", str(out))
    assert ended.code == 0, ended.err
    command = ended.out.split("run it with\n", 1)[1]
    assert command.strip() in (out / "README.md").read_text()
    words = shlex.split(command.replace("\\\n", " "))
    # verl's options are Hydra's, which has quotes of its own.
    parts = [part for word in words for part in word.replace("[", "=").replace("]", "").split("=")]
    named = {part for part in (part.strip("'").replace("\\'", "'") for part in parts) if str(out) in part}
    paths = {Path(part.removesuffix(":compute_score_batch")) for part in named}
    assert all(path.exists() for path in paths)
    scorer = "plugin.py" if trainer == "swift" else "reward.py"
    assert {path.relative_to(out).parts[0] for path in paths} == {"train", "validation", scorer}


def test_a_dataset_without_a_split_to_train_with_says_so_and_a_variant_is_asked_in_its_words(tmp_path: Path) -> None:
    found = handmade(tmp_path, "curves")
    command = export(found, "verl", tmp_path / "easy", "default")
    assert "data.train_files=[OTHER_EXPORT/train/CONFIG.parquet]" in command
    assert f"data.val_files=[{tmp_path / 'easy' / 'test' / 'easy.parquet'}]" in command
    export(found, "verl", tmp_path / "out", "count_given")
    (line, *_) = read(tmp_path / "out" / "test" / "easy.parquet")
    prompt = line["prompt"][-1]["content"].removeprefix("<image>")
    assert json.loads(line["extra_info"]["row"])["prompt"] == prompt
    assert prompt != next(found.rows("easy", "test"))["prompt"]
