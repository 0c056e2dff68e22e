"""Which sets of digests are alike: an exact search that compares few of them in full, and holds them compactly.

Likeness is Jaccard's index: how many members two sets share, out of all that they have. Two sets of n and s members
that are more alike than ``limit`` share more than limit / (1 + limit) * (n + s) members. In whatever order members are
taken, the first one that both have then comes so early in each set that as many are left. So only the first members of
a set need to be looked up (a prefix filter). The rare ones come first, and lead to few other sets.

What is rare is counted anew as sets are added: they stand in blocks, each about three times as large as the next one,
with separate counts and a separate order. A set is indexed again whenever its block is merged with one of its size,
which happens log(number of sets) times. It takes 4 bytes a member, and half of that again, or a little more, for the
index.
"""

from typing import Final

import numba
import numpy as np
import numpy.typing as npt

#: The members of a set in ascending order, (members,). Two that are equal count twice.
Members = npt.NDArray[np.uint32]

#: Sets that are compared with all new ones, before they become a block.
_LOOSE: Final = 64

#: A block is merged with the next one, unless it has more than so many times its sets.
_GROWTH: Final = 3

#: Counters for each set of a block, by which its members are put into an order.
_COUNTERS: Final = 16

#: Members to a bucket of the index.
_CROWD: Final = 4

#: More than roundings add to a bound.
_SLACK: Final = 1e-6


def alike(a: Members, b: Members) -> float:
    """Return Jaccard's index of two sets, 0 to 1; two empty ones are equal."""
    return float(_jaccard(a, b))


class Sets:
    """Sets to compare others with; none may be empty."""

    def __init__(self, limit: float) -> None:
        if not 0 < limit < 1:
            raise ValueError(f"need 0 < limit < 1, got {limit}")
        self.limit = limit
        self._blocks: list[_Block] = []
        self._loose = np.empty(0, np.uint32), np.zeros(1, np.int64)

    def most_alike(self, query: Members) -> float:
        """Return how much ``query`` is like the set most like it, exact where it is above the limit."""
        similarities = [block.most_alike(query) for block in self._blocks]
        members, ends = self._loose
        return max([float(_most_of_all(query, members, ends)), *similarities])

    def add(self, new: Members) -> None:
        """Add a set."""
        members, ends = np.concatenate([self._loose[0], new]), np.append(self._loose[1], self._loose[1][-1] + len(new))
        if len(ends) > _LOOSE:
            while self._blocks and len(self._blocks[-1].ends) <= _GROWTH * len(ends):
                last = self._blocks.pop()
                members = np.concatenate([last.members, members])
                ends = np.concatenate([last.ends, last.ends[-1] + ends[1:]])
            members, ends = _by_size(members, ends)
            self._blocks.append(_Block(members, ends, self.limit))
            members, ends = np.empty(0, np.uint32), np.zeros(1, np.int64)
        self._loose = members, ends


