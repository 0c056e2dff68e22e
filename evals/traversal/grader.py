"""The grader of TraversalBench: parses replies into lists of markers, and scores them."""

import json
import re
from collections.abc import Sequence
from typing import cast

from planimeter.evals.answers import NOT_ASKED, UNMARKED, UNREADABLE, Parsed, answer_of
from planimeter.evals.places import Row
from planimeter.evals.traversal.prompt import SYSTEM_PROMPT as SYSTEM_PROMPT
from planimeter.evals.traversal.prompt import answer as answer
from planimeter.evals.traversal.prompt import prompt as prompt
from planimeter.evals.variants import replaced
from planimeter.evals.wrapping import outside_reasoning
from planimeter.items import MARKER_COLORS, MARKER_SHAPES

CONFIGS: tuple[str, ...] = ("base", "confounded", "reading_order", "curved")

#: The metric that ranks models, and the meaning of each metric; all are from 0 to 1.
HEADLINE = "exact"
METRICS = {
    "exact": "whole lists that are right",
    "token_accuracy": "share of the positions of the true list that are right",
}

#: The reward ``dense``; and the columns that a reward requires in addition to the answer.
DENSE = "token_accuracy"
NEEDED = dict.fromkeys(CONFIGS, ("markers",))

#: The column with the id of the path, unless it is the row's own id.
_PATH = {"confounded": "source_id", "curved": "pair_id"}

_COLORS, _SHAPES = "|".join(MARKER_COLORS), "|".join(MARKER_SHAPES)
_MARKER = re.compile(rf"({_COLORS}) ({_SHAPES})")
_NUMBERED = re.compile(r"(\d{1,3})[.)] (.*)")
_AND = re.compile(r"(?:,\s|\s)and\s(?=[a-z]+ [a-z]+\Z)")


def markers_of(items: Sequence[object]) -> tuple[str, ...] | None:
    """Return the markers that ``items`` name, such as "red circle", or None if an item does not name a marker.

    Upper case and repeated blanks are ignored.
    """
    names = tuple(" ".join(str(item).lower().split()) for item in items)
    return names if names and all(map(_MARKER.fullmatch, names)) else None


def parse_strictly(reply: str) -> tuple[str, ...] | None:
    """Return the markers if ``reply``, after reasoning is removed, is only a list with commas, else None.

    A final full stop is allowed.
    """
    text = outside_reasoning(reply).removesuffix(".")
    return None if "\n" in text else markers_of(text.split(","))


def listed(text: str) -> Parsed[tuple[str, ...]]:
    """Return the markers that ``text`` lists: with commas, as a JSON array, or in numbered lines with one each."""
    lines = text.strip().removesuffix(".").split("\n")
    commas = _AND.sub(", ", lines[0].lower()).split(",") if len(lines) == 1 else []
    for items in (commas, _array(text), _numbered(lines)):
        markers = markers_of(items)
        if markers:
            return Parsed(value=markers)
    return Parsed(value=None, reason=UNREADABLE)


def read(config: str, row: Row, reply: str, *, strict: bool) -> Parsed[tuple[str, ...]]:  # noqa: ARG001 - all alike
    """Return the list of markers that is the answer of ``reply``, or the reason why it has none.

    If ``strict``, the reply must be only this list, apart from reasoning blocks.
    """
    if strict:
        markers = parse_strictly(reply)
        return Parsed(value=markers, reason="" if markers else NOT_ASKED)

    def bare(text: str) -> Parsed[tuple[str, ...]]:
        """Return the list in a reply without "Answer:" etc.; a single marker is refused: it may end a longer list."""
        parsed = listed(text)
        return parsed if parsed.value and len(parsed.value) > 1 else Parsed(value=None, reason=UNMARKED)

    return answer_of(reply, listed, bare=bare, asked="bare", multiline=True)


def written(value: Sequence[str]) -> str:
    """Return markers formatted like the column ``answer``."""
    return answer(value)


