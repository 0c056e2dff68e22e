"""Near duplicates among problems: similarity of 8-grams, within statements and within code (GeoGramBench, section 4.2).

Similarity is Jaccard's, over runs of eight words. Comparing each new text with all earlier ones is not needed: a text
that shares half of the runs with another one must share one of any set of more than half of them, so it is enough to
look up the rarest ones. The answer is exact all the same.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b
from math import ceil
from typing import Final

from planimeter.filters.verdict import Verdict

#: Words in a run (section 4.2, after s1).
RUN: Final = 8

#: Two ways to cut a text into words: between blanks, and at every sign that is no letter or digit. Prose is alike in
#: both; code is not ("draw(A--B);" is one word or three), and no near duplicate should hide behind the choice.
_WORDS: Final = (re.compile(r"\S+"), re.compile(r"\w+"))

Runs = frozenset[int]


def runs(text: str) -> tuple[Runs, ...]:
    """Return digests of all runs of eight words of ``text``, once for each way to cut it; short texts are one run."""
    return tuple(_runs(pattern.findall(text.lower())) for pattern in _WORDS)


def _runs(words: list[str]) -> Runs:
    grams = [" ".join(words[i : i + RUN]) for i in range(max(1, len(words) - RUN + 1))]
    return frozenset(int.from_bytes(blake2b(g.encode(), digest_size=8).digest(), "little") for g in grams)


def similarity(a: tuple[Runs, ...], b: tuple[Runs, ...]) -> float:
    """Return Jaccard's index of two texts by their runs, 0 to 1: the larger one of the two ways to cut them."""
    return max(_jaccard(x, y) for x, y in zip(a, b, strict=True))


def _jaccard(a: Runs, b: Runs) -> float:
    common = len(a & b)
    union = len(a) + len(b) - common
    return common / union if union else 1.0


class Texts:
    """The texts that were kept so far, to compare new ones with."""

    def __init__(self, limit: float) -> None:
        if not 0 < limit < 1:
            raise ValueError(f"need 0 < limit < 1, got {limit}")
        self.limit = limit
        self._kept: list[tuple[Runs, ...]] = []
        self._holders: tuple[dict[int, list[int]], ...] = tuple({} for _ in _WORDS)

    def most_similar(self, text: tuple[Runs, ...]) -> float:
        """Return the similarity of ``text`` to the kept text most like it, exact where it is above ``limit``."""
        worst = 0.0
        for cut, (own, holders) in enumerate(zip(text, self._holders, strict=True)):
            by_rarity = sorted(own, key=lambda run, h=holders: (len(h.get(run, ())), run))  # type: ignore[misc]
            candidates: set[int] = set()
            for run in by_rarity[: len(own) - ceil(self.limit * len(own)) + 1]:
                candidates.update(holders.get(run, ()))
            worst = max([worst, *(_jaccard(own, self._kept[i][cut]) for i in sorted(candidates))])
        return worst

    def add(self, text: tuple[Runs, ...]) -> None:
        """Keep ``text``."""
        for own, holders in zip(text, self._holders, strict=True):
            for run in own:
                holders.setdefault(run, []).append(len(self._kept))
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


def packed(template: str, statement: str, code: str) -> bytes:
    """Return what ``DistinctProblems`` compares; it takes a third of the digests of the runs."""
    return zlib.compress(f"{template}\0{statement}\0{code}".encode(), 9)


class DistinctProblems:
    """Judges packed problems in order, by the similarity of statements and of programs, and by the template's share.

    ``most`` is how many one template may have.
    """

    def __init__(self, similarity: float, most: int) -> None:
        self._statements, self._codes, self._most = Texts(similarity), Texts(similarity), most
        self._held: Counter[str] = Counter()

    def judge(self, problem: bytes) -> Verdict:
        """Return whether the next problem is kept, under the check "distinct"."""
        template, statement, code = zlib.decompress(problem).decode().split("\0")
        held = self._held[template]
        if held >= self._most:
            reason = "its template fills its share of the rows"
            return Verdict(check="distinct", kept=False, measured=held, limit=self._most, reason=reason)
        (verdict,) = near_duplicates([(statement, code)], self._statements, self._codes)
        self._held[template] += verdict.kept
        return replace(verdict, check="distinct")
