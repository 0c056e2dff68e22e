"""Surfaces of MaRVL-QA that a test writes down as a function of x and y."""

from collections.abc import Callable

import numpy as np

from planimeter.generators.marvl_qa.family import Family
from planimeter.items import Domain

WINDOW = Domain(x_min=-5, x_max=5, y_min=-5, y_max=5)


def family_of(height: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Family:
    """Return the family of the one surface ``height``, of which maxima and minima may be asked."""
    return Family(
        title="Test",
        tier=1,
        window=WINDOW.x_max,
        draw=lambda rng: {},
        height=lambda x, y, p: height(x, y),
        expression=lambda p: "",
        counts={"maxima": (1, 20), "minima": (1, 20)},
        transformations=(),
    )


def bell(
    x: np.ndarray, y: np.ndarray, cx: float = 0.0, cy: float = 0.0, sx: float = 1.0, sy: float = 1.0
) -> np.ndarray:
    return np.exp(-(((x - cx) / sx) ** 2) - ((y - cy) / sy) ** 2)
