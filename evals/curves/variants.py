"""Prompt variants of nested curves: reasoning before the answer, and a hint of how many regions there are."""

import hashlib

from planimeter.evals.curves.protocol import read
from planimeter.evals.graphs import strictly
from planimeter.evals.places import Row
from planimeter.evals.variants import replaced

VARIANTS = {
    "reasoned": "reasoning is asked for before the answer",
    "count_given": "the true number of regions is said",
    "count_noised": "a number of regions is said that is 10% to 20% off, and at least one",
}

_ANSWER = "Answer inside <answer> tags"
_REASONED = "First describe in writing which curve lies in which. Then answer inside <answer> tags"


def reworded(config: str, row: Row, variant: str) -> tuple[str, str]:  # noqa: ARG001 - all configs alike
    """Return the system prompt and the prompt of a variant."""
    words = _REASONED
    if variant != "reasoned":
        count = int(str(row["answer"]).split("\n", 1)[0])
        hint = f"about {_regions(noised(count, row))}" if variant == "count_noised" else _regions(count)
        words = f"Without the root there are {hint}.\n\n{_ANSWER}"
    return str(row["system_prompt"]), replaced(str(row["prompt"]), _ANSWER, words)


read_strictly = strictly(read)


def noised(count: int, row: Row) -> int:
    """Return ``count`` 10% to 20% larger or smaller, at least by one: a pure function of the row's id and seed."""
    digest = hashlib.sha256(f"{row['id']} {row['seed']}".encode()).digest()
    share = 0.1 + 0.1 * int.from_bytes(digest[:8]) / 2**64
    away = max(1, round(share * count))
    return count + away if digest[8] % 2 or away >= count else count - away


def _regions(count: int) -> str:
    return f"{count} region" if count == 1 else f"{count} regions"
