"""What VLMEvalKit writes: ``<model>_<dataset>.tsv``, the table of what was asked with ``prediction`` behind it.

The names of the datasets that `planimeter export` makes begin with ``planimeter_``.
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from planimeter.evals.scores.replies.records import (
    Found,
    RepliesError,
    Reply,
    UnknownFormError,
    Unreadable,
    opened,
    some,
)

#: The column of the row's id: that of our export, or what VLMEvalKit asks of any table.
_NAMES = ("id", "index")

#: How the prediction begins where the model's API failed; VLMEvalKit itself asks such rows again.
_FAILED = "Failed to obtain answer"


def read(path: Path) -> Iterator[Found]:
    """Yield the replies in a tab-separated table.

    Raises:
        RepliesError: if it lacks the columns.
    """
    # A reply may be longer than what the module takes for the longest field.
    csv.field_size_limit(sys.maxsize)
    with opened(path, newline="") as file:
        lines = csv.reader(file, delimiter="\t")
        try:
            head = next(lines, [])
        except csv.Error as error:
            raise RepliesError(f"{path} cannot be read: {error}") from None
        name = next((column for column in _NAMES if column in head), None)
        if name is None or "prediction" not in head:
            raise UnknownFormError(
                f"{path} is no table of predictions: it needs the columns id (or index) and prediction, and has "
                f"{some(head) or 'none'}"
            )
        yield from _replies(path, lines, head, name)


def _replies(path: Path, lines: Iterator[list[str]], head: list[str], name: str) -> Iterator[Found]:
    number, (model, named, _) = 1, path.name.partition("_planimeter_")
    model = model if named else ""
    while True:
        number += 1
        try:
            values = next(lines, None)
        except csv.Error as error:
            yield Unreadable(place=f"{path}: row {number}", reason=str(error))
            continue
        if values is None:
            return
        row = dict(zip(head, values, strict=False))
        if len(values) != len(head) or not row[name]:
            reason = f"has {len(values)} of {len(head)} columns" if len(values) != len(head) else "no id"
            yield Unreadable(place=f"{path}: row {number}", reason=reason)
            continue
        failed = row["prediction"].lstrip().startswith(_FAILED)
        yield Reply(
            id=row[name],
            text="" if failed else row["prediction"],
            finish_reason="error" if failed else "",
            model=row.get("model") or model,
            variant=row.get("prompt_variant") or row.get("variant", ""),
        )
