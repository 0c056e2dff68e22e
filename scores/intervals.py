"""95% intervals of shares, means and paired differences, by rows as in the papers and clustered by question.

Rows of one question are not independent: nine styles of one function, k samples of one row. An interval that takes them
as independent is too narrow. For a share we turn the variance between clusters into the number of independent rows that
would have it, as Korn and Graubard (1998) do, and take Wilson's interval of that many; for other means, and for
differences, whole clusters are drawn again. Every interval is the same each time: the seed is fixed.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, ndtr, stdtrit

#: The 97.5% quantile of the standard normal distribution.
Z_95 = 1.959963984540054
RESAMPLES = 2_000
SEED = 20_260_101

#: Indices of clusters that are drawn at a time; bounds the memory to some 100 MB.
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95% interval, of ``n`` values in ``clusters`` clusters; all NaN where there are no values.

    A single cluster says nothing of how clusters vary: the interval is then [0, 1] for a share and NaN for a mean.
    """

    estimate: float
    low: float
    high: float
    n: int
    clusters: int

    @property
    def half(self) -> float:
        """Half the width of the interval: what is printed after ±."""
        return (self.high - self.low) / 2


NOTHING = Interval(math.nan, math.nan, math.nan, 0, 0)


def wilson(successes: int, n: int) -> Interval:
    """Return ``successes / n`` with its Wilson score interval (1927), which takes the rows as independent.

    Raises:
        ValueError: unless 0 <= successes <= n and n > 0.
    """
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"need 0 <= successes <= n and n > 0, got {successes=} {n=}")
    low, high = _wilson(successes / n, n, Z_95)
    return Interval(successes / n, low, high, n, n)


def clustered(values: ArrayLike, clusters: ArrayLike) -> Interval:
    """Return the mean of ``values`` with an interval that takes clusters, not values, as independent.

    ``values``: (n,) numbers; values that are NaN are left out. ``clusters``: (n,) labels. Values of 0 and 1 only are
    taken as a share, whose interval stays inside [0, 1] and says something at 0 and 1.

    Raises:
        ValueError: if the lengths differ.
    """
    found, members, count = _by_cluster(values, clusters)
    if len(found) and ((found == 0) | (found == 1)).all():
        sums, sizes = np.bincount(members, found, count), np.bincount(members, minlength=count)
        mean = float(found.sum() / len(found))
        return Interval(mean, *_share(mean, sums, sizes), len(found), count)
    return _mean(found, members, count)


def paired(a: ArrayLike, b: ArrayLike, clusters: ArrayLike) -> Interval:
    """Return the mean of ``a - b`` with an interval, where ``a[i]`` and ``b[i]`` answer the same; see ``differences``.

    Raises:
        ValueError: if the lengths differ.
    """
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if first.shape != second.shape:
        raise ValueError(f"pairs need as many values on both sides, got {len(first)} and {len(second)}")
    return differences(first - second, clusters)


def differences(values: ArrayLike, clusters: ArrayLike) -> Interval:
    """Return the mean of ``values``, which may be below 0, with an interval; clusters as above.

    Values that are NaN are left out. Where all clusters agree, drawing them again would give a width of 0 however few
    they are; differences of 0 and 1 then get Wilson's bound of the share of clusters that would differ.

    Raises:
        ValueError: if the lengths differ.
    """
    found, members, count = _by_cluster(values, clusters)
    mean = _mean(found, members, count)
    if mean.low == mean.high and np.isin(found, (-1, 0, 1)).all():
        bound = _wilson(0.0, count, _quantile(count))[1]
        return replace(mean, low=max(-1.0, mean.estimate - bound), high=min(1.0, mean.estimate + bound))
    return mean


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
    found, members, count = _by_cluster(difference, range(len(difference)) if clusters is None else clusters)
    sums = np.round(np.bincount(members, found, count), 9)
    only_a, only_b = int((sums > 0).sum()), int((sums < 0).sum())
    total = only_a + only_b
    p = min(1.0, 2 * float(bdtr(min(only_a, only_b), total, 0.5))) if total else 1.0
    return Exchange(only_a, only_b, p)


def _by_cluster(values: ArrayLike, clusters: Any) -> tuple[NDArray[np.float64], NDArray[np.intp], int]:
    """Return the values that are numbers, for each the number of its cluster, and how many clusters there are."""
    found, labels = np.asarray(values, dtype=float), np.asarray(clusters)
    if found.shape != labels.shape:
        raise ValueError(f"need a cluster for each value, got {len(found)} values and {len(labels)} clusters")
    kept = ~np.isnan(found)
    # In the order of the labels, so that the order of the rows changes nothing.
    members, names = pd.factorize(labels[kept], sort=True)
    return found[kept], members, len(names)


def _share(mean: float, sums: NDArray[Any], sizes: NDArray[Any]) -> tuple[float, float]:
    """Return Wilson's interval of as many independent rows as have the variance that is between the clusters."""
    n, count = int(sizes.sum()), len(sizes)
    if count == 1:
        return 0.0, 1.0
    variance = count / (count - 1) * float(((sums - mean * sizes) ** 2).sum()) / n**2
    # All right or all wrong: a cluster is known to say one thing only, so each counts once.
    rows = min(float(n), mean * (1 - mean) / variance) if variance else float(count)
    return _wilson(mean, rows, _quantile(count))


def _quantile(clusters: int) -> float:
    """Return the 97.5% quantile of Student's t with a degree of freedom less than there are clusters."""
    return float(stdtrit(clusters - 1, 0.975))


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # The bounds are exactly 0 and 1 at the ends, which rounding misses by an ulp.
    return (0.0 if p == 0 else max(0.0, centre - half)), (1.0 if p == 1 else min(1.0, centre + half))


def _mean(found: NDArray[np.float64], members: NDArray[np.intp], count: int) -> Interval:
    """Return the mean of ``found``, whose clusters, numbered by ``members``, are drawn again."""
    if not len(found):
        return NOTHING
    mean = float(found.sum() / len(found))
    if count == 1:
        return Interval(mean, math.nan, math.nan, len(found), count)
    sums, sizes = np.bincount(members, found, count), np.bincount(members, minlength=count)
    return Interval(mean, *_resampled(sums, sizes), len(found), count)


def _resampled(sums: NDArray[Any], sizes: NDArray[Any]) -> tuple[float, float]:
    """Return percentiles of the mean over clusters drawn with replacement.

    With many clusters they are 2.5% and 97.5%; few clusters vary less in resamples than in truth, for which the
    percentiles lie further out (Hesterberg, 2015).
    """
    rng, count = np.random.default_rng(SEED), len(sums)
    outside = 100 * float(ndtr(-math.sqrt(count / (count - 1)) * _quantile(count)))
    batch = max(1, min(RESAMPLES, _AT_ONCE // count))
    means = []
    for first in range(0, RESAMPLES, batch):
        drawn = rng.integers(count, size=(min(batch, RESAMPLES - first), count), dtype=np.int32)
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    low, high = np.percentile(np.concatenate(means), (outside, 100 - outside))
    return float(low), float(high)
