"""Reads predictions of VLMEvalKit: ``<model>_<dataset>.tsv``, the exported table with a last column ``prediction``.

The names of the datasets that `planimeter export` writes begin with ``planimeter_``.
"""

import csv
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from planimeter.evals.scores.replies.records import (
    Found,
    Reply,
    UnknownFormError,
    Unreadable,
    name_of,
    opened,
    some,
    variant_of,
)
from planimeter.export.foreign import MOST_BYTES, lines_of

#: The beginning of a prediction after a failure of the model's API; VLMEvalKit asks such rows again.
_FAILED = "Failed to obtain answer"


def read(path: Path) -> Iterator[Found]:
    """Yield the replies in the tab-separated table ``path``; raise ``UnknownFormError`` if it lacks a needed column."""
    # A reply may exceed the module's default limit of a field.
    csv.field_size_limit(MOST_BYTES)
    with opened(path, newline="") as file:
        # A line that is too long becomes an empty one, which has too few columns.
        lines = csv.reader((line or "\n" for line in lines_of(file)), delimiter="\t")
        head = next(lines, [])
        # The row's id is in a column of our export, or in the index that VLMEvalKit requires of any table.
        name = next((column for column in ("id", "index") if column in head), None)
        if name is None or "prediction" not in head:
            raise UnknownFormError(
                f"{path} is not a table of predictions: it needs the columns id (or index) and prediction, and has "
                f"{some(head) or 'none'}"
            )
        model, named, _ = path.name.partition("_planimeter_")
        for number in count(2):
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
                id=name_of("id", row[name]),
                text="" if failed else row["prediction"],
                finish_reason="error" if failed else "",
                model=name_of("model", row.get("model") or (model if named else "")),
                variant=name_of("variant", variant_of(row)),
            )
