"""From replies to scores: every reply of every model to a dataset, graded in both readings, as one frame and file."""

import io
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from planimeter import evals
from planimeter.evals.grading import COLUMNS as GRADED
from planimeter.evals.scores import grading
from planimeter.evals.scores.dataset import Dataset
from planimeter.evals.scores.forms import COLUMNS, FILE, STRICT, Scored
from planimeter.evals.scores.grading import Asked, Graded
from planimeter.evals.scores.intake import Intake, Side
from planimeter.evals.scores.replies import RepliesError, Reply
from planimeter.export.atomic import clear_errors, write_file

#: Replies that are graded at once, and reported as one step of progress.
CHUNK = 250

#: The reason of a reply that is not there.
NO_REPLY = "no reply"

#: Grades each chunk, in their order, in this process or another: ``map``, say.
Each = Callable[
    [Callable[[Sequence[Asked]], list[list[Graded]]], Iterable[Sequence[Asked]]], Iterable[list[list[Graded]]]
]

#: Progress callback: the number of replies that have just been graded.
Progress = Callable[[int], object]

#: More sample numbers than this times those of the row that has most, and they do not number the samples of a row.
MOST_SAMPLES = 4

#: A row that was asked: config, split, id, and the numbers of the samples that there should be.
_Place = tuple[str, str, str, tuple[int, ...]]


def score(dataset: Dataset, intake: Intake, *, each: Each = map, progress: Progress = lambda _: None) -> Scored:
    """Return the scores of all replies in ``intake``, and of those that are missing there, which it then counts.

    A model is held to the rows that it was asked, and to the samples that its log says; where there is none that says
    so, to as many samples of each row as it gave of any.

    Raises:
        RowError: if a row's own answer cannot be read.
        RepliesError: if the samples are not numbered row by row.
    """
    places = {side: list(_places(dataset, intake, side)) for side in sorted(intake.replies)}
    _account(dataset, intake, places)
    jobs = [(side, place) for side, listed in places.items() for place in listed]
    records = {config: dict(zip(rows.index, _records(rows), strict=True)) for config, rows in dataset.rows.items()}
    asked = (
        Asked(
            config=place[0],
            row=records[place[0]][place[2]],
            replies=[("" if reply is None else reply.text, side[1]) for _, reply in _samples(intake, side, place)],
        )
        for side, place in jobs
    )
    lines: list[dict[str, Any]] = []
    chunks = each(partial(grading.grade, dataset.suite), _chunks(asked))
    questions: dict[tuple[str, str], str] = {}
    for (side, place), graded in zip(jobs, _with_progress(chunks, progress), strict=True):
        config, split, name, _ = place
        row = records[config][name]
        if (config, name) not in questions:
            questions[config, name] = evals.question(row, suite=dataset.suite, config=config)
        about = {"id": name, "config": config, "split": split, "question": questions[config, name]}
        about |= {"model": side[0], "variant": side[1], "answer": row["answer"]}
        for (sample, reply), scores in zip(_samples(intake, side, place), graded, strict=True):
            lines.append({**about, "sample": sample, **_line(reply, scores)})
    names = [*COLUMNS, *evals.suite(dataset.suite).METRICS]
    frame = pd.DataFrame(lines, columns=[*names, *(STRICT + name for name in names[len(COLUMNS) :])])
    frame = frame.astype(dict.fromkeys(("completion_tokens", "reasoning_tokens", "cost"), float))
    manifest = dataset.manifest
    rows = {config: dataset.rows[config] for config in dict.fromkeys(frame["config"])}
    sizes = {config: dict(Counter(dataset.splits[config])) for config in rows}
    return Scored(
        dataset=manifest.dataset, version=manifest.version, suite=dataset.suite, frame=frame, rows=rows, sizes=sizes
    )


def number_of(dataset: Dataset, intake: Intake) -> int:
    """Return how many replies ``score`` grades, missing ones included."""
    return sum(len(place[3]) for side in intake.replies for place in _places(dataset, intake, side))


