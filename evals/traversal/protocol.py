"""TraversalBench's protocol: reading a reply, and scoring it."""

import re
from collections.abc import Sequence
from typing import cast

from planimeter.evals.answers import Parsed, undecorated, visible
from planimeter.evals.scoring import Row
from planimeter.evals.traversal.prompt import SYSTEM_PROMPT as SYSTEM_PROMPT
from planimeter.evals.traversal.prompt import answer as answer
from planimeter.evals.traversal.prompt import prompt as prompt
from planimeter.items import MARKER_COLORS, MARKER_SHAPES

CONFIGS: tuple[str, ...] = ("base", "confounded", "reading_order", "curved")

#: The metric by which models are ranked, and what each metric means; all lie from 0 to 1.
HEADLINE = "exact"
METRICS = {
    "exact": "whole lists that are right",
    "token_accuracy": "share of the positions of the true list that are right",
}

#: The column with the id of the path, where that is not the row's own.
_PATH = {"confounded": "source_id", "curved": "pair_id"}

#: What people and models write for a shape or a colour, in the protocol's words; only the lenient reading uses it.
_SYNONYMS = {"triangle": "tri", "cross": "plus", "disc": "circle", "disk": "circle", "violet": "purple"}
_COLORS, _SHAPES = "|".join(MARKER_COLORS), "|".join(MARKER_SHAPES)
_MARKER = re.compile(rf"\b({_COLORS})[\s_-]+({_SHAPES})\b")
_PREAMBLE = re.compile(r"^.*(?:answer|sequence|order|path)(?:\s+is)?\s*:", re.DOTALL)


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


def read(config: str, row: Row, reply: str, *, strict: bool) -> Parsed[tuple[str, ...]]:  # noqa: ARG001 - all alike
    """Read ``reply``; see ``parse_strictly`` and ``parse_leniently``.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
    """
    _checked(config)
    if strict:
        markers = parse_strictly(reply)
        return Parsed(value=markers, reason="" if markers else "not the asked format")
    found = parse_leniently(reply)
    return Parsed(value=found or None, reason="" if found else "no marker")


def written(value: Sequence[str]) -> str:
    """Return markers as ``answer`` has them."""
    return answer(value)


def render(answer: str) -> str:
    """Return ``answer`` (a row's column) as a perfect model replies it: as it is."""
    return answer


def score(config: str, row: Row, parsed: Parsed[tuple[str, ...]]) -> dict[str, float]:
    """Return the metrics of one row: see ``METRICS``.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
    """
    _checked(config)
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
    found, gold = parsed.value or (), cast(Sequence[str], row["markers"])
    if len(gold) == 0:
        raise ValueError("the gold list is empty: a path has at least two markers")
    return tuple(k < len(found) and found[k] == marker for k, marker in enumerate(gold))


def strata(config: str, row: Row) -> dict[str, str]:
    """Return how hard a path is: bins of tortuosity and of crossings, length, confounders, lanes, how far it bends."""
    _checked(config)
    found = {
        "tortuosity": str(row["tortuosity_bin"]),
        "crossings": str(row["self_intersection_bin"]),
        "n_points": str(row["n_points"]),
    }
    if config == "confounded":
        return {
            **found,
            "condition": str(row["condition"]),
            "spurs": str(len(cast(Sequence[object], row["confounders"]))),
        }
    if config == "curved":
        found["smoothness"] = f"{row['smoothness']:g}"
    if config == "reading_order":
        return {"regime": str(row["regime"]), "lanes": str(row["lanes"]), "n_points": found["n_points"]}
    return {**found, "level": str(row["level"])} if "level" in row else found


def question(config: str, row: Row) -> str:
    """Return the id of the path: its confounded and its bent drawings ask what the plain one asks."""
    _checked(config)
    return str(row[_PATH.get(config, "id")])


def _checked(config: str) -> None:
    if config not in CONFIGS:
        raise LookupError(f"traversal has no config {config!r}; it has: {', '.join(CONFIGS)}")
