"""Similarity of two rooted unordered trees: canonical form, depth, and the size of the best matchings.

A tree is a tuple of parents: ``parents[i]`` is the parent of node ``i + 1``, 0 the root; parents come before children.

A matching pairs the two roots, and further nodes one to one, and preserves ancestry: a node is inside another exactly
if their partners are. The unmatched nodes are those to delete and insert to turn one tree into the other: the largest
matching gives the tree edit distance. No fast algorithm for the best of all matchings is known (for labelled trees it
is NP-hard: Zhang, Statman and Shasha, Inf. Process. Lett. 42, 1992). This module computes, in polynomial time, at least
the best *structure-respecting* one (Zhang, Algorithmica 15, 1996: disjoint subtrees map to disjoint subtrees). Beyond
that, at each pair of nodes, nodes are deleted one by one, and replaced by their children, as long as this improves the
matching: therefore a missing or surplus node costs one node and not its whole subtree.

Isomorphic subtrees are one class. Classes are ordered by their shapes alone and the two trees by their classes: no
result depends on the numbering of the nodes, or on the order of the two trees.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from planimeter.evals.curves.matching import Context, Matching


def canonical(parents: Sequence[int]) -> str:
    """Return the canonical string of the rooted unordered tree: nested parentheses, children sorted."""
    return canonical_subtrees(parents)[0]


def canonical_subtrees(parents: Sequence[int]) -> list[str]:
    """Return the canonical string of each node's subtree, the root's first."""
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for node, parent in enumerate(parents, start=1):
        children[parent].append(node)
    strings = [""] * len(children)
    for node in range(len(parents), -1, -1):
        strings[node] = "(" + "".join(sorted((strings[c] for c in children[node]), reverse=True)) + ")"
    return strings


def tree_of(text: str) -> tuple[int, ...]:
    """Return the parents of the tree with the canonical string ``text``; nodes are numbered depth first."""
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


def levels(parents: Sequence[int]) -> list[int]:
    """Return the depth of each node: 0 for the root, which comes first, 1 for its children."""
    above = [0]
    for parent in parents:
        above.append(above[parent] + 1)
    return above


def depth(parents: Sequence[int]) -> int:
    """Return the depth of the deepest node; 0 if there is only the root."""
    return max(levels(parents))


@dataclass(frozen=True, kw_only=True, slots=True)
class Common:
    """The sizes of the best matchings that were found between two trees; each size has a matching of its own.

    ``nodes``: matched nodes without the root; ``parents``: matched pairs of a node and its parent; ``ancestors``:
    matched pairs of a node and any of its ancestors.
    """

    nodes: int
    parents: int
    ancestors: int


def common(reply: Sequence[int], truth: Sequence[int]) -> Common:
    """Return the sizes of the best matchings that were found between the trees ``reply`` and ``truth``.

    Each size is at least the maximum over structure-respecting matchings (see the module's docstring), and at most the
    maximum over all matchings.
    """
    height = min(depth(reply), depth(truth))
    shapes, *names = _classes([_shortened(tree, height + 1) for tree in (reply, truth)])
    roots = sorted(names)
    # Context 1: the parents are a pair; 0: they are not.
    parents = [Context(weight=0, inner=1, skip=0), Context(weight=1, inner=1, skip=0)]
    # The context is the number of pairs among the ancestors.
    levels = [Context(weight=k, inner=min(k + 1, height + 1), skip=k) for k in range(height + 2)]
    return Common(
        nodes=Matching(shapes, [Context(weight=1, inner=0, skip=0)]).best(0, *roots),
        parents=Matching(shapes, parents).best(1, *roots),
        ancestors=Matching(shapes, levels).best(1, *roots),
    )


def _shortened(parents: Sequence[int], most: int) -> Sequence[int]:
    """Return the parents of a tree in which each chain of nodes without siblings is cut to ``most`` nodes.

    If ``most`` is above the height of the other tree, no matching contains a whole chain: the size of the best matching
    does not change.
    """
    if len(parents) <= most:
        return parents
    children = [0] * (len(parents) + 1)
    for parent in parents:
        children[parent] += 1
    # For each node its number in the shortened tree, and the length of the run that ends with it.
    numbers, runs, kept = [0], [0], []
    for node, parent in enumerate(parents, start=1):
        runs.append(runs[parent] + 1 if children[node] == children[parent] == 1 else 0)
        if runs[node] < most:
            kept.append(numbers[parent])
        numbers.append(len(kept) if runs[node] < most else numbers[parent])
    return kept


def _classes(trees: Sequence[Sequence[int]]) -> tuple[list[tuple[int, ...]], *tuple[int, ...]]:
    """Number the classes of isomorphic subtrees; return the child classes of each class, then each tree's class.

    Numbers ascend with the number of nodes, then by the sorted classes of the children: by the shape alone.
    """
    children: list[list[list[int]]] = [[[] for _ in range(len(parents) + 1)] for parents in trees]
    of_size: dict[int, list[tuple[int, int]]] = {}
    for tree, parents in enumerate(trees):
        sizes = [1] * (len(parents) + 1)
        for node in range(len(parents), -1, -1):
            of_size.setdefault(sizes[node], []).append((tree, node))
            if node:
                children[tree][parents[node - 1]].append(node)
                sizes[parents[node - 1]] += sizes[node]
    classes = [[0] * (len(parents) + 1) for parents in trees]
    shapes: list[tuple[int, ...]] = []
    for size in sorted(of_size):
        keys = {(t, v): tuple(sorted([classes[t][c] for c in children[t][v]])) for t, v in of_size[size]}
        number = {key: len(shapes) + k for k, key in enumerate(sorted(set(keys.values())))}
        shapes.extend(number)
        for (tree, node), key in keys.items():
            classes[tree][node] = number[key]
    return shapes, *(names[0] for names in classes)
