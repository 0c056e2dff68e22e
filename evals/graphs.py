r"""Parses answers that are graphs: a count and pairs of integers, in lines as the prompts request, or in JSON.

A suite's grader defines the meaning of a pair, and which graphs are valid.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from planimeter.evals.answers import UNMARKED, UNREADABLE, Parsed, answer_of
from planimeter.evals.places import Row
from planimeter.evals.wrapping import outside_reasoning

Value = TypeVar("Value")
Pair = tuple[int, int]
Edges = frozenset[Pair]

#: Exactly the requested form; the group is the text between the tags.
PLAIN_GRAPH: Final = re.compile(
    r"<answer>\n?((?:0|[1-9][0-9]*+)(?:\n(?:0|[1-9][0-9]*+) (?:0|[1-9][0-9]*+))*+)\n?</answer>"
)

#: The reason why a list cannot be parsed.
NOT_A_PAIR: Final = "line is not two integers"

#: A reply of more lines is not an answer: bounds the work on it.
_MOST_LINES: Final = 10_000
#: A list without a mark: a count, and at least one pair.
_BARE: Final = re.compile(r"\d{1,6}(?:\s*\n\s*\d{1,6} \d{1,6})+\s*")
#: The comments of models after a pair.
_COMMENT: Final = re.compile(r"(?:\A#|(?<=[\d)*])\s*(?:#|//|\(|--|<|\u2190|\s[-\u2013\u2014]\s)).*")
_BULLET: Final = re.compile(r"[-*\u2022]\s+")
_COUNT: Final = re.compile(r"(\d{1,6})(?: (?:regions?|faces?|curves?))?")
_PAIR: Final = re.compile(r"\(?(\d{1,6})(?:\s{1,9}|\s{0,9},\s{0,9})(-1|\d{1,6})\)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The pairs of integers in a reply, in order, and the ``count`` in the line before them, None if it is missing."""

    pairs: tuple[Pair, ...]
    count: int | None = None


def graph_answer(reply: str, build: Callable[[Listing], Parsed[Value]]) -> Parsed[Value]:
    """Return the graph that ``build`` makes of the pairs that are the answer of ``reply``, or why there is none."""

    def bare(text: str) -> Parsed[Value]:
        return graph_of(text, build) if _BARE.fullmatch(text) else Parsed(value=None, reason=UNMARKED)

    return answer_of(reply, lambda text: graph_of(text, build), bare=bare, multiline=True)


def graph_of(text: str, build: Callable[[Listing], Parsed[Value]]) -> Parsed[Value]:
    """Return the graph that ``build`` makes of ``text``, a list of pairs, or the reason why it cannot parse it."""
    listing = _of_json(text) if text.startswith(("[", "{")) else _of_lines(text)
    return build(listing) if isinstance(listing, Listing) else Parsed(value=None, reason=listing)


def _of_lines(text: str) -> Listing | str:
    """Return the pairs in lines "u v", after an optional line with a count, or the reason why they cannot be parsed."""
    lines = [_COMMENT.sub("", line.strip(), count=1) for line in text.replace("\\n", "\n").split("\n", _MOST_LINES)]
    lines = [line for line in (_BULLET.sub("", line, count=1).strip("* ") for line in lines) if line]
    count = _COUNT.fullmatch(lines[0]) if lines else None
    pairs = [_PAIR.fullmatch(line) for line in (lines[1:] if count else lines)]
    if not lines:
        return UNREADABLE
    if not all(pairs):
        return NOT_A_PAIR
    numbers = tuple((int(pair[1]), int(pair[2])) for pair in pairs if pair)
    return Listing(pairs=numbers, count=int(count[1]) if count else None)


def _of_json(text: str) -> Listing | str:
    """Return the pairs in a JSON array [[u, v], ...] or object {u: v}, or the reason why they cannot be parsed."""
    try:
        value = json.loads(text)
        if isinstance(value, dict):
            value = [(int(key), item) for key, item in value.items()]
        pairs = tuple((int(str(u)), int(str(v))) for u, v in value)
    except (ValueError, TypeError, RecursionError):  # a reply may have arbitrarily deep brackets
        return NOT_A_PAIR
    return Listing(pairs=pairs) if pairs else UNREADABLE


def render(answer: str) -> str:
    """Return the perfect reply for ``answer`` (a row's column): the answer inside the tags."""
    return f"<answer>\n{answer}\n</answer>"


def asked_lines(reply: str) -> list[str]:
    """Return the lines between the tags of a reply that has exactly the requested form; empty for other replies."""
    match = PLAIN_GRAPH.fullmatch(outside_reasoning(reply))
    return match[1].split("\n") if match else []


def gold(parsed: Parsed[Value], row: Row) -> Value:
    """Return the value of ``parsed``, the parsed true answer of ``row``; raise ``ValueError`` if it has none."""
    if parsed.value is None:
        raise ValueError(f"the row's own answer cannot be read: {parsed.reason}: {row['answer']!r:.80}")
    return parsed.value


def reward(*, count: bool, graph: bool) -> float:
    """Return 0.3 if the count of nodes is right, plus 0.7 if the graph is (CurveBench, section 5, Reward Design)."""
    return 0.3 * count + 0.7 * graph


def same_graph(nodes: int, left: Edges, right: Edges) -> bool:
    """Return True if two graphs on ``nodes`` nodes are isomorphic by a mapping that keeps node 0.

    The test is exact: colour refinement on both graphs at once, then individualisation with backtracking.
    """
    if len(left) != len(right):
        return False
    adjacency = [_neighbours(nodes, edges) for edges in (left, right)]
    start = [0 if node == 0 else 1 for node in range(nodes)]
    return _matches(adjacency, start, list(start))


def _neighbours(nodes: int, edges: Edges) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in range(nodes)]
    for u, v in sorted(edges):
        neighbours[u].append(v)
        neighbours[v].append(u)
    return neighbours


def _refine(adjacency: Sequence[list[list[int]]], a: list[int], b: list[int]) -> tuple[list[int], list[int]]:
    while True:
        table: dict[tuple[int, tuple[int, ...]], int] = {}
        fresh = [
            [table.setdefault((c[n], tuple(sorted(c[m] for m in graph[n]))), len(table)) for n in range(len(c))]
            for graph, c in zip(adjacency, (a, b), strict=True)
        ]
        if len(set(fresh[0])) == len(set(a)) and len(set(fresh[1])) == len(set(b)):
            return fresh[0], fresh[1]
        a, b = fresh


def _matches(adjacency: Sequence[list[list[int]]], a: list[int], b: list[int]) -> bool:
    a, b = _refine(adjacency, a, b)
    if sorted(a) != sorted(b):
        return False
    shared = next((n for n in range(len(a)) if a.count(a[n]) > 1), None)
    if shared is None:
        # The colours are discrete and equal, but the edges still have to agree one by one.
        place = {colour: node for node, colour in enumerate(b)}
        left, right = adjacency
        return all(sorted(place[a[m]] for m in left[n]) == sorted(right[place[a[n]]]) for n in range(len(a)))
    individualised = [*a]
    individualised[shared] = len(a) + 1
    return any(
        _matches(adjacency, individualised, [len(a) + 1 if n == other else c for n, c in enumerate(b)])
        for other in range(len(b))
        if b[other] == a[shared]
    )
