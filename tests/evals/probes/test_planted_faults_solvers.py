"""Faults that were planted in ``solvers`` and that no other test found."""

import numpy as np

from planimeter.evals.baselines.thumbnails import _standard


def test_a_plain_thumbnail_and_one_of_weak_colours_have_a_common_scale() -> None:
    np.testing.assert_allclose(_standard(np.array([[10.0, 14.0]], np.float32)), [[-1.0, 1.0]])
    np.testing.assert_array_equal(_standard(np.full((2, 2), 7.0, np.float32)), np.zeros((2, 2)))
