"""The verifier's report of a broken promise."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile, zip_longest

OTHER_PROGRAM = "build the dataset again, or verify it with the Planimeter that built it"


@dataclass(frozen=True, slots=True)
class Problem:
    """A broken promise: the file or row, the rule with the value that breaks it, and the remedy."""

    where: str
    what: str
    remedy: str = "build the dataset again"

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.remedy}"


def first_difference(name: str, text: str, expected: str) -> Iterator[Problem]:
    """Yield the first line in which the document ``name`` differs from the one that its writer makes, if any."""
    lines = zip_longest(text.split("\n"), expected.split("\n"), fillvalue="")
    for number, (line, other) in enumerate(lines, start=1):
        if line != other:
            same = takewhile(lambda pair: pair[0] == pair[1], zip(line, other, strict=False))
            start = max(sum(1 for _ in same) - 40, 0)
            found, made = (repr(whole[start : start + 80]) for whole in (line, other))
            what = f"line {number} is {found}, but manifest.json and the rows make it {made}"
            yield Problem(name, what, OTHER_PROGRAM)
            return
