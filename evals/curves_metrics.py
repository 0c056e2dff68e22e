"""How near two rooted unordered trees are: canonical form, best root-anchored matching, tree edit distance.

Trees are tuples of parents, ``parents[i]`` that of node ``i + 1``, 0 the root, parents before children.
"""

from collections.abc import Sequence

import numba
import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment


def _children(parents: Sequence[int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for node, parent in enumerate(parents, start=1):
        children[parent].append(node)
    return children


def _ranks(trees: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return for each node of each tree the number of its subtree's isomorphism class, shared by all the trees.

    Aho, Hopcroft and Ullman (1974), section 3.2, with a table in place of strings: a deep path stays linear.
    """
    table: dict[tuple[int, ...], int] = {}
    found = []
    for parents in trees:
        children = _children(parents)
        ranks = [0] * len(children)
        for node in range(len(parents), -1, -1):
            key = tuple(sorted(ranks[c] for c in children[node]))
            ranks[node] = table.setdefault(key, len(table))
        found.append(ranks)
    return found


def canonical(parents: Sequence[int]) -> str:
    """Return the canonical string of the rooted unordered tree: nested parentheses, children sorted."""
    children = _children(parents)
    strings = [""] * len(children)
    for node in range(len(parents), -1, -1):
        strings[node] = "(" + "".join(sorted((strings[c] for c in children[node]), reverse=True)) + ")"
    return strings[0]


def depth(parents: Sequence[int]) -> int:
    """Return the number of nodes below the root on the deepest path."""
    levels = [0]
    for parent in parents:
        levels.append(levels[parent] + 1)
    return max(levels)


def common_subtree(found: Sequence[int], truth: Sequence[int]) -> tuple[int, int]:
    """Return the most (node, parent) pairs, and the most (node, ancestor) pairs, that a matching keeps.

    A matching pairs the roots, and further nodes one to one, each only if their parents are a pair: so it keeps every
    ancestor of what it pairs. Both maxima are exact: the best pairing of two nodes' children is an assignment problem
    whose weights come from their subtrees. A node at depth d brings d pairs with ancestors.
    """
    ranks = _ranks((found, truth))
    subtrees = _subtree_weights(found), _subtree_weights(truth)
    trees = _children(found), _children(truth)
    edges = _Matcher(trees, ranks, subtrees, per_level=False)
    ancestors = _Matcher(trees, ranks, subtrees, per_level=True)
    return edges.best(), ancestors.best()


def _subtree_weights(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return for each node its subtree's nodes, and the sum of their depths below it."""
    sizes, sums = [1] * (len(parents) + 1), [0] * (len(parents) + 1)
    for node in range(len(parents), 0, -1):
        parent = parents[node - 1]
        sizes[parent] += sizes[node]
        sums[parent] += sums[node] + sizes[node]
    return sizes, sums


class _Matcher:
    """The dynamic programme of ``common_subtree``: node against node of equal depth, deepest first."""

    def __init__(
        self,
        trees: tuple[list[list[int]], list[list[int]]],
        ranks: Sequence[Sequence[int]],
        subtrees: tuple[tuple[list[int], list[int]], tuple[list[int], list[int]]],
        *,
        per_level: bool,
    ) -> None:
        self._trees, self._ranks, self._subtrees, self._per_level = trees, ranks, subtrees, per_level
        # Isomorphic subtrees have equal values: the table is over classes and levels, not over nodes.
        self._known: dict[tuple[int, int, int], int] = {}

    def best(self) -> int:
        """Return the value of the best matching, the pair of roots not counted."""
        levels = _levels(self._trees[0]), _levels(self._trees[1])
        for level in range(min(len(levels[0]), len(levels[1])) - 1, -1, -1):
            for a in levels[0][level]:
                for b in levels[1][level]:
                    key = (level, self._ranks[0][a], self._ranks[1][b])
                    if key not in self._known:
                        self._known[key] = self._value(a, b, level)
        return self._known[0, self._ranks[0][0], self._ranks[1][0]]

    def _value(self, a: int, b: int, level: int) -> int:
        own = level if self._per_level else min(level, 1)
        if self._ranks[0][a] == self._ranks[1][b]:
            size, below = self._subtrees[0][0][a], self._subtrees[0][1][a]
            return size * level + below if self._per_level else own + size - 1
        left, right = self._trees[0][a], self._trees[1][b]
        if not left or not right:
            return own
        known, ranks = self._known, self._ranks
        gains = np.array([[known[level + 1, ranks[0][c], ranks[1][d]] for d in right] for c in left])
        if 1 in gains.shape:
            return own + int(gains.max())
        rows, columns = linear_sum_assignment(gains, maximize=True)
        return own + int(gains[rows, columns].sum())


def _levels(children: list[list[int]]) -> list[list[int]]:
    levels = [[0]]
    while inner := [c for node in levels[-1] for c in children[node]]:
        levels.append(inner)
    return levels


def tree_edit_distance(found: Sequence[int], truth: Sequence[int]) -> int:
    """Return how many nodes have to be removed from and put into ``found`` to make it ``truth`` (roots stay).

    The ordered distance (Zhang and Shasha, SIAM J. Comput. 18, 1989) of the trees with children in canonical order. The
    unordered distance is NP-hard; it is never larger, and equal for 98.8% of the pairs of small trees.
    """
    ranks = _ranks((found, truth))
    return int(_zhang_shasha(*_postorder(found, ranks[0]), *_postorder(truth, ranks[1])))


def _postorder(parents: Sequence[int], ranks: Sequence[int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return each node's leftmost leaf and the key roots, nodes in postorder, larger subtrees' children first."""
    children = _children(parents)
    sizes, _ = _subtree_weights(parents)
    for inner in children:
        inner.sort(key=lambda c: (-sizes[c], ranks[c]))
    # A preorder that takes the last child first, read backwards, is the postorder.
    backwards, stack = [], [0]
    while stack:
        node = stack.pop()
        backwards.append(node)
        stack.extend(children[node])
    place = {node: i for i, node in enumerate(reversed(backwards))}
    leftmost = [0] * len(place)
    for node in reversed(backwards):
        leftmost[place[node]] = leftmost[place[children[node][0]]] if children[node] else place[node]
    roots = {left: i for i, left in enumerate(leftmost)}
    return np.array(leftmost), np.array(sorted(roots.values()))


@numba.njit(cache=True)
def _zhang_shasha(left_a, roots_a, left_b, roots_b):  # type: ignore[no-untyped-def]
    n, m = len(left_a), len(left_b)
    trees = np.zeros((n, m), np.int64)
    forest = np.zeros((n + 1, m + 1), np.int64)
    for i in roots_a:
        for j in roots_b:
            a, b = left_a[i], left_b[j]
            forest[a, b] = 0
            for x in range(a, i + 1):
                forest[x + 1, b] = forest[x, b] + 1
            for y in range(b, j + 1):
                forest[a, y + 1] = forest[a, y] + 1
            for x in range(a, i + 1):
                for y in range(b, j + 1):
                    least = min(forest[x, y + 1], forest[x + 1, y]) + 1
                    if left_a[x] == a and left_b[y] == b:
                        forest[x + 1, y + 1] = min(least, forest[x, y])
                        trees[x, y] = forest[x + 1, y + 1]
                    else:
                        forest[x + 1, y + 1] = min(least, forest[left_a[x], left_b[y]] + trees[x, y])
    return trees[n - 1, m - 1]
