"""The settings of the probes, which measure what a score is worth, for one config.

A suite's module ``probes`` declares them in ``PARTS``, by config; a suite without such a module has the defaults.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from planimeter.evals.grading import protocol
from planimeter.filters.certify.readable import Look
from planimeter.items.suites import declared
from planimeter.items.values import Recipe, Row

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Measures of a row by name: numbers, and words as categories.
Measures = Mapping[str, float | str]

#: A function of the name of a stage and its number of steps; it returns the function to call after each step.
Begin = Callable[[str, int], Callable[[], object]]


def thirds(values: Sequence[float]) -> list[str]:
    """Return the third (0, 1 or 2, as text) of each of ``values`` by rank; equal values have the same third."""
    return [str(int(3 * (rank - 0.5) / len(values))) for rank in rankdata(values)]


def columns(*names: str) -> Callable[[Row], Measures]:
    """Return a function of a row that returns its columns ``names`` as the input of a blind probe."""
    return lambda row: {name: row[name] if isinstance(row[name], str) else float(row[name]) for name in names}


def shrunk_by(
    reader: Callable[..., Iterator[str | None]], column: str
) -> Callable[[Recipe, str], Callable[[Row], Look]]:
    """Return a function for ``Part.shrunk``, which passes a row's ``column`` to ``reader`` as a keyword argument."""
    return lambda _recipe, _config: lambda row: partial(reader, **{column: row[column]})


def answers(rows: Sequence[Row]) -> list[str]:
    """Return each row's answer or, if most are distinct, its third by length: "0" (the shortest), "1" or "2"."""
    values = [str(row["answer"]) for row in rows]
    return values if 2 * len(set(values)) <= len(values) else thirds([len(answer) for answer in values])


@dataclass(frozen=True, kw_only=True)
class Part:
    """The settings of the probes for one config.

    ``targets``: returns the text that blind probes, which see no picture, are to predict for each row; ``guesses``: a
    description of this text.
    ``group``: returns a row's group, whose rows are all in one fold of the cross-validation; by default its question.
    ``stratum``: returns a row's stratum; answers are permuted only within strata.
    ``metrics``: the names of the reported metrics, the headline first; by default all.
    ``style``: returns the columns on which the size of a row's PNG depends.
    ``blind``: further blind probes: {name: function that returns the input for a row}; ``looks``: returns {name: input}
    for a PNG. ``met``: returns True if the words of a row state an answer.
    ``shrunk(recipe, config)``: returns a function that makes, for a row, the reader of its shrunk picture.
    ``constants``: the number of frequent answers tried as the reply to every row. ``pixels``: the sides (px) of the
    thumbnails that some reference models see.
    """

    guesses: str = "answer; its length, by thirds, where most differ"
    targets: Callable[[Sequence[Row]], list[str]] = answers
    group: Callable[[Row], str] | None = None
    stratum: Callable[[Row], str] = lambda _: ""
    metrics: tuple[str, ...] = ()
    style: Callable[[Row], Measures] = lambda _: {}
    blind: Mapping[str, Callable[[Row], Measures]] = field(default_factory=dict)
    looks: Callable[[bytes], Mapping[str, Floats]] | None = None
    met: Callable[[Row, str], bool] | None = None
    shrunk: Callable[[Recipe, str], Callable[[Row], Look]] | None = None
    constants: int = 1
    pixels: tuple[int, ...] = ()


def parts_of(suite: str) -> Mapping[str, Part]:
    """Return {config: the settings of its probes}. Raises ``LookupError`` if there is no such suite."""
    known, grader = declared(suite), protocol(suite)
    suite_parts: Mapping[str, Part] = known.load("probes").PARTS if known.probes else {}
    metrics = tuple(dict.fromkeys((grader.HEADLINE, *grader.METRICS)))
    parts = {config: suite_parts.get(config, Part()) for config in grader.CONFIGS}
    return {config: part if part.metrics else replace(part, metrics=metrics) for config, part in parts.items()}
