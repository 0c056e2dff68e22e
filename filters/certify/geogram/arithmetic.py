"""Sine, cosine, arc tangent and linear systems whose last bit is the same on every processor.

The C library and LAPACK choose their code by the processor that they run on, and the choices differ in last bits. An
iteration makes much of a last bit: least squares that leave a direction open wander along it, and then more or fewer
starts arrive. What is here uses elementwise + - * / and roundings only, each of which IEEE 754 defines to the last bit.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

#: A number, or an array of them of any shape; what is computed from it has the same shape.
Numbers = Any

#: Half of pi in three parts; the first two have zeros at the end, so that a small whole multiple of them is exact.
_HALF_PI: Final = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
#: From here on the parts no longer suffice, and a multiple of 2 pi is taken off first.
_FAR: Final = 1e5

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
    return _wave(radians, 0.0)


def cos(radians: Numbers) -> Numbers:
    """Return the cosine of ``radians``, elementwise, within two units in the last place."""
    return _wave(radians, 1.0)


def arctan2(y: Numbers, x: Numbers) -> Numbers:
    """Return the angle of (``x``, ``y``) in radians, -pi to pi, elementwise; 0 for the origin."""
    across, up = np.abs(np.asarray(x, float)), np.abs(np.asarray(y, float))
    longer, shorter = np.maximum(across, up), np.minimum(across, up)
    slope = shorter / np.where(longer > 0, longer, 1.0)
    steep = slope > 0.66
    t = np.where(steep, (slope - 1) / (slope + 1), slope)
    z = t * t
    angle = t + t * (z * _polynomial(_ATAN_TOP, z) / _polynomial(_ATAN_BOTTOM, z)) + np.where(steep, np.pi / 4, 0.0)
    angle = np.where(up > across, np.pi / 2 - angle, angle)
    angle = np.where(np.asarray(x) < 0, np.pi - angle, angle)
    return np.where(np.asarray(y) < 0, -angle, angle)[()]


def solve(matrices: Array, right: Array) -> Array:
    """Return x with ``matrices`` (r, n, n) times x (r, n) = ``right`` (r, n), by elimination without exchange of rows.

    Meant for symmetric, positive definite matrices; where one is not, its x may be inaccurate, infinite or NaN.
    """
    left, x = matrices.copy(), right.copy()
    n = x.shape[1]
    with np.errstate(all="ignore"):
        for i in range(n - 1):
            share = left[:, i + 1 :, i] / left[:, i, i, None]
            left[:, i + 1 :, i + 1 :] -= share[:, :, None] * left[:, i, None, i + 1 :]
            x[:, i + 1 :] -= share * x[:, i, None]
        for i in range(n - 1, -1, -1):
            x[:, i] /= left[:, i, i]
            x[:, :i] -= left[:, :i, i] * x[:, i, None]
    return x


def _wave(radians: Numbers, ahead: float) -> Numbers:
    """Return the sine of ``radians`` plus ``ahead`` quarter turns."""
    x = np.asarray(radians, float)
    x = np.where(np.abs(x) < _FAR, x, np.fmod(x, 2 * np.pi))
    quarters = np.rint(x * (2 / np.pi))
    first, second, third = _HALF_PI
    r = ((x - quarters * first) - quarters * second) - quarters * third
    z = r * r
    rising = r + r * (z * _polynomial(_SIN, z))
    level = 1 - (z / 2 - z * (z * _polynomial(_COS, z)))
    phase = np.mod(quarters + ahead, 4)
    return np.where(np.mod(phase, 2) == 0, rising, level)[()] * np.where(phase < 2, 1.0, -1.0)


def _polynomial(coefficients: tuple[float, ...], z: Array) -> Array:
    value: Array = np.full_like(z, coefficients[0])
    for coefficient in coefficients[1:]:
        value = value * z + coefficient
    return value