def _places(dataset: Dataset, intake: Intake, side: Side) -> Iterator[_Place]:
    replies, selected = intake.replies[side], intake.selected.get(side, {})
    for config, rows in dataset.rows.items():
        splits = dataset.splits[config]
        for split in dict.fromkeys(splits):
            names = intake.asked(side, config, split, rows.index[splits == split])
            numbers = {number for name in names for number in replies.get(name, ())}
            most = max((len(replies.get(name, ())) for name in names), default=0)
            if len(numbers) > MOST_SAMPLES * most:
                raise RepliesError(
                    f"{config}: {len(numbers):,} different sample numbers, and no row has more than {most:,}; samples "
                    "are numbered within their row, from 0"
                )
            if intake.asked_only or (side, config, split) in intake.unsaid:
                samples = tuple(sorted(numbers))
                yield from ((config, split, name, samples) for name in names if samples)
            elif numbers:
                for name in names:
                    ids = {*replies.get(name, ()), *range(selected.get(name, 0))}
                    yield config, split, name, tuple(sorted(ids))


def _account(dataset: Dataset, intake: Intake, places: Mapping[Side, Sequence[_Place]]) -> None:
    """Count in ``intake`` the replies that are missing, the rows without any and the configs without any."""
    for side, asked in places.items():
        replies = intake.replies[side]
        rows = Counter(config for config, *_ in asked)
        lost = Counter(
            config for config, split, name, _ in asked if name not in replies and (side, config, split) in intake.unsaid
        )
        intake.missing[side] = sum(len(numbers) - len(replies.get(name, ())) for *_, name, numbers in asked)
        intake.unanswered[side] = {config: (rows[config], number) for config, number in lost.items()}
        sizes = {config: len(dataset.rows[config]) for config in dataset.rows if config in intake.configs}
        intake.absent[side] = {config: size for config, size in sizes.items() if not rows[config]}


def _samples(intake: Intake, side: Side, place: _Place) -> list[tuple[int, Reply | None]]:
    """Return the samples of a row, numbered from 0 in the order of the numbers in the file; None is a missing one."""
    replies = intake.replies[side].get(place[2], {})
    return [(sample, replies.get(number)) for sample, number in enumerate(place[3])]


def _records(rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield each row as a mapping of the columns that grading looks at."""
    names = [name for name in rows.columns if name in GRADED]
    for values in zip(rows.index, *(rows[name] for name in names), strict=True):
        yield dict(zip(("id", *names), values, strict=True))


def _chunks(asked: Iterator[Asked]) -> Iterator[list[Asked]]:
    while chunk := list(itertools.islice(asked, CHUNK)):
        yield chunk


def _with_progress(chunks: Iterable[list[list[Graded]]], progress: Progress) -> Iterator[list[Graded]]:
    for chunk in chunks:
        yield from chunk
        progress(sum(map(len, chunk)))


def _line(reply: Reply | None, scores: Graded) -> dict[str, Any]:
    lenient, strict = scores
    lost = reply is None or (not reply.text and reply.finish_reason == "error")
    return {
        "finish_reason": "" if reply is None else reply.finish_reason,
        "completion_tokens": None if reply is None else reply.completion_tokens,
        "reasoning_tokens": None if reply is None else reply.reasoning_tokens,
        "cost": None if reply is None else reply.cost,
        "answered": lenient.answered,
        "reason": NO_REPLY if lost else lenient.reason,
        "reply": "" if reply is None else reply.text,
        "verdict": "",
        "read": lenient.read,
        "strict_reason": NO_REPLY if lost else strict.reason,
        "correct": list(lenient.correct),
        **lenient.metrics,
        **{STRICT + name: value for name, value in strict.metrics.items()},
    }


def write(scored: Scored, folder: Path) -> Path:
    """Write ``scores.parquet`` into ``folder`` and return its path: equal scores are equal bytes.

    Raises:
        ExportError: if the folder cannot be written.
    """
    frame, fields = scored.frame, []
    for name in frame.columns:
        kind = COLUMNS.get(name, "float64").split(":")[0]
        fields.append(pa.field(name, {"list of bool": pa.list_(pa.bool_())}.get(kind) or pa.type_for_alias(kind)))
    about = {"dataset": scored.dataset, "version": scored.version, "suite": scored.suite}
    about |= {"rows": json.dumps(scored.sizes)}
    columns = [pa.array(frame[field.name], field.type, from_pandas=True) for field in fields]
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata=about))
    written = io.BytesIO()
    pq.write_table(table, written, compression="zstd", row_group_size=10_000)
    path = folder / FILE
    with clear_errors(path):
        write_file(path, written.getvalue())
    return path
