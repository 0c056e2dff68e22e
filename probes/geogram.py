"""What the probes look at in GeoGramBench's problems: a blind probe guesses the answer itself."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from planimeter.evals.geogram.protocol import CONFIGS
from planimeter.probes.part import Measures, Part, Row

#: Numbers of a statement that a blind probe sees, the first ones.
_NUMBERS = 4

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def _code(row: Row) -> Measures:
    code = str(row["code"])
    return {"length": len(code), "lines": code.count("\n"), "language": str(row["language"])}


def _numbers(row: Row) -> Measures:
    found = [float(text) for text in _NUMBER.findall(str(row["problem"]))]
    first = {f"number {place}": number for place, number in enumerate(found[:_NUMBERS])}
    return {"how many": len(found), "largest": max(found, default=0.0), **first}


_PART = Part(
    guesses="answer",
    target=lambda row: str(row["answer"]),
    group=lambda row: str(row.get("template") or row["id"]),
    stratum=lambda row: str(row.get("template", "")),
    metrics=("accuracy",),
    blind={"length and language of the code": _code, "numbers of the statement": _numbers},
)

PARTS: Mapping[str, Part] = MappingProxyType(dict.fromkeys(CONFIGS, _PART))
