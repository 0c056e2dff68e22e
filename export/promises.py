"""Checks the rules that each published row must satisfy (promises), one row at a time.

The verifier checks every row of a folder. An import checks every row before it writes a folder, so that one faulty row
is dropped and the others are kept.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from planimeter.export.atomic import ExportError
from planimeter.export.checks import Checker
from planimeter.export.columns import Schema
from planimeter.export.foreign import name_fault
from planimeter.export.pages.pictures import picture_fault
from planimeter.export.parquet import row_table
from planimeter.items.values import Row

#: A function (config, row) -> score of the row's own answer, in [0, 1].
Score = Callable[[str, Row], float]

#: Beginnings of paths that reveal a machine or user.
PRIVATE = ("/home/", "/root/", "/tmp/", "/Users/", "/var/folders/", "C:\\Users\\")  # noqa: S108

#: The most characters of a text.
LONGEST_TEXT = 100_000

#: Control characters, which harm files and terminals; tabs and line ends are allowed.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

#: Errors that a checker may raise for a misshapen recipe, such as one with a number in place of a list.
MISSHAPEN = (AttributeError, LookupError, RecursionError, TypeError, ValueError)

#: Errors that libraries may raise for an unexpected answer.
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Fault(NamedTuple):
    """A broken rule: ``promise`` is its short name, equal for all rows; ``message`` also contains the row's value."""

    promise: str
    message: str


class RowPromises:
    """A checker of rows, to be called with one row after another in the order of their file.

    ``checker`` is that of the suite, which may compare a row with earlier ones. ``score`` grades the row's ``answer``
    as if it were a model's reply; it must return 1.
    """

    def __init__(self, checker: Checker, score: Score) -> None:
        self.checker = checker
        self.score = score

    def faults(self, config: str, row: Row) -> Iterator[Fault]:
        """Yield the faults of ``row``, whose values must have the types of its columns.

        ``row`` has the columns of ``config``, with or without the picture, and its split as ``split``.
        """
        for name in ("id", "prompt", "answer", "certified_by"):
            if not row[name]:
                yield Fault("a text is empty", f"{'its id' if name == 'id' else name} is empty")
        if row["id"] and (fault := name_fault(row["id"])):
            yield Fault("an id names no file", f"its id {row['id'][:80]!r} {fault}")
        wanted = self.checker.certifier(config)
        if row["certified_by"] != wanted:
            yield Fault("another certificate", f"certified_by must be {wanted!r}, got {row['certified_by']!r}")
        for name, value in row.items():
            if isinstance(value, str):
                yield from (Fault(promise, f"{name} {promise}") for promise in _text_faults(value))
        try:
            yield from (Fault("its columns disagree", fault) for fault in self.checker.row(config, row))
        except MISSHAPEN as error:
            message = f"cannot be checked, because the recipe in manifest.json is misshapen: {error!r}"
            yield Fault("its columns disagree", message)
        try:
            got = self.score(config, row)
        except UNREADABLE as error:
            yield Fault("its answer cannot be scored", f"its answer cannot be scored: {error}")
        else:
            if got != 1.0:
                yield Fault("its answer is not right", f"its own answer scores {got}, not 1.0")

    def all_faults(self, schema: Schema, row: Row, split: str) -> Iterator[Fault]:
        """Yield the faults of a ``row`` that is to be written, including faults of its types and its picture."""
        try:
            row_table([row], schema)
        except ExportError as error:
            yield Fault("a value does not fit its column", str(error))
            return
        columns = {name: value for name, value in row.items() if name != "image"}
        yield from self.faults(schema.config, {**columns, "split": split})
        if row["image"] is not None or not schema.by_name["image"].nullable:
            yield from (Fault("its picture is unfit", fault) for fault in picture_faults(row["image"]))


@lru_cache(maxsize=256)
def _text_faults(text: str) -> tuple[str, ...]:
    """Return the faults of ``text``; cached, since most texts of consecutive rows are equal."""
    faults = {
        "holds a local path": any(mark in text for mark in PRIVATE),
        "holds a control character": _CONTROL.search(text) is not None,
        f"has more than {LONGEST_TEXT:,} characters": len(text) > LONGEST_TEXT,
    }
    return tuple(fault for fault, found in faults.items() if found)


def picture_faults(image: Row | None) -> Iterator[str]:
    """Yield the faults of ``image``, a mapping of bytes and path: of its name, its PNG chunks and its pixels."""
    if image is None or image["bytes"] is None or image["path"] is None:
        yield "has no picture"
        return
    if name_fault(image["path"]):
        yield f"image.path must be a bare file name, got {image['path']!r}"
    fault = picture_fault(image["bytes"])
    if fault:
        yield f"its picture {fault}"
