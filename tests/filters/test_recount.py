"""The second count of extrema, by the paper's own method."""

import numpy as np
import pytest

from planimeter.filters.marvl_qa.extrema import CurationLimits, curate
from planimeter.filters.marvl_qa.recount import locate
from planimeter.generators.marvl_qa import counting, plan
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, sample
from planimeter.generators.seeding import item_seed, rng_of

COUNTED = [(f.name, feature) for f in plan.families() for feature in f.counts]


@pytest.mark.parametrize(("name", "feature"), COUNTED)
def test_both_counts_and_places_agree_for_a_question(name, feature):
    family = plan.family(name)
    for index in range(200):
        surface = counting.propose(family, feature, rng_of(item_seed(7, (name, feature, index))))
        verdict, extrema = curate(family, surface, feature, CurationLimits())
        if verdict.kept:
            break
    places = locate(family, surface, feature, sample(family, surface.parameters, surface.domain, RENDER_POINTS))
    assert len(extrema) == len(places) > 0
    mine = np.array([(e.x, e.y) for e in extrema])
    assert np.hypot(*(mine[:, None] - places).transpose(2, 0, 1)).min(axis=1).max() < 1e-4
