"""Surfaces of MaRVL-QA that a test writes down as a function of x and y."""

from collections.abc import Callable

import numpy as np

from planimeter.generators.marvl_qa.family import Family
from planimeter.items import Domain

WINDOW = Domain(x_min=-5, x_max=5, y_min=-5, y_max=5)


def family_of(height: Callable[[np.ndarray, np.ndarray], np.ndarray], domain: Domain = WINDOW) -> Family:
    """Return the family of the one surface ``height``, of which maxima and minima may be asked."""
    return Family(
        name="test",
        title="Test",
        tier=1,
        draw=lambda rng: {},
        height=lambda x, y, p: height(x, y),
        expression=lambda p: "",
        domain=lambda p: domain,
        counts={"maxima": (1, 20), "minima": (1, 20)},
        smooth=True,
    )


def bell(
    x: np.ndarray, y: np.ndarray, cx: float = 0.0, cy: float = 0.0, sx: float = 1.0, sy: float = 1.0
) -> np.ndarray:
    return np.exp(-(((x - cx) / sx) ** 2) - ((y - cy) / sy) ** 2)
