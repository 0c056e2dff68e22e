"""The chance baselines, the low-resolution baselines and the certifier of a config, and how they score."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import getdoc
from typing import Any

import numpy as np

from planimeter.evals import grade, strata
from planimeter.evals.baselines.solver import Solver
from planimeter.evals.baselines.solving import answer_to, registry, solvers
from planimeter.evals.grading import protocol
from planimeter.evals.probes.part import Floats, Part, Row, parts_of
from planimeter.evals.probes.results import Figure, Reader, Step
from planimeter.evals.probes.sheets import Sheet
from planimeter.evals.scores.intervals import clustered

#: Reference models that see nothing of a row's picture or places.
FLOORS = ("majority", "random")

#: Rows of a config that the certifier reads: they were certified once, all of them.
CERTIFIED = 100

#: A stratum of fewer rows says little, and an axis of more values is none of difficulty.
_LEAST, _MOST = 10, 12


@dataclass(eq=False)
class Asked:
    """A reference model at work: it answers the rows at ``at`` (all by default), whose metrics are gathered."""

    name: str
    solver: Solver
    at: frozenset[int] | None = None
    pixels: int = 0
    metrics: dict[int, Mapping[str, float]] = field(default_factory=dict)

    @property
    def does(self) -> str:
        """What it does, in words."""
        return " ".join((getdoc(type(self.solver)) or "").split())

    def answer(self, row: Row) -> str:
        """Return its answer to ``row``, whose picture is there: that of `planimeter solve`."""
        return answer_to(row, self.solver, self.name)


def floors(sheet: Sheet) -> tuple[Reader, ...]:
    """Return how the best constant answer scores on ``sheet``, and the reference models that see nothing of a row."""
    models = [_asked(sheet.suite, sheet.config, sheet.recipe, name) for name in FLOORS]
    for model in models:
        model.solver.learn(sheet.rows)
        for place, row in enumerate(sheet.rows):
            model.metrics[place] = _graded(sheet, row, model.answer(row))
    return constant(sheet), *(score_baseline(model, sheet) for model in models)


def models(sheet: Sheet) -> list[Asked]:
    """Return the reference models that look at a row: half-blind readers, and the certifier last."""
    models = half_blind(sheet.suite, sheet.config, sheet.recipe)
    if "certifier" in registry(sheet.suite):
        some = np.linspace(0, len(sheet.rows) - 1, min(CERTIFIED, len(sheet.rows))).astype(int).tolist()
        models.append(_asked(sheet.suite, sheet.config, sheet.recipe, "certifier", at=frozenset(some)))
    return models


def half_blind(suite: str, config: str, recipe: Mapping[str, Any]) -> list[Asked]:
    """Return the half-blind readers of a config: they see little of a row, and learn nothing from others."""
    pixels = parts_of(suite)[config].pixels
    return [
        _asked(suite, config, recipe, name, size)
        for name, kinds in registry(suite).items()
        if name not in (*FLOORS, "certifier")
        for size in (pixels if kinds[config].sized else (0,))
    ]


def answer(models: Iterable[Asked], sheet: Sheet, place: int, png: bytes) -> None:
    """Let each model answer the row at ``place``, whose picture is ``png``."""
    row = {**sheet.rows[place], "image": {"bytes": png}}
    for model in models:
        if model.at is None or place in model.at:
            model.metrics[place] = _graded(sheet, sheet.rows[place], model.answer(row))


def score_baseline(model: Asked, sheet: Sheet) -> Reader:
    """Return how a model scored."""
    places = sorted(model.metrics)
    return Reader(
        name=model.name,
        does=model.does,
        rows=len(places),
        pixels=model.pixels,
        metrics=_figures(sheet, places, [model.metrics[place] for place in places]),
    )


def constant(sheet: Sheet) -> Reader:
    """Return the best constant answer, for each metric by itself: the baseline of all that never read a row."""
    commonest = Counter(str(row["answer"]) for row in sheet.rows)
    tried = sorted(commonest, key=lambda text: (-commonest[text], text))[: sheet.part.constants]
    best: dict[str, Figure] = {}
    everywhere = range(len(sheet.rows))
    for answer in tried:
        graded = [_graded(sheet, row, answer) for row in sheet.rows]
        for name, figure in _figures(sheet, everywhere, graded).items():
            if name not in best or (figure.mean or 0.0) > (best[name].mean or 0.0):
                best[name] = figure
    does = "The same answer to every row: the best one, for each metric by itself."
    return Reader(name="constant", does=does, rows=len(sheet.rows), metrics=best)


def steps(sheet: Sheet, readers: Sequence[Asked]) -> list[Step]:
    """Return what ``readers`` score on average in each stratum, by axis and value."""
    if not readers:
        return []
    solved = _difficulty(sheet, readers)
    names = [strata(row, suite=sheet.suite, config=sheet.config) for row in sheet.rows]
    lines = []
    for axis in names[0] if names else ():
        values = np.array([row_strata[axis] for row_strata in names])
        pools = {value: values == value for value in sorted(set(values.tolist()), key=_sorting)}
        if 1 < len(pools) <= _MOST:
            lines += [
                Step(stratum=axis, value=value, rows=int(pool.sum()), solved=round(float(solved[pool].mean()), 4))
                for value, pool in pools.items()
                if pool.sum() >= _LEAST
            ]
    return lines


def _difficulty(sheet: Sheet, readers: Sequence[Asked]) -> Floats:
    """Return for each row the mean headline of the half-blind readers, from 0 (none solves it) to 1."""
    headline = sheet.part.metrics[0]
    each = [[reader.metrics[place][headline] for place in range(len(sheet.rows))] for reader in readers]
    return np.asarray(np.mean(each, axis=0), np.float64)


def graded(suite: str, config: str, part: Part, row: Row, answer: str) -> Mapping[str, float]:
    """Return the metrics of an answer that a reference model gives to ``row``."""
    reply = protocol(suite).render(answer) if answer else ""
    metrics = grade(row, reply, suite=suite, config=config).metrics
    return {name: metrics[name] for name in part.metrics}


def _graded(sheet: Sheet, row: Row, reply: str) -> Mapping[str, float]:
    return graded(sheet.suite, sheet.config, sheet.part, row, reply)


def _asked(
    suite: str, config: str, recipe: Mapping[str, Any], name: str, size: int = 0, at: frozenset[int] | None = None
) -> Asked:
    full, solver = solvers(suite, f"{name}-{size}" if size else name, recipe, [config])
    return Asked(full, solver[config], at, size)


def _figures(sheet: Sheet, places: Sequence[int], graded: Sequence[Mapping[str, float]]) -> dict[str, Figure]:
    questions = sheet.questions[list(places)]
    figures = {}
    for name in sheet.part.metrics:
        estimate = clustered([metrics[name] for metrics in graded], questions)
        figures[name] = Figure.of(estimate.estimate, estimate.low, estimate.high)
    return figures


def _sorting(value: str) -> tuple[bool, float, str]:
    """Return by what strata are ordered: numbers, or what begins with one, by their size."""
    digits = value.split("-")[0].split(" ")[0]
    number = float(digits) if digits.isdecimal() else math.inf
    return number == math.inf, number, value
