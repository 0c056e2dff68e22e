"""The records that every reader yields: replies, unreadable records, sources (datasets) and selections of rows."""

import gzip
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

from planimeter.export.foreign import open_file
from planimeter.items.errors import PlanimeterError
from planimeter.items.printing import printable
from planimeter.items.values import Row

Value = TypeVar("Value")

#: The first bytes of a gzip file.
GZIP = b"\x1f\x8b"

#: The number of samples of a row, numbered from 0, is at most this.
MOST_SAMPLES = 10_000

#: The finish reasons of harnesses for a reply cut off at the limit of tokens; our records use ``length``.
CUT_OFF = frozenset({"length", "max_tokens", "model_length", "max_output_tokens", "token_limit"})

#: The exceptions for a record of another shape: readers do not check its fields first.
MISSHAPEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class RepliesError(PlanimeterError):
    """A file of replies cannot be used at all; the message names the cause and the remedy."""


class UnknownFormError(RepliesError):
    """A file has no known form of replies; in a folder it may be omitted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One reply of a model to one row. ``model`` is empty if the file does not name it.

    ``sample`` is the number of the sample, from 0; None makes it the next one of its row. ``finish_reason`` is
    ``stop``, ``length`` (cut off), ``error``, another word of the harness, or empty; tokens and ``cost`` (US dollars)
    are None if the harness does not report them. ``created`` is the start time of its run, as ISO 8601, or empty.
    """

    id: str
    text: str = ""
    model: str = ""
    sample: int | None = 0
    variant: str = ""
    finish_reason: str = ""
    completion_tokens: float | None = None
    reasoning_tokens: float | None = None
    cost: float | None = None
    created: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    """A line or member of a file without a readable reply: its place and the reason."""

    place: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """The dataset and version of the replies that follow, according to the file; either may be empty."""

    dataset: str
    version: str

    @classmethod
    def of(cls, about: Row) -> "Source":
        """Return the source that ``about`` names. Raises ``ValueError`` if a name is not text."""
        return cls(dataset=name_of("dataset", about.get("dataset")), version=name_of("version", about.get("version")))


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """The rows of a run according to its log: ``ids``, ``epochs`` times each, and all rows with replies.

    A file without a selection may be intended for every row.
    """

    ids: frozenset[str] = frozenset()
    epochs: int = 1
    model: str = ""
    variant: str = ""


#: The records that a reader yields.
Found = Reply | Unreadable | Source | Selection


def reply_of(**values: object) -> Reply:
    """Return the reply of raw ``values`` of JSON by the names of its fields; None for a missing value.

    Raises:
        ValueError: if a value has another form, or there is no id.
    """
    given = {name: _CHECKS.get(name, name_of)(name, value) for name, value in values.items() if value is not None}
    if not given.get("id"):
        raise ValueError("no id")
    return Reply(**given)


def name_of(key: str, value: object) -> str:
    """Return a text, or a whole number as text; empty for None. Raises ``ValueError`` otherwise."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ValueError(f"{key} is not text")
    return printable(clean(str(value)))


def variant_of(about: Mapping[str, Value]) -> Value | None:
    """Return the prompt variant that a record names."""
    return about.get("prompt_variant") or about.get("variant")


def text_of(value: object) -> str:
    """Return the text of a message's content: a text, or the texts among its parts; None is the empty text.

    Raises:
        ValueError: if it has another form.
    """
    if isinstance(value, list) and all(isinstance(part, Mapping) for part in value):
        return clean("".join(str(part.get("text", "")) for part in value if part.get("type", "text") == "text"))
    if value is not None and not isinstance(value, str):
        raise ValueError("the reply is not text")
    return clean(value or "")


def clean(text: str) -> str:
    """Return ``text`` with a question mark for each lone surrogate, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _sample(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MOST_SAMPLES:
        raise ValueError(f"{key} is not a whole number from 0 to {MOST_SAMPLES - 1}")
    return value


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e12:
        raise ValueError(f"{key} is not a number from 0 to 1e12")
    return float(value)


def _finish(key: str, value: object) -> str:
    word = name_of(key, value)
    return "length" if word.lower() in CUT_OFF else word


_CHECKS: Mapping[str, Callable[[str, object], Any]] = {
    "text": lambda _, value: text_of(value),
    "sample": _sample,
    "finish_reason": _finish,
    **dict.fromkeys(("completion_tokens", "reasoning_tokens", "cost"), _number),
}


def opened(path: Path, newline: str | None = None) -> TextIO:
    """Return ``path``, plain or gzip, opened as text; invalid UTF-8 becomes replacement characters."""
    with open_file(path) as file:
        opener = gzip.open if file.read(len(GZIP)) == GZIP else open
    return cast(TextIO, opener(path, "rt", encoding="utf-8-sig", errors="replace", newline=newline))


def some(names: Sequence[str], most: int = 6) -> str:
    """Return the first of ``names`` as a list for a message: at most 60 characters each, on one line."""
    return ", ".join(printable(" ".join(name[:60].split())) for name in names[:most]) + (
        ", ..." if len(names) > most else ""
    )


def first_line(error: BaseException) -> str:
    """Return the message of ``error`` about a record: ours, or that the record has another shape."""
    return str(error) if isinstance(error, ValueError) and str(error) else f"another shape ({type(error).__name__})"


def mapping(value: object) -> Row:
    """Return ``value`` if it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}
