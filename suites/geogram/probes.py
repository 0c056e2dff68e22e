"""GeoGramBench's problems: their baselines, and the inputs of the probes.

Most answers occur only once. Therefore a blind probe guesses whether the answer is among the lowest, the middle or the
highest third of the answers of its template. A second probe finds answers that occur in the statement.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from planimeter.evals.baselines.solver import Solver, reader
from planimeter.evals.geogram.grader import CONFIGS
from planimeter.evals.probes.part import Measures, Part, thirds
from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.certificate import certify, measure
from planimeter.items.values import Row

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


_FIGURE = ("problem", "code", "language", "givens", "answer_latex")


@reader(*_FIGURE, slow=True)
def certificate(row: Row) -> str:
    """Return the answer of the certifier, from statement, program and `givens` (a list of the given facts).

    It computes a decimal number; if the row's answer has this value, to 1 in 500,000, it returns the exact form of the
    row.
    """
    return certify(*(row[name] for name in _FIGURE)).answer or ""


class OtherAnswer(Solver):
    """The answer of another row, chosen at random."""

    columns = ("id",)
    learns = ("id", "answer")

    def learn(self, rows: Iterable[Row]) -> None:
        self.answers = [(str(row["id"]), str(row["answer"])) for row in rows]

    def answer(self, row: Row, rng: np.random.Generator) -> str:
        k = int(rng.integers(len(self.answers)))
        if self.answers[k][0] == row["id"]:
            # One of the other rows, with equal probability; a single row gets its own.
            k = (k + int(rng.integers(1, max(len(self.answers), 2)))) % len(self.answers)
        return self.answers[k][1]


class Copy(Solver):
    """A random number from the statement; no answer if it contains none."""

    columns = ("problem",)

    def answer(self, row: Row, rng: np.random.Generator) -> str:
        numbers = list(dict.fromkeys(_NUMBER.findall(row["problem"])))
        return numbers[int(rng.integers(len(numbers)))] if numbers else ""


@reader("code", "language", "givens", slow=True)
def ruler(row: Row) -> str:
    """Return the asked quantity as measured in the figure that the program draws, which is not to scale."""
    try:
        found = measure(row["code"], row["language"], row["givens"]).asked
    except UnreadableError:
        return ""
    return f"{found:.4f}".rstrip("0").rstrip(".") if math.isfinite(found) else ""


SOLVERS: Mapping[str, type[Solver]] = {"certifier": certificate, "random": OtherAnswer, "copy": Copy, "ruler": ruler}


def _code(row: Row) -> Measures:
    code = str(row["code"])
    return {"length": len(code), "lines": code.count("\n"), "language": str(row["language"])}


def _thirds(rows: Sequence[Row]) -> list[str]:
    """Return the third of its template in which each answer is; "none" for a non-numeric answer."""
    pools: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        if row["answer_value"] is not None:
            pools.setdefault(_template(row), []).append(place)
    labels = ["none"] * len(rows)
    for pool in pools.values():
        for place, third in zip(pool, thirds([rows[place]["answer_value"] for place in pool]), strict=True):
            labels[place] = third
    return labels


def _template(row: Row) -> str:
    return str(row.get("template") or "")


PARTS: Mapping[str, Part] = dict.fromkeys(
    CONFIGS,
    Part(
        guesses="answer, by the thirds of its template",
        targets=_thirds,
        met=lambda row, answer: answer in _NUMBER.findall(str(row["problem"])),
        group=lambda row: _template(row) or str(row["id"]),
        stratum=_template,
        metrics=("accuracy",),
        blind={"length and language of the code": _code},
    ),
)
