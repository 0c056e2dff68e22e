"""Reads and scores replies."""

import re

from planimeter.evals.answers import Parsed, stated
from ropes.words import answer

CONFIGS = ("coloured", "one_colour", "train")
HEADLINE, DENSE = "accuracy", "ropes_right"
METRICS = {"accuracy": "replies in which every rope is right", "ropes_right": "ropes that are right, as a share"}

_PAIR = re.compile(r"\b([A-Fa-f])\s{0,3}(?:[-=\u2013]{0,2}>|[-:=\u2192\u2013]|to|ends\s+at|goes\s+to)?\s{0,3}([1-6])\b")
_ASKED = r"<answer>[A-F][1-6](?: [A-F][1-6])*</answer>"


def read(config, row, reply, *, strict):
    """Read the number of each letter, at the mark of the answer; strictly, it is the whole reply."""

    def ends(text):
        pairs = {(letter.upper(), number) for letter, number in _PAIR.findall(text)}
        if len(dict(pairs)) < len(pairs):
            return Parsed(value=None, reason="several answers")
        if dict(pairs).keys() != _gold(row).keys():
            return Parsed(value=None, reason="not each letter once")
        return Parsed(value=dict(pairs))

    return stated(reply, ends, _ASKED, strict=strict, multiline=True)


def _gold(row):
    return dict(row["answer"].split())  # "A2" is a letter and its number


def score(config, row, parsed):
    gold, ends = _gold(row), parsed.value or {}
    right = sum(ends.get(letter) == number for letter, number in gold.items())
    return {"accuracy": float(right == len(gold)), "ropes_right": right / len(gold)}


written = answer


def render(answer):
    return f"<answer>{answer}</answer>"


def question(config, row):
    """Return the tangle of a row: its two pictures are not independent."""
    return row.get("coloured_id") or row["id"]