def render(answer: str) -> str:
    """Return the perfect reply for ``answer`` (a row's column): the answer itself."""
    return answer


def score(config: str, row: Row, parsed: Parsed[tuple[str, ...]]) -> dict[str, float]:  # noqa: ARG001 - all configs alike
    """Return the ``METRICS`` by name of a reply's list, ``parsed``, compared with the markers of ``row``."""
    right = correct(row, parsed)
    return {
        "exact": float(all(right) and len(parsed.value or ()) == len(right)),
        "token_accuracy": sum(right) / len(right),
    }


def correct(row: Row, parsed: Parsed[tuple[str, ...]]) -> tuple[bool, ...]:
    """Return for each position of the path True if the list ``parsed`` has the right marker there.

    Raises:
        ValueError: for a row without markers.
    """
    answer, gold = parsed.value or (), cast(Sequence[str], row["markers"])
    if len(gold) == 0:
        raise ValueError("the row's list of markers is empty; a path has at least two")
    return tuple(k < len(answer) and answer[k] == marker for k, marker in enumerate(gold))


def strata(config: str, row: Row) -> dict[str, str]:
    """Return {axis: stratum} of a row, such as its number of markers, and ranges of tortuosity and of crossings.

    The config ``reading_order`` has instead the reading direction (``regime``) and the number of ``lanes``: parallel
    runs of the path, like lines of text.
    """
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
    """Return the id of the path in the picture, which all drawings of it share: plain, curved and with spurs."""
    return str(row[_PATH.get(config, "id")])


# --- prompt variants: other formats of the list, and a prompt without its length


VARIANTS = {
    "json_array": "the list is asked for as a JSON array",
    "numbered_list": "the list is asked for as a numbered one, a marker a line",
    "no_count": "the prompt does not give the number of markers",
}

_FORBIDDEN = "no introduction, no reasoning, no coordinates, no numbering, no line breaks and no markup."
_FORMAT = {
    "json_array": "Reply with a JSON array of the {n} markers, each a string, and nothing else.",
    "numbered_list": "Reply with a numbered list of the {n} markers, one a line, each line as in "
    '"1. <color> <shape>", and nothing else.',
    "no_count": "Reply with the comma-separated list of the markers and nothing else.",
}


def reworded(config: str, row: Row, variant: str) -> tuple[str, str]:  # noqa: ARG001 - all configs alike
    """Return the system prompt and the user prompt of ``row``, reworded as the prompt ``variant`` of ``VARIANTS``."""
    n = len(cast(Sequence[str], row["markers"]))
    alone = f"Reply with the comma-separated list of the {n} markers and nothing else."
    text = replaced(str(row["prompt"]), alone, _FORMAT[variant].format(n=n))
    if variant == "no_count":
        return SYSTEM_PROMPT, replaced(text, f"Give EXACTLY {n} markers. ", "")
    return replaced(SYSTEM_PROMPT, _FORBIDDEN, "no introduction, no reasoning and no coordinates."), text


def read_strictly(config: str, row: Row, reply: str, variant: str) -> Parsed[tuple[str, ...]]:  # noqa: ARG001
    """Return the markers if ``reply``, after reasoning is removed, is only a list in the format of ``variant``.

    Otherwise the result has no value but the reason ``NOT_ASKED``. ``variant`` is one of ``VARIANTS``.
    """
    text = outside_reasoning(reply)
    if variant == "no_count":
        markers = parse_strictly(text)
    else:
        markers = markers_of(_array(text) if variant == "json_array" else _numbered(text.split("\n")))
    return Parsed(value=markers, reason="" if markers else NOT_ASKED)


def _array(text: str) -> Sequence[object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # a reply may have arbitrarily deep brackets
        return ()
    return value if isinstance(value, list) and all(isinstance(item, str) for item in value) else ()


def _numbered(lines: Sequence[str]) -> Sequence[object]:
    matches = [_NUMBERED.fullmatch(line.strip()) for line in lines]
    return [match[2] if match and match[1] == str(number) else "" for number, match in enumerate(matches, 1)]
