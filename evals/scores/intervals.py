"""95% intervals and tests of shares, means and paired differences, clustered by question.

Rows of one question are not independent: nine styles of one function, k samples of one row. An interval that takes them
as independent is too narrow. Ours rest on the variance between clusters (linearised, as in Miller, 2024). For means of
values from 0 to 1 we turn it into the number of independent rows that would have it, as Korn and Graubard (1998) do,
and take Wilson's interval of that many; for other means, and for differences, Student's t. Nothing here is random.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, ndtr, stdtrit

#: Equal numbers differ by less, from rounding.
_EQUAL = 1e-9

#: Of more clusters than these a sum with random signs is taken as normal: near 0.05, p is off by 0.002 at most.
_EXACT = 5_000

#: Sums that have no common denominator up to this are rounded to so many steps of their total.
_DENOMINATORS, _STEPS = 60, 50_000


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95% interval, of ``n`` values in ``clusters`` clusters; all NaN where there are no values.

    A single cluster says nothing of how clusters vary: the interval is then [0, 1] for values from 0 to 1, else NaN.
    """

    estimate: float
    low: float
    high: float
    n: int
    clusters: int

    def __iter__(self) -> Iterator[float]:
        """Yield the estimate and its bounds."""
        return iter((self.estimate, self.low, self.high))


NOTHING = Interval(math.nan, math.nan, math.nan, 0, 0)


def clustered(values: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None) -> Interval:
    """Return the mean of ``values`` with an interval that takes clusters, not values, as independent.

    ``values``: (n,) numbers; values that are NaN are left out. ``clusters``: (n,) labels. ``weights``: (n,) numbers
    from 0 on, which are taken as given; without them values weigh alike. If all values are from 0 to 1, as rates are,
    so is the interval, and it has a width even where all are equal; else it is ``student``'s.

    Raises:
        ValueError: if the lengths differ.
    """
    kept, weight, members, count = _by_cluster(values, clusters, weights)
    if not len(kept) or kept.min() < 0 or kept.max() > 1:
        return student(values, clusters, weights)
    mean, n = float((weight * kept).sum() / weight.sum()), len(kept)
    if count == 1:
        return Interval(mean, 0.0, 1.0, n, count)
    if np.ptp(kept) <= _EQUAL:
        return Interval(mean, *_bounds_of_equal(mean, count, 0.0), n, count)
    # Never less than that of independent rows: clusters may be alike by chance.
    of_rows = float(((weight * (kept - mean)) ** 2).sum() / weight.sum() ** 2)
    variance = max(_variance(kept, weight, members, count), of_rows)
    return Interval(mean, *_wilson(mean, mean * (1 - mean) / variance, _quantile(count)), n, count)


def student(values: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None) -> Interval:
    """Return the mean of ``values``, which may be any numbers, with Student's interval; clusters as above.

    Where all clusters agree, however few they are, the bounds are NaN: nothing is known of how far others may be.

    Raises:
        ValueError: if the lengths differ.
    """
    kept, weight, members, count = _by_cluster(values, clusters, weights)
    if not len(kept):
        return NOTHING
    mean, variance = float((weight * kept).sum() / weight.sum()), _variance(kept, weight, members, count)
    half = _quantile(count) * math.sqrt(variance) if variance else math.nan
    return Interval(mean, mean - half, mean + half, len(kept), count)


def paired(a: ArrayLike, b: ArrayLike, clusters: ArrayLike) -> Interval:
    """Return the mean of ``a - b`` with an interval, where ``a[i]`` and ``b[i]`` answer the same; see ``differences``.

    Raises:
        ValueError: if the lengths differ.
    """
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if first.shape != second.shape:
        raise ValueError(f"pairs need as many values on both sides, got {len(first)} and {len(second)}")
    return differences(first - second, clusters)


def differences(values: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None) -> Interval:
    """Return the mean of ``values``, which may be below 0, with an interval; clusters as above.

    Values that are NaN are left out. Differences of rates stay within [-1, 1] and have a width even where all clusters
    agree; differences of other numbers are as in ``student``.

    Raises:
        ValueError: if the lengths differ.
    """
    interval = student(values, clusters, weights)
    if interval.clusters < 2 or np.nanmax(np.abs(np.asarray(values, dtype=float))) > 1:
        return interval
    low, high = interval.low, interval.high
    if math.isnan(low):
        low, high = _bounds_of_equal(interval.estimate, interval.clusters, -1.0)
    return replace(interval, low=max(-1.0, low), high=min(1.0, high))


