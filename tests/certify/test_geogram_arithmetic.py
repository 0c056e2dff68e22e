"""The certifier's own arithmetic has the same bits on every processor."""

import hashlib
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.filters.certify.geogram import arithmetic

ROOT = Path(__file__).resolve().parents[2]

#: Functions whose last bits the processor decides; roundings, + - * / and sqrt are the same everywhere.
FORBIDDEN = "sin|cos|tan|arc\\w+|exp|log|hypot|power|dot|matmul|einsum|linalg|inner|tensordot"


def test_the_arithmetic_of_the_certifier_has_the_same_bits_everywhere():
    angles = np.arange(-400_000, 400_000) * 1e-4
    values = [arithmetic.sin(angles), arithmetic.cos(angles), arithmetic.arctan2(angles[::-1] + 0.3, angles)]
    matrices = np.cumsum(np.ones((4, 6, 6)), axis=2) / 7 + 9 * np.eye(6)
    values.append(arithmetic.solve(matrices, angles[:24].reshape(4, 6)))
    digests = [hashlib.sha256(np.ascontiguousarray(v).tobytes()).hexdigest()[:12] for v in values]
    assert digests == GOLDEN


#: Found on a processor with AVX-512; the same in all settings of ``processors``.
GOLDEN = ["58cf971cfb6d", "16a47670d83b", "db50a21e0272", "776e153966c8"]


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_functions_are_sine_cosine_and_arc_tangent(x, y):
    assert arithmetic.sin(x) == pytest.approx(math.sin(x), abs=1e-9 if abs(x) >= 1e5 else 3e-16)
    assert arithmetic.cos(x) == pytest.approx(math.cos(x), abs=1e-9 if abs(x) >= 1e5 else 3e-16)
    # Zero has no sign here.
    assert arithmetic.arctan2(y, x) == pytest.approx(math.atan2(y + 0.0, x + 0.0), rel=5e-16, abs=1e-300)


def test_steps_are_those_of_levenberg_and_marquardt():
    rng = np.random.default_rng(4)
    jacobians, residuals, damping = rng.normal(size=(3, 5, 4)), rng.normal(size=(5, 3)), np.array([1e-3, 0.5, 20.0])
    normal = jacobians.transpose(0, 2, 1) @ jacobians
    damped = normal + damping[:, None, None] * np.eye(4) * (normal + 1e-9)
    plain = np.linalg.solve(damped, jacobians.transpose(0, 2, 1) @ residuals.T[:, :, None])[:, :, 0]
    assert np.allclose(arithmetic.damped_steps(jacobians, residuals, damping), plain, rtol=1e-9)
    assert not np.isfinite(arithmetic.solve(np.zeros((1, 2, 2)), np.ones((1, 2)))).any(), "it has no solution"
    jacobians[1, 2], residuals[0, 0] = np.nan, np.nan
    steps = arithmetic.damped_steps(jacobians, residuals, damping)
    assert (steps[:2] == 0).all() and np.allclose(steps[2], plain[2], rtol=1e-9)


@pytest.mark.parametrize("name", ["arithmetic", "certificate", "machine", "tape"])
def test_least_squares_use_no_function_of_the_processor(name):
    code = (ROOT / "filters" / "certify" / "geogram" / f"{name}.py").read_text()
    assert not re.findall(rf"\b(?:np|math)\.(?:{FORBIDDEN})\b|\w @ \w", code)
