"""Grades the replies of models to a dataset, leniently and strictly, and writes the table of scores as a file."""

import io
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from planimeter import evals
from planimeter.evals.answers import PROTOCOL
from planimeter.evals.places import Row, plain
from planimeter.evals.scores import grading
from planimeter.evals.scores.dataset import Dataset
from planimeter.evals.scores.forms import COLUMNS, FILE, STRICT, Scored, records
from planimeter.evals.scores.grading import Asked, Graded
from planimeter.evals.scores.intake import Intake
from planimeter.export.atomic import explain_os_errors, write_file

#: Replies of a chunk, which is one step of progress.
CHUNK = 250

#: The reason of a missing reply.
NO_REPLY = "no reply"

#: A function such as ``map`` that applies the grader to each chunk, in order, in this process or in others.
Each = Callable[[Callable[[Sequence[Asked]], list[Graded]], Iterable[Sequence[Asked]]], Iterable[list[Graded]]]

#: Progress callback, called with the number of newly graded replies.
Progress = Callable[[int], object]

#: Columns of the replies that are copied to their scores.
_COPIED = ("model", "variant", "sample", "finish_reason", "completion_tokens", "reasoning_tokens", "cost")


def score(dataset: Dataset, intake: Intake, *, each: Each = map, progress: Progress = lambda _: None) -> Scored:
    """Return the scores of the replies of ``intake`` to ``dataset``; missing replies count as wrong.

    ``each`` applies the grader to chunks of replies; ``progress`` is called with the number of newly graded replies.

    Raises:
        RowError: if a row's own answer cannot be read.
    """
    replies = intake.frame
    places = list(zip(replies["config"], replies["id"], strict=True))
    rows_by_id: dict[str, dict[str, Row]] = {}
    for config, part in replies.groupby("config"):
        rows = dataset.rows[str(config)].loc[part["id"].unique()].rename_axis("id").reset_index()
        rows_by_id[str(config)] = {row["id"]: plain(row, dataset.suite, str(config)) for row in records(rows)}
    texts = replies["text"].fillna("")
    asked = (
        (config, rows_by_id[config][name], text, variant, finish == "length")
        for (config, name), text, variant, finish in zip(
            places, texts, replies["variant"], replies["finish_reason"], strict=True
        )
    )
    graded: list[Graded] = []
    for scores in each(partial(grading.grade, dataset.suite), _chunks(asked)):
        graded += scores
        progress(len(scores))
    questions = {
        (config, name): evals.question(rows_by_id[config][name], suite=dataset.suite, config=config)
        for config, name in dict.fromkeys(places)
    }
    lost = replies["text"].isna() | ((texts == "") & (replies["finish_reason"] == "error"))
    lines = pd.DataFrame([_line(*scores) for scores in graded], index=replies.index)
    lines.loc[lost, ["reason", "strict_reason"]] = NO_REPLY
    names = [*COLUMNS, *evals.suite(dataset.suite).METRICS]
    frame = replies[["id", "config", "split", *_COPIED]].fillna({"finish_reason": ""}).join(lines)
    frame = frame.assign(
        question=[questions[place] for place in places],
        answer=[str(rows_by_id[config][name]["answer"]) for config, name in places],
        reply=texts,
        reading="",
        reader="",
        with_reader=np.nan,
    ).reindex(columns=[*names, *(STRICT + name for name in names[len(COLUMNS) :])])
    frame = frame.astype(dict.fromkeys(("completion_tokens", "reasoning_tokens", "cost"), float))
    tables = {config: dataset.rows[config] for config in dict.fromkeys(frame["config"])}
    return Scored(
        dataset=dataset.manifest.dataset,
        version=dataset.manifest.version,
        suite=dataset.suite,
        frame=frame,
        rows=tables,
        sizes={config: dict(Counter(dataset.splits[config])) for config in tables},
    )


def _chunks(asked: Iterator[Asked]) -> Iterator[list[Asked]]:
    while chunk := list(itertools.islice(asked, CHUNK)):
        yield chunk


def _line(lenient: evals.Scores, strict: evals.Scores) -> dict[str, object]:
    return {
        "answered": lenient.answered,
        "reason": lenient.reason,
        "read": lenient.read,
        "strict_reason": strict.reason,
        "correct": list(lenient.correct),
        **lenient.metrics,
        **{STRICT + name: value for name, value in strict.metrics.items()},
    }


def write(scored: Scored, folder: Path) -> Path:
    """Write ``scores.parquet`` into ``folder`` and return its path; equal scores give equal bytes.

    Raises:
        ExportError: if the folder cannot be written.
    """
    frame, fields = scored.frame, []
    for name in frame.columns:
        kind = COLUMNS.get(name, "float64").split(":")[0]
        fields.append(pa.field(name, {"list of bool": pa.list_(pa.bool_())}.get(kind) or pa.type_for_alias(kind)))
    about = {"dataset": scored.dataset, "version": scored.version, "suite": scored.suite}
    about |= {"rows": json.dumps(scored.sizes), "protocol": str(PROTOCOL)}
    columns = [pa.array(frame[field.name], field.type, from_pandas=True) for field in fields]
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata=about))
    written = io.BytesIO()
    pq.write_table(table, written, compression="zstd", row_group_size=10_000)
    path = folder / FILE
    with explain_os_errors(path):
        write_file(path, written.getvalue())
    return path
