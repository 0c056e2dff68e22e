"""The declaration of a config to the probes: a suite's module lists one such record a config, ``PARTS``.

All fields have defaults; a suite without such a module is probed with these.
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

#: Name and length of a stage -> the callback after each step.
Begin = Callable[[str, int], Callable[[], object]]


def thirds(values: Sequence[float]) -> list[str]:
    """Return the third (0, 1 or 2, as text) of each of ``values`` by rank; equal values have the same third."""
    return [str(int(3 * (rank - 0.5) / len(values))) for rank in rankdata(values)]


def columns(*names: str) -> Callable[[Row], Measures]:
    """Return a function that returns these columns of a row as measures."""
    return lambda row: {name: row[name] if isinstance(row[name], str) else float(row[name]) for name in names}


def shrunk_by(
    reader: Callable[..., Iterator[str | None]], column: str
) -> Callable[[Recipe, str], Callable[[Row], Look]]:
    """Return a ``shrunk`` whose readers are ``reader`` with the value of ``column`` as an argument of that name."""
    return lambda _recipe, _config: lambda row: partial(reader, **{column: row[column]})


def answers(rows: Sequence[Row]) -> list[str]:
    """Return the answers; if most of them occur once, the thirds of their lengths."""
    values = [str(row["answer"]) for row in rows]
    return values if 2 * len(set(values)) <= len(values) else thirds([len(answer) for answer in values])


@dataclass(frozen=True, kw_only=True)
class Part:
    """The declaration of one config.

    ``guesses``: the name of the target of blind probes; ``targets``: the target of each row.
    ``group``: the unit that no two folds of a cross-validation share, by default a question with all of its rows, such
    as twins; ``stratum``: the unit within which answers are permuted.
    ``metrics``: the reported ones, the headline first; by default all.
    ``style``: the columns on which the size of a picture depends. ``blind``: the input of each of the suite's own blind
    probes, made of a row; ``looks``: those made of a picture. ``met``: True if the words of a row state an answer.
    ``shrunk``: (recipe, config) -> row -> reader of its shrunk picture; called once for each row group.
    ``constants``: the number of answers tried as constants. ``pixels``: sides of the thumbnails of half-blind readers.
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
    """Return the declaration of each config of ``suite``. Raises ``LookupError`` if there is no such suite."""
    known, grader = declared(suite), protocol(suite)
    suite_parts: Mapping[str, Part] = known.load("probes").PARTS if known.probes else {}
    metrics = tuple(dict.fromkeys((grader.HEADLINE, *grader.METRICS)))
    parts = {config: suite_parts.get(config, Part()) for config in grader.CONFIGS}
    return {config: part if part.metrics else replace(part, metrics=metrics) for config, part in parts.items()}
