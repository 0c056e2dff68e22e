"""What a suite says of a config to the probes: the module that it declares lists one such record a config, ``PARTS``.

Whatever it leaves out has a default, and so has a suite that declares none.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from planimeter.evals.grading import protocol
from planimeter.filters.certify.readable import Look
from planimeter.items.suites import declared
from planimeter.items.values import Recipe, Row

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Measures of a row by name: numbers, and words that stand for themselves.
Measures = Mapping[str, float | str]

#: Name and length of a stage -> what is called after each step.
Begin = Callable[[str, int], Callable[[], object]]


def thirds(values: Sequence[float]) -> list[str]:
    """Return in which third of ``values`` each of them lies; equal ones lie in the same."""
    return [str(int(3 * (rank - 0.5) / len(values))) for rank in rankdata(values)]


def columns(*names: str) -> Callable[[Row], Measures]:
    """Return what takes these columns of a row for measures."""
    return lambda row: {name: row[name] if isinstance(row[name], str) else float(row[name]) for name in names}


def answers(rows: Sequence[Row]) -> list[str]:
    """Return the answers; where most of them occur once, in which third their lengths lie."""
    values = [str(row["answer"]) for row in rows]
    return values if 2 * len(set(values)) <= len(values) else thirds([len(answer) for answer in values])


@dataclass(frozen=True, kw_only=True)
class Part:
    """What there is to probe in one config.

    ``guesses``: what a blind probe guesses, in words, and ``targets`` what it is in each row.
    ``group``: what no two parts of a cross-validation share, by default a question with all of its rows, such as twins;
    ``stratum``: within what answers are permuted.
    ``metrics`` are reported, the headline first; by default all.
    ``style``: on what the size of a picture depends. ``blind``: of a suite's own blind probes, what each sees of a row;
    ``looks``: what they see of a picture, by probe. ``met``: whether a row's words state an answer.
    ``shrunk``: recipe, config -> row -> how its picture is read that was made smaller; made anew for each row group.
    ``constants``: how many answers are tried as constants. ``pixels``: sides of the thumbnails of half-blind readers.
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
    """Return what there is to probe in each config of ``suite``. Raises ``LookupError`` if there is no such suite."""
    known, grader = declared(suite), protocol(suite)
    suite_parts: Mapping[str, Part] = known.load("probes").PARTS if known.probes else {}
    metrics = tuple(dict.fromkeys((grader.HEADLINE, *grader.METRICS)))
    parts = {config: suite_parts.get(config, Part()) for config in grader.CONFIGS}
    return {config: part if part.metrics else replace(part, metrics=metrics) for config, part in parts.items()}
