"""Reads and scores replies."""

import re

from planimeter.evals.answers import Parsed, answer_of, outside_reasoning, untagged, visible

CONFIGS = ("coloured", "one_colour", "train")
HEADLINE, DENSE = "accuracy", "ropes_right"
METRICS = {
    "accuracy": "replies in which every rope is right",
    "ropes_right": "ropes that are right, of those of a picture",
}

_PAIR = re.compile(r"\b([A-Fa-f])\s{0,3}(?:[-=\u2013]{0,2}>|[-:=\u2192\u2013]|to|ends\s+at|goes\s+to)?\s{0,3}([1-6])\b")
_STRICT = re.compile(r"<answer>([A-F][1-6](?: [A-F][1-6])*)</answer>")


def read(config, row, reply, *, strict):
    """Read the number of each letter: of the asked form alone, or wherever a reply plainly states it."""
    if strict:
        asked = _STRICT.fullmatch(outside_reasoning(reply).strip())
        return _ends(asked[1], row) if asked else Parsed(value=None, reason="not the asked format")
    text = visible(reply)
    marked = answer_of(text, lambda phrase: _ends(phrase, row), multiline=True)
    return marked or _ends(untagged(text), row)


def _ends(text, row):
    pairs = {(letter.upper(), number) for letter, number in _PAIR.findall(text)}
    ends = dict(pairs)
    if len(ends) < len(pairs):
        return Parsed(value=None, reason="several answers")
    if ends.keys() != _gold(row).keys():
        return Parsed(value=None, reason="not each letter once")
    return Parsed(value=ends)


def _gold(row):
    return {pair[0]: pair[1] for pair in str(row["answer"]).split()}


def score(config, row, parsed):
    gold, ends = _gold(row), parsed.value or {}
    right = sum(ends.get(letter) == number for letter, number in gold.items())
    return {"accuracy": float(right == len(gold)), "ropes_right": right / len(gold)}


def written(value):
    return " ".join(f"{letter}{number}" for letter, number in sorted(value.items()))


def render(answer):
    return f"<answer>{answer}</answer>"


def question(config, row):
    """Return the tangle: the two pictures of one are not independent."""
    return row.get("coloured_id") or row["id"]
