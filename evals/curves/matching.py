"""The best matching of two forests of subtree classes: the dynamic programme of ``curves_metrics.common``.

Nodes are classes of isomorphic subtrees, numbered so that children come before their parents. A ``forest`` is four
arrays over the classes: where the children of each begin, the children, the nearest class at or below that branches
(or -1), and the number of nodes. A ``side`` is one tree: its classes, the place of each among them, and the contexts
that each needs.

A context says what the ancestors of two nodes are to each other. ``own`` is what the pair of nodes counts in it,
``inner`` the context of their children once they are a pair, ``skip`` the context of the children of one left out.
"""

import numba
import numpy as np


@numba.njit(cache=True)
def best(forest, side_a, side_b, weight, inner, skip, first):  # type: ignore[no-untyped-def]
    """Return the value of the best matching of the children of the largest classes in the context ``first``."""
    names_a, place_a, needs_a = side_a
    names_b, place_b, needs_b = side_b
    starts, kids = forest[0], forest[1]
    most = _whole(forest, weight, inner)
    # Of two nodes: the best matching of their subtrees, and of what is inside them.
    trees = np.zeros((len(weight), len(names_a), len(names_b)), np.int32)
    insides = np.zeros_like(trees)
    for i in range(len(names_a)):
        for j in range(len(names_b)):
            a, b = names_a[i], names_b[j]
            below_a, below_b = kids[starts[a] : starts[a + 1]], kids[starts[b] : starts[b + 1]]
            needed = min(len(weight), needs_a[i], needs_b[j])
            if len(below_a) and len(below_b):
                for c in range(needed):
                    best = 0
                    for s in below_a:
                        best = max(best, insides[skip[c], place_a[s], j])
                    for t in below_b:
                        best = max(best, insides[skip[c], i, place_b[t]])
                    limit = min(most[c, a], most[c, b])
                    if best < limit:
                        best = max(best, _climb(forest, trees, place_a, place_b, a, b, c, skip[c], limit))
                    insides[c, i, j] = best
            for c in range(needed):
                if inner[c] < needed:
                    best = weight[c] + insides[inner[c], i, j]
                    for s in below_a:
                        best = max(best, trees[skip[c], place_a[s], j])
                    for t in below_b:
                        best = max(best, trees[skip[c], i, place_b[t]])
                    trees[c, i, j] = best
    return insides[first, len(names_a) - 1, len(names_b) - 1]


@numba.njit(cache=True)
def _whole(forest, weight, inner):  # type: ignore[no-untyped-def]
    """Return what the inside of each class counts in each context if all of it is kept."""
    starts, kids = forest[0], forest[1]
    whole = np.zeros((len(weight), len(starts) - 1), np.int32)
    for name in range(len(starts) - 1):
        for c in range(len(weight)):
            for child in kids[starts[name] : starts[name + 1]]:
                whole[c, name] += weight[c] + whole[inner[c], child]
    return whole


@numba.njit(cache=True)
def _climb(forest, trees, place_a, place_b, a, b, context, apart, limit):  # type: ignore[no-untyped-def]
    """Return the best matching of what is inside ``a`` and ``b``, children left out as long as that brings more."""
    left, right = _inside(forest, a, forest[3][b]), _inside(forest, b, forest[3][a])
    value = _assigned(trees, place_a, place_b, left, right, context, apart)
    # One node against many: leaving one out is a case of the subtrees' and the insides' own values.
    climbing = len(left[0]) > 1 and len(right[0]) > 1
    while climbing and value < limit:
        climbing = False
        best_left, best_right = left, right
        for k in _worth_leaving_out(forest, left):
            tried = _without(forest, left, k)
            reached = _assigned(trees, place_a, place_b, tried, right, context, apart)
            if reached > value:
                value, best_left, best_right, climbing = reached, tried, right, True
        for k in _worth_leaving_out(forest, right):
            tried = _without(forest, right, k)
            reached = _assigned(trees, place_a, place_b, left, tried, context, apart)
            if reached > value:
                value, best_left, best_right, climbing = reached, left, tried, True
        left, right = best_left, best_right
    return value


@numba.njit(cache=True)
def _inside(forest, name, most):  # type: ignore[no-untyped-def]
    """Return the children of a class, at most ``most`` alike, each with 1: it did not take the place of a child."""
    starts, kids = forest[0], forest[1]
    children = kids[starts[name] : starts[name + 1]].copy()
    kept = np.ones(len(children), np.bool_)
    for k in range(most, len(children)):
        kept[k] = children[k] != children[k - most]
    return children[kept], np.ones(kept.sum(), np.int32)


@numba.njit(cache=True)
def _worth_leaving_out(forest, nodes):  # type: ignore[no-untyped-def]
    """Return the places of nodes with a branching below, one of each kind; of the others a subtree's value will do."""
    names, direct = nodes
    places = []
    for k in range(len(names)):
        alike = k > 0 and names[k] == names[k - 1] and direct[k] == direct[k - 1]
        if forest[2][names[k]] >= 0 and not alike:
            places.append(k)
    return places


@numba.njit(cache=True)
def _without(forest, nodes, k):  # type: ignore[no-untyped-def]
    names, direct = nodes
    children, _ = _inside(forest, forest[2][names[k]], len(forest[1]))
    return (
        np.concatenate((names[:k], names[k + 1 :], children)),
        np.concatenate((direct[:k], direct[k + 1 :], np.zeros(len(children), np.int32))),
    )


@numba.njit(cache=True)
def _assigned(trees, place_a, place_b, left, right, context, apart):  # type: ignore[no-untyped-def]
    """Return the most that pairing the nodes of two lists one to one brings."""
    gains = np.zeros((len(left[0]) + 1, len(right[0]) + 1), np.int32)
    for x in range(len(left[0])):
        for y in range(len(right[0])):
            c = context if left[1][x] and right[1][y] else apart
            gains[x + 1, y + 1] = trees[c, place_a[left[0][x]], place_b[right[0][y]]]
    return _most(gains if len(gains) <= gains.shape[1] else np.ascontiguousarray(gains.T))


@numba.njit(cache=True)
def _most(gains):  # type: ignore[no-untyped-def]
    """Return the most that an assignment of the rows to columns gains: the Hungarian method.

    There are at least as many columns as rows; row and column 0 are unused and all 0.
    """
    n, m = len(gains) - 1, gains.shape[1] - 1
    row_price, column_price = np.zeros(n + 1, np.int32), np.zeros(m + 1, np.int32)
    row_of, came_from = np.zeros(m + 1, np.int32), np.zeros(m + 1, np.int32)
    for row in range(1, n + 1):
        row_of[0] = row
        column = 0
        slack, seen = np.full(m + 1, 1 << 30, np.int32), np.zeros(m + 1, np.bool_)
        while row_of[column]:
            seen[column] = True
            current, delta, following = row_of[column], 1 << 30, 0
            for y in range(1, m + 1):
                if not seen[y]:
                    cost = -gains[current, y] - row_price[current] - column_price[y]
                    if cost < slack[y]:
                        slack[y], came_from[y] = cost, column
                    if slack[y] < delta:
                        delta, following = slack[y], y
            for y in range(m + 1):
                if seen[y]:
                    row_price[row_of[y]] += delta
                    column_price[y] -= delta
                else:
                    slack[y] -= delta
            column = following
        while column:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    total = 0
    for y in range(1, m + 1):
        total += gains[row_of[y], y]
    return total
