"""What is written for lmms-eval and VLMEvalKit, and that their results come back to our scores."""

import csv
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import command_line
import pytest
import wheels
import yaml
from asked_folders import ROWS, SUITES, write_small
from PIL import Image

from planimeter.evals import grade, suite
from planimeter.export.atomic import ExportError
from planimeter.harness.exports import export
from planimeter.harness.rows import source


class _Loader(yaml.SafeLoader):
    pass


_Loader.add_constructor("!function", lambda loader, node: f"!{loader.construct_scalar(node)}")


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("utils", path)
    assert spec and spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(params=SUITES)
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_small(tmp_path / request.param, request.param)


def test_a_task_of_lmms_eval_asks_and_scores_as_we_do(small: Path, tmp_path: Path) -> None:
    """With the functions that its YAML names; lmms-eval itself is too large for this environment."""
    found = source(str(small))
    told = export(found, "lmms-eval", tmp_path / "out", "default")
    assert f"--include_path {tmp_path / 'out'} --tasks planimeter_{found.suite}" in told
    (config,) = found.tests
    task = yaml.load((tmp_path / "out" / f"planimeter_{found.suite}_{config}.yaml").read_text(), _Loader)
    assert [Path(file).is_file() for file in task["dataset_kwargs"]["data_files"]["test"]] == [True]
    utils = module(tmp_path / "out" / "utils.py")
    for name in ("doc_to_visual", "doc_to_text", "doc_to_messages", "process_results"):
        assert task[name] == f"!utils.{name}" and callable(getattr(utils, name))
    own = suite(found.suite)
    assert [metric["metric"] for metric in task["metric_list"]] == [own.HEADLINE]
    results: dict[str, list[Any]] = {"gold": [], "empty": []}
    for row in found.rows(config, "test", pictures=False):
        document = {**row, "image": Image.new("P", (8, 8))}
        messages = utils.doc_to_messages(document)
        assert messages[-1]["content"][-1]["text"] == row["prompt"]
        assert [one["role"] for one in messages] == (["system", "user"] if row["system_prompt"] else ["user"])
        assert bool(utils.doc_to_visual(document)) == found.shows_pictures
        assert utils.doc_to_text(document).endswith(row["prompt"])
        for kind, reply in (("gold", own.render(row["answer"])), ("empty", "")):
            (value,) = utils.process_results(row, [reply]).values()
            assert value["score"] == grade(row, reply, suite=found.suite, config=config).value
            assert value["id"] == row["id"]
            results[kind].append(value)
    assert (utils.average(results["gold"]), utils.average(results["empty"])) == (1.0, 0.0)
    assert len(results["gold"]) == ROWS


def test_a_table_of_vlmevalkit_holds_our_prompts_and_its_predictions_come_back(dataset: Path, tmp_path: Path) -> None:
    found = source(str(dataset))
    told = export(found, "vlmevalkit", tmp_path / "out", "default")
    predictions = []
    for config in found.tests:
        name = f"planimeter_marvl_qa_{config}_openended"
        assert name in told
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
        predictions.append(str(path))
    ended = command_line.here("score", str(dataset), *predictions, "--out", str(tmp_path / "scores"))
    assert ended.code == 0, ended.err
    assert ended.err == "" and ended.out.count("100.0") >= 2 * len(predictions)


def test_pictures_are_needed_by_vlmevalkit(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="takes no dataset without pictures"):
        export(source(str(write_small(tmp_path / "g", "geogram"))), "vlmevalkit", tmp_path / "out", "default")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "lacking", "said", "needed"),
    [
        ("geogram", "sys.modules['math_verify'] = None", "math_verify", "math-verify[antlr4_13_2]>=0.9"),
        ("geogram", "lmms_eval.version = lambda _: '0.1.0'", "math-verify 0.1.0", "math-verify[antlr4_13_2]>=0.9"),
        ("curves", "sys.modules['llvmlite'] = None", "llvmlite", "pip install numba && "),
    ],
)
def test_replies_are_not_paid_for_before_it_is_known_that_they_can_be_scored(
    name: str, lacking: str, said: str, needed: str, tmp_path: Path
) -> None:
    export(source(str(write_small(tmp_path / "1.0.0", name))), "lmms-eval", tmp_path / "out", "default")
    script = f"import sys; from planimeter.harness import lmms_eval; {lacking}; import utils"
    environment = command_line.environment(tmp_path, PYTHONPATH=f"{command_line.ROOT}:{tmp_path / 'out'}")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("planimeter: replies could not be scored here (")
    assert said in done.stderr.split("): ")[0] and needed in done.stderr.split("): ")[1]


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
    found = source(str(write_small(tmp_path / "1.0.0", name)))
    told = export(found, "lmms-eval", tmp_path / "out", "default")
    (config,) = found.tests
    replies = [(row, suite(name).render(row["answer"])) for row in found.rows(config, "test", pictures=False)]
    (tmp_path / "replies.json").write_text(json.dumps([*replies, (replies[0][0], "")]))
    line = (tmp_path / "out" / "utils.py").read_text().splitlines()[0].removeprefix("# ")
    assert told.startswith(line)
    path = f"{python.parent}:{os.environ['PATH']}"
    wheels.ran("bash", "-c", line, cwd=tmp_path, PATH=path, PIP_FIND_LINKS=str(tmp_path / "wheels"))
    script = (
        "import json, utils\n"
        "for row, reply in json.load(open('replies.json')):\n"
        "    (value,) = utils.process_results(row, [reply]).values()\n"
        "    print(value['score'])"
    )
    (tmp_path / "out" / "scores.py").write_text(script)
    scores = wheels.ran(python, tmp_path / "out" / "scores.py", cwd=tmp_path).split()
    assert scores == ["1.0"] * len(replies) + ["0.0"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--for", "helm"), "there is no export for 'helm'; there are: lmms-eval, vlmevalkit"),
        (
            ("--for", "lmms-eval", "--variant", "sung"),
            "marvl_qa counting has no prompt variant 'sung'; it has:",
        ),
        (("--for", "lmms-eval", "--out", "."), "exists; give --out a folder that does not"),
    ],
)
def test_what_cannot_be_exported_is_said_in_one_line(
    dataset: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    ended = command_line.here("export", str(dataset), "--out", str(tmp_path / "out"), *arguments)
    assert ended.code == 1 and len(ended.lines) == 1
    assert said in ended.err
