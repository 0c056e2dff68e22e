"""The grader of nested curves: parses replies into trees and scores them.

Trees are compared as rooted and unordered (CurveBench, section 5, Tree Matching). The authors' released matcher
compares unrooted graphs: it also accepts a chain listed from the inside to the outside, or a star rooted at a leaf. In
the authors' logs, 128 of the 1,121 replies that it accepts are wrong as rooted trees.

The reward is the paper's: 0.3 for the number of nodes, 0.7 for the exact tree. A reply that cannot be parsed scores 0.
The other metrics are those that section 7 proposes; see ``metrics``.
"""

import hashlib
import itertools
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from planimeter.evals.answers import NOT_ASKED, Parsed
from planimeter.evals.curves.metrics import Common, canonical, common, depth, levels, tree_of
from planimeter.evals.curves.prompt import SYSTEM_PROMPT as SYSTEM_PROMPT
from planimeter.evals.curves.prompt import answer as answer
from planimeter.evals.curves.prompt import prompt as prompt
from planimeter.evals.graphs import Listing, Pair, asked_lines, gold, graph_answer, reward
from planimeter.evals.graphs import render as render
from planimeter.evals.places import Row
from planimeter.evals.variants import replaced
from planimeter.items import CURVE_CATEGORIES
from planimeter.items.order import size_bin

#: Parents, numbered before their children; 0 is the root.
Tree = tuple[int, ...]

CONFIGS: tuple[str, ...] = (*CURVE_CATEGORIES, "curriculum")

#: A reply with more nodes (over four times those of the largest drawing) is refused: the cost of the measures grows
#: with the square of the size.
MOST_NODES = 500

#: The metric that ranks models, and the meaning of each metric. F1 and edit distance: see ``metrics``.
HEADLINE = "tree_accuracy"
METRICS = {
    "tree_accuracy": "trees that are right, rooted and unordered",
    "count_accuracy": "right numbers of nodes",
    "reward": "0.3 for the number of nodes and 0.7 for the tree",
    "depth_accuracy": "right depths",
    "parent_f1": "F1 of the pairs of a node and its parent, under the best matching found",
    "ancestor_f1": "F1 of the pairs of a node and an ancestor, under the best matching found",
    "edit_distance": "least share of nodes found that have to be deleted or inserted; 0 is a perfect tree",
    "node_error": "number of nodes in the reply less the true number, where a tree could be read",
}


def parse(config: str, reply: str) -> Parsed[Tree]:  # noqa: ARG001 - all configs alike
    """Return the tree that ``reply`` marks as its answer, in lines or JSON (``evals.graphs``), or why there is none.

    Node numbers are arbitrary and lines may have any order; the root is the one number that is never a child. If the
    answer does not begin with the number of nodes, the node numbers must be 0, 1, 2, ..., which shows that no line is
    missing. A repeated line counts once. Reasons are: no mark, a line that is not a pair, a count that differs from the
    lines, a node with two parents, no or several roots, a cycle, more than ``MOST_NODES`` nodes.
    """
    return graph_answer(reply, _tree)


def _tree(listing: Listing) -> Parsed[Tree]:
    if len(listing.pairs) > MOST_NODES:
        return Parsed(value=None, reason="too many nodes")
    edges = list(dict.fromkeys(listing.pairs))
    if listing.count != len(edges):
        # The root may have its own line, "0 -1" or "0 0".
        edges = [edge for edge in edges if edge not in ((0, -1), (0, 0))]
    if listing.count not in (None, len(edges)):
        return Parsed(value=None, reason="count differs from the lines")
    if listing.count is None and {*itertools.chain(*edges)} != {*range(len(edges) + 1)}:
        return Parsed(value=None, reason="no count, and a number left out")
    return _rooted(edges)


