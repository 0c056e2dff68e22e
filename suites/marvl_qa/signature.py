"""The comparison of plots with published test items: equality of the heights up to amplitude and offset.

Rows are compared with test items of the same config: two questions about equal functions are alike, even if they ask
for different features, and two pairs are alike if both of their plots are.
"""

import json
from collections.abc import Iterable

import numpy as np

from planimeter.filters.marvl_qa.duplicates import signature
from planimeter.filters.verdict import Verdict
from planimeter.generators.marvl_qa import motion
from planimeter.generators.marvl_qa.plan import family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, sample
from planimeter.generators.marvl_qa.transformation import Candidate, plots
from planimeter.items import Domain, Surface
from planimeter.items.values import Row
from planimeter.suites.base import Recipe
from planimeter.suites.editions import Likeness, refusal


def likeness(config: str, row: Row) -> Likeness:
    """Return the part of a row that is compared with test items of its config: a digest of the heights of its plots.

    The heights are computed again from the row's parameters; the drawing style does not matter.
    """
    domain = Domain(**{edge: row[edge] for edge in ("x_min", "x_max", "y_min", "y_max")})
    parameters = json.loads(row["parameters"])
    if "feature" in row:
        return Likeness(config, signature(sample(family(row["family"]), parameters, domain, RENDER_POINTS)))
    surface = Surface(
        family=row["family"], tier=row["tier"], parameters=parameters, expression=row["expression"], domain=domain
    )
    if "motion" in row:
        pair = motion.Pair(surface=surface, motion=row["motion"], offset=row["offset"], options=tuple(row["options"]))
        return Likeness(config, signature(np.hstack(motion.plots(family(row["family"]), pair))))
    candidate = Candidate(
        surface=surface, transformation=row["transformation"], offset=row["offset"], options=tuple(row["options"])
    )
    return Likeness(config, signature(np.hstack(plots(family(row["family"]), candidate))))


class _Equal:
    def __init__(self, items: Iterable[Likeness]) -> None:
        self._items = frozenset(items)

    def judge(self, item: Likeness) -> Verdict:
        found = item in self._items
        return refusal(float(found), 0.0, refused=found)


def judge_of(items: Iterable[Likeness], _: Recipe) -> _Equal:
    """Return the judge that rejects an item with the same heights as one of ``items``, the test items."""
    return _Equal(items)
