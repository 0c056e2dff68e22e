"""The baselines (reference models) of GeoGramBench, and the inputs of the probes, which search for shortcuts.

Most answers occur only once. Therefore a blind probe, which cannot solve the problem, guesses whether the answer is
among the lowest, the middle or the highest third of the answers of its template. A second probe finds answers that
occur in the statement.
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
    """Return the certifier's answer, from statement, program and `givens` (a JSON text of the given facts).

    The certifier computes a decimal number; if the row's answer has this value, to 1 in 500,000, the exact form of the
    row's answer is returned.
    """
    return certify(*(row[name] for name in _FIGURE)).answer or ""


class OtherAnswer(Solver):
    """A baseline that answers with the answer of another row, chosen at random."""

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
    """A baseline that answers with a random number from the statement, or not at all if there is none."""

    columns = ("problem",)

    def answer(self, row: Row, rng: np.random.Generator) -> str:
        numbers = list(dict.fromkeys(_NUMBER.findall(row["problem"])))
        return numbers[int(rng.integers(len(numbers)))] if numbers else ""


@reader("code", "language", "givens", slow=True)
def ruler(row: Row) -> str:
    """Return the asked quantity, measured in the figure as the program draws it, which need not be to scale.

    The result is empty if the program cannot be read.
    """
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
    """Return "0" (lowest third), "1" or "2" for each row: the rank of its answer among all answers of its template.

    A non-numeric answer gives "none".
    """
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
