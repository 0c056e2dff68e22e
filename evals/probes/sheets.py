"""Draws the sample of rows of a config, a ``Sheet``, on which the probes run."""

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

#: About this number of rows of a config are sampled, equally many of each question and at least two.
ROWS = 3_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Sheet:
    """A sample of n rows of a config, in the order of its files.

    ``questions`` (n,): the number of each row's question; questions are numbered from 0 in the order of the files.
    ``part``: the settings of the config's probes.
    """

    suite: str
    config: str
    recipe: Recipe
    rows: Sequence[Row]
    questions: Ints
    part: Part

    @property
    def seed(self) -> int:
        """The seed of random draws, a function of the config's name."""
        return crc32(self.config.encode())


def sheet(data: Dataset, config: str, part: Part, *, asked_of_models: bool = False) -> Sheet:
    """Return a sample of the rows of ``config`` from all splits, or, if ``asked_of_models``, its whole test split.

    Models reply only to the rows of the test split.
    """
    frame = data.rows[config]
    if asked_of_models:
        frame = frame[(data.splits[config] == data.manifest.tests[config]).to_numpy()]
    frame = frame.reset_index().astype(object)
    # Null as in the files: pandas has NaN for it.
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
    """Return the sorted positions of the sampled rows: the same number of rows of each question, chosen at random.

    The id of a question is the random seed for its rows. A question with fewer rows contributes all of them.
    """
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