def _rooted(edges: Sequence[Pair]) -> Parsed[Tree]:
    if not edges:
        return Parsed(value=())
    parent_of = dict(edges)
    if len(parent_of) != len(edges):
        return Parsed(value=None, reason="node with two parents")
    roots = sorted({v for _, v in edges if v not in parent_of})
    if len(roots) != 1:
        return Parsed(value=None, reason="several roots" if roots else "no root")
    inner: dict[int, list[int]] = {}
    for child, parent in edges:
        inner.setdefault(parent, []).append(child)
    parents: list[int] = []
    queue = [(roots[0], 0)]
    for label, number in queue:
        for child in inner.get(label, ()):
            parents.append(number)
            queue.append((child, len(parents)))
    if len(parents) != len(edges):
        return Parsed(value=None, reason="cycle")
    return Parsed(value=tuple(parents))


def read(config: str, row: Row, reply: str, *, strict: bool) -> Parsed[Tree]:  # noqa: ARG001 - the reply says it all
    """Return the tree that ``reply`` states as its answer, or the reason why there is none.

    If ``strict``, the reply must be only the answer inside tags; the root is node 0, and the others are 1, 2, ...
    """
    numbers = " ".join(asked_lines(reply)).split() if strict else []
    # Compared as text: a label may have more digits than Python converts to a number.
    nodes = {str(k) for k in range(1, len(numbers) // 2 + 1)}
    if strict and not (numbers and {*numbers[1::2]} == nodes and {*numbers[2::2]} <= {"0", *nodes}):
        return Parsed(value=None, reason=NOT_ASKED)
    return parse(config, reply)


def written(value: Tree) -> str:
    """Return a tree formatted and numbered like the column ``answer``: isomorphic trees have equal texts."""
    return answer(tree_of(canonical(value)))


def score(config: str, row: Row, parsed: Parsed[Tree]) -> dict[str, float]:
    """Return the ``METRICS`` by name of a reply's tree, ``parsed``, compared with the true tree of ``row``.

    If ``parsed`` has no tree, the edit distance is 1, ``node_error`` NaN, and every other metric 0.

    Raises:
        ValueError: if the row's ``answer`` cannot be read.
    """
    truth, answered = _gold(config, row), parsed.value
    if answered is None:
        return {**dict.fromkeys(METRICS, 0.0), "edit_distance": 1.0, "node_error": math.nan}
    count = len(answered) == len(truth)
    tree = count and canonical(answered) == canonical(truth)
    whole = Common(nodes=len(truth), parents=len(truth), ancestors=sum(levels(truth)))
    kept = whole if tree else common(answered, truth)
    return {
        "tree_accuracy": float(tree),
        "count_accuracy": float(count),
        "reward": reward(count=count, graph=tree),
        "depth_accuracy": float(depth(answered) == depth(truth)),
        "parent_f1": _f1(kept.parents, len(answered), len(truth)),
        "ancestor_f1": _f1(kept.ancestors, sum(levels(answered)), sum(levels(truth))),
        "edit_distance": 1.0 - _f1(kept.nodes, len(answered), len(truth)),
        "node_error": float(len(answered) - len(truth)),
    }


def _gold(config: str, row: Row) -> Tree:
    return gold(parse(config, render(str(row["answer"]))), row)


def _f1(common: int, reply: int, truth: int) -> float:
    return 1.0 if reply + truth == 0 else 2.0 * common / (reply + truth)


#: The names of the rewards ``paper`` and ``dense``.
PAPER, DENSE = "reward", "parent_f1_above_commonest"

#: Upper ends of the strata of size (curves) and of depth.
SIZE_BINS = (2, 5, 10, 20, 50)
DEPTH_BINS = (1, 2, 4, 8)


def strata(config: str, row: Row) -> dict[str, str]:
    """Return {axis: stratum} of a row: category or level, and the ranges that contain its curve count and its depth."""
    wanted = _gold(config, row)
    values = {"category": str(row["category"])} if "category" in row else {}
    if "level" in row:
        values["level"] = str(row["level"])
    return {**values, "size": size_bin(len(wanted), SIZE_BINS), "depth": size_bin(depth(wanted), DEPTH_BINS)}


# --- a dense reward: parent F1 above that of the most common answer. The most common tree of a category has a mean
# parent F1 of 0.5 to 0.75, which a model would get without looking; the rescaled reward of this answer is 0


#: The most common tree of each category (dataset curves 1.1) and of each training level (300 rows of curves-train 1.1),
#: in the form of ``metrics.canonical``; of several equally common trees the one with the highest mean parent F1.
COMMONEST: Mapping[str, str] = MappingProxyType(
    {
        "easy": "((()(())))",
        "polygon": "((()))",
        "topographical": "(((((((((((((())))))))))))))",
        "maze": "(()((())))",
        "counting": "(()(())(()())(()()(()(()())(()(()()(())))(()((()()))))(((())"
        ")((()))((()))))(()(()))((()())((())((())))))",
        "level 1": "(())",
        "level 2": "(()(()))",
        "level 3": "(((()())))",
        "level 4": "((())(()()()))",
        "level 5": "(()(())((())((())(()()()(()())))))",
        "level 6": "(()(()())((()))(((()()(()())((()()(()(()))))))))",
        "level 7": "(()(())(((((()))((()(((()()(()(()())((())))))))((())(()()()))))(((()())((())))))))",
        "level 8": "((((()()()()()((()())((()()))))((())(()(((()()()(()))(((()))"
        "))((()(()(()(()())(()((())((())))))((((())))))))))))))",
    }
)


def above_commonest(config: str, row: Row, metrics: Mapping[str, float]) -> float:
    """Return the dense reward of a reply: its parent F1, rescaled so that the most common answer is worth 0.

    A perfect tree is worth 1. ``metrics`` are those of the reply.

    Raises:
        LookupError: if neither ``level`` nor ``category`` nor ``config`` determines the most common answer.
        ValueError: if the row's ``answer`` cannot be read.
    """
    group = f"level {row['level']}" if row.get("level") is not None else str(row.get("category") or config)
    if group not in COMMONEST:
        raise LookupError(
            f"no most common answer is known for {group!r}; name the row's category or level: {', '.join(COMMONEST)}"
        )
    floor, parent_f1 = _floor(group, str(row["answer"])), metrics["parent_f1"]
    return float(parent_f1 == 1.0) if floor == 1.0 else max(0.0, (parent_f1 - floor) / (1.0 - floor))


@lru_cache(maxsize=4096)
def _floor(group: str, answer: str) -> float:
    """Return the parent F1 of the tree ``COMMONEST[group]`` as a reply to a row whose true answer is ``answer``."""
    return score("easy", {"answer": answer}, Parsed(value=tree_of(COMMONEST[group])))["parent_f1"]


# --- prompt variants: a hint at the number of regions


VARIANTS = {
    "count_given": "the prompt gives the true number of regions",
    "count_noised": "the prompt gives a number of regions that is 10% to 20% off, at least by one",
}

_ANSWER = "Answer inside <answer> tags"


def reworded(config: str, row: Row, variant: str) -> tuple[str, str]:  # noqa: ARG001 - all configs alike
    """Return the system prompt and the user prompt of ``row``, reworded as the prompt ``variant`` of ``VARIANTS``."""
    count = int(str(row["answer"]).split("\n", 1)[0])
    hint = f"about {_regions(noised(count, row))}" if variant == "count_noised" else _regions(count)
    words = f"Without the root there are {hint}.\n\n{_ANSWER}"
    return str(row["system_prompt"]), replaced(str(row["prompt"]), _ANSWER, words)


def read_strictly(config: str, row: Row, reply: str, variant: str) -> Parsed[Tree]:  # noqa: ARG001 - the same format
    """Return the result of a strict ``read``, since every ``variant`` requests the format of the published prompt."""
    return read(config, row, reply, strict=True)


def noised(count: int, row: Row) -> int:
    """Return a wrong number of regions for the prompt variant ``count_noised``: 10% to 20% off, at least by one.

    It depends only on ``count``, the row's id and, except in a sealed edition, the row's seed.
    """
    digest = hashlib.sha256(f"{row['id']} {row.get('seed', '')}".encode()).digest()
    share = 0.1 + 0.1 * int.from_bytes(digest[:8]) / 2**64
    away = max(1, round(share * count))
    return count + away if digest[8] % 2 or away >= count else count - away


def _regions(count: int) -> str:
    return f"{count} region" if count == 1 else f"{count} regions"
