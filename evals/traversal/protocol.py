"""TraversalBench's protocol: reading a reply, and scoring it."""

import json
import re
from collections.abc import Sequence
from typing import cast

from planimeter.evals.answers import Parsed, answer_of, outside_reasoning, undecorated, visible
from planimeter.evals.places import Row
from planimeter.evals.traversal.mentions import listed
from planimeter.evals.traversal.prompt import SYSTEM_PROMPT as SYSTEM_PROMPT
from planimeter.evals.traversal.prompt import answer as answer
from planimeter.evals.traversal.prompt import prompt as prompt
from planimeter.evals.variants import replaced
from planimeter.items import MARKER_COLORS, MARKER_SHAPES

CONFIGS: tuple[str, ...] = ("base", "confounded", "reading_order", "curved")

#: The metric by which models are ranked, and what each metric means; all lie from 0 to 1.
HEADLINE = "exact"
METRICS = {
    "exact": "whole lists that are right",
    "token_accuracy": "share of the positions of the true list that are right",
}

#: The reward called dense; and what a row must have beside its answer to be rewarded.
DENSE = "token_accuracy"
NEEDED = dict.fromkeys(CONFIGS, ("markers",))

#: The column with the id of the path, where that is not the row's own.
_PATH = {"confounded": "source_id", "curved": "pair_id"}

#: Names for the answer in a JSON object, beside those that all suites share.
_KEYS = "path|order|sequence|markers"

_COLORS, _SHAPES = "|".join(MARKER_COLORS), "|".join(MARKER_SHAPES)
_MARKER = re.compile(rf"({_COLORS}) ({_SHAPES})")


def parse_strictly(reply: str) -> tuple[str, ...] | None:
    """Read ``reply`` strictly: a comma-separated list of markers in the protocol's words, or None.

    Only the number of blanks, a final full stop and upper case are forgiven. Reasoning is not part of the reply.
    """
    text = outside_reasoning(reply).removesuffix(".").lower()
    items = [" ".join(item.split()) for item in text.split(",")] if "\n" not in text else [text]
    known = all(_MARKER.fullmatch(item) for item in items)
    return tuple(items) if known else None


def parse_leniently(reply: str, n: int, start: str = "") -> Parsed[tuple[str, ...]]:
    """Read the list that ``reply`` states of a path of ``n`` markers from ``start``: where it is marked, or in prose.

    What is a list, and which of several counts, ``mentions.listed`` says.
    """
    text = visible(reply)
    marked = answer_of(text, lambda piece: listed(undecorated(piece), n, start), keys=_KEYS, multiline=True)
    return marked or listed(undecorated(text), n, start) or Parsed(value=None, reason="no list of markers")


def read(config: str, row: Row, reply: str, *, strict: bool) -> Parsed[tuple[str, ...]]:  # noqa: ARG001 - all alike
    """Read ``reply``; see ``parse_strictly`` and ``parse_leniently``."""
    markers = parse_strictly(reply)
    if markers or strict:
        return Parsed(value=markers, reason="" if markers else "not the asked format")
    gold = cast(Sequence[str], row["markers"])
    return parse_leniently(reply, len(gold), gold[0])


def written(value: Sequence[str]) -> str:
    """Return markers as ``answer`` has them."""
    return answer(value)


def render(answer: str) -> str:
    """Return ``answer`` (a row's column) as a perfect model replies it: as it is."""
    return answer


def score(config: str, row: Row, parsed: Parsed[tuple[str, ...]]) -> dict[str, float]:  # noqa: ARG001 - all configs alike
    """Return the metrics of one row: see ``METRICS``."""
    right = correct(row, parsed)
    return {
        "exact": float(all(right) and len(parsed.value or ()) == len(right)),
        "token_accuracy": sum(right) / len(right),
    }


def correct(row: Row, parsed: Parsed[tuple[str, ...]]) -> tuple[bool, ...]:
    """Say for each position of the path whether the reply names its marker; one that the reply lacks is wrong.

    Raises:
        ValueError: for a row without markers.
    """
    answer, gold = parsed.value or (), cast(Sequence[str], row["markers"])
    if len(gold) == 0:
        raise ValueError("the gold list is empty: a path has at least two markers")
    return tuple(k < len(answer) and answer[k] == marker for k, marker in enumerate(gold))


def strata(config: str, row: Row) -> dict[str, str]:
    """Return how hard a path is: bins of tortuosity and of crossings, length, confounders, lanes, how far it bends."""
    values = {
        "tortuosity": str(row["tortuosity_bin"]),
        "crossings": str(row["self_intersection_bin"]),
        "n_points": str(row["n_points"]),
    }
    if config == "confounded":
        return {
            **values,
            "condition": str(row["condition"]),
            "spurs": str(len(cast(Sequence[object], row["confounders"]))),
        }
    if config == "curved":
        values["smoothness"] = f"{row['smoothness']:g}"
    if config == "reading_order":
        return {"regime": str(row["regime"]), "lanes": str(row["lanes"]), "n_points": values["n_points"]}
    return {**values, "level": str(row["level"])} if "level" in row else values


def question(config: str, row: Row) -> str:
    """Return the id of the path: its confounded and its bent drawings ask what the plain one asks."""
    return str(row[_PATH.get(config, "id")])


# --- prompt variants: other formats of the list, reasoning before it, and no word of its length


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
