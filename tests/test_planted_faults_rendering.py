"""Faults that were planted in ``rendering`` and that no other test found."""

import numpy as np
import pytest

from planimeter.rendering.png import IndexedImage


@pytest.mark.parametrize("indices", [np.zeros((4, 4), np.int32), np.zeros((4, 4, 3), np.uint8)])
def test_indices_of_another_type_or_shape_alone_are_refused(indices: np.ndarray) -> None:
    with pytest.raises(ValueError, match="need uint8 indices"):
        IndexedImage(indices, np.zeros((2, 3), np.uint8))
