"""The promises of a single published row, independent of all other rows.

Two callers: the verifier checks every row of a folder, and an import checks every row of foreign
origin before it writes a folder, so that one faulty row never costs the others.
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

#: config, row -> the score of the row's own answer.
Score = Callable[[str, Row], float]

#: Prefixes of paths that name a machine or a user.
PRIVATE = ("/home/", "/root/", "/tmp/", "/Users/", "/var/folders/", "C:\\Users\\")  # noqa: S108

#: Characters of a text; nobody reads a longer question.
LONGEST_TEXT = 100_000

#: Characters that break files and terminals; a text may contain tabs and line ends.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

#: Errors of a checker on a misshapen recipe, such as a number in place of a list: it does not check shapes.
MISSHAPEN = (AttributeError, LookupError, RecursionError, TypeError, ValueError)

#: Errors of libraries on an unexpected answer.
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Fault(NamedTuple):
    """A broken promise: ``promise`` names it in a few words, the same for all rows; ``message`` is all of it."""

    promise: str
    message: str


class RowPromises:
    """Checks rows in the order of their file: ``checker`` may remember some, ``score`` scores their own answers.

    A row has its columns (in an import all but the picture) and ``split``, its split.
    """

    def __init__(self, checker: Checker, score: Score) -> None:
        self.checker = checker
        self.score = score

    def faults(self, config: str, row: Row) -> Iterator[Fault]:
        """Yield the faults of a row whose values have the types of its columns."""
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
        """Yield the faults of a row that is not yet in a file, with those of its types and its picture."""
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
    """Return the faults of a text; cached, since consecutive rows share most texts."""
    faults = {
        "holds a local path": any(mark in text for mark in PRIVATE),
        "holds a control character": _CONTROL.search(text) is not None,
        f"has more than {LONGEST_TEXT:,} characters": len(text) > LONGEST_TEXT,
    }
    return tuple(fault for fault, found in faults.items() if found)


def picture_faults(image: Row | None) -> Iterator[str]:
    """Yield the faults of the picture of a row: its name, and every pixel of it."""
    if image is None or image["bytes"] is None or image["path"] is None:
        yield "has no picture"
        return
    if name_fault(image["path"]):
        yield f"image.path must be a bare file name, got {image['path']!r}"
    fault = picture_fault(image["bytes"])
    if fault:
        yield f"its picture {fault}"
