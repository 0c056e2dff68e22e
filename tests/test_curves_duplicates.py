"""Near-duplicates: found where a person would see one, and not where two drawings merely show one tree."""

from dataclasses import replace

import numpy as np
import pytest
from test_curves_layout import first_good

from filters.curves_duplicates import disjoint, fingerprint, judge, pairs, signature, similarity
from generators.curves.style import style
from generators.seeding import item_seed

#: What recipes use; see the two figures below.
LIMIT = 0.8


@pytest.fixture(scope="module")
def drawings():
    config = style("easy").defaults
    return [first_good("easy", replace(config, parents=(0, 1, 0)), item_seed(8, ("dup", i))) for i in range(24)]


def changed(item, how):
    return replace(item, curves=tuple(how(c) for c in item.curves))


def jittered(item):
    rng = np.random.default_rng(4)
    return changed(item, lambda c: c + 3.0 * np.sin(np.arange(len(c)) / 5 + rng.random())[:, None])


def test_a_jittered_moved_scaled_or_mirrored_drawing_is_a_duplicate(drawings):
    for item in drawings[:6]:
        base = signature(item)
        for other in (
            jittered(item),
            changed(item, lambda c: 0.8 * c + 90.0),
            changed(item, lambda c: c * [-1, 1] + [1024, 0]),
            changed(item, lambda c: c[:, ::-1]),
        ):
            assert similarity(signature(other), base) > 0.9
            assert not judge(signature(other), [base], LIMIT).kept


def test_two_drawings_of_one_tree_are_no_duplicates(drawings):
    found = [signature(item) for item in drawings]
    assert pairs(found, LIMIT) == []
    best = max(similarity(a, b) for i, a in enumerate(found) for b in found[:i])
    assert best < 0.75
    assert judge(found[0], found[1:], LIMIT).kept


def test_pairs_names_both_rows(drawings):
    found = [signature(item) for item in (*drawings[:5], jittered(drawings[2]))]
    assert pairs(found, LIMIT) == [(2, 5)]


def test_fingerprints_hold_training_apart_from_test(drawings):
    test = frozenset(fingerprint(item) for item in drawings[:12])
    assert len(test) == 12
    assert disjoint(drawings[20], test).kept
    turned = changed(drawings[3], lambda c: np.stack([1024 - c[:, 1], c[:, 0]], axis=1))
    assert not disjoint(turned, test).kept
    assert disjoint(replace(drawings[3], canonical="(())"), test).kept
