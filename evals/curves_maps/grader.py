"""The grader of planar maps: parses replies about crossing curves, and scores them.

The answer is the adjacency graph of the faces, with 0 for the exterior. The numbers of the other faces are arbitrary: a
reply is right if some renumbering that keeps the exterior turns it into the true graph.
"""

from itertools import chain
from typing import NamedTuple

from planimeter.evals.answers import NOT_ASKED, Parsed
from planimeter.evals.curves_maps.prompt import CONFIG
from planimeter.evals.curves_maps.prompt import PROMPT as PROMPT
from planimeter.evals.curves_maps.prompt import SYSTEM_PROMPT as SYSTEM_PROMPT
from planimeter.evals.curves_maps.prompt import answer as answer
from planimeter.evals.graphs import Edges, Listing, asked_lines, gold, graph_answer, reward, same_graph
from planimeter.evals.graphs import render as render
from planimeter.evals.places import Row
from planimeter.items.order import size_bin

CONFIGS: tuple[str, ...] = (CONFIG,)

#: A reply with more faces is refused.
MOST_FACES = 200

#: Upper ends of the strata of crossings and of faces.
BINS = {"crossings": (2, 4, 8, 12), "faces": (3, 5, 9, 13)}


class PlanarMap(NamedTuple):
    """A planar map in a reply, as a graph: the number of faces without the exterior, and pairs of adjacent faces."""

    faces: int
    adjacent: Edges = frozenset()


#: The metric that ranks models, the reward ``paper``, and the meaning of each metric; all are from 0 to 1.
HEADLINE, PAPER = "map_accuracy", "reward"
METRICS = {
    "map_accuracy": "maps that are right, up to the numbering of the faces",
    "count_accuracy": "right numbers of faces",
    "reward": "0.3 for the number of faces and 0.7 for the map",
    "pairs_accuracy": "right numbers of adjacent pairs",
}


def parse(config: str, reply: str) -> Parsed[PlanarMap]:  # noqa: ARG001 - the suite has one config
    """Return the map that ``reply`` marks as its answer, in lines or JSON (``evals.graphs``), or why there is none.

    Faces are numbered from 0, the unbounded one. The result has a reason instead of a map if the answer is not marked,
    a line is not a pair, a pair joins a face with itself or with a nonexistent face, there are fewer pairs than faces
    (as in a list that is cut off), or there are more than ``MOST_FACES`` faces.
    """
    return graph_answer(reply, _map)


def _map(listing: Listing) -> Parsed[PlanarMap]:
    adjacent = frozenset((min(pair), max(pair)) for pair in listing.pairs)
    named = {*chain(*adjacent)}
    if listing.count is None and named != {*range(len(named))}:
        return Parsed(value=None, reason="no count, and a number left out")
    faces = len(named) - 1 if listing.count is None else listing.count
    if faces > MOST_FACES:
        return Parsed(value=None, reason="too many faces")
    if any(u == v or u < 0 or v > faces for u, v in adjacent):
        return Parsed(value=None, reason="no such pair of faces")
    if len(adjacent) < faces:
        # The graph is connected.
        return Parsed(value=None, reason="fewer pairs than faces")
    return Parsed(value=PlanarMap(faces=faces, adjacent=adjacent))


def read(config: str, row: Row, reply: str, *, strict: bool) -> Parsed[PlanarMap]:  # noqa: ARG001 - the reply says it all
    """Return the map that ``reply`` states as its answer, or the reason why there is none.

    If ``strict``, the reply must be, apart from reasoning, only the answer inside tags: the number of faces without the
    exterior, then one line "u v" for each pair of adjacent faces u and v, each pair once.
    """
    lines = asked_lines(reply) if strict else []
    if strict and (not lines or len({frozenset(line.split()) for line in lines[1:]}) < len(lines) - 1):
        return Parsed(value=None, reason=NOT_ASKED)
    return parse(config, reply)


def written(value: PlanarMap) -> str:
    """Return a map formatted like the column ``answer``."""
    return answer(value.faces, sorted(value.adjacent))


def score(config: str, row: Row, parsed: Parsed[PlanarMap]) -> dict[str, float]:
    """Return the ``METRICS`` by name of a reply's map, ``parsed``, compared with the true map of ``row``.

    All are 0 if ``parsed`` has no map.

    Raises:
        ValueError: if the row's ``answer`` cannot be read.
    """
    graph, truth = parsed.value, gold(parse(config, render(str(row["answer"]))), row)
    if graph is None:
        return dict.fromkeys(METRICS, 0.0)
    count = graph.faces == truth.faces
    same = count and same_graph(graph.faces + 1, graph.adjacent, truth.adjacent)
    return {
        "map_accuracy": float(same),
        "count_accuracy": float(count),
        "reward": reward(count=count, graph=same),
        "pairs_accuracy": float(len(graph.adjacent) == len(truth.adjacent)),
    }


def strata(config: str, row: Row) -> dict[str, str]:  # noqa: ARG001 - the suite has one config
    """Return {axis: stratum} of a row: number of curves, and the ranges that contain its crossing and face counts."""
    binned = {name: size_bin(int(str(row[f"num_{name}"])), ends) for name, ends in BINS.items()}
    return {"curves": str(row["num_curves"]), **binned}
