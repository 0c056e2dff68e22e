"""Every row of every suite through Inspect AI, and a model behind a faulty endpoint: nothing is lost."""

import math
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import command_line
import loopback_openai
import pytest
from asked_folders import SUITES, write_small
from locks import LOCK
from packaging.requirements import Requirement

from planimeter import evals
from planimeter.evals import grade, suite
from planimeter.harness.rows import Source, source

inspect_ai = pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")

from inspect_ai.dataset import Sample  # noqa: E402 - only where it is installed
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log  # noqa: E402
from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model  # noqa: E402
from inspect_ai.scorer import Score  # noqa: E402

from planimeter.harness import inspect_tasks  # noqa: E402


@pytest.fixture(scope="module")
def folders(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A dataset of each suite: MaRVL-QA as built, the others with a few rows made by hand."""
    place = tmp_path_factory.mktemp("small")
    return {"marvl_qa": dataset, **{name: write_small(place / name, name) for name in SUITES}}


def model(reply: Any) -> Model:
    """A model that answers by ``reply``, given what it is asked; a usage spares Inspect to count tokens itself."""

    def output(messages: list[ChatMessage], *_: object) -> ModelOutput:
        told = ModelOutput.from_content("mock", reply(messages[-1]))
        told.usage = ModelUsage()
        return told

    return get_model("mockllm/model", custom_outputs=output)


def evaluated(found: Source, config: str, reply: Any, logs: Path, **settings: Any) -> EvalLog:
    (log,) = inspect_ai.eval(
        f"planimeter/{found.suite}_{config}",
        task_args={"folder": str(found.folder), "split": found.tests[config]},
        model=model(reply),
        display="none",
        log_dir=str(logs),
        **settings,
    )
    assert log.status == "success", log.error
    return log


def means(log: EvalLog) -> dict[str, float]:
    """The mean of each metric, by name."""
    assert log.results
    return {score.name: score.metrics["mean"].value for score in log.results.scores}


def by_message(found: Source, config: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of a config, by prompt and picture."""
    shown = loopback_openai.data_url if found.shows_pictures else lambda _: ""
    return {(row["prompt"], shown(row["image"])): row for row in found.rows(config, found.tests[config])}


def asked(message: ChatMessage) -> tuple[str, str]:
    """The prompt and the picture in a message."""
    pictures = [part.image for part in message.content if part.type == "image"]  # type: ignore[union-attr]
    return message.text, "".join(pictures)


def test_there_is_a_task_for_every_config() -> None:
    from inspect_ai._util.registry import registry_lookup

    names = [f"planimeter/{name}_{config}" for name in evals.SUITES for config in suite(name).CONFIGS]
    assert [name for name in names if registry_lookup("task", name) is None] == []


@pytest.mark.parametrize("name", ["marvl_qa", *SUITES])
def test_gold_replies_score_one_and_empty_ones_nothing(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    found = source(str(folders[name]))
    own = suite(found.suite)
    for config in found.tests:
        rows = by_message(found, config)
        gold = evaluated(found, config, lambda message: own.render(rows[asked(message)]["answer"]), tmp_path)  # noqa: B023
        assert means(gold)[own.HEADLINE] == 1.0
        assert gold.results and gold.results.total_samples == len(rows)
        assert means(evaluated(found, config, lambda _: "", tmp_path))[own.HEADLINE] == 0.0


@pytest.mark.parametrize("name", ["marvl_qa", *SUITES])
def test_figures_are_those_of_grade_to_the_last_digit(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    """Replies that are right for half of the rows: the answer of the row before otherwise, in other words."""
    found = source(str(folders[name]))
    own = suite(found.suite)
    for config in found.tests:
        rows = by_message(found, config)
        answers = [row["answer"] for row in rows.values()]
        wrong = {row["id"]: answers[index - 1 if index % 2 else index] for index, row in enumerate(rows.values())}
        reply = {key: f"I take it to be {own.render(wrong[row['id']])}" for key, row in rows.items()}
        log = evaluated(found, config, lambda message: reply[asked(message)], tmp_path)  # noqa: B023
        graded = {row["id"]: grade(row, reply[key], suite=found.suite, config=config) for key, row in rows.items()}
        assert log.samples
        for sample in log.samples:
            score = (sample.scores or {})["graded"]
            ours = graded[str(sample.id)]
            assert {k: v for k, v in score.as_dict().items() if v == v} == {
                k: v for k, v in ours.metrics.items() if not math.isnan(v)
            }
            row = next(row for row in rows.values() if row["id"] == sample.id)
            # Right answers in other words are one for the majority's vote.
            read = row["answer"] if ours.value == 1.0 else ours.read
            assert (score.answer or "", score.explanation or "") == (read, ours.reason)
        told = means(log)
        for metric in own.METRICS.keys() & told.keys():
            values = [one.metrics[metric] for one in graded.values() if not math.isnan(one.metrics[metric])]
            assert told[metric] == pytest.approx(math.fsum(values) / len(values), rel=1e-15, nan_ok=True)


def test_every_stratum_of_every_axis_is_in_the_log(dataset: Path, tmp_path: Path) -> None:
    found = source(str(dataset))
    log = evaluated(found, "counting", lambda _: "3", tmp_path)
    assert log.results and log.samples
    (headline,) = [score for score in log.results.scores if score.name == "accuracy"]
    told = {metric.name: metric.value for metric in headline.metrics.values() if "=" in metric.name}
    for name, value in told.items():
        axis, stratum = name.split("=")
        part = [sample for sample in log.samples if sample.metadata["strata"][axis] == stratum]
        right = [sample.target == "3" for sample in part]
        assert value == pytest.approx(sum(right) / len(right))
    axes = {axis for sample in log.samples for axis in sample.metadata["strata"]}
    assert {name.split("=")[0] for name in told} == axes


def test_a_variant_changes_the_prompt_and_is_told(dataset: Path, tmp_path: Path) -> None:
    row = next(source(str(dataset)).rows("counting", "test"))
    sample = inspect_tasks.sample_of(row, source(str(dataset)), "counting", "test", "reasoned")
    assert isinstance(sample, Sample) and sample.metadata and sample.metadata["variant"] == "reasoned"
    plain = inspect_tasks.sample_of(row, source(str(dataset)), "counting", "test", "default")
    assert [one.text for one in sample.input] != [one.text for one in plain.input]  # type: ignore[union-attr]
    assert [one.text for one in plain.input] == [row["system_prompt"], row["prompt"]]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("answers", "value"),
    [
        (["2", "3", "3"], 1.0),
        (["2", "2", "3"], 0.0),
        (["2", "3"], 0.5),
        ([None, None, "3"], 1.0),
        ([None, None], 0.0),
    ],
)
def test_the_majority_of_answers_counts_and_ties_are_shared(answers: list[str | None], value: float) -> None:
    scores = [Score(value={"accuracy": float(answer == "3")}, answer=answer) for answer in answers]
    assert inspect_tasks.majority()(scores).value == {"accuracy": value}


def test_majority_is_found_by_its_name(dataset: Path, tmp_path: Path) -> None:
    replies = iter(["3", "4", "3"] * 400)
    log = evaluated(
        source(str(dataset)), "counting", lambda _: next(replies), tmp_path,
        limit=1, epochs=inspect_ai.Epochs(3, "planimeter/majority"), max_connections=1,
    )  # fmt: skip
    assert log.reductions and log.reductions[0].samples[0].answer == "3"


@pytest.fixture
def endpoint(dataset: Path) -> Iterator[loopback_openai.Endpoint]:
    with loopback_openai.serving(source(str(dataset)), delay=0.2, faults=True) as found:
        yield found


@pytest.mark.slow
def test_faults_and_ctrl_c_lose_nothing_and_only_the_rest_is_asked_again(
    dataset: Path, endpoint: loopback_openai.Endpoint, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    command = ("evaluate", str(dataset), "--model", "openai-api/loopback/gold", "--log-dir", str(logs))
    flags = ("--max-connections", "4", "--display", "plain")
    more = {**endpoint.environment, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    process = command_line.start(*command, *flags, home=tmp_path, **more)
    while sum(endpoint.answered.values()) < 12 and process.poll() is None:
        pass
    # A terminal's Ctrl-C reaches all processes of the group.
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "the same command goes on from there" in err
    before = dict(endpoint.answered)
    assert 12 <= len(before) < len(endpoint.rows)

    ended = command_line.run(*command, *flags, home=tmp_path, **more)
    assert ended.code == 0, ended.err
    assert set(endpoint.answered) == {name for name, _ in endpoint.rows.values()}
    # Asked twice are those at most that were being asked when Ctrl-C came.
    assert sum(endpoint.answered.values()) - len(endpoint.answered) <= 2 * 4
    assert endpoint.failed[429] and endpoint.failed[500]
    heads = [read_eval_log(info, header_only=True) for info in list_eval_logs(str(logs))]
    assert {head.status for head in heads} == {"success"}
    assert (logs / "scores" / "scores.parquet").is_file()
    assert {path.name for path in dataset.iterdir()} == {
        "README.md",
        "croissant.json",
        "data",
        "manifest.json",
        "report",
    }

    asked_before = sum(endpoint.answered.values())
    again = command_line.run(*command, *flags, home=tmp_path, **more)
    assert again.code == 0, again.err
    assert sum(endpoint.answered.values()) == asked_before


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--config", "colouring"), "--config: {folder} has no 'colouring'; it has counting, transformation"),
        (("--variant", "sung"), "--variant: marvl_qa counting has no 'sung'; it has default"),
        (("--log-dir", "{folder}/logs"), "--log-dir: {folder}/logs lies within the dataset"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(
    dataset: Path, tmp_path: Path, flags: tuple[str, str], said: str
) -> None:
    name, value = flags
    ended = command_line.run(
        "evaluate", str(dataset), "--model", "mockllm/model", name, value.format(folder=dataset), home=tmp_path
    )
    assert ended.code == 1
    assert said.format(folder=dataset) in ended.err and len(ended.lines) == 1


def test_without_the_extra_one_line_tells_what_to_install(dataset: Path, tmp_path: Path) -> None:
    script = (
        "import importlib.util as u, sys\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'inspect_ai' else find(name, *rest)\n"
        f"sys.argv = ['planimeter', 'evaluate', {str(dataset)!r}, '--model', 'x']\n"
        "from planimeter.flows.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=command_line.environment(tmp_path)
    )
    assert done.returncode == 1
    assert (
        done.stderr
        == 'planimeter: this command needs Inspect AI: pip install "planimeter[inspect]", in a checkout make dev\n'
    )


def test_no_resolver_that_keeps_our_lock_goes_back_to_an_old_inspect() -> None:
    extras = tomllib.loads((command_line.ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    bounds = {needed.name: needed.specifier for needed in map(Requirement, extras["inspect"])}
    locked = {line.name: next(iter(line.specifier)).version for line in LOCK}
    assert not bounds["inspect-ai"].contains("0.3.69") and not bounds["openai"].contains("3.3.0")
    assert all(bounds[name].contains(locked[name]) for name in bounds)
    # Why it went back: what it needs of fsspec is older than the newest.
    needs = [Requirement(line) for line in inspect_ai_requires() if line.startswith("fsspec")]
    assert needs and all(need.specifier.contains(locked["fsspec"]) for need in needs)


def inspect_ai_requires() -> list[str]:
    from importlib.metadata import requires

    return requires("inspect-ai") or []
