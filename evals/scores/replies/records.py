"""The records that the readers of reply files yield: replies, unreadable lines, datasets and selections of rows."""

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

#: The maximum number of samples of a row, which are numbered from 0.
MOST_SAMPLES = 10_000

#: The finish reasons of harnesses for a reply cut off at the limit of tokens; our records use ``length``.
CUT_OFF = frozenset({"length", "max_tokens", "model_length", "max_output_tokens", "token_limit"})

#: The exceptions that a record of unexpected structure causes: readers do not check its fields first.
MISSHAPEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class RepliesError(PlanimeterError):
    """A file of replies cannot be used at all; the message has the cause and the remedy."""


class UnknownFormError(RepliesError):
    """A file is not in any known form of replies; in a folder such a file is omitted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One reply, ``text``, of a model to the row ``id``. ``model`` is empty if the file does not name it.

    ``sample`` is the number of the sample, from 0, or None for the next one of its row. ``finish_reason`` is ``stop``,
    ``length`` (cut off), ``error``, another word of the harness, or empty; tokens and ``cost`` (US dollars) are None if
    the harness does not report them. ``created`` is the start time of the run, as ISO 8601, or empty.
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
    """A line or member of a file that cannot be read: its ``place``, such as "x.jsonl:3", and the ``reason``."""

    place: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """The dataset and version of all following replies in a file; either may be empty, if the file does not name it."""

    dataset: str
    version: str

    @classmethod
    def of(cls, about: Row) -> "Source":
        """Return the dataset and version that ``about`` names. Raises ``ValueError`` if a name is not text."""
        return cls(dataset=name_of("dataset", about.get("dataset")), version=name_of("version", about.get("version")))


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """The rows of a run according to its log, by their ``ids``, and the number ``epochs`` of replies to each.

    Rows with replies in the file belong to the run too. Without such a record the rows of a run are unknown.
    """

    ids: frozenset[str] = frozenset()
    epochs: int = 1
    model: str = ""
    variant: str = ""


#: A record that a reader of files yields.
Found = Reply | Unreadable | Source | Selection


def reply_of(**values: object) -> Reply:
    """Return a ``Reply`` with the fields ``values``, which are from JSON and are checked; None is a missing value.

    Raises:
        ValueError: if a value is of another type or out of range, or the id is missing.
    """
    given = {name: _CHECKS.get(name, name_of)(name, value) for name, value in values.items() if value is not None}
    if not given.get("id"):
        raise ValueError("no id")
    return Reply(**given)


def name_of(key: str, value: object) -> str:
    """Return ``value``, a text or whole number, as printable text; None becomes an empty text.

    Raises:
        ValueError: for other values; the message names ``key``, the field of the value.
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ValueError(f"{key} is not text")
    return printable(clean(str(value)))


def variant_of(about: Mapping[str, Value]) -> Value | None:
    """Return the prompt variant that a record names; None if it names none."""
    return about.get("prompt_variant") or about.get("variant")


def text_of(value: object) -> str:
    """Return the text of a message's content: a text, or the texts among its parts; None becomes an empty text.

    Raises:
        ValueError: if the content has another structure.
    """
    if isinstance(value, list) and all(isinstance(part, Mapping) for part in value):
        return clean("".join(str(part.get("text", "")) for part in value if part.get("type", "text") == "text"))
    if value is not None and not isinstance(value, str):
        raise ValueError("the reply is not text")
    return clean(value or "")


def clean(text: str) -> str:
    """Return ``text`` with a question mark in place of each lone surrogate, which UTF-8 cannot encode."""
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
    """Open the file ``path``, plain or gzip, as text; invalid UTF-8 becomes replacement characters."""
    with open_file(path) as file:
        opener = gzip.open if file.read(len(GZIP)) == GZIP else open
    return cast(TextIO, opener(path, "rt", encoding="utf-8-sig", errors="replace", newline=newline))


def some(names: Sequence[str], most: int = 6) -> str:
    """Return the first ``most`` of ``names`` as text, each cut to 60 characters, and "..." if there are more."""
    return ", ".join(printable(" ".join(name[:60].split())) for name in names[:most]) + (
        ", ..." if len(names) > most else ""
    )


def reason_of(error: BaseException) -> str:
    """Return the reason why a record cannot be read: the message of a ``ValueError``, or "unexpected structure"."""
    is_told = isinstance(error, ValueError) and str(error)
    return str(error) if is_told else f"unexpected structure ({type(error).__name__})"


def mapping(value: object) -> Row:
    """Return ``value`` if it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}
