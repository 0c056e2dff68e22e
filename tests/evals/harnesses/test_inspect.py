"""Every row of every suite through Inspect AI, and a model behind a faulty endpoint: nothing is lost."""

import importlib.util
import math
import os
import signal
import time
import tomllib
from collections.abc import Callable
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import command_line
import inspect_ai
import loopback_openai
import pytest
from asked_folders import SUITES, write_small
from inspect_ai._util.registry import registry_lookup
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score
from locks import LOCK
from packaging.requirements import Requirement
from small_datasets import Small

from planimeter import evals
from planimeter.evals import grade, suite
from planimeter.evals.harnesses import inspect_tasks
from planimeter.evals.harnesses.rows import Source, source


@pytest.fixture(scope="module")
def marvl_qa(small: Callable[[str], Small]) -> Source:
    return source(str(small("marvl-qa-mini").folder))


@pytest.fixture(scope="module", params=["marvl_qa", *SUITES])
def rows(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Source:
    """A dataset of each suite: MaRVL-QA as its build makes it, the others with a few rows made by hand."""
    if request.param == "marvl_qa":
        dataset: Source = request.getfixturevalue("marvl_qa")
        return dataset
    return source(str(write_small(tmp_path_factory.mktemp("small") / request.param, request.param)))


def model(reply: Any) -> Model:
    """A model that answers by ``reply``, given what it is asked; a usage spares Inspect to count tokens itself."""

    def output(messages: list[ChatMessage], *_: object) -> ModelOutput:
        given = ModelOutput.from_content("mock", reply(messages[-1]))
        given.usage = ModelUsage()
        return given

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


def question(message: ChatMessage) -> tuple[str, str]:
    """The prompt and the picture in a message."""
    pictures = [part.image for part in message.content if part.type == "image"]  # type: ignore[union-attr]
    return message.text, "".join(pictures)


def test_there_is_a_task_for_every_config() -> None:
    names = [f"planimeter/{name}_{config}" for name in evals.SUITES for config in suite(name).CONFIGS]
    assert [name for name in names if registry_lookup("task", name) is None] == []


def test_figures_are_those_of_grade_to_the_last_digit(rows: Source, tmp_path: Path) -> None:
    """Replies that are right in other words, the answer of the row before, empty, and right as asked, in turn."""
    own = suite(rows.suite)
    for config in rows.tests:
        known = by_message(rows, config)
        gold = [own.render(row["answer"]) for row in known.values()]
        kinds = [
            (f"I take it to be {gold[k]}", f"I take it to be {gold[k - 1]}", "", gold[k]) for k in range(len(gold))
        ]
        reply = {key: kinds[index][index % 4] for index, key in enumerate(known)}
        log = evaluated(rows, config, lambda message: reply[question(message)], tmp_path)  # noqa: B023
        graded = {row["id"]: grade(row, reply[key], suite=rows.suite, config=config) for key, row in known.items()}
        answers = {row["id"]: row["answer"] for row in known.values()}
        assert log.samples and sorted(str(sample.id) for sample in log.samples) == sorted(answers)
        for sample in log.samples:
            score, ours = (sample.scores or {})["graded"], graded[str(sample.id)]
            assert {k: v for k, v in score.as_dict().items() if v == v} == {
                k: v for k, v in ours.metrics.items() if not math.isnan(v)
            }
            # Right answers in other words are one for the majority's vote.
            read = answers[str(sample.id)] if ours.value == 1.0 else ours.read
            assert (score.answer or "", score.explanation or "") == (read, ours.reason)
        figures = means(log)
        for metric in own.METRICS.keys() & figures.keys():
            values = [result.metrics[metric] for result in graded.values() if not math.isnan(result.metrics[metric])]
            assert figures[metric] == pytest.approx(math.fsum(values) / len(values), rel=1e-15, nan_ok=True)
        assert own.HEADLINE in figures and {0.0, 1.0} <= {result.value for result in graded.values()}


def test_every_stratum_of_every_axis_is_in_the_log(marvl_qa: Source, tmp_path: Path) -> None:
    answer = next(marvl_qa.rows("counting", "test"))["answer"]
    log = evaluated(marvl_qa, "counting", lambda _: answer, tmp_path)
    assert log.results and log.samples
    (headline,) = [score for score in log.results.scores if score.name == "accuracy"]
    figures = {metric.name: metric.value for metric in headline.metrics.values() if "=" in metric.name}
    for name, value in figures.items():
        axis, stratum = name.split("=")
        part = [sample for sample in log.samples if sample.metadata["strata"][axis] == stratum]
        right = [sample.target == answer for sample in part]
        assert value == pytest.approx(sum(right) / len(right))
    assert {name.split("=")[0] for name in figures} == {
        axis for sample in log.samples for axis in sample.metadata["strata"]
    }


def test_a_variant_changes_the_prompt_and_is_named(marvl_qa: Source) -> None:
    row = next(marvl_qa.rows("counting", "test"))
    plain, reasoned = (
        inspect_tasks.sample_of(row, marvl_qa, "counting", "test", variant) for variant in ("default", "reasoned")
    )
    assert reasoned.metadata and reasoned.metadata["variant"] == "reasoned"
    texts = [[turn.text for turn in sample.input] for sample in (plain, reasoned)]  # type: ignore[union-attr]
    assert texts[0] == [row["system_prompt"], row["prompt"]] != texts[1]


@pytest.mark.parametrize(
    ("answers", "value"),
    [(["2", "3", "3"], 1.0), (["2", "2", "3"], 0.0), (["2", "3"], 0.5), ([None, None, "3"], 1.0), ([None, None], 0.0)],
)
def test_the_majority_of_answers_counts_and_ties_are_shared(answers: list[str | None], value: float) -> None:
    scores = [Score(value={"accuracy": float(answer == "3")}, answer=answer) for answer in answers]
    assert inspect_tasks.majority()(scores).value == {"accuracy": value}


def test_majority_is_found_by_its_name(marvl_qa: Source, tmp_path: Path) -> None:
    replies = iter(["3", "4", "3"])
    epochs = {"limit": 1, "epochs": inspect_ai.Epochs(3, "planimeter/majority"), "max_connections": 1}
    log = evaluated(marvl_qa, "counting", lambda _: next(replies), tmp_path, **epochs)
    assert log.reductions and log.reductions[0].samples[0].answer == "3"


@pytest.mark.slow
def test_faults_and_ctrl_c_lose_nothing_and_only_the_rest_is_asked_again(certified: Path, tmp_path: Path) -> None:
    logs, before = tmp_path / "logs", command_line.digests(certified)
    command = ("evaluate", str(certified), "--model", "openai-api/loopback/gold", "--log-dir", str(logs))
    flags = ("--max-connections", "4", "--display", "plain")
    # What is asked behind the gate is held until the Ctrl-C.
    with loopback_openai.serving(source(str(certified)), faults=True, gate=12, holds=True) as endpoint:
        more = {**endpoint.environment, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
        process = command_line.start(*command, *flags, home=tmp_path, **more)
        while sum(endpoint.answered.values()) < 12 and process.poll() is None:
            time.sleep(0.05)
        # A terminal's Ctrl-C reaches all processes of the group.
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 130, err
        assert "the same command goes on from there" in err
        assert sum(endpoint.answered.values()) == 12 < len(endpoint.rows)
        endpoint.gate = 10**9
        ended = command_line.run(*command, *flags, home=tmp_path, **more)
        assert ended.code == 0, ended.err
        assert set(endpoint.answered) == {name for name, _ in endpoint.rows.values()}
        # Asked twice are those at most that were being asked when Ctrl-C came.
        assert sum(endpoint.answered.values()) - len(endpoint.answered) <= 2 * 4
        assert endpoint.failed[429] and endpoint.failed[500]
        heads = [read_eval_log(info, header_only=True) for info in list_eval_logs(str(logs))]
        assert {head.status for head in heads} == {"success"}
        assert (logs / "scores" / "scores.parquet").is_file()
        answered = sum(endpoint.answered.values())
        again = command_line.run(*command, *flags, home=tmp_path, **more)
        assert again.code == 0, again.err
        assert sum(endpoint.answered.values()) == answered
    assert command_line.digests(certified) == before


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("--config", "colouring", "--config: {} has no 'colouring'; it has counting, transformation"),
        ("--variant", "sung", "--variant: marvl_qa counting has no 'sung'; it has default"),
        ("--log-dir", "{}/logs", "--log-dir: {}/logs lies within the dataset"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(name: str, value: str, message: str, marvl_qa: Source) -> None:
    folder = str(marvl_qa.folder)
    ended = command_line.here("evaluate", folder, "--model", "mockllm/model", name, value.format(folder))
    assert (ended.code, len(ended.lines)) == (1, 1)
    assert message.format(folder) in ended.err


def test_without_the_extra_one_line_says_what_to_install(marvl_qa: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "inspect_ai" else find(name, *rest)
    )
    ended = command_line.here("evaluate", str(marvl_qa.folder), "--model", "x")
    assert ended.code == 1
    assert ended.lines == [
        'planimeter: this command needs Inspect AI: pip install "planimeter[inspect]", in a checkout make dev'
    ]


def test_no_resolver_that_keeps_our_lock_goes_back_to_an_old_inspect() -> None:
    extras = tomllib.loads((command_line.ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    bounds = {needed.name: needed.specifier for needed in map(Requirement, extras["inspect"])}
    locked = {line.name: next(iter(line.specifier)).version for line in LOCK}
    assert not bounds["inspect-ai"].contains("0.3.69") and not bounds["openai"].contains("3.3.0")
    assert all(bounds[name].contains(locked[name]) for name in bounds)
    # Why it went back: what it needs of fsspec is older than the newest.
    needs = [Requirement(line) for line in requires("inspect-ai") or () if line.startswith("fsspec")]
    assert needs and all(need.specifier.contains(locked["fsspec"]) for need in needs)
