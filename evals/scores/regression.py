"""Ordinary least squares with standard errors that take clusters, not rows, as independent."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtrit


def dummies(name: str, values: pd.Series) -> pd.DataFrame:
    """Return a column of 0 and 1 for each value but the least, which is the reference, called ``name=value``."""
    columns = {f"{name}={level}": (values == level).astype(float) for level in sorted(values.unique())[1:]}
    return pd.DataFrame(columns, index=values.index)


def least_squares(outcome: npt.ArrayLike, terms: Sequence[pd.DataFrame], clusters: npt.ArrayLike) -> pd.DataFrame:
    """Return for each term its ``coefficient`` and the 95% interval ``coefficient_low`` to ``coefficient_high``.

    ``outcome`` (n,) is regressed on the columns of all ``terms`` (n, ...) and a constant, which comes last. The
    variance is the sandwich by ``clusters`` (n,), corrected for few clusters (CR1), with quantiles of Student's t. With
    fewer than some fifty clusters it is a little narrow. A term that the data do not determine is NaN, and so are
    the bounds of a fit without residuals, which says nothing of how clusters vary.
    """
    frame = pd.concat([term.reset_index(drop=True) for term in terms], axis=1)
    frame["constant"] = 1.0
    design, y = frame.to_numpy(dtype=float), np.asarray(outcome, dtype=float)
    member, names = pd.factorize(np.asarray(clusters), sort=True)
    count, (rows, columns) = len(names), design.shape
    if not rows:
        return _table(frame.columns, *np.full((3, columns), np.nan))
    square = design.T @ design
    bread = np.linalg.pinv(square, hermitian=True)
    coefficient = bread @ (design.T @ y)
    residual = y - design @ coefficient
    determined = np.abs(bread @ square - np.eye(columns)).max(axis=1) < 1e-6
    rank = int(np.linalg.matrix_rank(square, hermitian=True))
    coefficient[~determined] = np.nan
    if count < 2 or rows <= rank or np.abs(residual).max() < 1e-9:
        return _table(frame.columns, coefficient, *np.full((2, columns), np.nan))
    scores = np.zeros((count, columns))
    np.add.at(scores, member, design * residual[:, None])
    variance = np.diag(bread @ (scores.T @ scores) @ bread) * count / (count - 1) * (rows - 1) / (rows - rank)
    half = stdtrit(count - 1, 0.975) * np.sqrt(np.maximum(variance, 0))
    return _table(frame.columns, coefficient, coefficient - half, coefficient + half)


def _table(
    terms: pd.Index, value: npt.NDArray[np.float64], low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
) -> pd.DataFrame:
    columns = {"coefficient": value, "coefficient_low": low, "coefficient_high": high}
    return pd.DataFrame(columns, index=pd.Index(terms, name="term"))
