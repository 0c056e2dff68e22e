"""Reads and scores replies to both kinds."""

import re

from planimeter.evals.answers import Parsed, stated
from tiles.words import SYMMETRIES

CONFIGS = ("areas", "mirror", "train")
HEADLINE = "accuracy"
METRICS = {"accuracy": "right answers", "off_by_one": "numbers that are right or one off"}
#: Which kind a training row asks is in a column, which a reward is to be handed, too.
NEEDED = {"train": ("kind",)}

_FORMS = {"areas": "[0-9]{1,3}", "mirror": "|".join(SYMMETRIES)}


def _kind(config, row):
    return row["kind"] if config == "train" else config


def read(config, row, reply, *, strict):
    """Read the number, or the symmetry, that ``reply`` states."""
    form = _FORMS[_kind(config, row)]

    def answer(text):
        named = set(re.findall(rf"(?<![\w-])(?:{form})(?![\w-])", text.lower()))
        return Parsed(value=named.pop()) if len(named) == 1 else Parsed(value=None, reason="not one answer")

    return stated(reply, answer, f"<answer>(?:{form})</answer>", strict=strict)


def score(config, row, parsed):
    right = {"accuracy": float(parsed.value == row["answer"])}
    if _kind(config, row) == "mirror":
        return right
    near = parsed.value is not None and abs(int(parsed.value) - int(row["answer"])) <= 1
    return right | {"off_by_one": float(near)}


def written(value):
    return value


def render(answer):
    return f"<answer>{answer}</answer>"
