"""Our own form: JSON lines of ``id`` and ``reply``, and optionally whose reply it is and how it ended.

``response``, ``output`` and ``completion`` are other names of ``reply``; where there are several, the first counts.

A line without ``id`` is a header: it names ``dataset`` and ``version``, which are then compared.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planimeter.evals.scores.replies.records import (
    Found,
    Reply,
    Source,
    finish_of,
    name_of,
    sample_of,
    text_of,
    tokens_of,
)

#: The names of what a model replied.
REPLY = ("reply", "response", "output", "completion")


def fits(record: dict[str, Any]) -> bool:
    """Whether a line is of this form."""
    return ("id" in record and _key(record) is not None) or _is_header(record)


def _key(record: dict[str, Any]) -> str | None:
    return next((key for key in REPLY if key in record), None)


def _is_header(record: dict[str, Any]) -> bool:
    return "id" not in record and _key(record) is None and "dataset" in record


def replies(record: dict[str, Any], path: Path) -> Iterator[Found]:  # noqa: ARG001 - the line says it all
    """Yield the reply, or the source, that a line states.

    Raises:
        ValueError: if a value is of another form.
    """
    if _is_header(record):
        yield Source(dataset=name_of(record, "dataset"), version=name_of(record, "version"))
        return
    name, key = name_of(record, "id"), _key(record)
    if not name or key is None:
        raise ValueError("no id" if not name else "no reply")
    yield Reply(
        id=name,
        text=text_of(record[key]),
        model=name_of(record, "model"),
        sample=sample_of(record),
        variant=name_of(record, "prompt_variant") or name_of(record, "variant"),
        finish_reason=finish_of(name_of(record, "finish_reason")),
        completion_tokens=tokens_of(record, "completion_tokens"),
        reasoning_tokens=tokens_of(record, "reasoning_tokens"),
        cost=tokens_of(record, "cost"),
    )
