"""The second count of extrema, by the paper's own method."""

import numpy as np
import pytest
from surfaces import bell, family_of

from planimeter.filters.marvl_qa.extrema import CurationLimits, curate
from planimeter.filters.marvl_qa.recount import locate
from planimeter.generators.marvl_qa import counting, plan
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, sample
from planimeter.generators.seeding import item_seed, rng_of

COUNTED = [(f.name, feature) for f in plan.families() for feature in f.counts]


def heights_of(family, surface):
    return sample(family, surface.parameters, surface.domain, RENDER_POINTS)


def three(x, y):
    return bell(x, y, -2, 2) + 0.8 * bell(x, y, 1.5, 2.25) + 0.9 * bell(x, y, 2, -2)


@pytest.mark.parametrize("sign", [1, -1])
def test_three_bells_are_found_at_their_centres(sign):
    family = family_of(lambda x, y: sign * three(x, y))
    surface = family.surface({})
    feature = "maxima" if sign == 1 else "minima"
    places = locate(family, surface, feature, heights_of(family, surface))
    assert places == pytest.approx(np.array([(-2, 2), (2, -2), (1.5, 2.25)]), abs=0.01)


@pytest.mark.parametrize(("name", "feature"), COUNTED)
def test_both_counts_and_places_agree_for_a_question(name, feature):
    family, index = plan.family(name), 0
    for index in range(200):
        surface = counting.propose(family, feature, rng_of(item_seed(7, (name, feature, index))))
        verdict, extrema = curate(family, surface, feature, CurationLimits())
        if verdict.kept:
            break
    places = locate(family, surface, feature, heights_of(family, surface))
    assert len(extrema) == len(places) > 0
    mine = np.array([(e.x, e.y) for e in extrema])
    assert np.hypot(*(mine[:, None] - places).transpose(2, 0, 1)).min(axis=1).max() < 1e-3
