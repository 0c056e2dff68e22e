"""The protocol of planar maps: faces and adjacency of crossing curves. ``evals.curves`` leads here.

The answer is a graph with one marked node, the exterior. Replies may number the other faces as they like: they are
right if some renumbering that keeps the exterior turns them into the gold graph.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planimeter.evals.answers import Parsed
from planimeter.evals.scoring import by_stratum

Row = Mapping[str, object]

CONFIG = "planar_map"

SYSTEM_PROMPT = ""

PROMPT = """\
The picture shows closed curves, some of which cross. Together they cut the plane into faces. Two faces are adjacent \
if they share a stretch of a curve; meeting in a crossing point only does not count.

Give the number 0 to the unbounded face outside everything and the numbers 1, 2, 3, ... to the others, in any order.

Answer inside <answer> tags, with nothing else between them: on the first line the number of faces without the \
unbounded one, then one line "u v" for each pair of adjacent faces, each pair once. Two curves that cross twice give:

<answer>
3
0 1
0 2
1 3
2 3
</answer>"""

#: A reply with more faces is refused unread.
MOST_FACES = 200

#: Upper ends of the strata of crossings and of faces.
CROSSING_BINS, FACE_BINS = (2, 4, 8, 12), (3, 5, 9, 13)

#: The last opening tag before a closing one: "I answer in <answer> tags" opens nothing.
_ANSWER = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.DOTALL | re.IGNORECASE)
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


def answer(faces: int, adjacent: Sequence[tuple[int, int]]) -> str:
    """Return the canonical answer: the number of faces, then the pairs, smaller number first, sorted."""
    pairs = sorted((min(u, v), max(u, v)) for u, v in adjacent)
    return "\n".join([str(faces), *(f"{u} {v}" for u, v in pairs)])


def parse(text: str) -> Parsed[PlanarMap]:
    """Return the map in the last ``<answer>`` of a reply without reasoning blocks, or why there is none."""
    blocks = _ANSWER.findall(text)
    if not blocks:
        return Parsed(value=None, reason="no answer tags")
    lines = [line.strip() for line in blocks[-1].splitlines() if line.strip(" `")]
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


def score(parsed: Parsed[PlanarMap], gold: str) -> MapScore:
    """Return the score of a parsed reply; raises ValueError if ``gold``, the row's answer, cannot be read."""
    wanted = parse(f"<answer>\n{gold}\n</answer>")
    if wanted.value is None:
        raise ValueError(f"the gold answer cannot be read: {wanted.reason}: {gold[:80]!r}")
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


def strata_of(row: Row) -> tuple[str, ...]:
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


def report(scored: Iterable[tuple[Row, MapScore]]) -> tuple[MapStratum, ...]:
    """Return the means in every stratum for rows with their scores, strata sorted by name."""
    grouped = by_stratum((strata_of(row), result) for row, result in scored)
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
