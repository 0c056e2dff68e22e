"""95% intervals and tests of shares, means and paired differences, clustered by question.

Rows of one question are not independent: nine styles of one function, k samples of one row. An interval that takes them
as independent is too narrow. These intervals use the variance between clusters (linearised, as in Miller, 2024). For
means of values from 0 to 1, Wilson's interval is computed for the number of independent rows that would have the same
variance (Korn and Graubard, 1998); other means, and differences, get Student's t. Nothing here is random. SciPy has
Wilson's interval only for whole numbers of independent rows, and permutation tests that draw at random.

Everywhere ``values`` are (n,) numbers, of which NaN are ignored, ``clusters`` (n,) labels, and ``weights`` (n,)
numbers from 0 on; ``ValueError`` if the lengths differ.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtrit

#: Equal numbers differ by less, from rounding.
_EQUAL = 1e-9

#: The sum of more clusters than these, with random signs, is approximated as normal: an error of p below 0.002 at 0.05.
_EXACT = 5_000

#: Sums that have no common denominator up to this are rounded to so many steps of their total.
_DENOMINATORS, _STEPS = 60, 50_000


Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """An estimate with the bounds of its 95% interval; all are NaN if there are no values.

    If there is a single cluster, the bounds are 0 and 1 for values from 0 to 1, else NaN: the variance is unknown.
    """

    estimate: float
    low: float
    high: float


def clustered(values: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None) -> Interval:
    """Return the mean of ``values`` with its 95% interval, which assumes that clusters, not values, are independent.

    If all values are from 0 to 1, as for rates, so are the bounds, and the interval is wider than 0 even if all values
    are equal. For other values the result is that of ``student``.
    """
    kept, weight, members, count = _by_cluster(values, clusters, weights)
    if not len(kept) or kept.min() < 0 or kept.max() > 1:
        return student(values, clusters, weights)
    mean = float((weight * kept).sum() / weight.sum())
    if count == 1:
        return Interval(mean, 0.0, 1.0)
    if np.ptp(kept) <= _EQUAL:
        return Interval(mean, *_bounds_of_equal(mean, count, 0.0))
    # Never less than that of independent rows: clusters may be alike by chance.
    of_rows = float(((weight * (kept - mean)) ** 2).sum() / weight.sum() ** 2)
    variance = max(_variance(kept, weight, members, count), of_rows)
    return Interval(mean, *_wilson(mean, mean * (1 - mean) / variance, _quantile(count)))


def student(values: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None) -> Interval:
    """Return the mean of ``values``, which may be any numbers, with its 95% interval by Student's t over clusters.

    If all clusters have the same mean, the bounds are NaN: the variance is unknown.
    """
    kept, weight, members, count = _by_cluster(values, clusters, weights)
    if not len(kept):
        return Interval(math.nan, math.nan, math.nan)
    mean, variance = float((weight * kept).sum() / weight.sum()), _variance(kept, weight, members, count)
    half = _quantile(count) * math.sqrt(variance) if variance else math.nan
    return Interval(mean, mean - half, mean + half)


def differences(values: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None) -> Interval:
    """Return the mean of ``values``, which are differences of pairs, with its 95% interval for independent clusters.

    The bounds of differences of rates are within [-1, 1], and the interval is wider than 0 even if all clusters agree.
    For differences of other numbers the result is that of ``student``.
    """
    mean, low, high = interval = student(values, clusters, weights)
    kept, _, _, count = _by_cluster(values, clusters, weights)
    if count < 2 or np.abs(kept).max() > 1:
        return interval
    if math.isnan(low):
        low, high = _bounds_of_equal(mean, count, -1.0)
    return Interval(mean, max(-1.0, low), min(1.0, high))


def combined(rates: Iterable[ArrayLike], coefficients: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return weighted sums (...,) of independent estimates, with the lower and upper bounds of their 95% intervals.

    ``rates`` are three arrays (..., k): estimates, lower and upper bounds; ``coefficients`` (..., k) are the weights.
    The squares of the distances to the bounds are added up (Zou and Donner, 2008).
    """
    estimates, low, high = (np.asarray(part, dtype=float) for part in rates)
    factors = np.asarray(coefficients, dtype=float)
    sums, ways = (factors * estimates).sum(axis=-1), ((low, high), (high, low))
    below, above = (
        np.sqrt(((factors * (np.where(factors > 0, first, second) - estimates)) ** 2).sum(axis=-1))
        for first, second in ways
    )
    return sums, sums - below, sums + above


