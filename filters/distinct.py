"""Tells items apart from all earlier ones: the last word before an item is published."""

from collections.abc import Iterable

from filters.verdict import Verdict


def distinct(signatures: Iterable[str], seen: set[str]) -> list[Verdict]:
    """Judge items by their signatures in order; ``seen`` holds those of earlier items and is added to.

    The first of equal items is kept. ``measured`` is the number of equal earlier items (0 or 1), ``limit`` 0.
    """
    verdicts: list[Verdict] = []
    for signature in signatures:
        again = signature in seen
        seen.add(signature)
        verdicts.append(
            Verdict(
                check="distinct",
                kept=not again,
                measured=float(again),
                limit=0.0,
                reason="equals an earlier item" if again else "",
            )
        )
    return verdicts
