"""Rejects items that equal an earlier one: the last check before an item is published."""

from planimeter.filters.verdict import Verdict

CHECK = "distinct"


class Distinct:
    """Judges items by their signatures, in order: the first of equal items is kept."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def judge(self, signature: str) -> Verdict:
        """Judge the next item; ``measured`` is the number of equal earlier items (0 or 1), ``limit`` 0."""
        again = signature in self._seen
        self._seen.add(signature)
        return Verdict.of(CHECK, not again, again, 0.0, "equals an earlier item")
