"""Every row of every suite through Inspect AI, and the command `evaluate` against an endpoint with faults."""

import math
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import command_line
import inspect_ai
import loopback_openai
import pytest
from asked_folders import ROWS, SUITES, write_small
from inspect_ai._cli.main import main as inspect_main
from inspect_ai._util.registry import registry_lookup
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score
from loopback_openai import Endpoint
from small_datasets import Small

from planimeter import evals
from planimeter.evals import grade, suite
from planimeter.evals.harnesses import inspect_tasks
from planimeter.evals.harnesses.rows import source
from planimeter.export.built import Built
from planimeter.flows.commands import evaluate
from planimeter.items.hub import Repository, repository


@pytest.fixture(scope="module")
def marvl_qa(small: Callable[[str], Small]) -> Built:
    return source(str(small("marvl-qa-mini").folder))


@pytest.fixture(scope="module", params=["marvl_qa", *SUITES])
def rows(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A dataset of each suite: MaRVL-QA as its build makes it, the others with a few rows made by hand."""
    if request.param == "marvl_qa":
        return request.getfixturevalue("marvl_qa")  # type: ignore[no-any-return]
    return source(str(write_small(tmp_path_factory.mktemp("small") / request.param, request.param)))


def model(reply: Any) -> Model:
    """A model that answers by ``reply``, given what it is asked; a usage spares Inspect to count tokens itself."""

    def output(messages: list[ChatMessage], *_: object) -> ModelOutput:
        return ModelOutput.from_content("mock", reply(messages[-1])).model_copy(update={"usage": ModelUsage()})

    return get_model("mockllm/model", custom_outputs=output)


def evaluated(found: Built, config: str, reply: Any, logs: Path, **settings: Any) -> EvalLog:
    task, args = f"planimeter/{found.suite}_{config}", {"folder": str(found.folder), "split": found.tests[config]}
    settings = {"epochs": 1, **settings, "display": "none", "log_dir": str(logs)}
    (log,) = inspect_ai.eval(task, task_args=args, model=model(reply), **settings)
    assert log.status == "success", log.error
    return log


def by_message(found: Built, config: str) -> dict[tuple[str, str], dict[str, Any]]:
    shown = loopback_openai.data_url if found.shows_pictures else lambda _: ""
    return {(row["prompt"], shown(row["image"])): row for row in found.rows(config, found.tests[config])}


def question(message: ChatMessage) -> tuple[str, str]:
    pictures = [part.image for part in message.content if part.type == "image"]  # type: ignore[union-attr]
    return message.text, "".join(pictures)


def test_what_looks_like_a_path_is_no_repository() -> None:
    assert not any(map(repository, ("./rows", "~/rows", "outputs/curves/1.0.0", "rows")))
    assert repository("planimeter/curves@v1.0.0") == Repository("planimeter/curves", "v1.0.0")


def test_there_is_a_task_for_every_config() -> None:
    names = [f"planimeter/{name}_{config}" for name in evals.SUITES for config in suite(name).CONFIGS]
    assert [name for name in names if registry_lookup("task", name) is None] == []


def test_figures_are_those_of_grade_to_the_last_digit(rows: Built, tmp_path: Path) -> None:
    """Replies that are right in other words, the answer of the row before, empty, and right as asked, in turn."""
    own = suite(rows.suite)
    for config in rows.tests:
        known = by_message(rows, config)
        gold = [own.render(row["answer"]) for row in known.values()]
        kinds = [(f"I take {right}", f"I take {gold[k - 1]}", "", right) for k, right in enumerate(gold)]
        reply = {key: kinds[index][index % 4] for index, key in enumerate(known)}
        log = evaluated(rows, config, lambda message: reply[question(message)], tmp_path)  # noqa: B023
        graded = {row["id"]: grade(row, reply[key], suite=rows.suite, config=config) for key, row in known.items()}
        answers = {row["id"]: row["answer"] for row in known.values()}
        assert log.samples and sorted(str(sample.id) for sample in log.samples) == sorted(answers)
        for sample in log.samples:
            score, ours = (sample.scores or {})["graded"], graded[str(sample.id)]
            stated, computed = ({k: v for k, v in of.items() if v == v} for of in (score.as_dict(), ours.metrics))
            assert stated == computed
            # Right answers in other words are one for the majority's vote.
            read = answers[str(sample.id)] if ours.value == 1.0 else ours.read
            assert (score.answer or "", score.explanation or "") == (read, ours.reason)
        assert log.results
        figures = {score.name: score.metrics["mean"].value for score in log.results.scores}
        for metric in own.METRICS.keys() & figures.keys():
            values = [value for result in graded.values() if (value := result.metrics[metric]) == value]
            assert figures[metric] == pytest.approx(math.fsum(values) / len(values), rel=1e-15, nan_ok=True)
        assert own.HEADLINE in figures and {0.0, 1.0} <= {result.value for result in graded.values()}
        (headline,) = [score for score in log.results.scores if score.name == own.HEADLINE]
        parts: defaultdict[str, list[float]] = defaultdict(list)
        for sample in log.samples:
            for axis, stratum in sample.metadata["strata"].items():
                parts[f"{axis}={stratum}"].append(graded[str(sample.id)].value)
        means = {name: sum(values) / len(values) for name, values in parts.items()}
        strata = {metric.name: metric.value for metric in headline.metrics.values() if "=" in metric.name}
        assert strata and strata == pytest.approx(means)


def test_a_variant_changes_the_prompt_and_is_named(tmp_path: Path) -> None:
    found = source(str(write_small(tmp_path / "traversal", "traversal")))
    row = next(found.rows("base", "test"))
    of = partial(inspect_tasks.sample_of, row, found, "base", "test")
    plain, other = of("default"), of("json_array")
    assert other.metadata and other.metadata["variant"] == "json_array"
    texts = [[turn.text for turn in sample.input] for sample in (plain, other)]  # type: ignore[union-attr]
    assert texts[0] == [row["system_prompt"], row["prompt"]] != texts[1]


def test_a_bare_answer_that_is_cut_off_does_not_count(marvl_qa: Built, tmp_path: Path) -> None:
    answer, task_args = next(marvl_qa.rows("counting", "test"))["answer"], {"folder": str(marvl_qa.folder)}
    for stop, value in (("stop", 1.0), ("max_tokens", 0.0), ("model_length", 0.0)):
        output = ModelOutput.from_content("mock", answer, stop_reason=stop).model_copy(update={"usage": ModelUsage()})
        given = get_model("mockllm/model", custom_outputs=[output])
        settings: Any = {"limit": 1, "epochs": 1, "display": "none", "log_dir": str(tmp_path)}
        (log,) = inspect_ai.eval("planimeter/marvl_qa_counting", task_args=task_args, model=given, **settings)
        assert log.samples and log.samples[0].scores and log.samples[0].scores["graded"].as_dict()["accuracy"] == value


def test_the_majority_of_answers_counts_and_ties_are_shared(marvl_qa: Built, tmp_path: Path) -> None:
    votes: list[tuple[list[str | None], float]] = [(["2", "3", "3"], 1.0), (["2", "2", "3"], 0.0), (["2", "3"], 0.5)]
    for answers, value in [*votes, ([None, None, "3"], 1.0), ([None, None], 0.0)]:
        scores = [Score(value={"accuracy": float(answer == "3")}, answer=answer) for answer in answers]
        assert inspect_tasks.majority()(scores).value == {"accuracy": value}
    replies = iter(["3", "4", "3"])
    epochs = {"limit": 1, "epochs": inspect_ai.Epochs(3, "planimeter/majority"), "max_connections": 1}
    log = evaluated(marvl_qa, "counting", lambda _: next(replies), tmp_path, **epochs)
    assert log.reductions and log.reductions[0].samples[0].answer == "3"


@pytest.mark.slow
def test_only_the_rest_is_asked_again_after_a_ctrl_c(certified: Path, tmp_path: Path) -> None:
    logs, before = tmp_path / "logs", command_line.digests(certified)
    command = ("evaluate", str(certified), "--model", "openai-api/loopback/gold", "--log-dir", str(logs))
    flags = ("--max-connections", "4", "--display", "plain")
    # What is asked behind the gate is held until the Ctrl-C.
    with loopback_openai.serving(source(str(certified)), faults=True, gate=12, holds=True) as endpoint:
        more = {**endpoint.environment, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
        process = command_line.start(*command, *flags, home=tmp_path, **more)
        command_line.wait_until(lambda: sum(endpoint.answered.values()) == 12 or process.poll() is not None)
        # A terminal's Ctrl-C reaches all processes of the group.
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=command_line.PATIENCE)
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_small(tmp_path / "1.0.0", "curves")


@pytest.fixture
def endpoint(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with loopback_openai.serving(source(str(folder))) as server:
        for name, value in {**server.environment, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}.items():
            monkeypatch.setenv(name, value)
        yield server


#: By suite: temperature and tokens of each request, samples of a row, and what is printed beside the score.
PAPERS = {
    "marvl_qa": (0, None, 1, "counting: temperature 0, 1 sample, as in the paper"),
    "curves": (None, 8192, 4, "easy: default temperature, 4 samples, at most 8,192 tokens, as in the paper"),
    "geogram": (0.6, None, 8, "geogram: temperature 0.6, 8 samples, as in the paper"),
}


@pytest.mark.process
@pytest.mark.parametrize("suite", PAPERS)
def test_models_are_asked_with_the_settings_of_the_paper(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    temperature, tokens, samples, printed = PAPERS[suite]
    place = (
        request.getfixturevalue("marvl_qa").folder if suite == "marvl_qa" else write_small(tmp_path / "1.0.0", suite)
    )
    found = source(str(place))
    monkeypatch.setattr(evaluate, "_run", inspect_here)
    monkeypatch.chdir(tmp_path)
    with loopback_openai.serving(found) as server:
        # Inspect keeps the client of a model by its name, and each suite has an endpoint of its own.
        service = f"loopback{suite.replace('_', '')}"
        for name, value in server.environment.items():
            monkeypatch.setenv(name.replace("LOOPBACK", service.upper()), value)
        flags = ("--model", f"openai-api/{service}/gold", "--config", next(iter(found.tests)), "--display", "none")
        limit = ("--limit", str(ROWS))
        ended = command_line.here("evaluate", str(place), *flags, *limit, "--log-dir", str(tmp_path / "logs"))
        assert ended.code == 0, ended.err
        assert printed in " ".join(ended.out.split())
        assert dict(server.settings) == {(temperature, tokens): samples * ROWS}


def inspect_here(command: Sequence[str]) -> int:
    with mock.patch.object(sys, "argv", [*command[command.index("inspect_ai") :]]), pytest.raises(SystemExit) as ended:
        inspect_main()
    return int(ended.value.code or 0)


@pytest.mark.process
def test_a_model_that_refuses_every_row_is_not_scored(
    folder: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "_run", inspect_here)
    endpoint.refused = {name for name, _ in endpoint.rows.values()}
    model = ("--model", "openai-api/loopback/gold", "--display", "none", "--epochs", "1")
    ended = command_line.here("evaluate", str(folder), *model)
    assert ended.code == 1 and ended.lines == [
        "planimeter: openai-api/loopback/gold refuses every row: 6 x BadRequestError('Error code: 400 - it is refused')"
    ]
