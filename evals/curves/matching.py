"""The best matching of two trees: a dynamic programme over pairs of subtrees, evaluated lazily with bounds.

Isomorphic subtrees form one class, which has a number; children have lower numbers than parents. A matching of two
subtrees weighs at most as much as the matching of either one with itself. A pair of subtrees is computed only if this
bound exceeds the best value without the pair, so that similar trees cost little. Bounds do not change the result.

Recursive functions are generators, run by ``Matching.best``: a reply may nest deeper than Python's stack.
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

#: The computation of a value: it yields the computations of the values that it needs, and receives their results.
Step = Generator["Step", int, int]


class Context(NamedTuple):
    """A state of the dynamic programme: the way in which the ancestors of two nodes are paired with each other.

    ``weight``: the weight of pairing the two nodes; ``inner``: the index of the context of their descendants if the two
    are paired; ``skip``: the index of the context of a node's descendants if this node is left unpaired.
    """

    weight: int
    inner: int
    skip: int


class Nodes(NamedTuple):
    """Nodes of one tree that may be paired with nodes of the other, as the isomorphism classes of their subtrees.

    The first ``direct`` nodes are children of one node; the others are children of nodes that were left unpaired.
    """

    names: tuple[int, ...]
    direct: int


class Matching:
    """A solver for best matchings of two subtrees, with a cache of the values computed so far.

    The class of a node is a number, equal for isomorphic subtrees; ``shapes[k]`` are the sorted classes of the children
    of a node of class ``k``. ``context``, a state of the dynamic programme, is an index into ``contexts``.
    """

    def __init__(self, shapes: Sequence[tuple[int, ...]], contexts: Sequence[Context]) -> None:
        self.children, self.contexts = shapes, contexts
        self._kinds = [tuple(dict.fromkeys(reversed(inner))) for inner in shapes]
        #: The nearest class at or below each one that branches, or -1; and the number of its nodes.
        self._branching, self._sizes = [-1] * len(shapes), [1] * len(shapes)
        #: The weight of all descendants of each class in each context.
        self._insides = [[0] * len(shapes) for _ in contexts]
        for name, inner in enumerate(shapes):
            if inner:
                self._sizes[name] += sum([self._sizes[child] for child in inner])
                self._branching[name] = name if len(inner) > 1 else self._branching[inner[0]]
                for whole, context in zip(self._insides, contexts, strict=True):
                    below = self._insides[context.inner]
                    whole[name] = context.weight * len(inner) + sum([below[child] for child in inner])
        self._trees = [[weight + count for count in self._insides[inner]] for weight, inner, _ in contexts]
        self._known: list[dict[tuple[int, int], int]] = [{} for _ in contexts]
        self._rows: list[dict[int, tuple[list[int], set[int]]]] = [{} for _ in contexts]

    def best(self, context: int, a: int, b: int) -> int:
        """Return the weight of the best matching found of the descendants of two nodes, given by their classes."""
        steps, value = [self._inside(context, a, b)], 0
        begun = False
        while steps:
            try:
                needed = steps[-1].send(value) if begun else next(steps[-1])
            except StopIteration as end:
                steps.pop()
                value, begun = end.value, True
            else:
                steps.append(needed)
                begun = False
        return value

    def _row(self, context: int, a: int) -> tuple[list[int], set[int]]:
        """Return upper bounds on the weight of matching ``a`` with each subtree, and the subtrees whose bound is exact.

        Subtrees are given by isomorphism class. A bound is the smaller of two weights, those of matching either subtree
        with itself, less 1 if these are equal but the subtrees differ.
        """
        row = self._rows[context].get(a)
        if row is None:
            wholes = self._trees[context]
            whole = wholes[a]
            bounds = [other if other < whole else whole if other > whole else whole - 1 for other in wholes]
            bounds[a] = whole
            row = self._rows[context][a] = bounds, {a}
        return row

    def _tree(self, context: int, a: int, b: int) -> Step:
        """Return the weight of the best matching of the subtrees ``a`` and ``b``, including their roots."""
        row, exact = self._row(context, a)
        if b in exact:
            return row[b]
        weight, inner, skip = self.contexts[context]
        best = weight + (yield self._inside(inner, a, b))
        if best < row[b]:
            for child in self._kinds[a]:
                if self._row(skip, child)[0][b] > best:
                    best = max(best, (yield self._tree(skip, child, b)))
            bounds, _ = self._row(skip, a)
            for child in self._kinds[b]:
                if bounds[child] > best:
                    best = max(best, (yield self._tree(skip, a, child)))
        row[b] = best
        exact.add(b)
        return best

    def _inside(self, context: int, a: int, b: int) -> Step:
        """Return the weight of the best matching of the descendants of ``a`` with those of ``b``, without the roots."""
        wholes, known = self._insides[context], self._known[context]
        if a == b or not self.children[a] or not self.children[b]:
            return wholes[a] if a == b else 0
        if (a, b) in known:
            return known[a, b]
        limit = wholes[a] - 1 if wholes[a] == wholes[b] else min(wholes[a], wholes[b])
        best = yield from self._climb(context, a, b, limit)
        skip = self.contexts[context].skip
        below = self._insides[skip]
        for child in self._kinds[a]:
            if best < limit and below[child] > best:
                best = max(best, (yield self._inside(skip, child, b)))
        for child in self._kinds[b]:
            if best < limit and below[child] > best:
                best = max(best, (yield self._inside(skip, a, child)))
        known[a, b] = best
        return best

    def _climb(self, context: int, a: int, b: int, limit: int) -> Step:
        """Return the weight of a matching of the descendants of ``a`` and ``b``, found by hill climbing.

        The nodes to match are first the children of both. Each step replaces one node by its own children, so that the
        weight increases most; it stops when no step increases the weight, or at ``limit``.
        """
        sides = (self._alike_at_most(a, self._sizes[b]), self._alike_at_most(b, self._sizes[a]))
        value = yield from self._assigned(*sides, context, -1)
        # One node against many: ``_tree`` and ``_inside`` already skip nodes of the other side.
        climbing = all(len(side.names) > 1 for side in sides)
        while climbing and value < limit:
            climbing = False
            best = left, right = sides
            tries = [(without, right) for without in self._one_left_out(left)]
            tries += [(left, without) for without in self._one_left_out(right)]
            for tried in tries:
                reached = yield from self._assigned(*tried, context, value)
                if reached > value:
                    value, best, climbing = reached, tried, True
            sides = best
        return value

    def _alike_at_most(self, name: int, most: int) -> Nodes:
        """Return the children of a node of isomorphism class ``name``, but at most ``most`` of each class.

        The other tree has only ``most`` nodes, so that more of a class cannot be paired.
        """
        inner = self.children[name]
        if len(inner) <= most:
            return Nodes(inner, len(inner))
        names = tuple([child for k, child in enumerate(inner) if k < most or inner[k - most] != child])
        return Nodes(names, len(names))

    def _one_left_out(self, nodes: Nodes) -> list[Nodes]:
        """Return copies of ``nodes``; in each of them one node is skipped and replaced by its children.

        If the node has a single child, all nodes down to the first one with several children are skipped. A node
        without such a descendant is not skipped here, but by ``_tree``. Of isomorphic nodes only one is skipped.
        """
        names, direct = nodes
        places = [
            k
            for k, name in enumerate(names)
            if self._branching[name] >= 0 and (k in (0, direct) or names[k - 1] != name)
        ]
        return [
            Nodes(names[:k] + names[k + 1 :] + self.children[self._branching[names[k]]], direct - (k < direct))
            for k in places
        ]

    def _assigned(self, left: Nodes, right: Nodes, context: int, floor: int) -> Step:
        """Return the maximum weight of a one-to-one pairing of two lists of nodes, or ``floor`` if none exceeds it."""
        apart = self.contexts[context].skip
        direct = right.direct
        for nodes in (left, right) if floor >= 0 else ():
            if sum([self._trees[context][name] for name in nodes.names]) <= floor:
                return floor
        gains = []
        for k, name in enumerate(left.names):
            bounds, _ = self._row(apart, name)
            line = [bounds[other] for other in right.names]
            if k < left.direct and apart != context:
                bounds, _ = self._row(context, name)
                line[:direct] = [bounds[other] for other in right.names[:direct]]
            gains.append(line)
        turned = len(left.names) > len(right.names)
        if turned:
            gains = [list(line) for line in zip(*gains, strict=True)]
        while True:
            total, pairs = assignment(gains, floor)
            if total <= floor:
                return floor
            certain = True
            for row, column in pairs:
                x, y = (column, row) if turned else (row, column)
                a, b = left.names[x], right.names[y]
                where = context if x < left.direct and y < direct else apart
                values, exact = self._row(where, a)
                value = values[b] if b in exact else (yield self._tree(where, a, b))
                certain &= value == gains[row][column]
                gains[row][column] = value
            if certain:
                return total


def assignment(gains: Sequence[Sequence[int]], floor: int = -1) -> tuple[int, list[tuple[int, int]]]:
    """Return the maximum gain of an assignment of each row to a column, and its (row, column) pairs: Hungarian method.

    ``gains`` has at least as many columns as rows. If no assignment gains more than ``floor``, the result is ``floor``
    without pairs.
    """
    prices = [max(line) for line in gains]
    total = sum(prices)
    row_of = [-1] * len(gains[0])
    discounts = [0] * len(row_of)
    unassigned = []
    for row, line in enumerate(gains):
        for column, gain in enumerate(line):
            if gain == prices[row] and row_of[column] < 0:
                row_of[column] = row
                break
        else:
            unassigned.append(row)
    for first in unassigned:
        if total <= floor:
            break
        total -= _augment(gains, prices, discounts, row_of, first)
    pairs = [(row, column) for column, row in enumerate(row_of) if row >= 0]
    return (total, pairs) if total > floor else (floor, [])


def _augment(
    gains: Sequence[Sequence[int]], prices: list[int], discounts: list[int], row_of: list[int], first: int
) -> int:
    """Assign one more row, ``first``, along the augmenting path with the least loss of gain; return this loss.

    Updates ``prices`` (of rows), ``discounts`` (of columns) and ``row_of`` (the row of each column, or -1).
    """
    slack = [prices[first] + discount - gain for discount, gain in zip(discounts, gains[first], strict=True)]
    came_from = [first] * len(slack)
    left, passed = list(range(len(slack))), []
    while True:
        column = min(left, key=slack.__getitem__)
        loss, row = slack[column], row_of[column]
        if row < 0:
            break
        left.remove(column)
        passed.append(column)
        line, price = gains[row], loss + prices[row]
        for other in left:
            reached = price + discounts[other] - line[other]
            if reached < slack[other]:
                slack[other], came_from[other] = reached, row
    prices[first] -= loss
    for other in passed:
        prices[row_of[other]] -= loss - slack[other]
        discounts[other] += loss - slack[other]
    while (row := came_from[column]) != first:
        before = row_of.index(row)
        row_of[column], column = row, before
    row_of[column] = first
    return loss
