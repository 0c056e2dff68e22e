"""Rooted unordered trees: their canonical form, the enumeration of all trees of one size, and uniform random samples.

A tree is the tuple of its parents: ``parents[i]`` is the parent of node ``i + 1``, node 0 is the root (the exterior of
the picture), and a parent always comes before its children. A tree is *canonical* when its nodes are numbered in
preorder with the children of each node in descending order of their canonical strings; two rooted trees are isomorphic
exactly if their canonical parents are equal. All published trees are canonical, so that the answer string of a picture
is a function of its tree alone. (CurveBench's released matcher compares unrooted graphs instead; it accepts a path
whose root is in its middle as equal to a path whose root is an end.)

Throughout this package ``n`` is the number of curves: nodes without the root.
"""

import operator
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate

import numpy as np

Parents = tuple[int, ...]


def check_parents(parents: Sequence[int]) -> None:
    """Raise ValueError unless every parent comes before its child."""
    for node, parent in enumerate(parents, start=1):
        if not 0 <= parent < node:
            raise ValueError(
                f"need 0 <= parent < node, got parent {parent} of node {node}; number each parent before its children"
            )


def children_of(parents: Sequence[int]) -> list[list[int]]:
    """Return for each node, the root first, the list of its children in ascending order."""
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for node, parent in enumerate(parents, start=1):
        children[parent].append(node)
    return children


def depths(parents: Sequence[int]) -> list[int]:
    """Return the depth of each node, the number of edges from the root; the root's (0) first."""
    depth_of = [0]
    for parent in parents:
        depth_of.append(depth_of[parent] + 1)
    return depth_of


def depth(parents: Sequence[int]) -> int:
    """Return the depth of the tree: the number of curves on the longest path from the root."""
    return max(depths(parents))


def subtree_sizes(parents: Sequence[int]) -> list[int]:
    """Return the number of nodes in the subtree of each node, itself included; the root's first."""
    sizes = [1] * (len(parents) + 1)
    for node in range(len(parents), 0, -1):
        sizes[parents[node - 1]] += sizes[node]
    return sizes


def _strings(parents: Sequence[int]) -> list[str]:
    """Return for each node, the root first, the canonical string of its subtree (see ``canonical``)."""
    children = children_of(parents)
    strings = [""] * len(children)
    for node in range(len(parents), -1, -1):
        strings[node] = "(" + "".join(sorted((strings[c] for c in children[node]), reverse=True)) + ")"
    return strings


def canonical(parents: Sequence[int]) -> str:
    """Return the canonical string of the rooted unordered tree, root included: nested parentheses, children sorted.

    Aho, Hopcroft and Ullman, The Design and Analysis of Computer Algorithms (1974), section 3.2.
    """
    check_parents(parents)
    return _strings(parents)[0]


def canonical_order(parents: Sequence[int], rank: Sequence[float] | None = None) -> list[int]:
    """Return the nodes, without the root, in canonical order: in preorder, with siblings ordered by their subtrees.

    ``rank``: a number for each node, root included, by which siblings with equal subtrees are ordered.
    """
    strings = _strings(parents)
    place = list(range(len(parents) + 1)) if rank is None else rank
    children = children_of(parents)
    order: list[int] = []
    stack = [0]
    while stack:
        node = stack.pop()
        order.append(node)
        # Popped from the end: the largest string and, among equals, the lowest rank has to come last.
        stack.extend(sorted(sorted(children[node], key=lambda c: place[c], reverse=True), key=lambda c: strings[c]))
    return order[1:]


def reorder(parents: Sequence[int], order: Sequence[int]) -> Parents:
    """Return the tree with its nodes renumbered: node ``order[i]`` becomes node ``i + 1``."""
    new = {0: 0} | {old: i + 1 for i, old in enumerate(order)}
    return tuple(new[parents[old - 1]] for old in order)


def canonical_parents(parents: Sequence[int]) -> Parents:
    """Return the tree with its nodes renumbered into canonical order; equal for isomorphic trees."""
    return reorder(parents, canonical_order(parents))


def enumerate_trees(n: int) -> Iterator[Parents]:
    """Yield every rooted unordered tree of ``n`` curves once, in canonical form: first the path, last the star.

    Beyer and Hedetniemi, Constant time generation of rooted trees, SIAM J. Comput. 9 (1980): successors of the
    canonical level sequence.

    Raises:
        ValueError: if ``n`` is negative.
    """
    if n < 0:
        raise ValueError(f"need n >= 0 curves, got {n}")
    levels = list(range(n + 1))
    while True:
        yield _from_levels(levels)
        last = next((i for i in range(n, 0, -1) if levels[i] > 1), 0)
        if last == 0:
            return
        anchor = next(i for i in range(last - 1, -1, -1) if levels[i] == levels[last] - 1)
        for i in range(last, n + 1):
            levels[i] = levels[i - (last - anchor)]


