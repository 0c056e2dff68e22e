"""How near two rooted unordered trees are: canonical form, depth, and what the best matchings keep.

Trees are tuples of parents, ``parents[i]`` that of node ``i + 1``, 0 the root, parents before children.

A matching pairs the two roots, and further nodes one to one, so that a node lies inside another exactly if their
partners do. The nodes that it leaves out are those that have to be removed and put in to make one tree the other: the
most nodes kept give the tree edit distance. No fast way to the best of all matchings is known (for labelled trees it is
NP-hard: Zhang, Statman and Shasha, Inf. Process. Lett. 42, 1992). Found here, in polynomial time, is at least the best
*structure-respecting* one (Zhang, Algorithmica 15, 1996: what lies in disjoint subtrees stays in disjoint subtrees).
Beyond that, at each pair of nodes, curves are left out one by one, their children taking their place, as long as the
matching of the children gets better: so a curve that was missed, or drawn too many, among others costs itself and not
all that is inside.

Isomorphic subtrees are one class. Classes are ordered by their shapes alone and the two trees by their classes: no
result depends on the numbering of the nodes, nor on which tree is named first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planimeter.evals.curves.matching import best

Ints = npt.NDArray[np.int32]


def canonical(parents: Sequence[int]) -> str:
    """Return the canonical string of the rooted unordered tree: nested parentheses, children sorted."""
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for node, parent in enumerate(parents, start=1):
        children[parent].append(node)
    strings = [""] * len(children)
    for node in range(len(parents), -1, -1):
        strings[node] = "(" + "".join(sorted((strings[c] for c in children[node]), reverse=True)) + ")"
    return strings[0]


def tree_of(text: str) -> tuple[int, ...]:
    """Return the tree that ``canonical`` writes as ``text``, in the numbering of the dataset."""
    parents: list[int] = []
    inside: list[int] = []
    for sign in text:
        if sign == ")":
            inside.pop()
        elif inside:
            parents.append(inside[-1])
            inside.append(len(parents))
        else:
            inside.append(0)
    return tuple(parents)


def depth(parents: Sequence[int]) -> int:
    """Return the number of nodes below the root on the deepest path."""
    levels = [0]
    for parent in parents:
        levels.append(levels[parent] + 1)
    return max(levels)


@dataclass(frozen=True, kw_only=True, slots=True)
class Common:
    """What the best matchings found keep: ``nodes`` (the root not counted), pairs of a node and its parent, and pairs
    of a node and any ancestor; each the most that was found for itself.
    """

    nodes: int
    parents: int
    ancestors: int


def common(reply: Sequence[int], truth: Sequence[int]) -> Common:
    """Return how much two trees have in common under the best matchings found; see the module's docstring.

    Each of the three lies between the most that a structure-respecting matching keeps and the most that any does.
    """
    shapes, classes, depths = _classes((reply, truth))
    order = (0, 1) if classes[0][0] <= classes[1][0] else (1, 0)
    one, other = (_side(classes[i], depths[i], len(shapes)) for i in order)
    forest = _forest_of(shapes)
    levels = np.arange(min(max(depths[0]), max(depths[1])) + 2, dtype=np.int32)
    zeros, ones = np.zeros(2, np.int32), np.ones(2, np.int32)
    return Common(
        nodes=int(best(forest, one, other, ones[:1], zeros[:1], zeros[:1], 0)),
        # Context 1: the parents are a pair; 0: they are none.
        parents=int(best(forest, one, other, levels[:2], ones, zeros, 1)),
        # The context is the number of pairs among the ancestors.
        ancestors=int(best(forest, one, other, levels, np.minimum(levels + 1, levels[-1]), levels, 1)),
    )


def _classes(
    trees: Sequence[Sequence[int]],
) -> tuple[list[tuple[int, ...]], list[list[int]], list[list[int]]]:
    """Return the classes as the classes of their children, smaller subtrees first, and each tree's nodes' classes and
    depths. Of two classes the order is a matter of their shapes alone.
    """
    children: list[list[list[int]]] = [[[] for _ in range(len(parents) + 1)] for parents in trees]
    sizes = [[1] * (len(parents) + 1) for parents in trees]
    depths = [[0] * (len(parents) + 1) for parents in trees]
    of_size: dict[int, list[tuple[int, int]]] = {}
    for tree, parents in enumerate(trees):
        for node, parent in enumerate(parents, start=1):
            children[tree][parent].append(node)
            depths[tree][node] = depths[tree][parent] + 1
        for node in range(len(parents), -1, -1):
            of_size.setdefault(sizes[tree][node], []).append((tree, node))
            if node:
                sizes[tree][parents[node - 1]] += sizes[tree][node]
    classes = [[0] * (len(parents) + 1) for parents in trees]
    shapes: list[tuple[int, ...]] = []
    for size in sorted(of_size):
        keys = {(t, v): tuple(sorted(classes[t][c] for c in children[t][v])) for t, v in of_size[size]}
        number = {key: len(shapes) + i for i, key in enumerate(sorted(set(keys.values())))}
        shapes.extend(number)
        for (tree, node), key in keys.items():
            classes[tree][node] = number[key]
    return shapes, classes, depths


def _side(classes: Sequence[int], depths: Sequence[int], count: int) -> tuple[Ints, Ints, Ints]:
    """Return the classes of one tree in their order, the place of each among them, and how many contexts each needs."""
    deepest: dict[int, int] = {}
    for name, depth in zip(classes, depths, strict=True):
        deepest[name] = max(depth, deepest.get(name, 0))
    names = np.array(sorted(deepest), np.int32)
    place = np.full(count, -1, np.int32)
    place[names] = np.arange(len(names))
    return names, place, np.array([deepest[name] + 2 for name in names], np.int32)


def _forest_of(shapes: Sequence[tuple[int, ...]]) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the four arrays that ``curves_matching`` calls a forest."""
    starts = np.cumsum([0, *map(len, shapes)]).astype(np.int32)
    branching, sizes = np.full(len(shapes), -1, np.int32), np.ones(len(shapes), np.int32)
    for name, inner in enumerate(shapes):
        sizes[name] += sum(sizes[child] for child in inner)
        if inner:
            branching[name] = name if len(inner) > 1 else branching[inner[0]]
    return starts, np.array([child for inner in shapes for child in inner], np.int32), branching, sizes
