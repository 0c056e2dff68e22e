"""What the probes look at in GeoGramBench's problems.

Most answers occur once. A blind probe guesses whether the answer is among the lowest, the middle or the highest third
of those of its template; whether it stands in the statement is asked of the answer itself.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from planimeter.evals.geogram.protocol import CONFIGS
from planimeter.evals.probes.part import Measures, Part, Row, thirds

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def _code(row: Row) -> Measures:
    code = str(row["code"])
    return {"length": len(code), "lines": code.count("\n"), "language": str(row["language"])}


def _thirds(rows: Sequence[Row]) -> list[str]:
    """Return in which third of its template each answer lies; those that are no number form another class."""
    pools: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        if row["answer_value"] is not None:
            pools.setdefault(_template(row), []).append(place)
    labels = ["none"] * len(rows)
    for pool in pools.values():
        for place, third in zip(pool, thirds([rows[place]["answer_value"] for place in pool]), strict=True):
            labels[place] = third
    return labels


def _stated(row: Row, answer: str) -> bool:
    """Return whether ``answer`` stands in the statement of ``row``."""
    return answer in _NUMBER.findall(str(row["problem"]))


def _template(row: Row) -> str:
    return str(row.get("template") or "")


_PART = Part(
    guesses="answer, by the thirds of its template",
    targets=_thirds,
    met=_stated,
    group=lambda row: _template(row) or str(row["id"]),
    stratum=_template,
    metrics=("accuracy",),
    blind={"length and language of the code": _code},
)

PARTS: Mapping[str, Part] = MappingProxyType(dict.fromkeys(CONFIGS, _PART))