def _from_levels(levels: Sequence[int]) -> Parents:
    path: list[int] = []
    parents: list[int] = []
    for node, level in enumerate(levels):
        del path[level:]
        if path:
            parents.append(path[-1])
        path.append(node)
    return canonical_parents(parents)


def _counts(n_nodes: int) -> tuple[int, ...]:
    """Return a table whose entry k is the number t_k of rooted unordered trees of k nodes, root included.

    It has more than ``n_nodes`` entries.
    """
    # A power of two at a time: a range of sizes takes a few tables, not one for each size.
    return _table(1 << n_nodes.bit_length())


@cache
def _table(size: int) -> tuple[int, ...]:
    """Return the numbers of rooted unordered trees of 0, 1, ..., ``size - 1`` nodes, root included."""
    counts = [0, 1]
    # At m: the sum of d t_d over the divisors d of m.
    weights = [0] * size
    for n in range(1, size - 1):
        for multiple in range(n, size, n):
            weights[multiple] += n * counts[n]
        counts.append(sum(map(operator.mul, weights[1 : n + 1], reversed(counts))) // n)
    return tuple(counts)


def count_trees(n: int) -> int:
    """Return the number of rooted unordered trees of ``n`` curves: 1, 1, 2, 4, 9, 20, 48, ... for n = 0, 1, ..."""
    return _counts(n + 1)[n + 1]


def sample_tree(n: int, rng: np.random.Generator) -> Parents:
    """Return a random tree of ``n`` curves in canonical form; all non-isomorphic trees are equally likely.

    RANRUT: Nijenhuis and Wilf, Combinatorial Algorithms (1978), chapter 29. A tree of m nodes is a smaller one with j
    copies of a tree of d nodes attached to its root; (j, d) has probability d t_d t_(m - jd) / ((m - 1) t_m), where t_k
    is the number of trees of k nodes, an exact integer: for 100 curves it does not fit a float.

    Raises:
        ValueError: if ``n`` is negative.
    """
    if n < 0:
        raise ValueError(f"need n >= 0 curves, got {n}")
    return canonical_parents(_sample(n + 1, rng))


def _sample(n_nodes: int, rng: np.random.Generator) -> Parents:
    """Return the parents of a random tree of ``n_nodes`` nodes, root included (see ``sample_tree``); not canonical."""
    if n_nodes <= 2:
        return (0,) * (n_nodes - 1)
    ends, hangings = _hangings(n_nodes)
    copies, size = hangings[bisect_right(ends, _below(ends[-1], rng))]
    parents = list(_sample(n_nodes - copies * size, rng))
    branch = _sample(size, rng)
    for _ in range(copies):
        root = len(parents) + 1
        parents.append(0)
        parents.extend(root + p for p in branch)
    return tuple(parents)


@lru_cache(maxsize=128)
def _hangings(n_nodes: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the cumulative weights and the pairs (j, d) from which ``sample_tree`` chooses for ``n_nodes`` nodes.

    The pair (j, d) means j copies of a tree of d nodes, attached to the root of a smaller tree.
    """
    counts = _counts(n_nodes)
    pairs = [(copies, size) for size in range(1, n_nodes) for copies in range(1, (n_nodes - 1) // size + 1)]
    return list(accumulate(size * counts[size] * counts[n_nodes - copies * size] for copies, size in pairs)), pairs


def _below(bound: int, rng: np.random.Generator) -> int:
    """Return a uniform random integer from 0 to ``bound - 1``; ``bound`` may have more than 64 bits."""
    bits = bound.bit_length()
    while True:
        pick = int.from_bytes(rng.bytes((bits + 7) // 8), "little") & ((1 << bits) - 1)
        if pick < bound:
            return pick


def path(n: int) -> Parents:
    """Return the tree of ``n`` nested curves: each contains the next."""
    return tuple(range(n))


def star(n: int) -> Parents:
    """Return the tree of ``n`` curves side by side, none inside another."""
    return (0,) * n


def caterpillar(n: int) -> Parents:
    """Return the canonical tree of ``ceil(n / 2)`` nested curves, each with at most one further empty curve inside."""
    spine = (n + 1) // 2
    return canonical_parents(tuple(range(spine)) + tuple(range(n - spine)))
