"""Statistics of a sample and of its bootstrap resamples at once: sums over clusters, and what is computed from them.

Whole clusters (questions) are drawn again. ``Resamples.sums`` returns the sums over the sample itself first, and then
those over each resample: whatever is computed from them, such as a mean at matched positions or a mean of means, is
written once and has its interval.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from planimeter.evals.scores.intervals import wilson

RESAMPLES = 2_000
SEED = 20_260_101

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Draws:
    """Some statistics: ``values`` (1 + resamples, ...), the sample's own first; ``clusters`` (...) that each rests on.

    Shares lie within ``least`` and 1: 0 for a share, -1 for a difference of two.
    """

    values: Floats
    clusters: Floats
    least: float = 0.0

    def __sub__(self, other: "Draws") -> "Draws":
        """Return the differences, resample by resample."""
        return Draws(values=self.values - other.values, clusters=np.minimum(self.clusters, other.clusters), least=-1.0)

    def at(self, *place: int | slice) -> "Draws":
        """Return some of the statistics, by their place along the axes that follow the resamples."""
        return Draws(values=self.values[(slice(None), *place)], clusters=self.clusters[place], least=self.least)

    def mean(self, axis: int = -1) -> "Draws":
        """Return the means along an axis of the statistics, those that are NaN in the sample left out."""
        kept = np.where(np.isnan(self.values[:1]), np.nan, self.values)
        with np.errstate(invalid="ignore"):
            values = np.nansum(kept, axis) / np.sum(~np.isnan(kept), axis)
        return Draws(values=values, clusters=self.clusters.sum(axis), least=self.least)

    def columns(self, name: str) -> dict[str, Floats]:
        """Return the statistics and their 95% intervals as the columns ``name``, ``name_low`` and ``name_high``.

        Where all clusters agree every resample does, however few there are: then the bound is Wilson's, of the share of
        clusters that would differ.
        """
        estimates = self.values[0].ravel()
        drawn = self.values[1:].reshape(len(self.values) - 1, len(estimates))
        low, high = np.full(len(estimates), np.nan), np.full(len(estimates), np.nan)
        known = ~np.isnan(estimates) & ~np.isnan(drawn).all(axis=0)
        if known.any():
            low[known], high[known] = np.nanpercentile(drawn[:, known], (2.5, 97.5), axis=0)
        clusters = self.clusters.ravel()
        for place in np.flatnonzero(known & (high - low < 1e-9) & (clusters > 0)):
            bound = wilson(0, int(clusters[place])).high
            low[place] = max(self.least, estimates[place] - bound)
            high[place] = min(1.0, estimates[place] + bound)
        return {name: estimates, f"{name}_low": low, f"{name}_high": high}


class Resamples:
    """The clusters of some values, and how often each is in every resample; equal clusters give equal resamples."""

    def __init__(self, clusters: npt.ArrayLike, resamples: int = RESAMPLES) -> None:
        """``clusters`` (n,) names the cluster of each value."""
        # By name, so that the order of the rows changes nothing.
        self._member, names = pd.factorize(np.asarray(clusters), sort=True)
        self.count = len(names)
        self._resamples = resamples

    def sums(self, values: npt.ArrayLike, where: npt.ArrayLike | None = None) -> Floats:
        """Return the sums of ``values`` (m, ...) as (1 + resamples, ...).

        ``where`` holds the indices of these m among the n values, where they are not all.
        """
        present, sums = self._by_cluster(values, where)
        flat = sums.reshape(len(present), math.prod(sums.shape[1:]))
        # Single precision is enough for an interval, not for the estimate itself.
        times = _times(self.count, self._resamples)
        times = times if len(present) == self.count else times[:, present]
        drawn = times @ flat.astype(np.float32)
        return np.concatenate([flat.sum(axis=0)[None], drawn]).reshape(1 + self._resamples, *sums.shape[1:])

    def shares(self, totals: npt.ArrayLike, weights: npt.ArrayLike, where: npt.ArrayLike | None = None) -> Draws:
        """Return the sums of ``totals`` (m, ...) over those of ``weights`` (m, ...); NaN of nothing."""
        values = ratio(self.sums(totals, where), self.sums(weights, where))
        return Draws(values=values, clusters=self.clusters_with(weights, where))

    def clusters_with(self, weights: npt.ArrayLike, where: npt.ArrayLike | None = None) -> Floats:
        """Return in how many clusters ``weights`` (m, ...) are not all 0, as (...)."""
        return np.asarray((self._by_cluster(weights, where)[1] > 0).sum(axis=0), np.float64)

    def _by_cluster(self, values: npt.ArrayLike, where: npt.ArrayLike | None) -> tuple[npt.NDArray[np.intp], Floats]:
        """Return the clusters that have values, and the sums of each."""
        numbers = np.asarray(values, np.float64)
        member = self._member if where is None else self._member[np.asarray(where)]
        if len(numbers) != len(member):
            raise ValueError(f"need a cluster for each value, got {len(numbers)} values and {len(member)} clusters")
        order = np.argsort(member, kind="stable")
        first = np.flatnonzero(np.diff(member[order], prepend=-1))
        sums = np.add.reduceat(numbers[order], first, axis=0) if len(order) else numbers
        return member[order[first]], sums


@lru_cache(maxsize=1)
def _times(count: int, resamples: int) -> npt.NDArray[np.float32]:
    """Return how often each of ``count`` clusters is in each resample; all that models of one dataset share."""
    rng = np.random.default_rng(SEED)
    drawn = [np.bincount(rng.integers(count, size=count), minlength=count) for _ in range(resamples)]
    times = np.array(drawn, np.float32).reshape(resamples, count)
    times.flags.writeable = False
    return times


def ratio(totals: Floats, weights: Floats) -> Floats:
    """Return ``totals / weights``, NaN where there is no weight."""
    return np.divide(totals, weights, out=np.full(np.broadcast(totals, weights).shape, np.nan), where=weights > 0)
