"""Scores of reference models: chance baselines, low-resolution and partial-input baselines, and the certifier."""

from collections import Counter
from inspect import getdoc
from typing import NamedTuple

import numpy as np
import pandas as pd

from planimeter.evals import grade, strata
from planimeter.evals.baselines.solver import Solver
from planimeter.evals.baselines.solving import BASELINES, answer_to, baselines, registry, solvers
from planimeter.evals.grading import protocol
from planimeter.evals.probes.part import parts_of
from planimeter.evals.probes.sheets import Sheet
from planimeter.evals.probes.shrunk import SIDES, look_of, readable
from planimeter.evals.scores.summary import BOUNDS, summary
from planimeter.items.order import natural
from planimeter.items.values import Recipe, Row

#: The number of rows of a config that the certifier reads, in original size and shrunk; the build certified all rows.
CERTIFIED = 100

#: The least rows of a reported stratum, and the most values of an axis of difficulty.
_LEAST, _MOST = 10, 12


class Model(NamedTuple):
    """A reference model; ``pixels``: the side (px) of the thumbnail that it sees, 0 if it sees none."""

    name: str
    solver: Solver
    pixels: int = 0

    def answer(self, row: Row) -> str:
        """Return the answer to ``row``, which includes its picture; `planimeter solve` returns the same answer."""
        return answer_to(row, self.solver, self.name)


def half_blind(suite: str, config: str, recipe: Recipe) -> list[Model]:
    """Return the models that see only a part of a row; a model that sees a thumbnail occurs once for each size."""
    pixels = parts_of(suite)[config].pixels
    return [
        _model(suite, config, recipe, name, size)
        for name, kinds in registry(suite).items()
        if name not in (*BASELINES, "certifier") and config in kinds
        for size in (pixels if kinds[config].sized else (0,))
    ]


def _model(suite: str, config: str, recipe: Recipe, name: str, size: int = 0) -> Model:
    full, solver = solvers(suite, f"{name}-{size}" if size else name, recipe, [config])
    return Model(full, solver[config], size)


class Looking:
    """A collector of the scores of reference models that see pictures; ``look`` adds their scores on one row.

    Half-blind models, which see little of a row, are scored on all rows of the sample, the certifier on some.
    """

    def __init__(self, sheet: Sheet) -> None:
        place = (sheet.suite, sheet.config, sheet.recipe)
        self._sheet, self._half_blind = sheet, half_blind(*place)
        self._certifier = [_model(*place, "certifier")] if "certifier" in registry(sheet.suite) else []
        count = len(sheet.rows)
        self._certified = {*np.linspace(0, count - 1, min(CERTIFIED, count)).astype(int).tolist()}
        self._lines: list[dict[str, object]] = []
        self._shrunk = look_of(*place)
        self._readable = dict.fromkeys(SIDES, 0)

    def look(self, place: int, png: bytes) -> None:
        """Add the scores of each model's answer to the row at position ``place``, whose picture is ``png``."""
        row = {**self._sheet.rows[place], "image": {"bytes": png}}
        for model in [*self._half_blind, *(self._certifier if place in self._certified else ())]:
            self._lines.append(_line(self._sheet, model.name, place, model.answer(row)))
        if self._shrunk and place in self._certified:
            for side in SIDES:
                self._readable[side] += readable(row, self._shrunk, side)

    def readers(self) -> pd.DataFrame:
        """Return a table of the metrics of each model, the certifier last."""
        models: dict[str, dict[str, object]] = {
            model.name: {"kind": kind, "does": _described(type(model.solver)), "pixels": model.pixels}
            for kind, models in (("half-blind", self._half_blind), ("certifier", self._certifier))
            for model in models
        }
        return _scored(self._sheet, self._lines, models)

    def shrunk(self) -> pd.DataFrame:
        """Return a table of the share of rows whose answers stay readable if pictures are shrunk to ``SIDES`` px.

        It is empty if the suite declares no reader of shrunk pictures.
        """
        rows = len(self._certified)
        lines = [(side, rows, read / rows) for side, read in self._readable.items() if self._shrunk]
        return pd.DataFrame(lines, columns=["side", "rows", "readable"])

    def steps(self) -> pd.DataFrame:
        """Return a table, by stratum, of the mean headline score (0 to 1) of the models that see little of a row."""
        headline = self._sheet.part.metrics[0]
        lines_of_readers = [
            line for line in self._lines if line["reader"] in {model.name for model in self._half_blind}
        ]
        columns = ["stratum", "value", "rows", "solved"]
        if not lines_of_readers:
            return pd.DataFrame(columns=columns)
        solved = pd.DataFrame(lines_of_readers).groupby("place")[headline].mean()
        axes = pd.DataFrame(
            [strata(row, suite=self._sheet.suite, config=self._sheet.config) for row in self._sheet.rows]
        )
        lines = []
        for axis in axes:
            pools = solved.groupby(axes[axis])
            if 1 < pools.ngroups <= _MOST:
                means = sorted(((value, len(pool), pool.mean()) for value, pool in pools), key=lambda m: natural(m[0]))
                lines += [(axis, value, rows, mean) for value, rows, mean in means if rows >= _LEAST]
        return pd.DataFrame(lines, columns=columns)


