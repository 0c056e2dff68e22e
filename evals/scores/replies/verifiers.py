"""What verifiers (0.4) writes: ``traces.jsonl``, a line an episode, whose task holds the row's id.

Every trace of an episode is a sample; further episodes of the same task are further samples.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planimeter.evals.scores.replies.records import Found, Reply, finish_of, mapping, name_of, text_of, tokens_of


def fits(record: dict[str, Any]) -> bool:
    """Whether a line is of this form."""
    return isinstance(record.get("traces"), list) and "task" in record


def replies(record: dict[str, Any], path: Path) -> Iterator[Found]:  # noqa: ARG001 - the line says it all
    """Yield the replies of an episode; one that failed before a trace began is an empty reply.

    Raises:
        ValueError: if the task has no id, or a reply is of another form.
    """
    for trace in record["traces"] or [{"task": record["task"]}]:
        data = mapping(mapping(mapping(trace).get("task") or record["task"]).get("data"))
        name = name_of(data, "id")
        if not name:
            raise ValueError("the task has no id; its data must hold that of the row")
        yield _reply(mapping(trace), name, name_of(data, "prompt_variant") or name_of(data, "variant"))


def _reply(trace: Any, name: str, variant: str) -> Reply:
    calls = [mapping(call) for call in trace.get("calls") or ()]
    last = calls[-1] if calls else {}
    config = mapping(mapping(trace.get("agent")).get("config"))
    text, usage = _last_words(trace), mapping(last.get("usage"))
    failed = bool(trace.get("errors")) or not trace.get("nodes")
    return Reply(
        id=name,
        text=text,
        sample=None,
        model=name_of(last, "model") or name_of(config, "model"),
        variant=variant,
        finish_reason="error" if failed and not text else finish_of(name_of(last, "finish_reason")),
        completion_tokens=tokens_of(usage, "completion_tokens"),
        reasoning_tokens=tokens_of(usage, "reasoning_tokens"),
    )


def _last_words(trace: Any) -> str:
    if trace.get("root_reply") is not None:
        return text_of(trace["root_reply"])
    messages = [
        mapping(mapping(node).get("message")) for node in trace.get("nodes") or () if mapping(node).get("sampled")
    ]
    messages_of_model = [message for message in messages if message.get("role") == "assistant"]
    return text_of(messages_of_model[-1].get("content")) if messages_of_model else ""
