"""Faults that were planted in ``rendering`` and that no other test found."""

import numpy as np
import pytest

from planimeter.rendering.png import IndexedImage
from planimeter.rendering.strokes import stroke


@pytest.mark.parametrize("indices", [np.zeros((4, 4), np.int32), np.zeros((4, 4, 3), np.uint8)])
def test_indices_of_another_type_or_shape_alone_are_refused(indices: np.ndarray) -> None:
    with pytest.raises(ValueError, match="need uint8 indices"):
        IndexedImage(indices, np.zeros((2, 3), np.uint8))


def test_a_stroke_that_leaves_the_picture_on_the_right_does_not_come_in_on_the_left() -> None:
    line = np.array([[2.0, 2.5], [14.0, 2.5]])
    narrow, wide = np.zeros((6, 10), np.uint8), np.zeros((6, 20), np.uint8)
    for ink in (narrow, wide):
        stroke(ink, line, 2.0, 15, closed=False)
    np.testing.assert_array_equal(narrow, wide[:, :10])
