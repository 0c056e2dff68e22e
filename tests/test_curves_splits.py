"""Splits: right sizes, and no tree shape that training never shows."""

from collections import Counter

import numpy as np
import pytest

from filters.curves_splits import assign
from generators.curves import trees

SHAPES = [trees.canonical(t) for n in range(1, 6) for t in trees.enumerate_trees(n)]
QUOTAS = {"train": 210, "validation": 45, "test": 45}


def rows():
    return [SHAPES[i % 36] for i in range(300)]


def test_every_shape_is_in_train_and_sizes_are_the_papers():
    for seed in range(5):
        splits = assign(rows(), QUOTAS, np.random.default_rng(seed))
        assert Counter(splits) == QUOTAS
        assert {shape for shape, split in zip(rows(), splits, strict=True) if split == "train"} == set(SHAPES)


def test_quotas_that_cannot_hold_are_refused():
    with pytest.raises(ValueError, match="add up to 300"):
        assign(rows(), {"train": 300, "test": 1}, np.random.default_rng(0))
    with pytest.raises(ValueError, match="train >= 36"):
        assign(rows(), {"train": 20, "test": 280}, np.random.default_rng(0))
