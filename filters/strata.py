"""Selects the rows of a stratified sample: computes the number from each stratum, and chooses them by a hash.

Rows are drawn in units: a row, or rows that belong together. Units are assigned one at a time, each to the stratum that
has so far the smallest part of its due share: the divisor method of Sainte-Laguë. With largest remainders a larger
sample may take fewer rows of a stratum than a smaller one (the Alabama paradox); with this method it never does. A
digest of its id gives each unit its position in the queue of its stratum; the first ones are sampled. So a larger
sample contains each smaller one of the same seed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt


class Stratum(NamedTuple):
    """The size of a stratum: the number of its ``units``, each of ``size`` rows."""

    units: int
    size: int = 1


@dataclass(frozen=True, kw_only=True)
class Population:
    """The rows of a dataset from which a sample is drawn, in strata of units; the rows of a unit are drawn together.

    ``labels`` names the strata, and ``sizes`` has the number of rows in each unit of a stratum. ``strata`` (units,)
    is the stratum of each unit, ``priorities`` (units,) its position in the queue. ``units`` maps each file to the
    indices of its rows' units (rows,).
    """

    labels: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]
    strata: npt.NDArray[np.int64]
    priorities: npt.NDArray[np.uint64]
    units: Mapping[str, npt.NDArray[np.int64]]

    @classmethod
    def of(
        cls,
        labels: Sequence[tuple[str, ...]],
        strata: npt.NDArray[np.int64],
        priorities: npt.NDArray[np.uint64],
        units: Mapping[str, npt.NDArray[np.int64]],
    ) -> Self:
        """Return the population of units whose ``strata`` (units,) are indices into ``labels``.

        The strata of the population are those that occur, sorted by name. Raises ``ValueError`` if units of one stratum
        differ in their number of rows.
        """
        used, inverse = np.unique(strata, return_inverse=True)
        order = sorted(range(len(used)), key=lambda index: _natural(labels[int(used[index])]))
        ranks = np.empty(len(used), np.int64)
        ranks[order] = np.arange(len(used))
        ranked = ranks[inverse]
        named = tuple(labels[int(used[index])] for index in order)
        rows = np.bincount(np.concatenate([*units.values(), np.zeros(0, np.int64)]), minlength=len(ranked))
        sizes = np.zeros(len(used), np.int64)
        sizes[ranked] = rows
        odd = np.flatnonzero(sizes[ranked] != rows)
        if len(odd):
            stratum = "/".join(named[ranked[odd[0]]])
            raise ValueError(f"the units (rows drawn together) of {stratum} must have equal numbers of rows")
        return cls(labels=named, sizes=tuple(sizes.tolist()), strata=ranked, priorities=priorities, units=units)

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of units of each stratum."""
        return tuple(np.bincount(self.strata, minlength=len(self.labels)).tolist())


def _natural(label: Sequence[str]) -> tuple[tuple[bool, int, str], ...]:
    """Return the sort key of a stratum's labels: whole numbers by their value, before texts."""
    numbers = [text if re.fullmatch(r"-?\d{1,18}", text) else "" for text in label]
    return tuple((not number, int(number or 0), text) for number, text in zip(numbers, label, strict=True))


def shares(rows: int, strata: Sequence[Stratum], *, equal: bool) -> tuple[int, ...]:
    """Return the number of units that each stratum contributes to a sample of ``rows`` rows.

    With ``equal`` all strata contribute equally many rows, else in proportion to their sizes. If a stratum has too few
    units, the others contribute more; ties go to the earlier stratum. Selection ends before the first unit that would
    exceed ``rows``, so that up to ``size - 1`` rows may be missing.
    """
    dealt = [0] * len(strata)

    def turn(index: int) -> tuple[Fraction, int]:
        units, size = strata[index]
        return Fraction((2 * dealt[index] + 1) * size, 1 if equal else units * size), index

    waiting = [turn(index) for index, stratum in enumerate(strata) if stratum.units]
    heapify(waiting)
    remaining = rows
    while waiting and strata[waiting[0][1]].size <= remaining:
        index = waiting[0][1]
        dealt[index] += 1
        remaining -= strata[index].size
        if dealt[index] < strata[index].units:
            heapreplace(waiting, turn(index))
        else:
            heappop(waiting)
    return tuple(dealt)


def priority(seed: int, name: str) -> int:
    """Return the position in the queue, 0 to 2**64 - 1, of the unit called ``name``: a hash with ``seed``."""
    digest = blake2b(name.encode(), digest_size=8, key=seed.to_bytes(8), person=b"sample")
    return int.from_bytes(digest.digest())


def chosen(
    strata: npt.NDArray[np.int64], priorities: npt.NDArray[np.uint64], taken: Sequence[int]
) -> npt.NDArray[np.bool_]:
    """Return a mask of the units in a sample: the first ``taken[stratum]`` in the queue of each stratum.

    ``strata`` and ``priorities`` (units,) are the stratum of each unit and its position in the queue.
    """
    order = np.lexsort((priorities, strata))
    ordered = strata[order]
    # The rank within a stratum is the rank among all, less that of the first of the stratum.
    ranks = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    is_chosen = np.zeros(len(order), np.bool_)
    is_chosen[order] = ranks < np.asarray(taken, np.int64)[ordered]
    return is_chosen