def combined(rates: Iterable[ArrayLike], coefficients: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return sums of independent estimates, each times its coefficient, and their bounds.

    ``rates`` are the estimates (..., k), their lower and their upper bounds, ``coefficients`` (..., k) numbers. The
    distances to the bounds add up squared (Zou and Donner, 2008).
    """
    estimates, low, high = (np.asarray(part, dtype=float) for part in rates)
    factors = np.asarray(coefficients, dtype=float)
    sums, ways = (factors * estimates).sum(axis=-1), ((low, high), (high, low))
    below, above = (
        np.sqrt(((factors * (np.where(factors > 0, first, second) - estimates)) ** 2).sum(axis=-1))
        for first, second in ways
    )
    return sums, sums - below, sums + above


def sign_flip(a: ArrayLike, b: ArrayLike, clusters: ArrayLike) -> float:
    """Return the two-sided p of the mean of ``a - b`` by Fisher's permutation of signs; pairs with a NaN are left out.

    If neither side were better, each cluster's sum of differences would have either sign with the same chance: p is the
    share of all combinations of signs whose total is as far from 0 as ours. All are counted, by adding one sum after
    the other (Pagano and Tritchler, 1983), exactly if the sums have a common denominator, such as those of right and
    wrong replies; for pairs that each form a cluster it is then McNemar's exact p. Beyond 5,000 clusters that
    differ, the total is taken as normal.

    Raises:
        ValueError: if the lengths differ.
    """
    kept, _, members, count = _by_cluster(np.asarray(a, dtype=float) - np.asarray(b, dtype=float), clusters)
    sums = np.bincount(members, kept, count)
    sums = sums[np.abs(sums) > _EQUAL]
    if len(sums) > _EXACT:
        return 2 * float(ndtr(-abs(sums.sum()) / math.sqrt((sums**2).sum())))
    steps = _whole(sums)
    sizes, total = np.abs(steps), int(np.abs(steps).sum())
    # The chance of each sum of those that get a plus; the total is twice that, less the sum of all.
    chances = np.zeros(total + 1)
    chances[0] = 1.0
    for size in sizes[sizes > 0]:
        chances[size:] += chances[:-size]
        chances /= 2
    extreme = np.abs(2 * np.arange(total + 1) - total) >= abs(int(steps.sum()))
    return min(1.0, float(chances[extreme].sum()))


@dataclass(frozen=True, slots=True)
class Exchange:
    """McNemar's exact test: pairs where only ``a`` is right, those where only ``b`` is, and the two-sided p."""

    only_a: int
    only_b: int
    p: float


def mcnemar(a: ArrayLike, b: ArrayLike, clusters: ArrayLike | None = None) -> Exchange:
    """Test whether ``a`` is as often right as ``b``; pairs with a NaN are left out.

    Without ``clusters`` every pair counts, as if all were independent. With them a cluster counts once, for the side
    that got more of it right: the exact sign test, which is McNemar's where each cluster is a single pair.
    """
    difference = np.asarray(a, dtype=float) - np.asarray(b, dtype=float)
    values, _, members, count = _by_cluster(difference, range(len(difference)) if clusters is None else clusters)
    sums = np.round(np.bincount(members, values, count), 9)
    only_a, only_b = int((sums > 0).sum()), int((sums < 0).sum())
    total = only_a + only_b
    p = min(1.0, 2 * float(bdtr(min(only_a, only_b), total, 0.5))) if total else 1.0
    return Exchange(only_a, only_b, p)


def _by_cluster(
    values: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None
) -> tuple[Floats, Floats, NDArray[np.intp], int]:
    """Return the values that are numbers and weigh anything, their weights and the numbers of their clusters, and how
    many clusters there are.
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
    """Return whole numbers in proportion to ``sums``: exactly if these have a common denominator, else rounded."""
    for denominator in range(1, _DENOMINATORS + 1):
        scaled = sums * denominator
        if np.allclose(scaled, np.rint(scaled), rtol=0, atol=1e-6):
            break
    else:
        scaled = sums * (_STEPS / np.abs(sums).sum())
    return np.rint(scaled).astype(np.int64)


def _bounds_of_equal(mean: float, count: int, least: float) -> tuple[float, float]:
    """Return where the mean of ``count`` equal clusters would be, if as many as Wilson allows were ``least`` or 1."""
    share = _wilson(0.0, count, _quantile(count))[1]
    return mean - share * (mean - least), mean + share * (1 - mean)


def _quantile(clusters: int) -> float:
    """Return the 97.5% quantile of Student's t with a degree of freedom less than there are clusters."""
    return float(stdtrit(clusters - 1, 0.975))


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # The bounds are exactly 0 and 1 at the ends, which rounding misses by an ulp.
    return (0.0 if p == 0 else max(0.0, centre - half)), (1.0 if p == 1 else min(1.0, centre + half))


def _variance(values: Floats, weights: Floats, members: NDArray[np.intp], count: int) -> float:
    """Return the variance of the mean of ``values`` from that between clusters; 0 if their means are equal."""
    sums, sizes = np.bincount(members, weights * values, count), np.bincount(members, weights, count)
    mean = sums.sum() / sizes.sum()
    if np.allclose(sums / sizes, mean, rtol=_EQUAL, atol=_EQUAL):
        return 0.0
    return count / (count - 1) * float(((sums - mean * sizes) ** 2).sum()) / float(sizes.sum()) ** 2


# --- ordinary least squares with standard errors that take clusters, not rows, as independent


def dummies(name: str, values: pd.Series) -> pd.DataFrame:
    """Return a column of 0 and 1 for each value but the least, which is the reference, called ``name=value``."""
    return pd.get_dummies(values, prefix=name, prefix_sep="=", drop_first=True, dtype=float)


def least_squares(outcome: ArrayLike, terms: Sequence[pd.DataFrame], clusters: ArrayLike) -> pd.DataFrame:
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


def _table(terms: pd.Index, value: Floats, low: Floats, high: Floats) -> pd.DataFrame:
    columns = {"coefficient": value, "coefficient_low": low, "coefficient_high": high}
    return pd.DataFrame(columns, index=pd.Index(terms, name="term"))
