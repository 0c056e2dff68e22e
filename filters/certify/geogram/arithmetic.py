"""Sine, cosine, arc tangent and linear systems whose results are equal on every processor, to the last bit.

The C library and LAPACK choose their code by the processor, and results differ in last bits. In iterative solvers such
differences grow, until other starting points converge. This module uses elementwise + - * / and rounding
only. IEEE 754 defines each of them to the last bit, compiled or not: numba fuses operations only on request.
"""

from typing import Any, Final

import numba
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

#: A number, or an array of any shape; the result has the same shape.
Numbers = Any

#: Half of pi in three parts; the first two have zeros at the end, so that a small whole multiple of them is exact.
_HALF_PI: Final = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
#: Above this, multiples of 2 pi are subtracted first, because the parts no longer suffice.
_FAR: Final = 1e5

_LARGEST: Final = float(np.finfo(float).max)

# The minimax polynomials of fdlibm (sine and cosine up to pi/4) and of Cephes (arc tangent up to 0.66).
_SIN: Final = (
    1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
    -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01,
)  # fmt: skip
_COS: Final = (
    -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
    2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02,
)  # fmt: skip
_ATAN_TOP: Final = (
    -8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1,
    -1.228866684490136173410e2, -6.485021904942025371773e1,
)  # fmt: skip
_ATAN_BOTTOM: Final = (
    1.0, 2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2,
    4.853903996359136964868e2, 1.945506571482613964425e2,
)  # fmt: skip


def sin(radians: Numbers) -> Numbers:
    """Return the sine of ``radians``, elementwise, within two units in the last place."""
    return _sine(radians, 0.0, _SINES)


def cos(radians: Numbers) -> Numbers:
    """Return the cosine of ``radians``, elementwise, within two units in the last place."""
    return _sine(radians, 1.0, _COSINES)


def _sine(radians: Numbers, ahead: float, recorded: np.ufunc) -> Numbers:
    """Return sin(``radians`` + ``ahead`` * pi / 2); ``recorded`` computes it for arrays of ``tape.Number``."""
    if isinstance(radians, float):
        return np.float64(wave(radians, ahead))
    x = np.asarray(radians)
    return recorded(x) if x.dtype == object else _wave(x.astype(float), ahead)


def arctan2(y: Numbers, x: Numbers) -> Numbers:
    """Return the angle of (``x``, ``y``) in radians, -pi to pi, elementwise; 0 for the origin."""
    y, x = np.asarray(y), np.asarray(x)
    return _ANGLES(y, x) if object in (y.dtype, x.dtype) else _angle(y.astype(float), x.astype(float))


def positive(x: Numbers) -> Numbers:
    """Return the larger of ``x`` and 0, elementwise."""
    return _POSITIVES(x) if np.asarray(x).dtype == object else np.maximum(x, 0)


#: The same for recorded numbers (``tape``).
_SINES: Final = np.frompyfunc(lambda x: x.sin(), 1, 1)
_COSINES: Final = np.frompyfunc(lambda x: x.cos(), 1, 1)
_ANGLES: Final = np.frompyfunc(lambda y, x: y.arctan2(x), 2, 1)
_POSITIVES: Final = np.frompyfunc(lambda x: x.positive(), 1, 1)


@numba.njit(cache=True, error_model="numpy")
def damped_steps(jacobians, residuals, damping):  # type: ignore[no-untyped-def]
    """Return the Levenberg-Marquardt steps (r, n) of r independent fits of n unknowns to k equations.

    ``jacobians`` are (r, k, n), ``residuals`` (k, r) and ``damping`` (r,). NaN counts as 0, infinity as the largest
    number.
    """
    runs, facts, n = jacobians.shape
    system, gradient = np.zeros((runs, n, n)), np.zeros((runs, n))
    for r in range(runs):
        for k in range(facts):
            for i in range(n):
                gradient[r, i] += jacobians[r, k, i] * residuals[k, r]
                for j in range(n):
                    system[r, i, j] += jacobians[r, k, i] * jacobians[r, k, j]
        for i in range(n):
            # Off the diagonal, too: an infinite damping times 0 is NaN.
            damped = damping[r] * (system[r, i, i] + 1e-9)
            for j in range(n):
                diagonal = 1.0 if i == j else 0.0
                system[r, i, j] = _finite(system[r, i, j] + damped * diagonal) + 1e-14 * diagonal
            gradient[r, i] = _finite(gradient[r, i])
    return solve(system, gradient)


@numba.njit(cache=True)
def _finite(x):  # type: ignore[no-untyped-def]
    return 0.0 if np.isnan(x) else min(max(x, -_LARGEST), _LARGEST)


@numba.njit(cache=True, error_model="numpy")
def solve(matrices, right):  # type: ignore[no-untyped-def]
    """Return x (r, n) with ``matrices`` (r, n, n) times x = ``right`` (r, n), by Gaussian elimination without pivoting.

    Meant for symmetric, positive definite matrices; for others x may be inaccurate, infinite or NaN.
    """
    left, x = matrices.copy(), right.copy()
    runs, n = x.shape
    for r in range(runs):
        for i in range(n - 1):
            for j in range(i + 1, n):
                share = left[r, j, i] / left[r, i, i]
                for k in range(i + 1, n):
                    left[r, j, k] -= share * left[r, i, k]
                x[r, j] -= share * x[r, i]
        for i in range(n - 1, -1, -1):
            x[r, i] /= left[r, i, i]
            for j in range(i):
                x[r, j] -= left[r, j, i] * x[r, i]
    return x


@numba.njit(cache=True)
def _polynomial(coefficients, z):  # type: ignore[no-untyped-def]
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * z + coefficient
    return value


@numba.njit(cache=True, error_model="numpy")
def wave(x, ahead):  # type: ignore[no-untyped-def]
    """Return sin(``x`` + ``ahead`` * pi / 2), with ``x`` in radians."""
    if not abs(x) < _FAR:
        x = np.fmod(x, 2 * np.pi)
    quarters = np.rint(x * (2 / np.pi))
    r = ((x - quarters * _HALF_PI[0]) - quarters * _HALF_PI[1]) - quarters * _HALF_PI[2]
    z = r * r
    # The phase of a non-number is undefined.
    phase = np.int64(quarters + ahead) & 3
    value = r + r * (z * _polynomial(_SIN, z)) if phase & 1 == 0 else 1 - (z / 2 - z * (z * _polynomial(_COS, z)))
    return value if phase < 2 else -value


@numba.njit(cache=True, error_model="numpy")
def angle_of(y, x):  # type: ignore[no-untyped-def]
    """Return the angle of the vector (``x``, ``y``) in radians, -pi to pi; 0 for the zero vector."""
    across, up = abs(x), abs(y)
    longer, shorter = np.maximum(across, up), np.minimum(across, up)
    slope = shorter / (longer if longer > 0 else 1.0)
    steep = slope > 0.66
    t = (slope - 1) / (slope + 1) if steep else slope
    z = t * t
    angle = t + t * (z * _polynomial(_ATAN_TOP, z) / _polynomial(_ATAN_BOTTOM, z)) + (np.pi / 4 if steep else 0.0)
    if up > across:
        angle = np.pi / 2 - angle
    if x < 0:
        angle = np.pi - angle
    return -angle if y < 0 else angle


_wave: Final = np.vectorize(wave, otypes=[float])
_angle: Final = np.vectorize(angle_of, otypes=[float])