def sign_flip(values: ArrayLike, clusters: ArrayLike) -> float:
    """Return the two-sided p-value of the mean of ``values``, differences of pairs, by Fisher's permutation of signs.

    Under the null hypothesis each cluster's sum of differences has either sign with the same chance: p is the share of
    all combinations of signs whose total is at least as far from 0 as the observed one. They are counted by
    convolution (Pagano and Tritchler, 1983), exactly if the sums have a common denominator, such as those of right and
    wrong replies; if each pair is a cluster, the result is McNemar's exact p. The total of more than 5,000 clusters
    with a difference is approximated as normal.
    """
    kept, _, members, count = _by_cluster(values, clusters)
    sums = np.bincount(members, kept, count)
    sums = sums[np.abs(sums) > _EQUAL]
    if len(sums) > _EXACT:
        return 2 * float(ndtr(-abs(sums.sum()) / math.sqrt((sums**2).sum())))
    steps = _whole(sums)
    sizes, total = np.abs(steps), int(np.abs(steps).sum())
    # The chance of each sum of the sizes with a plus; the total is twice this sum, minus the sum of all sizes.
    chances = np.zeros(total + 1)
    chances[0] = 1.0
    for size in sizes[sizes > 0]:
        chances[size:] += chances[:-size]
        chances /= 2
    extreme = np.abs(2 * np.arange(total + 1) - total) >= abs(int(steps.sum()))
    return min(1.0, float(chances[extreme].sum()))


def _by_cluster(
    values: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None
) -> tuple[Floats, Floats, NDArray[np.intp], int]:
    """Return the values to count (not NaN, weight above 0), their weights and cluster indices, and the cluster count.

    Clusters are numbered from 0 in the order of their labels.
    """
    numbers, labels = np.asarray(values, dtype=float), np.asarray(clusters)
    if numbers.shape != labels.shape:
        raise ValueError(f"need a cluster for each value, got {len(numbers)} values and {len(labels)} clusters")
    weight = np.ones(numbers.shape) if weights is None else np.asarray(weights, dtype=float)
    kept = ~np.isnan(numbers) & (weight > 0)
    # In the order of the labels, so that the order of the rows changes nothing.
    members, names = pd.factorize(labels[kept], sort=True)
    return numbers[kept], weight[kept], members, len(names)


def _whole(sums: Floats | NDArray[np.intp]) -> NDArray[np.int64]:
    """Return integers proportional to ``sums``: exactly if these have a small common denominator, else rounded."""
    for denominator in range(1, _DENOMINATORS + 1):
        scaled = sums * denominator
        if np.allclose(scaled, np.rint(scaled), rtol=0, atol=1e-6):
            break
    else:
        scaled = sums * (_STEPS / np.abs(sums).sum())
    return np.rint(scaled).astype(np.int64)


def _bounds_of_equal(mean: float, count: int, least: float) -> tuple[float, float]:
    """Return the bounds of the interval of a mean if all ``count`` clusters have the same value, ``mean``.

    They are the means that would result if a share of the clusters had the value ``least`` or, for the upper bound, 1
    instead; this share is the upper bound of Wilson's interval for 0 of ``count``.
    """
    share = _wilson(0.0, count, _quantile(count))[1]
    return mean - share * (mean - least), mean + share * (1 - mean)


def _quantile(clusters: int) -> float:
    """Return the 97.5% quantile of Student's t with ``clusters`` - 1 degrees of freedom."""
    return float(stdtrit(clusters - 1, 0.975))


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """Return the bounds of Wilson's interval for the share ``p`` of ``n`` independent rows, with the quantile ``z``."""
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # The bounds are exactly 0 and 1 at the ends, which rounding misses by an ulp.
    return (0.0 if p == 0 else max(0.0, centre - half)), (1.0 if p == 1 else min(1.0, centre + half))


def _variance(values: Floats, weights: Floats, members: NDArray[np.intp], count: int) -> float:
    """Return the variance of the mean of ``values``, estimated between clusters; 0 if the clusters' means are equal."""
    sums, sizes = np.bincount(members, weights * values, count), np.bincount(members, weights, count)
    mean = sums.sum() / sizes.sum()
    if np.allclose(sums / sizes, mean, rtol=_EQUAL, atol=_EQUAL):
        return 0.0
    return count / (count - 1) * float(((sums - mean * sizes) ** 2).sum()) / float(sizes.sum()) ** 2


# --- ordinary least squares with standard errors that take clusters, not rows, as independent


def dummies(name: str, values: pd.Series) -> pd.DataFrame:
    """Return dummy variables: a column ``name=value`` of 0 and 1 for each distinct value except the first in order."""
    return pd.get_dummies(values, prefix=name, prefix_sep="=", drop_first=True, dtype=float)


def least_squares(outcome: ArrayLike, terms: Sequence[pd.DataFrame], clusters: ArrayLike) -> pd.DataFrame:
    """Return for each term its ``coefficient`` and the 95% interval ``coefficient_low`` to ``coefficient_high``.

    ``outcome`` (n,) is regressed on the columns of all ``terms`` (n, ...) and a constant, which comes last. The
    variance is the sandwich estimate by ``clusters`` (n,), corrected for few clusters (CR1), with quantiles of
    Student's t. With fewer than some fifty clusters the interval is a little too narrow. A coefficient that the data do
    not determine is NaN, and so are the bounds of a fit without residuals, whose variance is unknown.
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


def _table(terms: pd.Index, value: Floats, low: Floats, high: Floats) -> pd.DataFrame:
    columns = {"coefficient": value, "coefficient_low": low, "coefficient_high": high}
    return pd.DataFrame(columns, index=pd.Index(terms, name="term"))