class _Block:
    """Sets that are indexed together, the smallest first: set i is ``members[ends[i] : ends[i + 1]]``."""

    def __init__(self, members: Members, ends: npt.NDArray[np.int64], limit: float) -> None:
        self.members, self.ends, self._limit = members, ends, limit
        self._counts = _counted(members, _bits(_COUNTERS * len(ends)))
        first = _first_members(members, ends, self._counts, limit)
        self._index = _bucketed(members, first, _bits(len(first) // _CROWD))
        #: The number of the last question for which a set was compared, so that none is compared twice.
        self._asked = np.zeros(len(ends), np.uint32)
        self._questions = 0

    def most_alike(self, query: Members) -> float:
        self._questions += 1
        index = self._counts, *self._index, self._asked, self._questions
        return float(_most_of_block(query, self.members, self.ends, self._limit, *index))


def _bits(wanted: int) -> int:
    """Return for how many top bits of a member there are about ``wanted`` values."""
    return min(max(wanted.bit_length(), 4), 28)


@numba.njit(cache=True)
def _by_size(members, ends):  # type: ignore[no-untyped-def]
    """Return ``members`` and ``ends`` of the same sets, the smallest first."""
    sizes = ends[1:] - ends[:-1]
    order = np.argsort(sizes, kind="mergesort")
    starts, sorted_members = np.zeros_like(ends), np.empty_like(members)
    for i in range(len(order)):
        starts[i + 1] = starts[i] + sizes[order[i]]
        sorted_members[starts[i] : starts[i + 1]] = members[ends[order[i]] : ends[order[i] + 1]]
    return sorted_members, starts


@numba.njit(cache=True)
def _jaccard(a, b):  # type: ignore[no-untyped-def]
    i, j, common = 0, 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            i, j, common = i + 1, j + 1, common + 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    union = len(a) + len(b) - common
    return common / union if union else 1.0


@numba.njit(cache=True)
def _most_of_all(query, members, ends):  # type: ignore[no-untyped-def]
    most = 0.0
    for i in range(len(ends) - 1):
        most = max(most, _jaccard(query, members[ends[i] : ends[i + 1]]))
    return most


@numba.njit(cache=True)
def _counted(members, bits):  # type: ignore[no-untyped-def]
    """Return how often members with the same top bits occur: uint16 (2 ** bits,), at most 65535."""
    counts = np.zeros(1 << bits, np.uint16)
    for member in members:
        counts[member >> (32 - bits)] += counts[member >> (32 - bits)] < 65535
    return counts


@numba.njit(cache=True)
def _keys(members, counts):  # type: ignore[no-untyped-def]
    """Return uint64 (members,): in their order the rarest member comes first. Each has its member as its lower half."""
    shift = 32 - int(np.log2(len(counts)))
    keys = np.empty(len(members), np.uint64)
    for i in range(len(members)):
        keys[i] = np.uint64(counts[members[i] >> shift]) << np.uint64(32) | np.uint64(members[i])
    return keys


@numba.njit(cache=True)
def _least(n, s, limit):  # type: ignore[no-untyped-def]
    """Return a bound below how many members sets of ``n`` and ``s`` share that are more alike than ``limit``."""
    return limit / (1 + limit) * (n + s) - _SLACK


@numba.njit(cache=True)
def _first_members(members, ends, counts, limit):  # type: ignore[no-untyped-def]
    """Return the places in ``members`` of those that are looked up: the rarest of each set."""
    first, number = np.empty(len(members), np.uint32), 0
    for i in range(len(ends) - 1):
        n = ends[i + 1] - ends[i]
        order = np.argsort(_keys(members[ends[i] : ends[i + 1]], counts))
        for place in range(n):
            # The smallest set that may be like this one is smaller than it by the limit.
            if n - place < _least(n, limit * n, limit):
                break
            first[number] = ends[i] + order[place]
            number += 1
    return first[:number].copy()


@numba.njit(cache=True)
def _bucketed(members, first, bits):  # type: ignore[no-untyped-def]
    """Return where each bucket starts, (2 ** bits + 1,), and ``first`` by buckets: members with the same top bits."""
    starts = np.zeros((1 << bits) + 1, np.uint32)
    for place in first:
        starts[(members[place] >> (32 - bits)) + 1] += 1
    for bucket in range(1 << bits):
        starts[bucket + 1] += starts[bucket]
    filled, places = starts.copy(), np.empty_like(first)
    for place in first:
        bucket = members[place] >> (32 - bits)
        places[filled[bucket]] = place
        filled[bucket] += 1
    return starts, places


@numba.njit(cache=True)
def _most_of_block(query, members, ends, limit, counts, starts, places, last_compared, question):  # type: ignore[no-untyped-def]
    shift = 32 - int(np.log2(len(starts) - 1))
    n, most = len(query), 0.0
    keys = np.sort(_keys(query, counts))
    sizes = ends[1:] - ends[:-1]
    # As sets stand by size, those of sizes from one to another are in a row.
    begin = ends[np.searchsorted(sizes, limit * n - _SLACK)]
    for i in range(n):
        end = ends[np.searchsorted(sizes, (n - i + _SLACK) * (1 + limit) / limit - n, side="right")]
        if end <= begin:
            break
        member = np.uint32(keys[i])
        for k in range(starts[member >> shift], starts[(member >> shift) + 1]):
            if places[k] < begin or places[k] >= end or members[places[k]] != member:
                continue
            other = np.searchsorted(ends, places[k], side="right") - 1
            if last_compared[other] != question:
                last_compared[other] = question
                most = max(most, _jaccard(query, members[ends[other] : ends[other + 1]]))
    return most
