"""TraversalBench's protocol: the words of the question, reading a reply, and scoring it.

The same file words the question and reads the answer. The wording is ours; what it says is the paper's (A.6): one
polyline, the start named, exactly N markers, the allowed words, a comma-separated list and nothing else.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planimeter.evals.answers import Parsed, undecorated, visible
from planimeter.generators.items import MARKER_COLORS, MARKER_SHAPES

Row = Mapping[str, Any]

CONFIGS: tuple[str, ...] = ("base", "confounded", "reading_order")

SYSTEM_PROMPT = (
    "You answer a measurement question about a picture. Return the answer alone, in the format that the question asks "
    "for: no introduction, no reasoning, no coordinates, no numbering, no line breaks and no markup."
)

#: What people and models write for a shape or a colour, in the protocol's words; only the lenient reading uses it.
_SYNONYMS = {"triangle": "tri", "cross": "plus", "disc": "circle", "disk": "circle", "violet": "purple"}
_COLORS, _SHAPES = "|".join(MARKER_COLORS), "|".join(MARKER_SHAPES)
_MARKER = re.compile(rf"\b({_COLORS})[\s_-]+({_SHAPES})\b")
_PREAMBLE = re.compile(r"^.*(?:answer|sequence|order|path)(?:\s+is)?\s*:", re.DOTALL)


def prompt(start: str, n_points: int, *, confounded: bool = False) -> str:
    """Return the user's turn for a path whose start marker is ``start`` and that has ``n_points`` markers."""
    spurs = (
        " Gray spurs also start on the line and end in nothing. They are not part of the path: ignore them and stay on "
        "the dark line."
        if confounded
        else ""
    )
    return (
        "The picture shows one path: a single dark polyline that never branches, with a colored shape at each of its "
        f"vertices. From each marker but the last, the line leads to exactly one next marker.{spurs}\n\n"
        f'The path begins at the marker "{start}"; no other marker in the picture looks like it. Follow the line from '
        "there to its other end. Name every marker in the order in which you meet it, the first and the last "
        "included.\n\n"
        f"Give EXACTLY {n_points} markers. Where you are unsure, give your best guess and do not stop early. Write "
        f"each one as <color> <shape> in lowercase. Colors: {', '.join(MARKER_COLORS)}. "
        f"Shapes: {', '.join(MARKER_SHAPES)}.\n\n"
        f"Reply with the comma-separated list of the {n_points} markers and nothing else."
    )


def answer(markers: Sequence[str]) -> str:
    """Return the canonical answer for ``markers`` in path order."""
    return ", ".join(markers)


def parse_strictly(reply: str) -> tuple[str, ...] | None:
    """Read ``reply`` strictly: a comma-separated list of markers in the protocol's words, or None.

    Only blanks around items, a final full stop and upper case are forgiven. Reasoning blocks are not part of the reply.
    """
    items = [" ".join(item.split()) for item in visible(reply).strip().rstrip(".").lower().split(",")]
    known = all(_MARKER.fullmatch(item) for item in items)
    return tuple(items) if known else None


def parse_leniently(reply: str) -> tuple[str, ...]:
    """Read every marker in ``reply`` outside any reasoning block, whatever stands around it; empty where there is none.

    Text before a last "answer:" (or sequence, order, path) is dropped, so that a reply that thinks aloud is read by its
    conclusion, unless nothing follows. "triangle" and a few other synonyms count.
    """
    text = undecorated(visible(reply)).lower()
    for word, ours in _SYNONYMS.items():
        text = re.sub(rf"\b{word}\b", ours, text)
    concluded = _markers(_PREAMBLE.sub("", text))
    return concluded or _markers(text)


def _markers(text: str) -> tuple[str, ...]:
    return tuple(f"{match[1]} {match[2]}" for match in _MARKER.finditer(text))


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """``exact``: the whole list is right. ``token_accuracy``: share of positions that are right, of the gold length.

    ``correct`` says so position by position; a position that the reply lacks is wrong. ``answered`` is False where no
    marker could be read.
    """

    exact: bool
    token_accuracy: float
    correct: tuple[bool, ...]
    answered: bool


def grade(parsed: Sequence[str] | None, gold: Sequence[str]) -> Score:
    """Grade a parsed reply against the markers in path order.

    Raises:
        ValueError: for an empty gold list.
    """
    if not gold:
        raise ValueError("the gold list is empty: a path has at least two markers")
    read = tuple(parsed or ())
    correct = tuple(k < len(read) and read[k] == marker for k, marker in enumerate(gold))
    return Score(
        exact=read == tuple(gold),
        token_accuracy=sum(correct) / len(gold),
        correct=correct,
        answered=bool(read),
    )


def parse_strict(config: str, reply: str) -> Parsed[tuple[str, ...]]:
    """Take the asked format only; see ``parse_strictly``. Raises ``LookupError`` for a config that is none of ours."""
    _checked(config)
    markers = parse_strictly(reply)
    return Parsed(value=markers, reason="" if markers else "not the asked format")


def parse(config: str, reply: str) -> Parsed[tuple[str, ...]]:
    """Take what models write; see ``parse_leniently``. Raises ``LookupError`` for a config that is none of ours."""
    _checked(config)
    markers = parse_leniently(reply)
    return Parsed(value=markers or None, reason="" if markers else "no marker")


def score(config: str, row: Row, parsed: Parsed[tuple[str, ...]]) -> dict[str, float]:
    """Return ``exact``, ``token_accuracy`` and ``parse_failure`` of one row, each from 0 to 1.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
    """
    _checked(config)
    graded = grade(parsed.value, row["markers"])
    return {
        "exact": float(graded.exact),
        "token_accuracy": graded.token_accuracy,
        "parse_failure": float(parsed.value is None),
    }


def score_gold(config: str, row: Row) -> float:
    """Return the score of the row's own answer, the lower of both parsers; 1.0 if all is sound."""
    reply = str(row["answer"])
    return min(score(config, row, read(config, reply))["exact"] for read in (parse_strict, parse))


def _checked(config: str) -> None:
    if config not in CONFIGS:
        raise LookupError(f"traversal has no config {config!r}; it has: {', '.join(CONFIGS)}")
