"""Tables of model results on planar maps: accuracy, rewards, and errors of numbers of faces and of adjacent pairs."""

from collections.abc import Callable, Mapping

import pandas as pd

from planimeter.evals.curves_maps.grader import METRICS
from planimeter.evals.scores.forms import Scored, Table
from planimeter.evals.scores.summary import Rates, with_strata
from planimeter.suites.drawing import scores as graphs

#: Heading -> the function of a map whose value the page of a reply shows.
FACTS = {"faces": lambda drawn: drawn.faces, "pairs that touch": lambda drawn: len(drawn.adjacent)}

#: The columns of the figures, and the label of an axis.
_FINER = {
    "map_accuracy": "map right",
    "count_accuracy": "number of faces right",
    "face_error": "error of the number of faces",
}
_STRATA = {"crossings": "crossings (number)", "faces": "faces (number)", "curves": "curves (number)"}
#: Name of an error -> the function that gives the number in answers, NaN for a missing answer.
_STATED: Mapping[str, Callable[["pd.Series[str]"], "pd.Series[float]"]] = {
    "face_error": lambda texts: pd.to_numeric(texts.str.partition("\n")[0]),
    "pairs_error": lambda texts: texts.str.count("\n").astype(float).where(texts != ""),
}
_NUMBERS = ("face_error", "absolute_face_error", "pairs_error", "absolute_pairs_error")

_MAPS = Rates("maps", "Planar maps", metrics=(*METRICS, "answered", "cut_off"), note="Sorted by maps.")
_DIAGNOSTICS = Table(
    "diagnostics",
    "Maps by crossings, faces and curves",
    note="Errors are of replies that could be read, less the truth: below 0 faces or pairs were missed.",
)


def tables(scored: Scored) -> list[Table]:
    """Return the tables of the scored replies: accuracy of maps, shares of rewards, and errors by difficulty."""
    frame = graphs.with_rewards(with_strata(scored))
    for name, of in _STATED.items():
        frame = graphs.with_error(frame, name, of(frame["read"]) - of(frame["answer"]))
    measures = (*METRICS, *_NUMBERS, "face_error_under", "face_error_over", "answered", "cut_off")
    diagnostics = graphs.diagnostics(frame, _STRATA, measures, _FINER, _DIAGNOSTICS)
    return [_MAPS.of(frame), graphs.rewards("config").of(frame), diagnostics]
