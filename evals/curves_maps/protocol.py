"""The protocol of planar maps: the reader of replies about crossing curves, and the rewards.

The answer is a graph with one marked node, the exterior. Replies may number the other faces as they like: they are
right if some renumbering that keeps the exterior turns them into the gold graph.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planimeter.evals.answers import Parsed, blocks, visible
from planimeter.evals.curves_maps.prompt import CONFIG
from planimeter.evals.curves_maps.prompt import PROMPT as PROMPT
from planimeter.evals.curves_maps.prompt import SYSTEM_PROMPT as SYSTEM_PROMPT
from planimeter.evals.curves_maps.prompt import answer as answer
from planimeter.evals.scoring import by_stratum

Row = Mapping[str, object]

CONFIGS: tuple[str, ...] = (CONFIG,)

#: A reply with more faces is refused unread.
MOST_FACES = 200

#: Upper ends of the strata of crossings and of faces.
CROSSING_BINS, FACE_BINS = (2, 4, 8, 12), (3, 5, 9, 13)

_NUMBER = re.compile(r"[0-9]{1,9}")

Edges = frozenset[tuple[int, int]]

#: Weights of the number of faces and of the exact map, as for trees.
COUNT_WEIGHT, MAP_WEIGHT = 0.3, 0.7


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanarMap:
    """A map as a reply states it: the number of faces without the exterior and the adjacent pairs."""

    faces: int
    adjacent: Edges = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class MapScore:
    """One reply against one gold answer; all 0 where it could not be read, for the reason ``parse_failure``.

    ``reward``: 0.3 for the number of faces and 0.7 for the exact map; ``map_only``: 1 for the exact map;
    ``pairs_correct``: as many adjacent pairs as there are.
    """

    reward: float
    map_only: float
    count_correct: bool
    pairs_correct: bool
    map_correct: bool
    parse_failure: str = ""


def parse(config: str, reply: str) -> Parsed[PlanarMap]:
    """Return the map in the last ``<answer>`` of a reply outside any reasoning block, or why there is none.

    Faces are numbered from 0, the unbounded one; refused is a pair of a face with itself or with one that is not there.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
    """
    if config not in CONFIGS:
        raise LookupError(f"curves_maps has no config {config!r}; it has: {', '.join(CONFIGS)}")
    found = blocks(visible(reply))
    if not found:
        return Parsed(value=None, reason="no answer tags")
    lines = [line.strip() for line in found[-1].splitlines() if line.strip(" `")]
    if not lines or not _NUMBER.fullmatch(lines[0]) or int(lines[0]) > MOST_FACES:
        return Parsed(value=None, reason="first line is no count")
    adjacent = set()
    for line in lines[1:]:
        numbers = line.split()
        if len(numbers) != 2 or not all(_NUMBER.fullmatch(n) for n in numbers):
            return Parsed(value=None, reason="line is not two integers")
        u, v = sorted(int(n) for n in numbers)
        if u == v or v > int(lines[0]):
            return Parsed(value=None, reason="no such pair of faces")
        adjacent.add((u, v))
    return Parsed(value=PlanarMap(faces=int(lines[0]), adjacent=frozenset(adjacent)))


def render(answer: str) -> str:
    """Return ``answer`` (a row's column) as a perfect model replies it, inside the markers."""
    return f"<answer>\n{answer}\n</answer>"


def score_gold(config: str, row: Row) -> float:
    """Return the reward of the row's own answer inside the markers; 1.0 if all is sound."""
    return score(config, row, parse(config, render(str(row["answer"])))).reward


def score(config: str, row: Row, parsed: Parsed[PlanarMap]) -> MapScore:
    """Return the rewards of a parsed reply to ``row``.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
        ValueError: if the row's ``answer`` cannot be read.
    """
    wanted = parse(config, render(str(row["answer"])))
    if wanted.value is None:
        raise ValueError(f"the gold answer cannot be read: {wanted.reason}: {row['answer']!r:.80}")
    found, truth = parsed.value, wanted.value
    if found is None:
        return MapScore(
            reward=0.0,
            map_only=0.0,
            count_correct=False,
            pairs_correct=False,
            map_correct=False,
            parse_failure=parsed.reason,
        )
    count = found.faces == truth.faces
    same = count and same_map(found.faces, found.adjacent, truth.adjacent)
    return MapScore(
        reward=COUNT_WEIGHT * count + MAP_WEIGHT * same,
        map_only=float(same),
        count_correct=count,
        pairs_correct=len(found.adjacent) == len(truth.adjacent),
        map_correct=same,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class MapStratum:
    """Means over the rows of one stratum; ``parse_failures`` is a rate."""

    name: str
    rows: int
    reward: float
    map_accuracy: float
    count_accuracy: float
    pairs_accuracy: float
    parse_failures: float


def strata_of(config: str, row: Row) -> tuple[str, ...]:  # noqa: ARG001 - the suite has one config
    """Return the strata of a row: all rows, its curves, its crossings and its faces, padded to sort by number."""
    bins = (("crossings", CROSSING_BINS, row["num_crossings"]), ("faces", FACE_BINS, row["num_faces"]))
    return ("all", f"curves {row['num_curves']}", *(f"{name} {_bin(int(str(n)), ends)}" for name, ends, n in bins))


def _bin(value: int, ends: Sequence[int]) -> str:
    low = 1
    for end in ends:
        if value <= end:
            return f"{low:>2}-{end}"
        low = end + 1
    return f"{low:>2}+"


def report(config: str, scored: Iterable[tuple[Row, MapScore]]) -> tuple[MapStratum, ...]:
    """Return the means in every stratum for rows with their scores, strata sorted by name."""
    grouped = by_stratum((strata_of(config, row), result) for row, result in scored)
    return tuple(_stratum(name, results) for name, results in grouped)


def _stratum(name: str, scores: Sequence[MapScore]) -> MapStratum:
    def mean(values: Iterable[float]) -> float:
        return sum(values) / len(scores)

    return MapStratum(
        name=name,
        rows=len(scores),
        reward=mean(s.reward for s in scores),
        map_accuracy=mean(s.map_correct for s in scores),
        count_accuracy=mean(s.count_correct for s in scores),
        pairs_accuracy=mean(s.pairs_correct for s in scores),
        parse_failures=mean(bool(s.parse_failure) for s in scores),
    )


def same_map(faces: int, left: Edges, right: Edges) -> bool:
    """Return whether a renumbering that keeps 0 turns one graph on ``faces + 1`` nodes into the other. Exact.

    Colour refinement on both graphs at once, then individualisation with backtracking.
    """
    if len(left) != len(right):
        return False
    near = [_neighbours(faces + 1, edges) for edges in (left, right)]
    start = [0 if node == 0 else 1 for node in range(faces + 1)]
    return _matches(near, start, list(start))


def _neighbours(nodes: int, edges: Edges) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(nodes)]
    for u, v in sorted(edges):
        near[u].append(v)
        near[v].append(u)
    return near


def _refined(near: Sequence[list[list[int]]], a: list[int], b: list[int]) -> tuple[list[int], list[int]]:
    while True:
        table: dict[tuple[int, tuple[int, ...]], int] = {}
        fresh = [
            [table.setdefault((c[n], tuple(sorted(c[m] for m in graph[n]))), len(table)) for n in range(len(c))]
            for graph, c in zip(near, (a, b), strict=True)
        ]
        if len(set(fresh[0])) == len(set(a)) and len(set(fresh[1])) == len(set(b)):
            return fresh[0], fresh[1]
        a, b = fresh


def _matches(near: Sequence[list[list[int]]], a: list[int], b: list[int]) -> bool:
    a, b = _refined(near, a, b)
    if sorted(a) != sorted(b):
        return False
    shared = next((n for n in range(len(a)) if a.count(a[n]) > 1), None)
    if shared is None:
        # Discrete and equally refined, but edges inside the map still have to agree one by one.
        place = {colour: node for node, colour in enumerate(b)}
        return all(sorted(place[a[m]] for m in near[0][n]) == sorted(near[1][place[a[n]]]) for n in range(len(a)))
    marked = [*a]
    marked[shared] = len(a) + 1
    return any(
        _matches(near, marked, [len(a) + 1 if n == other else c for n, c in enumerate(b)])
        for other in range(len(b))
        if b[other] == a[shared]
    )
