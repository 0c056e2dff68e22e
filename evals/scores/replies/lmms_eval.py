"""What lmms-eval writes with ``--log_samples``: ``<model>/<date>_samples_<task>.jsonl``, a line a row.

It leaves the row itself out; the tasks that `planimeter export` writes put the row's id beside their metrics. What
``--limit`` left of a task stands in ``<date>_results.json`` beside it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from planimeter.evals.scores.replies.records import (
    MISSHAPEN,
    Found,
    Reply,
    finish_of,
    mapping,
    name_of,
    text_of,
    tokens_of,
)

#: The name of a file of samples: when the run began, and the task.
_NAME = re.compile(r"(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_samples_(.+?)\.jsonl(\.gz)?")


def fits(record: dict[str, Any]) -> bool:
    """Whether a line is of this form."""
    return "doc_id" in record and ("filtered_resps" in record or "resps" in record)


def limit(path: Path) -> int | None:
    """Return how many rows the run asked, if not all of its task's; each has a line in ``path``, unless that is cut."""
    named = _NAME.fullmatch(path.name)
    if not named:
        return None
    results = path.with_name(path.name.partition("_samples_")[0] + "_results.json")
    try:
        sizes = mapping(json.loads(results.read_bytes())["n-samples"][named[7]])
        return int(sizes["effective"]) if sizes["effective"] < sizes["original"] else None
    except (OSError, *MISSHAPEN):
        return None


def _created(path: Path) -> str:
    named = _NAME.fullmatch(path.name)
    return "{}-{}-{}T{}:{}:{}".format(*named.groups()) if named else ""


def replies(record: dict[str, Any], path: Path) -> Iterator[Found]:
    """Yield the replies to a row: as many as it was asked for.

    Raises:
        ValueError: if the line holds no id of a row, or a reply is of another form.
    """
    about = _about(record)
    responses = record.get("resps", record.get("filtered_resps"))
    texts = list(_texts(responses))
    tokens = [mapping(count) for count in record.get("token_counts") or ()]
    created = _created(path)
    for sample, text in enumerate(texts):
        usage = tokens[sample] if sample < len(tokens) else {}
        yield Reply(
            id=name_of(about, "id"),
            text=text,
            model=name_of(about, "model") or path.resolve().parent.name.replace("__", "/"),
            sample=sample,
            variant=name_of(about, "prompt_variant") or name_of(about, "variant"),
            finish_reason=finish_of(name_of(about, "finish_reason")),
            completion_tokens=tokens_of(usage, "output_tokens"),
            reasoning_tokens=tokens_of(usage, "reasoning_tokens"),
            created=created,
        )


def _about(record: dict[str, Any]) -> Mapping[str, Any]:
    """Return what identifies the row of a line: the line itself, its document, or one of its metrics."""
    for place in (record, mapping(record.get("doc")), *map(mapping, record.values())):
        if place.get("id"):
            return place
    raise ValueError("no id of a row; run the tasks that `planimeter export --for lmms-eval` writes")


def _texts(responses: object) -> Iterator[str]:
    if isinstance(responses, list):
        for response in responses:
            yield from _texts(response)
    else:
        yield text_of(responses)
