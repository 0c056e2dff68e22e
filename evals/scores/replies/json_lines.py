"""Reads files of JSON lines: Planimeter's own form, the traces of the library verifiers, and the samples of lmms-eval.

* In Planimeter's form a line has ``id``, ``reply`` (or ``response``, ``output``, ``completion``; the first counts), and
  optionally the model and the finish reason. A line without ``id`` is a header: ``dataset`` and ``version``.
* verifiers (0.4) writes ``traces.jsonl``, one episode per line, whose task contains the row's id. Every trace of an
  episode is a sample; further episodes of the same task are further samples.
* lmms-eval writes ``<model>/<date>_samples_<task>.jsonl`` with ``--log_samples``, one row per line. It omits the row's
  columns; the tasks that `planimeter export` writes add the row's id to their metrics. ``<date>_results.json`` in the
  same folder has the number of rows after ``--limit``.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from planimeter.evals.scores.replies.records import (
    MISSHAPEN,
    Found,
    Reply,
    Selection,
    Source,
    Unreadable,
    mapping,
    opened,
    reason_of,
    reply_of,
    text_of,
    variant_of,
)
from planimeter.export.foreign import MOST_BYTES, ForeignError, lines_of, parse_json, read_file
from planimeter.items.values import Row

#: A function that yields the records of a line: of its JSON object, and the path of the file.
Form = Callable[[Row, Path], Iterator[Found]]

#: The keys of a model's reply.
REPLY = ("reply", "response", "output", "completion")

#: The name of a file of lmms-eval's samples: start time of the run, and the task.
_LMMS = re.compile(r"(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_samples_(.+?)\.jsonl(\.gz)?")


def read(path: Path, form: Form) -> Iterator[Found]:
    """Yield the records that ``form`` finds in each line of ``path``; a damaged line is yielded as ``Unreadable``."""
    limit, count = _limit(path) if form is _lmms_eval else None, 0
    with opened(path) as lines:
        for number, line in enumerate(lines_of(lines), 1):
            if line is None:
                yield Unreadable(place=f"{path}:{number}", reason=f"longer than {MOST_BYTES:,} characters")
                continue
            if not line.strip():
                continue
            try:
                record = parse_json(line)
                if not isinstance(record, dict):
                    raise ValueError("not a JSON object")
                yield from form(record, path)
                count += 1
            except json.JSONDecodeError:
                yield Unreadable(place=f"{path}:{number}", reason="not JSON, or cut off")
            except MISSHAPEN as error:
                yield Unreadable(place=f"{path}:{number}", reason=reason_of(error))
    if limit is not None and count >= limit:
        yield Selection()


def _is_header(record: Row) -> bool:
    return "dataset" in record and not any(key in record for key in ("id", *REPLY))


def _is_ours(record: Row) -> bool:
    return _is_header(record) or ("id" in record and any(key in record for key in REPLY))


def _ours(record: Row, path: Path) -> Iterator[Found]:  # noqa: ARG001 - the line says it all
    if _is_header(record):
        yield Source.of(record)
        return
    key = next((key for key in REPLY if key in record), None)
    if "id" in record and key is None:
        raise ValueError("no reply")
    names = ("id", "model", "sample", "finish_reason", "completion_tokens", "reasoning_tokens", "cost")
    values = {name: record.get(name) for name in names}
    yield reply_of(text=record.get(key or ""), variant=variant_of(record), **values)


def _episode(record: Row, path: Path) -> Iterator[Found]:  # noqa: ARG001 - the line says it all
    """Yield the reply of each trace (sample) in ``record``, one episode of a file of the library verifiers.

    An episode that failed before its first trace has none; it is yielded as one empty reply.
    """
    for trace in map(mapping, record["traces"] or [{"task": record["task"]}]):
        data = mapping(mapping(trace.get("task") or record["task"]).get("data"))
        if data.get("id") in (None, ""):
            raise ValueError("the task has no id; its data must contain the row's id")
        yield _trace(trace, data)


def _trace(trace: Row, data: Row) -> Reply:
    calls = trace.get("calls")
    last = mapping(calls[-1]) if calls else {}
    config, usage = mapping(mapping(trace.get("agent")).get("config")), mapping(last.get("usage"))
    nodes = [mapping(node) for node in trace.get("nodes") or ()]
    messages = [mapping(node.get("message")) for node in nodes if node.get("sampled")]
    contents = [message.get("content") for message in messages if message.get("role") == "assistant"]
    candidates = (trace.get("root_reply"), *contents[-1:])
    text = text_of(next((content for content in candidates if content is not None), None))
    failed = bool(trace.get("errors")) or not nodes
    reply = reply_of(
        id=data["id"],
        text=text,
        model=last.get("model") or config.get("model"),
        variant=variant_of(data),
        finish_reason="error" if failed and not text else last.get("finish_reason"),
        completion_tokens=usage.get("completion_tokens"),
        reasoning_tokens=usage.get("reasoning_tokens"),
    )
    return replace(reply, sample=None)


def _lmms_eval(record: Row, path: Path) -> Iterator[Found]:
    """Yield a reply for each sample in ``record``, a line that lmms-eval wrote about one row."""
    # The id of the row is in the line itself, its document, or one of its metrics.
    places = (record, mapping(record.get("doc")), *map(mapping, record.values()))
    about = next((place for place in places if place.get("id")), None)
    if about is None:
        raise ValueError("no id of a row; run the tasks of lmms-eval that `planimeter export` writes")
    tokens, named = record.get("token_counts") or (), _LMMS.fullmatch(path.name)
    for sample, text in enumerate(_leaves(record.get("resps", record.get("filtered_resps")))):
        usage = mapping(tokens[sample]) if sample < len(tokens) else {}
        yield reply_of(
            id=about["id"],
            text=text,
            model=about.get("model") or path.resolve().parent.name.replace("__", "/"),
            sample=sample,
            variant=variant_of(about),
            finish_reason=about.get("finish_reason"),
            completion_tokens=usage.get("output_tokens"),
            reasoning_tokens=usage.get("reasoning_tokens"),
            created="{}-{}-{}T{}:{}:{}".format(*named.groups()) if named else "",
        )


def _leaves(responses: object) -> Iterator[object]:
    """Yield the values in nested lists, in order; a value that is not a list yields itself."""
    for response in responses if isinstance(responses, list) else ():
        yield from _leaves(response)
    if not isinstance(responses, list):
        yield responses


def _limit(path: Path) -> int | None:
    """Return the number of rows of a run of lmms-eval if ``--limit`` restricted it, else None.

    It is read from the results next to ``path``, a file of samples with a line for each row.
    """
    named = _LMMS.fullmatch(path.name)
    results = path.with_name(path.name.partition("_samples_")[0] + "_results.json")
    try:
        sizes = mapping(
            mapping(mapping(parse_json(read_file(results))).get("n-samples")).get(named[7] if named else "")
        )
        return int(sizes["effective"]) if sizes and sizes["effective"] < sizes["original"] else None
    except (OSError, ForeignError, *MISSHAPEN):
        return None


#: Each form with a test of a line; a file has the first form whose test any of its first lines passes.
FORMS: tuple[tuple[Form, Callable[[Row], bool]], ...] = (
    (_episode, lambda record: isinstance(record.get("traces"), list) and "task" in record),
    (_lmms_eval, lambda record: "doc_id" in record and ("filtered_resps" in record or "resps" in record)),
    (_ours, _is_ours),
)
