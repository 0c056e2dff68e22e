"""Prompt variants of MaRVL-QA: reasoning before the answer."""

from planimeter.evals.answers import Parsed, outside_reasoning
from planimeter.evals.marvl_qa.prompt import TAG
from planimeter.evals.marvl_qa.protocol import parse_strict
from planimeter.evals.places import Row

VARIANTS = {"reasoned": "reasoning is asked for before the line of the answer"}

_ALONE = "Reply with one line and nothing else, no working and no comment. On that line write"
_REASONED = "Work it out in writing first, as long as you like. Then close with a line of its own, on which you write"
WORDS = {"reasoned": (_ALONE, _REASONED)}


def read_strictly(config: str, row: Row, reply: str, variant: str) -> Parsed[int]:  # noqa: ARG001 - one variant
    """Take the last line outside of reasoning, if the one tag there fills it."""
    before, _, last = outside_reasoning(reply).rpartition("\n")
    if f"<{TAG}>" in before:
        return Parsed(value=None, reason="not the asked format")
    return parse_strict(config, last)
