r"""An environment of the library ``verifiers`` (v1 API, 0.4), whose tasks are rows of a dataset or an endless stream.

    vf-validate planimeter-env --taskset.dataset DIR --only-gold --runtime.type subprocess
    vf-eval planimeter-env --env.taskset.dataset DIR --env.agent.harness.id null --env.agent.runtime.type subprocess \
        --no-push --model NAME --client.base-url http://127.0.0.1:8000/v1 --client.api-key-var KEY -n 50 -r 4

The two environments of CurveBench are ``--taskset.config easy`` and ``--taskset.config hard``, with the paper's reward.

``verifiers`` finds an environment by the name of a top-level package whose ``__all__`` contains one taskset. Therefore
this package is separate from ``planimeter``, a namespace that distributions share and that cannot have ``__all__``.
"""

import asyncio
import importlib
import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Self, cast

import verifiers.v1 as vf
from pydantic import model_validator

from planimeter.evals import gold_score, grade, suite
from planimeter.evals.places import place_of
from planimeter.evals.rewards import compute_score, packed
from planimeter.items.hub import repository
from planimeter.items.suites import declared, working_suites
from planimeter.items.values import Row, data_url

__all__ = ["PlanimeterTaskset"]

_ONE = "give a dataset (--taskset.dataset, a folder or owner/name) or a stream (--taskset.stream)"


class PlanimeterData(vf.TaskData):
    """The data of a task, made of one dataset row: the prompts with the picture, and the input of the reward.

    ``data_source`` is "<suite>/<config>", and ``row`` the columns that the reward needs, as JSON.
    """

    data_source: str
    row: str


class PlanimeterTaskConfig(vf.TaskConfig):
    """The options of a task: ``of`` is the name of the reward (``headline``, ``paper``, ``dense`` or a metric).

    ``planimeter.evals.rewards`` describes the rewards.
    """

    of: str = "paper"


class PlanimeterTask(vf.Task[PlanimeterData, vf.State, PlanimeterTaskConfig]):
    """A task for the library ``verifiers``, made of one dataset row; its metrics are those of the row's suite."""

    @property
    def key(self) -> str:
        """The row's id, by which ``planimeter score`` finds the row."""
        return self.data.id or self.hash

    @property
    def row(self) -> Row:
        """The columns of the row that its grader needs, parsed from the JSON in ``data.row``."""
        columns: Row = json.loads(self.data.row)
        return columns

    @vf.reward(weight=1.0)
    async def reward(self, trace: vf.Trace) -> float:
        """Return the reward (0 to 1) of the model's last reply in ``trace``; the option ``of`` selects the reward."""
        extra, of = {"row": self.data.row}, self.config.of
        # In a thread: the comparison of two large trees would block the other rollouts.
        metrics = await asyncio.to_thread(
            compute_score, self.data.data_source, trace.last_reply, self.row["answer"], extra, of=of
        )
        return metrics["score"]

    @vf.metric
    async def scores(self, trace: vf.Trace) -> dict[str, float]:
        """Return the metrics of the model's last reply in ``trace`` by name, except those that are NaN.

        ``answered`` is 1 if the reply contains a readable answer, else 0.
        """
        name, _, config = self.data.data_source.partition("/")
        scores = await asyncio.to_thread(grade, self.row, trace.last_reply, suite=name, config=config)
        return {"answered": float(scores.answered), **{k: v for k, v in scores.metrics.items() if v == v}}

    async def validate(self, runtime: object) -> bool:  # noqa: ARG002 - verifiers passes it
        """Return True if a reply that states the row's true answer in the requested format has a score of 1."""
        name, _, config = self.data.data_source.partition("/")
        return gold_score(name, config, self.row) == 1.0


class PlanimeterConfig(vf.TasksetConfig):
    """The options of ``--taskset``, which select the rows of a dataset, or an endless stream of training rows.

    ``dataset``: a folder, or ``owner/name`` or ``owner/name@tag`` on the Hub; ``config``: a config, or a named
    group of configs such as ``hard`` of CurveBench; empty for all; ``split``: empty for the split ``test``, or the
    first one if there is no test split. ``stream``: the name of a sequence of training levels, such as
    ``curves``; ``level`` (1 is easiest) and ``seed`` select its rows. Streams require the full package ``planimeter``.
    """

    dataset: str = ""
    config: str = ""
    split: str = ""
    stream: str = ""
    level: int = 1
    seed: int = 0
    task: PlanimeterTaskConfig = PlanimeterTaskConfig()

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        """Return the options; raise ``ValueError`` if the stream, or the dataset's config or split, does not exist.

        ``verifiers`` prints the error as one line. A repository on the Hub is not checked until it is loaded.
        """
        if self.dataset and self.stream:
            raise ValueError(_ONE)
        if self.stream:
            _stream_of(self)
        elif self.dataset and repository(self.dataset) is None:
            _files(self)
        return self


