"""Whether two datasets are of one kind: no classifier separates their rows, and they share no near duplicate.

A classifier two-sample test (Lopez-Paz and Oquab, 2017): which of the two a row is from is guessed, cross-validated,
from its measures and from a thumbnail of its picture, and compared with the same where rows of one stratum (a family, a
template) change sides at random: quotas give both editions as many rows of each, and a row that is kept back leaves its
side the rarer one there. How many rows each stratum has on either side is therefore compared by itself.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import cv2
import numpy as np

from planimeter.evals.probes import features, learning
from planimeter.evals.probes.blind import result
from planimeter.evals.probes.part import Begin, Floats, Measures, Part, Row, parts_of
from planimeter.evals.probes.results import Against, Blind
from planimeter.evals.probes.sheets import Sheet, pictures, sheet
from planimeter.evals.scores import dataset

#: Side of the thumbnails, px.
SIDE = 8

#: Columns that say where a row comes from and not what it is, or what another column says too.
_NAMES = frozenset({"id", "seed", "source_id", "system_prompt", "prompt", "certified_by", "origin", "language"})

#: Words of a column: one of more is a text.
_WORDS = 60


def run(first: Path, second: Path, begin: Begin) -> dict[str, Against]:
    """Compare the dataset in ``first`` with that in ``second``, config by config of those that both have.

    Raises:
        NoDatasetError: if either cannot be read.
        ValueError: if they are of different suites or share no config.
    """
    both = [dataset.load(folder) for folder in (first, second)]
    shared = [config for config in both[0].rows if config in both[1].rows]
    if both[0].suite != both[1].suite or not shared:
        raise ValueError(f"{both[0].name} is of the suite {both[0].suite}, {both[1].name} of {both[1].suite}")
    parts = parts_of(both[0].suite)
    compared = {}
    for config in shared:
        sheets = [sheet(data, config, parts[config]) for data in both]
        if not all(side.rows for side in sheets):
            continue
        small = [
            _thumbnails(folder, data, side, begin)
            for folder, data, side in zip((first, second), both, sheets, strict=True)
        ]
        compared[config] = _compared(sheets, small, parts[config])
    return compared


def _compared(sheets: Sequence[Sheet], small: Sequence[Floats], part: Part) -> Against:
    side = np.repeat([0, 1], [len(sheet.rows) for sheet in sheets])
    questions = np.concatenate([sheets[0].questions, sheets[1].questions + sheets[0].questions.max() + 1])
    rows = [row for sheet in sheets for row in sheet.rows]
    strata = np.array([part.stratum(row) for row in rows])
    seen = (
        ("shares of strata", features.matrix([{"stratum": str(name)} for name in strata]), np.zeros(len(rows))),
        ("measures", features.matrix(_measures(rows)), strata),
        ("thumbnails", np.vstack(small), strata),
    )
    tests: list[Blind] = []
    for name, numbers, pools in seen:
        seed = crc32(name.encode())
        targets = np.column_stack([side, learning.permuted(side, questions, pools, seed)])
        if numbers.shape[1]:
            tests.append(result(name, "dataset", learning.hits(numbers, questions, targets, seed), questions))
    twins = part.twins(sheets[0].rows, sheets[1].rows, sheets[0].recipe)
    return Against(rows=(len(sheets[0].rows), len(sheets[1].rows)), tests=tuple(tests), twins=tuple(twins))


def _measures(rows: Sequence[Row]) -> list[Measures]:
    """Return the numbers of each row, its words of which there are few, and how long its lists and texts are."""
    kept = [name for name in rows[0] if name not in _NAMES and name in rows[-1]]
    texts = {name for name in kept if len({row[name] for row in rows if isinstance(row[name], str)}) > _WORDS}
    return [dict(_measure(name, row[name], name in texts) for name in kept) for row in rows]


def _measure(name: str, value: Any, is_text: bool) -> tuple[str, float | str]:
    if isinstance(value, str) and not is_text:
        return name, value
    if isinstance(value, str | list | tuple | np.ndarray):
        return f"length of {name}", float(len(value))
    return name, 0.0 if value is None else float(value)


def _thumbnails(folder: Path, data: dataset.Dataset, sheet: Sheet, begin: Begin) -> Floats:
    """Return the picture of each row in grey, ``SIDE`` x ``SIDE``, as (n, SIDE * SIDE)."""
    advance = begin(f"{data.manifest.version} {sheet.config}", len(sheet.rows))
    pixels = np.zeros((len(sheet.rows), SIDE * SIDE))
    for place, png in pictures(folder, data.manifest, sheet):
        picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE)
        if picture is not None:
            pixels[place] = cv2.resize(picture, (SIDE, SIDE), interpolation=cv2.INTER_AREA).ravel()
        advance()
    return pixels