def floors(sheet: Sheet) -> pd.DataFrame:
    """Return a table of the metrics of baselines without a picture, on the rows of ``sheet``.

    They are the best constant answer, and the reference models ``BASELINES``: the most common and a random answer.
    """
    kinds = registry(sheet.suite)
    answers = baselines(sheet.suite, sheet.config, sheet.recipe, sheet.rows)
    lines = [_line(sheet, name, place, answer) for name, each in answers.items() for place, answer in enumerate(each)]
    models = {name: {"kind": "floor", "does": _described(kinds[name][sheet.config]), "pixels": 0} for name in answers}
    return pd.concat([constant(sheet), _scored(sheet, lines, models)], ignore_index=True)


def constant(sheet: Sheet) -> pd.DataFrame:
    """Return a table of one line: the metrics of the best constant answer, chosen for each metric separately."""
    counts = Counter(str(row["answer"]) for row in sheet.rows)
    tried = sorted(counts, key=lambda text: (-counts[text], text))[: sheet.part.constants]
    lines = [_line(sheet, answer, place, answer) for answer in tried for place in range(len(sheet.rows))]
    does = "The same answer to every row: the best one, for each metric by itself."
    models: dict[str, dict[str, object]] = {answer: {"kind": "floor", "does": does, "pixels": 0} for answer in tried}
    scored = _scored(sheet, lines, models)
    best = scored.iloc[:1].assign(reader="constant")
    for metric in sheet.part.metrics:
        place = int(scored[metric].fillna(-np.inf).to_numpy().argmax())
        for name in (metric + bound for bound in BOUNDS):
            best[name] = scored[name].iloc[place]
    return best


def _line(sheet: Sheet, reader: str, place: int, answer: str) -> dict[str, object]:
    reply = protocol(sheet.suite).render(answer) if answer else ""
    metrics = grade(sheet.rows[place], reply, suite=sheet.suite, config=sheet.config).metrics
    reported = {name: metrics[name] for name in sheet.part.metrics}
    return {"reader": reader, "place": place, "question": sheet.questions[place], **reported}


def _scored(sheet: Sheet, lines: list[dict[str, object]], models: dict[str, dict[str, object]]) -> pd.DataFrame:
    """Return a table of the mean metrics of each model; each of ``lines`` has a model's metrics on one row.

    ``models`` maps the models' names, in the order of the table, to further columns that describe them.
    """
    columns = ["reader", "place", "question", *sheet.part.metrics]
    rates = summary(pd.DataFrame(lines, columns=columns), ["reader"], sheet.part.metrics).set_index("reader")
    known = pd.DataFrame.from_dict(models, orient="index", columns=["kind", "does", "pixels"])
    return known.join(rates.drop(columns="questions").rename(columns={"n": "rows"})).rename_axis("reader").reset_index()


def _described(kind: type[Solver]) -> str:
    return " ".join((getdoc(kind) or "").split())
