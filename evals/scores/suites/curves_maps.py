"""The tables and figures of planar maps: maps, numbers of faces and of pairs, by what makes a map hard."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from planimeter.evals.scores.forms import Figure, Scored, Table, Unit
from planimeter.evals.scores.suites import graphs
from planimeter.evals.scores.summary import labelled, ranked, summary, with_strata

_RANKING = ("map_accuracy", "count_accuracy", "pairs_accuracy", "reward")
#: What figures show, and the label of an axis.
_FINER = {
    "map_accuracy": "map right",
    "count_accuracy": "number of faces right",
    "face_error": "error of the number of faces",
}
_STRATA = {"crossings": "crossings (number)", "faces": "faces (number)", "curves": "curves (number)"}
_NUMBERS = ("face_error", "absolute_face_error", "pairs_error", "absolute_pairs_error")
_UNITS: Mapping[str, Unit] = dict.fromkeys(_NUMBERS, "number")


def tables(scored: Scored) -> list[Table]:
    """Return the tables of planar maps."""
    frame = _frame(scored)
    found = summary(frame, ["model"], (*_RANKING, "answered", "cut_off"))
    measures = (*_RANKING, *_NUMBERS, "face_error_under", "face_error_over", "answered", "cut_off")
    return [
        Table(
            name="maps",
            title="Planar maps",
            frame=ranked(found, frame, "map_accuracy"),
            note="Sorted by maps.",
        ),
        graphs.rewards(frame, ["config"], ""),
        Table(
            name="diagnostics",
            title="Maps by crossings, faces and curves",
            frame=graphs.by_stratum(frame, list(_STRATA), measures),
            note="Errors are of replies that could be read, less the truth: below 0 faces or pairs were missed.",
            units=_UNITS,
        ),
    ]


def figures(scored: Scored) -> list[Figure]:
    """Return the figures of planar maps."""
    frame = _frame(scored)
    found = graphs.by_stratum(frame, list(_STRATA), list(_FINER))
    return [
        graphs.reward_figure(graphs.rewards(frame, ["config"], ""), "config", list(frame["config"].unique())),
        *(graphs.stratum_figure(found, stratum, axis, _FINER, "") for stratum, axis in _STRATA.items()),
    ]


def _frame(scored: Scored) -> pd.DataFrame:
    """Return the scores with their strata and errors."""
    frame = graphs.with_shares(with_strata(labelled(scored)))
    read, answer = (frame[name].map(_numbers) for name in ("read", "answer"))
    for place, name in enumerate(("face_error", "pairs_error")):
        frame = graphs.with_error(frame, name, read.str[place].astype(float) - answer.str[place].astype(float))
    return frame


def _numbers(text: str) -> tuple[float, float]:
    """Return the numbers of faces and of pairs that an answer states; NaN for none."""
    lines = text.split("\n")
    return (float(lines[0]), float(len(lines) - 1)) if text else (np.nan, np.nan)
