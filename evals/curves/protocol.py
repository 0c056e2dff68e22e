"""The protocol of nested curves: the reader of replies, the rewards and the finer measures.

Trees are compared rooted and unordered (CurveBench, section 5, Tree Matching). The authors' released matcher compares
unrooted graphs, so that a path read inside out or a star rooted at a leaf counts as right: of 1,121 replies that it
accepts in their logs 128 are wrong as rooted trees.

The rewards are the paper's: 0.3 for the number of nodes, 0.7 for the exact tree. A reply that cannot be read scores 0
and says why. The measures beside them are those that section 7 asks for; see ``metrics``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planimeter.evals.answers import Parsed, blocks, visible
from planimeter.evals.curves.metrics import Common, canonical, common, depth
from planimeter.evals.curves.prompt import SYSTEM_PROMPT as SYSTEM_PROMPT
from planimeter.evals.curves.prompt import answer as answer
from planimeter.evals.curves.prompt import prompt as prompt
from planimeter.evals.scoring import by_stratum
from planimeter.generators.items import CURVE_CATEGORIES

Row = Mapping[str, object]

#: Parents, numbered before their children; 0 is the root.
Tree = tuple[int, ...]

CONFIGS: tuple[str, ...] = (*CURVE_CATEGORIES, "curriculum")

#: Weights of the node count and of the exact tree in the combined reward (section 5, Reward Design).
COUNT_WEIGHT, TREE_WEIGHT = 0.3, 0.7

#: A reply with more nodes is refused unread: the measures grow with the square of the size.
MOST_NODES = 2000

_INTEGER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """One reply against one gold answer; everything from 0 to 1 and 0 where the reply could not be read, but
    ``edit_distance``, which is then 1 (0 is a perfect tree).

    ``parent_f1`` and ``ancestor_f1``: F1 of the pairs (node, parent) and (node, ancestor), each under the best matching
    found for it that keeps the root and who lies inside whom; ``edit_distance``: the least number of nodes found that
    have to be removed or put in, divided by the nodes of both trees, roots aside. The best of all matchings may be
    better: see ``metrics``.
    """

    reward: float
    tree_only: float
    count_correct: bool
    tree_correct: bool
    depth_correct: bool
    parent_f1: float
    ancestor_f1: float
    edit_distance: float
    parse_failure: str = ""


def parse(config: str, reply: str) -> Parsed[Tree]:
    """Return the tree in the last ``<answer>`` of a reply outside any reasoning block.

    Numbers may be any integers and lines in any order; the root is the one number that is never a child. A reason is
    given for: no tags, an empty answer, a first line that is no count, a line that is not two integers, a count that
    the lines do not bear out, a node with two parents, no or several roots, a cycle, more than ``MOST_NODES`` nodes.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
    """
    if config not in CONFIGS:
        raise LookupError(f"curves has no config {config!r}; it has: {', '.join(CONFIGS)}")
    return _tree(visible(reply))


def _tree(text: str) -> Parsed[Tree]:
    found = blocks(text)
    if not found:
        return Parsed(value=None, reason="no answer tags")
    lines = [line.strip() for line in found[-1].strip().splitlines() if line.strip(" `")]
    if not lines:
        return Parsed(value=None, reason="empty answer")
    if not _INTEGER.fullmatch(lines[0]) or (count := _label(lines[0])).startswith("-"):
        return Parsed(value=None, reason="first line is no count")
    if len(lines) - 1 > MOST_NODES:
        return Parsed(value=None, reason="too many nodes")
    edges: list[tuple[str, str]] = []
    for line in lines[1:]:
        numbers = line.split()
        if len(numbers) != 2 or not all(_INTEGER.fullmatch(number) for number in numbers):
            return Parsed(value=None, reason="line is not two integers")
        edges.append((_label(numbers[0]), _label(numbers[1])))
    if str(len(edges)) != count:
        return Parsed(value=None, reason="count differs from the lines")
    return _rooted(edges)


def _label(number: str) -> str:
    """Return an integer as Python would write it, of any length: ``int`` refuses more than some thousand digits."""
    digits = number.lstrip("+-").lstrip("0")
    return "-" * number.startswith("-") + digits if digits else "0"


def _rooted(edges: Sequence[tuple[str, str]]) -> Parsed[Tree]:
    if not edges:
        return Parsed(value=())
    parent_of = dict(edges)
    if len(parent_of) != len(edges):
        return Parsed(value=None, reason="node with two parents")
    roots = sorted({v for _, v in edges if v not in parent_of})
    if len(roots) != 1:
        return Parsed(value=None, reason="several roots" if roots else "no root")
    inner: dict[str, list[str]] = {}
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


def render(answer: str) -> str:
    """Return ``answer`` (a row's column) as a perfect model replies it, inside the markers."""
    return f"<answer>\n{answer}\n</answer>"


def score_gold(config: str, row: Row) -> float:
    """Return the reward of the row's own answer inside the markers; 1.0 if all is sound."""
    return score(config, row, parse(config, render(str(row["answer"])))).reward


def score(config: str, row: Row, parsed: Parsed[Tree]) -> Score:
    """Return the rewards and measures of a parsed reply to ``row``.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
        ValueError: if the row's ``answer`` cannot be read.
    """
    truth, found = _gold(config, row), parsed.value
    if found is None:
        return Score(
            reward=0.0,
            tree_only=0.0,
            count_correct=False,
            tree_correct=False,
            depth_correct=False,
            parent_f1=0.0,
            ancestor_f1=0.0,
            edit_distance=1.0,
            parse_failure=parsed.reason,
        )
    count = len(found) == len(truth)
    tree = count and canonical(found) == canonical(truth)
    whole = Common(nodes=len(truth), parents=len(truth), ancestors=_pairs(truth))
    kept = whole if tree else common(found, truth)
    return Score(
        reward=COUNT_WEIGHT * count + TREE_WEIGHT * tree,
        tree_only=float(tree),
        count_correct=count,
        tree_correct=tree,
        depth_correct=depth(found) == depth(truth),
        parent_f1=_f1(kept.parents, len(found), len(truth)),
        ancestor_f1=_f1(kept.ancestors, _pairs(found), _pairs(truth)),
        edit_distance=1.0 - _f1(kept.nodes, len(found), len(truth)),
    )


def _gold(config: str, row: Row) -> Tree:
    wanted = parse(config, render(str(row["answer"])))
    if wanted.value is None:
        raise ValueError(f"the gold answer cannot be read: {wanted.reason}: {row['answer']!r:.80}")
    return wanted.value


def _pairs(parents: Sequence[int]) -> int:
    """Return how many pairs (node, ancestor) there are, the root counted as an ancestor."""
    levels = [0]
    for parent in parents:
        levels.append(levels[parent] + 1)
    return sum(levels)


def _f1(common: int, found: int, truth: int) -> float:
    return 1.0 if found + truth == 0 else 2.0 * common / (found + truth)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stratum:
    """Means over the rows of one stratum; ``parse_failures`` is a rate."""

    name: str
    rows: int
    reward: float
    tree_accuracy: float
    count_accuracy: float
    depth_accuracy: float
    parent_f1: float
    ancestor_f1: float
    edit_distance: float
    parse_failures: float


#: Upper ends of the strata of size (curves) and of depth.
SIZE_BINS = (2, 5, 10, 20, 50)
DEPTH_BINS = (1, 2, 4, 8)


def strata_of(config: str, row: Row) -> tuple[str, ...]:
    """Return the strata of a row: all rows, its category, its size and its depth."""
    wanted = _gold(config, row)
    return (
        "all",
        f"category {row['category']}",
        f"size {_bin(len(wanted), SIZE_BINS)}",
        f"depth {_bin(depth(wanted), DEPTH_BINS)}",
    )


def _bin(value: int, ends: Sequence[int]) -> str:
    low = 0
    for end in ends:
        if value <= end:
            return f"{low + 1}-{end}" if end > low + 1 else str(end)
        low = end
    return f"{low + 1}+"


def report(config: str, scored: Iterable[tuple[Row, Score]]) -> tuple[Stratum, ...]:
    """Return the means in every stratum for rows with their scores, strata sorted by name."""
    grouped = by_stratum((strata_of(config, row), result) for row, result in scored)
    return tuple(_stratum(name, results) for name, results in grouped)


def _stratum(name: str, scores: Sequence[Score]) -> Stratum:
    def mean(values: Iterable[float]) -> float:
        return sum(values) / len(scores)

    return Stratum(
        name=name,
        rows=len(scores),
        reward=mean(s.reward for s in scores),
        tree_accuracy=mean(s.tree_correct for s in scores),
        count_accuracy=mean(s.count_correct for s in scores),
        depth_accuracy=mean(s.depth_correct for s in scores),
        parent_f1=mean(s.parent_f1 for s in scores),
        ancestor_f1=mean(s.ancestor_f1 for s in scores),
        edit_distance=mean(s.edit_distance for s in scores),
        parse_failures=mean(bool(s.parse_failure) for s in scores),
    )
