"""Prompt variants of TraversalBench: other formats of the list, reasoning before it, and no word of its length."""

import json
import re
from collections.abc import Sequence
from typing import cast

from planimeter.evals.answers import Parsed, visible
from planimeter.evals.places import Row
from planimeter.evals.traversal.prompt import SYSTEM_PROMPT
from planimeter.evals.traversal.protocol import parse_strictly
from planimeter.evals.variants import replaced

VARIANTS = {
    "reasoned": "reasoning is asked for before the list",
    "json_array": "the list is asked for as a JSON array",
    "numbered_list": "the list is asked for as a numbered one, a marker a line",
    "no_count": "the number of markers is not said",
}

_QUESTION = "You answer a measurement question about a picture."
_FORBIDDEN = "no introduction, no reasoning, no coordinates, no numbering, no line breaks and no markup."
_SYSTEM = {
    "reasoned": f"{_QUESTION} Reason about it first; close with the answer in the format that the question asks for.",
    "json_array": replaced(SYSTEM_PROMPT, _FORBIDDEN, "no introduction, no reasoning and no coordinates."),
    "numbered_list": replaced(SYSTEM_PROMPT, _FORBIDDEN, "no introduction, no reasoning and no coordinates."),
    "no_count": SYSTEM_PROMPT,
}
_FORMAT = {
    "reasoned": 'Work it out in writing first. Then close with one line that begins with "Answer:" and goes on with '
    "the comma-separated list of the {n} markers.",
    "json_array": "Reply with a JSON array of the {n} markers, each a string, and nothing else.",
    "numbered_list": "Reply with a numbered list of the {n} markers, one a line, each line as in "
    '"1. <color> <shape>", and nothing else.',
    "no_count": "Reply with the comma-separated list of the markers and nothing else.",
}

_CONCLUSION = re.compile(r"answer:", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d{1,3})\. (.*)")


def reworded(config: str, row: Row, variant: str) -> tuple[str, str]:  # noqa: ARG001 - all configs alike
    """Return the system prompt and the prompt of a variant."""
    n = len(cast(Sequence[str], row["markers"]))
    alone = f"Reply with the comma-separated list of the {n} markers and nothing else."
    text = replaced(str(row["prompt"]), alone, _FORMAT[variant].format(n=n))
    if variant == "no_count":
        text = replaced(text, f"Give EXACTLY {n} markers. ", "")
    return _SYSTEM[variant], text


def read_strictly(config: str, row: Row, reply: str, variant: str) -> Parsed[tuple[str, ...]]:  # noqa: ARG001
    """Take the format of the variant only."""
    text = visible(reply).strip()
    markers = parse_strictly(_AS_LIST[variant](text))
    return Parsed(value=markers, reason="" if markers else "not the asked format")


def _concluded(text: str) -> str:
    last = text.rpartition("\n")[2]
    match = _CONCLUSION.match(last)
    return last[match.end() :] if match else ""


def _array(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # a reply may nest its brackets as deep as it likes
        return ""
    return ",".join(value) if isinstance(value, list) and all(isinstance(item, str) for item in value) else ""


def _numbered(text: str) -> str:
    lines = [_NUMBERED.fullmatch(line.strip()) for line in text.split("\n")]
    if not all(match and match[1] == str(number) for number, match in enumerate(lines, 1)):
        return ""
    return ",".join(match[2] for match in lines if match)


def _as_it_is(text: str) -> str:
    return text


#: Each turns a format into the comma-separated list, or the empty one where a reply does not keep to the format.
_AS_LIST = {"reasoned": _concluded, "json_array": _array, "numbered_list": _numbered, "no_count": _as_it_is}
