"""The rows of a config that the probes look at."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from planimeter.evals import question
from planimeter.evals.probes.part import Ints, Part
from planimeter.evals.scores.dataset import Dataset
from planimeter.evals.scores.forms import records
from planimeter.items.values import Recipe, Row

#: Rows of a config that are looked at: as many of each question as give so many in all, but two at least.
ROWS = 3_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Sheet:
    """Rows of a config, in the order of its files.

    ``questions`` (n,) are numbers from 0 on: in the order of the files, equal for rows that ask the same.
    """

    suite: str
    config: str
    recipe: Recipe
    rows: Sequence[Row]
    questions: Ints
    part: Part

    @property
    def seed(self) -> int:
        """Seed of the random draws of this config."""
        return crc32(self.config.encode())


def sheet(data: Dataset, config: str, part: Part, *, asked_of_models: bool = False) -> Sheet:
    """Return the rows of ``config`` that are looked at, some of all its splits; or all of the split that models are
    asked.
    """
    frame = data.rows[config]
    if asked_of_models:
        frame = frame[(data.splits[config] == data.manifest.tests[config]).to_numpy()]
    frame = frame.reset_index().astype(object)
    # As the files have them: pandas says NaN of what is null.
    rows = list(records(frame.where(frame.notna(), None)))
    questions = [question(row, suite=data.suite, config=config) for row in rows]
    number = {name: k for k, name in enumerate(dict.fromkeys(questions))}
    chosen = range(len(rows)) if asked_of_models else _chosen(questions)
    return Sheet(
        suite=data.suite,
        config=config,
        recipe=data.manifest.recipe,
        rows=[rows[place] for place in chosen],
        questions=np.array([number[questions[place]] for place in chosen], np.int64),
        part=part,
    )


def _chosen(questions: Sequence[str]) -> list[int]:
    """Return the places of the rows that are looked at: of each question as many, drawn with a seed from its name."""
    most = max(2, ROWS // max(1, len(set(questions))))
    if max(Counter(questions).values(), default=0) <= most:
        return list(range(len(questions)))
    places = defaultdict(list)
    for place, name in enumerate(questions):
        places[name].append(place)
    chosen: list[int] = []
    for name, positions in places.items():
        order = np.random.default_rng(crc32(name.encode())).permutation(len(positions))[:most]
        chosen += [positions[index] for index in order]
    return sorted(chosen)
