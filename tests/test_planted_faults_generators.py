"""Faults that were planted in ``generators`` and that no other test found."""

import numpy as np

from planimeter.generators.curves.outlines import Bend


def test_no_bend_at_all_is_allowed_and_leaves_a_drawing_as_it_is() -> None:
    curve = np.array([[0.0, 0.0], [4.0, 0.5], [3.0, 5.0]])
    (bent,) = Bend(5.0, 0.0, np.random.default_rng(1))([curve])
    np.testing.assert_allclose(bent, curve)
