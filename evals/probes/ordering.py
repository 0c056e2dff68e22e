"""Whether the marks of a row reveal their order without their places: each kind's usual rank, learnt and applied.

The null needs no model of the marks: within a row all orders of those that follow the first are alike.
"""

from collections.abc import Sequence

import numpy as np

from planimeter.evals.probes.learning import FOLDS, PERMUTATIONS, REPEATS
from planimeter.evals.probes.part import Floats, Ints


def hits(orders: Sequence[Sequence[str]], groups: Sequence[str], seed: int) -> Floats:
    """Return the share of marks behind the first that stand where they are put, as (n, 1 + PERMUTATIONS).

    ``orders``: the marks of each row in the order that is asked for; ``groups`` as in ``learning``. The first column is
    of the rows themselves, each other one of rows whose marks behind the first are shuffled.
    """
    rng = np.random.default_rng([seed, 2])
    kinds = {kind: number for number, kind in enumerate(sorted({mark for order in orders for mark in order}))}
    longest = max(map(len, orders)) - 1
    marks = np.full((len(orders), max(1, longest)), -1)
    for row, order in enumerate(orders):
        marks[row, : len(order) - 1] = [kinds[mark] for mark in order[1:]]
    names, member = np.unique(groups, return_inverse=True)
    dealt = [(rng.permutation(len(names)) % min(FOLDS, len(names)))[member] for _ in range(REPEATS)]
    results = [_hits(marks, dealt, len(kinds))]
    for _ in range(PERMUTATIONS):
        keys = np.where(marks < 0, 2.0, rng.random(marks.shape))
        results.append(_hits(np.take_along_axis(marks, keys.argsort(axis=1), axis=1), dealt, len(kinds)))
    return np.stack(results, axis=1)


def _hits(marks: Ints, parts: Sequence[Ints], kinds: int) -> Floats:
    """Return the share of each row's marks (n, m; -1 for none) that are put where they stand."""
    there = marks >= 0
    lengths = there.sum(axis=1)
    ranks = (np.arange(marks.shape[1]) + 0.5) / np.maximum(lengths, 1)[:, None]
    total = np.zeros(len(marks))
    for dealt in parts:
        usual = _usual(marks, ranks, there, dealt, kinds)
        expected = np.where(there, usual[dealt[:, None], np.maximum(marks, 0)], np.inf)
        # Equal marks of a row are equal answers; among different ones of equal rank the order of kinds decides.
        put = np.take_along_axis(marks, np.lexsort((marks, expected), axis=1), axis=1)
        total += ((put == marks) & there).sum(axis=1) / np.maximum(lengths, 1)
    return total / len(parts)


def _usual(marks: Ints, ranks: Floats, there: np.ndarray, dealt: Ints, kinds: int) -> Floats:
    """Return the mean rank of each kind as (parts, kinds), learnt from the rows of all other parts."""
    count = int(dealt.max()) + 1
    cell = (dealt[:, None] * kinds + np.maximum(marks, 0))[there]
    sums = np.bincount(cell, ranks[there], count * kinds).reshape(count, kinds)
    sizes = np.bincount(cell, minlength=count * kinds).reshape(count, kinds)
    left, number = sums.sum(axis=0) - sums, sizes.sum(axis=0) - sizes
    return np.asarray((left + 0.5) / (number + 1.0))
