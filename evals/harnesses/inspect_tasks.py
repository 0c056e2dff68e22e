"""Tasks of Inspect AI for every config: ``inspect eval planimeter/<suite>_<config> -T folder=DIR --model M``.

Inspect finds the tasks by this package's entry point. A task sends the published prompts with their pictures, and
grades replies by ``planimeter.evals.grade``. The value of a score is the mapping of the suite's metrics, its answer is
the parsed answer, and its explanation is the reason why a reply has none. Temperature, number of samples and limit of
tokens are the paper's (``Suite.sampling``) unless flags of Inspect set them. The log contains the mean of each metric;
for the one that ranks models, also the standard error, clustered by question, and the mean in each stratum. `planimeter
score` computes the tables from the same log.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from statistics import fmean

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    GenerateConfig,
)
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    ScoreReducer,
    Target,
    Value,
    mean,
    metric,
    score_reducer,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState, generate

from planimeter.evals import DEFAULT, grade, prompt_of, question, strata, suite
from planimeter.evals.harnesses.rows import source
from planimeter.export.built import Built
from planimeter.items.suites import SuiteError, declared, working_suites
from planimeter.items.values import Row, data_url


def sample_of(row: Row, origin: Built, config: str, split: str, variant: str) -> Sample:
    """Return ``row`` as a sample of Inspect: the system prompt if there is one, the picture, and the prompt."""
    system, prompt = prompt_of(row, variant, suite=origin.suite, config=config)
    system_messages: list[ChatMessage] = [ChatMessageSystem(content=system)] if system else []
    pictures: list[Content] = [ContentImage(image=data_url(row["image"]))] if origin.shows_pictures else []
    return Sample(
        id=row["id"],
        input=[*system_messages, ChatMessageUser(content=[*pictures, ContentText(text=prompt)])],
        target=row["answer"],
        metadata={
            "dataset": origin.manifest.dataset,
            "version": origin.manifest.version,
            "config": config,
            "split": split,
            "variant": variant,
            "question": question(row, suite=origin.suite, config=config),
            "strata": strata(row, suite=origin.suite, config=config),
        },
    )


@metric(name="by")
def by_stratum() -> Metric:
    """The metric "by": the mean of the headline metric over the rows of each stratum, by names such as "level=3".

    Inspect's own ``grouped()`` cannot be used twice: of metrics with equal names Inspect keeps only the first.
    """

    def measure(scores: list[SampleScore]) -> Value:
        values: dict[str, list[float]] = defaultdict(list)
        for score in scores:
            for axis, value in (score.sample_metadata or {})["strata"].items():
                values[f"{axis}={value}"].append(score.score.as_float())
        return {name: fmean(values[name]) for name in sorted(values)}

    return measure


@scorer(metrics={"*": [mean()]}, name="graded")
def graded(folder: str, config: str, split: str = "test", variant: str = DEFAULT) -> Scorer:
    """The scorer of all tasks: it grades replies by ``planimeter.evals.grade``, with the dataset rows in ``folder``."""
    origin = source(folder)
    rows = {row["id"]: row for row in origin.rows(config, split, pictures=False)}

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the row says more than its answer
        row, reply = rows[str(state.sample_id)], state.output.completion
        cut_off = state.output.stop_reason in ("max_tokens", "model_length")
        scores = grade(row, reply, suite=origin.suite, config=config, variant=variant, cut_off=cut_off)
        # For the majority's vote, right answers with different texts are one answer.
        answer = str(row["answer"]) if scores.value == 1.0 else scores.read
        return Score(value=dict(scores.metrics), answer=answer or None, explanation=scores.reason or None)

    return score


@score_reducer(name="planimeter/majority")
def majority() -> ScoreReducer:
    """The reducer maj@k: the score of the most frequent answer among the samples of a row.

    If several answers are equally frequent, it is the mean of their scores. Replies without an answer have no vote.
    Inspect's own ``majority`` differs: it votes on scores, not on answers.
    """

    def reduce(scores: list[Score]) -> Score:
        votes = Counter(score.answer for score in scores if score.answer)
        if not votes:
            return scores[0]
        most = max(votes.values())
        first = {score.answer: score for score in reversed(scores)}
        chosen = [first[answer] for answer, number in votes.items() if number == most]
        values = [score.as_dict() for score in chosen]
        value = {name: fmean(float(metrics[name] or 0) for metrics in values) for name in values[0]}
        return Score(value=value, answer=" | ".join(str(score.answer) for score in chosen))

    return reduce


def _task_of(name: str, config: str) -> Callable[..., Task]:
    """Return the function that makes the task for ``config`` of the suite ``name``, from Inspect's options ``-T``."""

    def make(folder: str, split: str = "test", variant: str = DEFAULT) -> Task:
        origin = source(folder)
        if origin.suite != name:
            tasks = f"planimeter/{origin.suite}_..."
            raise ValueError(f"{folder} has a dataset of the suite {origin.suite}, not {name}; use the tasks {tasks}")
        manifest, rows = origin.manifest, origin.rows(config, split)
        samples = [sample_of(row, origin, config, split, variant) for row in rows]
        # Inspect's own flags take precedence over those of a task.
        paper = declared(name).sampling_of(config)
        return Task(
            dataset=MemoryDataset(samples, name=f"{manifest.dataset}-{manifest.version}/{config}"),
            solver=generate(),
            scorer=graded(folder, config, split, variant),
            metrics={suite(name).HEADLINE: [mean(), stderr(cluster="question"), by_stratum()], "*": [mean()]},
            version=manifest.version,
            epochs=paper.samples,
            config=GenerateConfig(temperature=paper.temperature, max_tokens=paper.max_tokens),
        )

    return make


for _suite in working_suites():
    with suppress(SuiteError):
        for _config in suite(_suite.name).CONFIGS:
            task(name=f"{_suite.name}_{_config}")(_task_of(_suite.name, _config))
