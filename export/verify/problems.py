"""The problem that the verifier reports, and the comparison of a document with the one that a build would write."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile, zip_longest

#: The remedy for a document that differs from the one that this Planimeter writes.
OTHER_PROGRAM = "build the dataset again, or verify it with the Planimeter that built it"


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of a dataset: file or row (``where``), the broken rule with the value (``what``), and the remedy."""

    where: str
    what: str
    remedy: str = "build the dataset again"

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.remedy}"


def first_difference(name: str, text: str, expected: str) -> Iterator[Problem]:
    """Yield a problem with the first line of ``text`` that differs from ``expected``; ``name`` names the document."""
    lines = zip_longest(text.split("\n"), expected.split("\n"), fillvalue="")
    for number, (line, other) in enumerate(lines, start=1):
        if line != other:
            same = takewhile(lambda pair: pair[0] == pair[1], zip(line, other, strict=False))
            start = max(sum(1 for _ in same) - 40, 0)
            found, made = (repr(whole[start : start + 80]) for whole in (line, other))
            what = f"line {number} is {found}, but manifest.json and the rows make it {made}"
            yield Problem(name, what, OTHER_PROGRAM)
            return
