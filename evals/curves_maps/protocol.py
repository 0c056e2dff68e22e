"""The protocol of planar maps: the reader of replies about crossing curves, and the rewards.

The answer is a graph with one marked node, the exterior. Replies may number the other faces as they like: they are
right if some renumbering that keeps the exterior turns them into the gold graph.
"""

from collections.abc import Set
from itertools import chain, count
from typing import NamedTuple

from planimeter.evals.answers import Parsed, outside_reasoning
from planimeter.evals.curves_maps.prompt import CONFIG
from planimeter.evals.curves_maps.prompt import PROMPT as PROMPT
from planimeter.evals.curves_maps.prompt import SYSTEM_PROMPT as SYSTEM_PROMPT
from planimeter.evals.curves_maps.prompt import answer as answer
from planimeter.evals.graph_lines import Listing
from planimeter.evals.graphs import NOT_A_PAIR, PLAIN_GRAPH, Edges, closing, gold, graph_answer, same_graph
from planimeter.evals.graphs import render as render
from planimeter.evals.places import Row
from planimeter.evals.variants import replaced
from planimeter.items.order import size_bin

CONFIGS: tuple[str, ...] = (CONFIG,)

#: A reply with more faces is refused unread.
MOST_FACES = 200

#: Upper ends of the strata of crossings and of faces.
BINS = {"crossings": (2, 4, 8, 12), "faces": (3, 5, 9, 13)}

#: What each prompt variant changes, and how.
VARIANTS = {"reasoned": "reasoning is asked for before the answer"}

_ANSWER = "Answer inside <answer> tags"
_REASONED = "First describe in writing which faces there are. Then answer inside <answer> tags"

#: The reward called paper.
PAPER = "reward"

#: Weights of the number of faces and of the exact map, as for trees.
COUNT_WEIGHT, MAP_WEIGHT = 0.3, 0.7


class PlanarMap(NamedTuple):
    """A map as a reply states it: the number of faces without the exterior and the adjacent pairs."""

    faces: int
    adjacent: Edges = frozenset()


#: The metric by which models are ranked, and what each metric means; all lie from 0 to 1.
HEADLINE = "map_accuracy"
METRICS = {
    "map_accuracy": "maps that are right, but for the numbering of the faces",
    "count_accuracy": "right numbers of faces",
    "reward": "0.3 for the number of faces and 0.7 for the map",
    "pairs_accuracy": "right numbers of adjacent pairs",
}


def parse(config: str, reply: str) -> Parsed[PlanarMap]:
    """Return the map that ``reply`` states, outside any reasoning block; see ``graphs`` for the forms that are taken.

    Faces are numbered from 0, the unbounded one. A reason is given for: no list, a line that is no pair, a pair of a
    face with itself or with one that is not there, fewer pairs than faces (as where a list is cut off), lists of
    neighbours that contradict each other, more than ``MOST_FACES`` faces, several answers.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
    """
    if config not in CONFIGS:
        raise LookupError(f"curves_maps has no config {config!r}; it has: {', '.join(CONFIGS)}")
    return graph_answer(reply, _map, PROMPT)


def _map(listing: Listing) -> Parsed[PlanarMap]:
    if "nested" in listing.links:
        return Parsed(value=None, reason=NOT_A_PAIR)
    labels = _numbered({*chain(*listing.pairs)})
    if None in labels.values() or not (listing.count or "0").isdigit() or len(listing.count) > 9:
        return Parsed(value=None, reason="no such pair of faces")
    directed = {(labels[u] or 0, labels[v] or 0) for u, v in listing.pairs}
    adjacent = frozenset((min(pair), max(pair)) for pair in directed)
    mutual = len(directed) == 2 * len(adjacent)
    if not mutual and ("row" in listing.links or ("neighbours" in listing.links and len(directed) > len(adjacent))):
        return Parsed(value=None, reason="neighbours that are not mutual")
    named = {face for pair in adjacent for face in pair}
    if not listing.count and named != {*range(len(named))}:
        return Parsed(value=None, reason="no count, and a number left out")
    faces = int(listing.count) - listing.inclusive if listing.count else len(named) - 1
    if faces > MOST_FACES:
        return Parsed(value=None, reason="too many faces")
    if any(u == v or v > faces for u, v in adjacent):
        return Parsed(value=None, reason="no such pair of faces")
    if len(adjacent) < faces:
        # One can walk from any face to any other.
        return Parsed(value=None, reason="fewer pairs than faces")
    return Parsed(value=PlanarMap(faces=faces, adjacent=adjacent))


def _numbered(names: Set[str]) -> dict[str, int | None]:
    """Return the number of each face; letters get those that no face has, and what is no name of a face gets None."""
    numbers = {name: int(name) if name.isdigit() and len(name) < 10 else None for name in sorted(names)}
    free = (number for number in count(1) if number not in numbers.values())
    return {name: next(free) if name.isalpha() else number for name, number in numbers.items()}


def read(config: str, row: Row, reply: str, *, strict: bool) -> Parsed[PlanarMap]:  # noqa: ARG001 - the reply says it all
    """Read ``reply``; strictly, it is the tags around plain lines, each pair there once."""
    match = PLAIN_GRAPH.fullmatch(outside_reasoning(reply)) if strict else None
    pairs = {frozenset(line.split()) for line in match[1].split("\n")[1:]} if match else set()
    if strict and not (match and len(pairs) == match[1].count("\n")):
        return Parsed(value=None, reason="not the asked format")
    return parse(config, reply)


def written(value: PlanarMap) -> str:
    """Return a map as ``answer`` has it."""
    return answer(value.faces, sorted(value.adjacent))


def score(config: str, row: Row, parsed: Parsed[PlanarMap]) -> dict[str, float]:
    """Return the rewards of a parsed reply to ``row``: see ``METRICS``; all 0 where it could not be read.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
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
        "reward": COUNT_WEIGHT * count + MAP_WEIGHT * same,
        "pairs_accuracy": float(len(graph.adjacent) == len(truth.adjacent)),
    }


def strata(config: str, row: Row) -> dict[str, str]:  # noqa: ARG001 - the suite has one config
    """Return the number of curves of a row, and the bins of its crossings and faces."""
    binned = {name: size_bin(int(str(row[f"num_{name}"])), ends) for name, ends in BINS.items()}
    return {"curves": str(row["num_curves"]), **binned}


def reworded(config: str, row: Row, variant: str) -> tuple[str, str]:  # noqa: ARG001 - one config, one variant
    return str(row["system_prompt"]), replaced(str(row["prompt"]), _ANSWER, _REASONED)


def read_strictly(config: str, row: Row, reply: str, variant: str) -> Parsed[PlanarMap]:
    """Take the format of the default prompt; after reasoning in the open, where it is asked for."""
    return read(config, row, closing(reply) if variant == "reasoned" else reply, strict=True)
