"""Near-duplicates among problems, by the similarity of 8-grams in statements and in code (GeoGramBench, section 4.2).

The similarity of two texts is the Jaccard index of their sets of runs (8-grams: eight consecutive words). A run is
stored as 32 bits of a digest. Two different runs have equal bits with a probability of one in four billion; that raises
a similarity slightly and never lowers it, so that no near-duplicate is missed.
"""

import re
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.verdict import Verdict

#: Words in a run (section 4.2, after s1).
RUN: Final = 8

#: Two ways to cut a text into words: between blanks, and at every sign except letters and digits. Prose is alike in
#: both; code is not ("draw(A--B);" is one word or three), and the choice should not hide a near-duplicate.
_WORDS: Final = (re.compile(r"\S+"), re.compile(r"\w+"))

#: Odd factors of the words of a run, so that their order counts.
_PLACES: Final = np.random.default_rng(0).integers(0, 1 << 63, RUN, np.uint64) * 2 + 1

#: The digests of a text, in ascending order. Two that are equal count twice.
Digests = npt.NDArray[np.uint32]
Runs = tuple[Digests, ...]

#: An array of digests is merged with the next one unless it is more than this many times as long.
_GROWTH: Final = 8


def runs(text: str) -> Runs:
    """Return the digests of all runs of eight words in ``text``, an array for each way to split it into words.

    A shorter text is one run.
    """
    return tuple(_runs(pattern.findall(text.lower()) or [""]) for pattern in _WORDS)


def _runs(words: list[str]) -> Digests:
    digests = np.array([_digest(word) for word in words], np.uint64)
    width = min(RUN, len(words))
    hashes = np.lib.stride_tricks.sliding_window_view(digests, width) @ _PLACES[:width]
    # Equal runs are merged by all 64 bits; the upper ones keep the order.
    return (np.unique(hashes) >> 32).astype(np.uint32)


@lru_cache(1 << 16)
def _digest(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")


def similarity(one: Runs, other: Runs) -> float:
    """Return the Jaccard similarity, 0 to 1, of two texts, split into words in the way that gives the higher one."""
    shared = [len(np.intersect1d(a, b)) for a, b in zip(one, other, strict=True)]
    return max(n / (len(a) + len(b) - n) for n, a, b in zip(shared, one, other, strict=True))


class _Index:
    """An index of the kept texts by their digests, for one way to split texts into words.

    It has sorted arrays of digests and, for each digest, the number of its text. Arrays are merged so that each is
    over eight times as long as the next one; so a digest is moved only log(number of texts) times.
    """

    def __init__(self) -> None:
        self._sizes = array("q")
        self._sorted: list[tuple[Digests, Digests]] = []

    def similarities(self, text: Digests) -> npt.NDArray[np.float64]:
        """Return the similarities (k,) of ``text`` to the first k kept texts; later ones share no run with it."""
        owners = [np.empty(0, np.uint32)]
        for digests, texts in self._sorted:
            starts = digests.searchsorted(text)
            matches = digests.take(starts, mode="clip") == text
            ends = digests.searchsorted(text[matches], "right")
            owners += [texts[i:j] for i, j in zip(starts[matches].tolist(), ends.tolist(), strict=True)]
        shared = np.bincount(np.concatenate(owners))
        union = len(text) + np.frombuffer(self._sizes, np.int64)[: len(shared)] - shared
        similar: npt.NDArray[np.float64] = shared / union
        return similar

    def add(self, text: Digests) -> None:
        digests, texts = text, np.full(len(text), len(self._sizes), np.uint32)
        self._sizes.append(len(text))
        while self._sorted and len(self._sorted[-1][0]) <= _GROWTH * len(digests):
            earlier = self._sorted.pop()
            digests, texts = np.concatenate([earlier[0], digests]), np.concatenate([earlier[1], texts])
            order = digests.argsort(kind="stable")
            digests, texts = digests[order], texts[order]
        self._sorted.append((digests, texts))


class Texts:
    """The texts kept so far, with which new ones are compared; ``limit`` is the greatest similarity allowed."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._kept = tuple(_Index() for _ in _WORDS)

    def most_similar(self, text: Runs) -> float:
        """Return the similarity, 0 to 1, of ``text`` to the most similar kept text."""
        return max(
            float(kept.similarities(digests).max(initial=0.0)) for digests, kept in zip(text, self._kept, strict=True)
        )

    def alike(self, text: Runs) -> list[int]:
        """Return the numbers, in order of addition, of the kept texts more similar to ``text`` than ``limit``."""
        pairs = zip(text, self._kept, strict=True)
        matches = (np.flatnonzero(kept.similarities(digests) > self.limit) for digests, kept in pairs)
        return sorted({int(number) for numbers in matches for number in numbers})

    def add(self, text: Runs) -> None:
        """Add ``text`` to the kept texts."""
        for digests, kept in zip(text, self._kept, strict=True):
            kept.add(digests)


def near_duplicates(items: Iterable[tuple[str, str]], statements: Texts, codes: Texts) -> list[Verdict]:
    """Judge (statement, code) pairs in order against those kept before, and add the kept ones to both ``Texts``.

    ``measured`` is the larger of the two similarities.
    """
    verdicts: list[Verdict] = []
    for statement, code in items:
        texts = runs(statement), runs(code)
        in_words, in_code = statements.most_similar(texts[0]), codes.most_similar(texts[1])
        kept = in_words <= statements.limit and in_code <= codes.limit
        reason = f"the {'statement' if in_words > statements.limit else 'code'} is like an earlier one"
        if kept:
            statements.add(texts[0])
            codes.add(texts[1])
        verdicts.append(Verdict.of("duplicates", kept, max(in_words, in_code), statements.limit, reason))
    return verdicts


def packed(template: str, statement: str, code: str) -> bytes:
    """Return a problem as compressed bytes for ``DistinctProblems``: a third of the size of the problem's hashes."""
    return zlib.compress(f"{template}\0{statement}\0{code}".encode(), 9)


def unpacked(problem: bytes) -> list[str]:
    """Return (template, statement, code) from the result of ``packed``."""
    return zlib.decompress(problem).decode().split("\0")


class DistinctProblems:
    """A filter that rejects near-duplicates of kept problems, and more than ``most`` problems of one template.

    Problems are judged in order, as bytes from ``packed``; ``similarity`` is the greatest that is allowed, 0 to 1.
    """

    def __init__(self, similarity: float, most: int) -> None:
        self._statements, self._codes, self._most = Texts(similarity), Texts(similarity), most
        self._counts: Counter[str] = Counter()

    def judge(self, problem: bytes) -> Verdict:
        """Return the verdict of the check "distinct" on the next packed problem."""
        template, statement, code = unpacked(problem)
        count = self._counts[template]
        if count >= self._most:
            return Verdict.of("distinct", False, count, self._most, "its template fills its share of the rows")
        (verdict,) = near_duplicates([(statement, code)], self._statements, self._codes)
        self._counts[template] += verdict.kept
        return replace(verdict, check="distinct")
