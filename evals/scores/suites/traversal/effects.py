"""What pairs and regressions say: the effect of a spur, of bending, of a path's direction, and of the order of reading.

TraversalBench, sections 4.2 and 4.3, Table 1, figure 8 and Table 4. Coefficients are fractions of 1: 0.01 is a point.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from planimeter.evals.scores.intervals import mcnemar, paired, sign_flip
from planimeter.evals.scores.regression import dummies, least_squares
from planimeter.evals.scores.resampling import Draws
from planimeter.evals.scores.suites.traversal.accuracy import FACTORS
from planimeter.evals.scores.suites.traversal.positions import Model, Replies
from planimeter.evals.scores.summary import cell

OUTCOMES = ("token_accuracy", "exact")
#: Of what Table 4 gives the range.
RANGES = ("before", "after", "change")


def spurs(model: Model) -> pd.DataFrame:
    """Return what spurs change: the mean paired difference, and by how much a spur more changes it.

    The latter is the coefficient of the number of spurs in a regression of the difference, confounded less base, with
    dummies for both bins and the number of points.
    """
    pairs, _, source = model.pairs
    if not len(pairs):
        return pd.DataFrame()
    count = pairs.frame["confounders"].map(len).astype(float).rename("spurs").to_frame()
    lines = []
    for outcome in OUTCOMES:
        difference = pairs.frame[outcome].to_numpy(float) - source[outcome].to_numpy(float)
        mean = model.resamples.shares(difference[:, None], np.ones((len(pairs), 1)), pairs.place)
        fit = least_squares(difference, [count, *_dummies(pairs.frame)], pairs.frame["question"])
        slope = fit.loc["spurs"].rename(lambda name: name.replace("coefficient", "per_spur"))
        row = {**Draws(values=mean.values, clusters=mean.clusters, least=-1).columns("difference"), **slope}
        lines.append(pd.DataFrame({"outcome": outcome, "n": len(pairs), **row}, index=[0]))
    return pd.concat(lines, ignore_index=True)


def curvature(model: Model) -> pd.DataFrame:
    """Return what bending changes at each smoothness: bent drawings less the straight ones of the same paths.

    Replies to one drawing count as their mean; ``p`` permutes the signs of paths.
    """
    keys = ["smoothness", "question"]
    means = model.curved.frame.groupby(keys)[list(OUTCOMES)].mean().reset_index("smoothness")
    straight = means[means["smoothness"] == 0]
    bent = means[means["smoothness"] > 0].join(straight.add_suffix("_straight"), how="inner")
    lines = []
    for smoothness, part in bent.groupby("smoothness"):
        for outcome in OUTCOMES:
            a, b = part[outcome], part[f"{outcome}_straight"]
            test = mcnemar(a, b)
            line = {
                "smoothness": smoothness,
                "outcome": outcome,
                "n": len(part),
                "bent": a.mean(),
                "straight": b.mean(),
            }
            better = {"better_bent": test.only_a, "better_straight": test.only_b, "p": sign_flip(a, b, part.index)}
            lines.append({**line, **cell("difference", paired(a, b, part.index)), **better})
    return pd.DataFrame(lines)


def direction_terms(models: Sequence[Model]) -> pd.DataFrame:
    """Return all coefficients of the pooled regressions over base paths, without and with the direction (B.4).

    ``rightwards`` is the dummy of a path that ends to the right of its start; models have dummies, too.
    """
    frame = pd.concat([model.base.frame.assign(who=model.name) for model in models], ignore_index=True)
    if frame.empty:
        return pd.DataFrame()
    rightwards = pd.DataFrame({"rightwards": np.concatenate([model.base.rightwards for model in models])}, dtype=float)
    terms = [*_dummies(frame), dummies("model", frame["who"])]
    lines = []
    for outcome in OUTCOMES:
        before = least_squares(frame[outcome], terms, frame["question"])
        after = least_squares(frame[outcome], [*terms, rightwards], frame["question"])
        both = after.join(before.add_suffix("_before"))
        both = both.rename(columns=lambda name: name.replace("coefficient", "after"))
        both = both.rename(columns={f"after{end}_before": f"before{end}" for end in ("", "_low", "_high")})
        both = both[~both.index.str.startswith("model=") & (both.index != "constant")].reset_index()
        both.insert(0, "outcome", outcome)
        both.insert(2, "n", len(frame))
        both["change"] = both["after"] - both["before"]
        lines.append(both)
    return pd.concat(lines, ignore_index=True)


def direction(terms: pd.DataFrame) -> pd.DataFrame:
    """Return Table 4: by outcome and family of terms the range of the coefficients before, after, and of the change."""
    family = terms["term"].str.partition("=")[0]
    complete = terms[terms["before"].notna() & terms["after"].notna()]
    ranges = complete.groupby(["outcome", family.loc[complete.index].rename("family")], sort=False)
    spread = ranges[[*RANGES]].agg(["min", "max"])
    spread.columns = pd.Index([f"{name[1]}_{name[0]}" for name in spread.columns])
    return spread.reset_index()


def reading_order(model: Model) -> pd.DataFrame:
    """Return Table 1: accuracy, each cell of lanes and points and each regime counted once, and how it changes from the
    fewest to the most lanes and points, by regressions that control for the regime.
    """
    frame, mean = model.reading_order.frame, _by_regime(model).mean()
    if frame.empty:
        return pd.DataFrame()
    whole = Draws(values=mean.values[:, None], clusters=mean.clusters.reshape(1))
    line: dict[str, object] = {"n": len(frame), **whole.columns("token_accuracy")}
    numbers = frame[["lanes", "n_points"]].astype(float)
    fit = least_squares(frame["token_accuracy"], [numbers, dummies("regime", frame["regime"])], frame["question"])
    for name, column in (("lanes", "lanes"), ("vertices", "n_points")):
        span = numbers[column].max() - numbers[column].min()
        for end in ("", "_low", "_high"):
            line[f"change_with_{name}{end}"] = span * fit.loc[column, f"coefficient{end}"] if span else np.nan
    return pd.DataFrame(line)


def regimes(model: Model) -> pd.DataFrame:
    """Return the accuracy of each regime of the order of reading, and that less the mean of all (figure 8)."""
    frame, terms = model.reading_order.frame, _by_regime(model)
    if frame.empty:
        return pd.DataFrame()
    whole = terms.mean()
    every = Draws(values=whole.values[:, None], clusters=whole.clusters.reshape(1))
    counts = frame.groupby("regime").size()
    columns = {**terms.columns("token_accuracy"), **(terms - every).columns("difference")}
    return pd.DataFrame({"regime": counts.index, "n": counts.to_numpy(), **columns})


@lru_cache(maxsize=1)
def _by_regime(model: Model) -> Draws:
    """Return the token accuracy of each regime, in the order of their names, each cell of lanes and points once."""
    replies = model.reading_order
    inside = _cells(replies)
    accuracy = replies.frame["token_accuracy"].to_numpy(float)
    cells = model.resamples.shares(accuracy[:, None, None, None] * inside, inside, replies.place)
    return cells.mean().mean()


def _cells(replies: Replies) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return which regime, lanes and number of points each reply is of, as (replies, regimes, lanes, numbers)."""
    regime, lanes, points = (
        np.asarray(replies.frame[name])[:, None] == np.unique(np.asarray(replies.frame[name]))
        for name in ("regime", "lanes", "n_points")
    )
    return regime[:, :, None, None] & lanes[:, None, :, None] & points[:, None, None, :]


def _dummies(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """Return dummies of both bins and of the number of points, each least value the reference."""
    return [dummies(factor, frame[column]) for factor, column in FACTORS.items()]
