"""Figures that several suites have."""

from collections.abc import Sequence

import pandas as pd

from planimeter.evals.scores import drawing
from planimeter.evals.scores.forms import Figure
from planimeter.evals.scores.summary import NONE, models, natural_order, rates, summary


def bars_by(
    name: str, title: str, source: str, frame: pd.DataFrame, axis: str, metric: str, order: Sequence[str] = ()
) -> Figure:
    """Return the bars of a metric by model, the best first, and by the values of the column ``axis``.

    The values come in natural order or as ``order`` lists them; rows whose value is ``NONE`` are left out.
    """
    names, present = models(frame, metric), frame[frame[axis] != NONE]
    by_axis = summary(present, [axis, "model"], [metric]).set_index(axis)
    values = order or natural_order(by_axis.index.unique())
    with drawing.sheet(size=(6.0, 1.0 + (0.1 + 0.13 * len(values)) * len(names))) as page:
        series = {
            value.replace("_", " "): rates(by_axis.loc[[value]].set_index("model").reindex(names), metric)
            for value in values
        }
        drawing.bars(page.panels[0], names, series)
        drawing.percent(page.panels[0], "x")
        page.panels[0].set(xlim=(0, 1), xlabel=metric.replace("_", " "))
        page.legend()
    note = "Whiskers: 95% intervals, clustered by question."
    return Figure(name=name, title=title, source=source, svg=page.svg, note=note)