class PlanimeterTaskset(vf.Taskset[PlanimeterTask, PlanimeterConfig]):
    """The tasks for the library ``verifiers``: one for each row of a dataset, in order, or of an endless stream."""

    def __init__(self, config: PlanimeterConfig) -> None:
        """Raise ``ValueError`` if ``config`` names neither a dataset nor a stream.

        ``PlanimeterConfig`` does not check this, since ``verifiers`` makes one without options to print its help.
        """
        super().__init__(config)
        if not config.dataset and not config.stream:
            raise ValueError(_ONE)
        self.INFINITE = bool(config.stream)

    def load(self) -> Iterator[PlanimeterTask]:
        """Yield a task for each selected row; rows are read one row group at a time, or generated one at a time.

        Raises:
            ValueError: if the dataset has no such config or split; the message lists its configs and splits.
            Errors of ``huggingface_hub``, if the Hub has no such repository.
        """
        rows = _streamed(self.config) if self.config.stream else _read(self.config)
        for data_source, row in rows:
            yield PlanimeterTask(_data(data_source, row), self.config.task)


def _data(data_source: str, row: Row) -> PlanimeterData:
    name, _, config = data_source.partition("/")
    content: list[object] = [vf.TextContentPart(text=row["prompt"])]
    if declared(name).pictures:
        url = data_url(row["image"]["bytes"])
        content.insert(0, vf.ImageUrlContentPart(image_url=vf.ImageUrlSource(url=url)))
    return PlanimeterData(
        id=row["id"],
        name=row["id"],
        prompt=[vf.UserMessage(content=content)],
        system_prompt=row["system_prompt"] or None,
        data_source=data_source,
        row=packed(row, suite=name, config=config),
    )


def _read(config: PlanimeterConfig) -> Iterator[tuple[str, Row]]:
    import pyarrow.parquet as pq

    for path in _files(config):
        file = pq.ParquetFile(path)
        for group in range(file.num_row_groups):
            for row in file.read_row_group(group).to_pylist():
                yield _source(row, path.parent.name), row


def _source(row: Row, config: str) -> str:
    """Return "<suite>/<config>" for ``row``, from which its grader is found.

    The suite follows from the row's columns; so does the config, unless the suite has a config named ``config``.
    """
    name, default = place_of(row)
    return f"{name}/{config if config in suite(name).CONFIGS else default}"


def _files(config: PlanimeterConfig) -> list[Path]:
    folder = Path(config.dataset).expanduser()
    if (remote := repository(config.dataset)) is not None:
        from huggingface_hub import snapshot_download

        name, tag = remote
        folder = Path(snapshot_download(name, repo_type="dataset", revision=tag, allow_patterns="data/*/*.parquet"))
    files: dict[str, dict[str, list[Path]]] = {}
    for path in sorted(folder.glob("data/*/*.parquet")):
        files.setdefault(path.parent.name, {}).setdefault(path.name.split("-")[0], []).append(path)
    chosen: list[Path] = []
    wanted = _configs(config.config, files.keys())
    for name, splits in files.items():
        split = config.split or ("test" if "test" in splits else next(iter(splits)))
        if name in wanted:
            chosen += splits.get(split, ())
    if not chosen:
        known = ", ".join(f"{name}/{split}" for name, splits in files.items() for split in splits) or "no data"
        raise ValueError(f"{folder} has no {config.config or '*'}/{config.split or '*'}; it has: {known}")
    return chosen


def _configs(name: str, known: Collection[str]) -> Collection[str]:
    """Return the configs that the option ``name`` selects from ``known``, the configs of a dataset.

    ``name`` is a config, or a pool, which is a suite's named group of configs; an empty ``name`` selects all.
    """
    if not name or name in known:
        return [name] if name else known
    pools = (suite.pools.get(name, ()) for suite in working_suites())
    return next((pool for pool in pools if pool and set(pool) <= set(known)), (name,))


def _streamed(config: PlanimeterConfig) -> Iterator[tuple[str, Row]]:
    for row in _stream_of(config):
        yield "/".join(place_of(row)), row


def _stream_of(config: PlanimeterConfig) -> Iterable[Row]:
    # The slim distribution, enough for datasets, does not have this module.
    try:
        make = importlib.import_module("planimeter.streams").stream
        wrong = importlib.import_module("planimeter.flows.errors").PlanimeterError
        try:
            return cast(Iterable[Row], make(config.stream, level=config.level, seed=config.seed))
        except wrong as error:
            raise ValueError(str(error)) from error
    except ModuleNotFoundError as error:
        raise ValueError(f"a stream requires the full package; run `pip install planimeter` ({error})") from error
