"""The protocol of nested curves: the question, the reader of replies, the rewards and the finer measures.

Crossing curves, the config ``planar_map``, have a question of their own: ``planar_map`` words, reads and scores it.

Trees are compared rooted and unordered (CurveBench, section 5, Tree Matching). The authors' released matcher compares
unrooted graphs, so that a path read inside out or a star rooted at a leaf counts as right: of 1,121 replies that it
accepts in their logs 128 are wrong as rooted trees.

The rewards are the paper's: 0.3 for the number of nodes, 0.7 for the exact tree. A reply that cannot be read scores 0
and says why. The measures beside them are those that section 7 asks for; see ``curves_metrics``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from planimeter.evals import planar_map
from planimeter.evals.answers import Parsed, visible
from planimeter.evals.curves_metrics import Common, canonical, common, depth
from planimeter.evals.planar_map import MapScore, MapStratum, PlanarMap
from planimeter.evals.scoring import by_stratum
from planimeter.generators.items import CURVE_CATEGORIES

Row = Mapping[str, object]

#: Parents, numbered before their children; 0 is the root.
Tree = tuple[int, ...]

CONFIGS: tuple[str, ...] = (*CURVE_CATEGORIES, "curriculum", planar_map.CONFIG)

SYSTEM_PROMPT = ""

PROMPT = """\
The picture shows closed curves. None of them crosses itself or touches another. Together they cut the plane into \
regions: one unbounded region outside everything, and one region just inside each curve.

Describe which region lies in which as a rooted tree. The unbounded region is the root and gets the number 0. Give \
every other region a number of its own, starting from 1. The parent of a region is the region that you enter when you \
step outwards across the curve around it.

Answer inside <answer> tags, with nothing else between them: on the first line the number of regions without the \
root, then one line "u v" for each of these regions, where v is the parent of u. For two curves beside each other, \
one of them with a third inside, the answer is:

<answer>
3
1 0
2 1
3 0
</answer>"""

#: Said in addition where a recipe draws open lines.
ARCS_NOTE = "Some lines are open: they have two ends and bound nothing. Leave them out of account."

#: Weights of the node count and of the exact tree in the combined reward (section 5, Reward Design).
COUNT_WEIGHT, TREE_WEIGHT = 0.3, 0.7

#: A reply with more nodes is refused unread: the measures grow with the square of the size.
MOST_NODES = 2000

#: The last opening tag before a closing one: "I answer in <answer> tags" opens nothing.
_ANSWER = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.DOTALL | re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """One reply against one gold answer; everything from 0 to 1 and 0 where the reply could not be read, but
    ``edit_distance``, which is then 1 (0 is a perfect tree).

    ``parent_f1`` and ``ancestor_f1``: F1 of the pairs (node, parent) and (node, ancestor), each under the best matching
    found for it that keeps the root and who lies inside whom; ``edit_distance``: the least number of nodes found that
    have to be removed or put in, divided by the nodes of both trees, roots aside. The best of all matchings may be
    better: see ``curves_metrics``.
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


def prompt(*, arcs: bool = False) -> str:
    """Return the user's turn; ``arcs``: whether open lines may be in the picture."""
    return PROMPT.replace("\n\nAnswer", f" {ARCS_NOTE}\n\nAnswer", 1) if arcs else PROMPT


def answer(parents: Sequence[int]) -> str:
    """Return the canonical answer of a canonically numbered tree: the count, then ``u v`` lines."""
    return "\n".join([str(len(parents)), *(f"{node} {parent}" for node, parent in enumerate(parents, start=1))])


def parse(config: str, reply: str) -> Parsed[Tree] | Parsed[PlanarMap]:
    """Return the tree, or for crossing curves the map, in the last ``<answer>`` of a reply outside any reasoning block.

    Numbers may be any integers and lines in any order; the root is the one number that is never a child. A reason is
    given for: no tags, an empty answer, a first line that is no count, a line that is not two integers, a count that
    the lines do not bear out, a node with two parents, no or several roots, a cycle, more than ``MOST_NODES`` nodes.
    Faces are numbered from 0, the unbounded one; refused is a pair of a face with itself or with one that is not there.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
    """
    if config not in CONFIGS:
        raise LookupError(f"curves has no config {config!r}; it has: {', '.join(CONFIGS)}")
    return planar_map.parse(visible(reply)) if config == planar_map.CONFIG else _tree(visible(reply))


def _tree(text: str) -> Parsed[Tree]:
    blocks = _ANSWER.findall(text)
    if not blocks:
        return Parsed(value=None, reason="no answer tags")
    lines = [line.strip() for line in blocks[-1].strip().splitlines() if line.strip(" `")]
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


def score(config: str, row: Row, parsed: Parsed[Tree] | Parsed[PlanarMap]) -> Score | MapScore:
    """Return the rewards and measures of a parsed reply to ``row``.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
        ValueError: if the row's ``answer`` cannot be read.
    """
    if config == planar_map.CONFIG:
        return planar_map.score(cast("Parsed[PlanarMap]", parsed), str(row["answer"]))
    return _scored(_gold(config, row), cast("Parsed[Tree]", parsed))


def _scored(truth: Tree, parsed: Parsed[Tree]) -> Score:
    found = parsed.value
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
    wanted = cast("Parsed[Tree]", parse(config, render(str(row["answer"]))))
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
    """Return the strata of a row: all rows, its category, its size and its depth; for maps see ``planar_map``."""
    if config == planar_map.CONFIG:
        return planar_map.strata_of(row)
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


def report(config: str, scored: Iterable[tuple[Row, Score | MapScore]]) -> tuple[Stratum, ...] | tuple[MapStratum, ...]:
    """Return the means in every stratum for rows with their scores, strata sorted by name."""
    if config == planar_map.CONFIG:
        return planar_map.report(cast("Iterable[tuple[Row, MapScore]]", scored))
    nested = cast("Iterable[tuple[Row, Score]]", scored)
    grouped = by_stratum((strata_of(config, row), result) for row, result in nested)
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
