"""Near duplicates among problems: similarity of 8-grams, within statements and within code (GeoGramBench, section 4.2).

Similarity is Jaccard's, over runs of eight words. Comparing each new text with all earlier ones is not needed: a text
that shares half of the runs with another one must share one of any set of more than half of them, so it is enough to
look up the rarest ones. The answer is exact all the same.
"""

import re
from collections.abc import Iterable
from hashlib import blake2b
from math import ceil
from typing import Final

from filters.verdict import Verdict

#: Words in a run (section 4.2, after s1).
RUN: Final = 8

_WORD: Final = re.compile(r"\w+")


def runs(text: str) -> frozenset[int]:
    """Return digests of all runs of eight words of ``text``; of the whole text where it has fewer."""
    words = _WORD.findall(text.lower())
    grams = [" ".join(words[i : i + RUN]) for i in range(max(1, len(words) - RUN + 1))]
    return frozenset(int.from_bytes(blake2b(g.encode(), digest_size=8).digest(), "little") for g in grams)


def similarity(a: frozenset[int], b: frozenset[int]) -> float:
    """Return Jaccard's index of two sets of runs, 0 to 1."""
    union = len(a | b)
    return len(a & b) / union if union else 1.0


class Texts:
    """The texts that were kept so far, to compare new ones with."""

    def __init__(self, limit: float) -> None:
        if not 0 < limit < 1:
            raise ValueError(f"need 0 < limit < 1, got {limit}")
        self.limit = limit
        self._kept: list[frozenset[int]] = []
        self._holders: dict[int, list[int]] = {}

    def most_similar(self, text: frozenset[int]) -> float:
        """Return the similarity of ``text`` to the kept text most like it, exact where it is above ``limit``."""
        by_rarity = sorted(text, key=lambda run: (len(self._holders.get(run, ())), run))
        probes = by_rarity[: len(text) - ceil(self.limit * len(text)) + 1]
        candidates = {i for run in probes for i in self._holders.get(run, ())}
        return max((similarity(text, self._kept[i]) for i in sorted(candidates)), default=0.0)

    def add(self, text: frozenset[int]) -> None:
        """Keep ``text``."""
        for run in text:
            self._holders.setdefault(run, []).append(len(self._kept))
        self._kept.append(text)


def near_duplicates(items: Iterable[tuple[str, str]], statements: Texts, codes: Texts) -> list[Verdict]:
    """Judge (statement, code) pairs in order against those kept before, and keep the new ones in both indexes.

    ``measured`` is the larger of the two similarities.
    """
    verdicts: list[Verdict] = []
    for statement, code in items:
        texts = runs(statement), runs(code)
        in_words, in_code = statements.most_similar(texts[0]), codes.most_similar(texts[1])
        worst, limit = max(in_words, in_code), statements.limit
        kept = in_words <= statements.limit and in_code <= codes.limit
        alike = "statement" if in_words > limit else "code"
        reason = "" if kept else f"the {alike} is like an earlier one"
        if kept:
            statements.add(texts[0])
            codes.add(texts[1])
        verdicts.append(Verdict(check="duplicates", kept=kept, measured=worst, limit=limit, reason=reason))
    return verdicts
