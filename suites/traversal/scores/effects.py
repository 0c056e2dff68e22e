"""Effects estimated from pairs and regressions: of spurs, smooth lines, a path's direction, and reading order.

See TraversalBench, sections 4.2 and 4.3, Table 1, figure 8 and Table 4. Coefficients are fractions: 0.01 is one point.
The docstrings of tables are the notes below them in the report.
"""

import numpy as np
import pandas as pd

from planimeter.evals.scores.forms import Plot
from planimeter.evals.scores.intervals import combined, differences, dummies, least_squares, sign_flip
from planimeter.evals.scores.summary import BOUNDS, cell, rates, renamed, summary
from planimeter.suites.traversal.scores.replies import FACTORS, OUTCOMES, Replies, analysis

#: The dummies whose range Table 4 gives.
RANGES = ("before", "after", "change")
_REGIMES = {"ltr_tb": "→ then ↓", "rtl_tb": "← then ↓", "ttb_rl": "↓ then ←", "ttb_lr": "↓ then →"}
_BY_REGIME = Plot("heat", "regime", ("difference",), series="model", labels={"regime": _REGIMES})


@analysis("What a spur costs", "section 4.2", needs=("base", "confounded"))
def spurs(replies: Replies) -> pd.DataFrame:
    """Difference: the accuracy with spurs minus the accuracy without, on the same paths. Per spur: the coefficient of
    the number of spurs in a regression of the difference, with dummies of the bins of tortuosity and of crossings and
    of the number of points; standard errors are clustered by path.
    """
    source = replies["base"].groupby(["model", "id"])[list(OUTCOMES)].mean()
    pairs = replies["confounded"].join(source.add_suffix("_source"), on=["model", "source_id"], how="inner")
    lines = []
    for model, part in pairs.groupby("model"):
        count = part["past_spurs"].map(len).astype(float).rename("spurs").to_frame()
        for outcome in OUTCOMES:
            difference = part[outcome] - part[f"{outcome}_source"]
            fit = least_squares(difference, [count, *_dummies(part)], part["question"])
            slope = fit.loc["spurs"].rename(renamed("coefficient", "per_spur"))
            mean = cell("difference", differences(difference, part["question"]))
            lines.append({"model": model, "outcome": outcome, "n": len(part), **mean, **slope})
    return pd.DataFrame(lines)


@analysis(
    "What bending changes", "section 5, future work", needs=("curved",), units={"bent": "share", "straight": "share"}
)
def curvature(replies: Replies) -> pd.DataFrame:
    """Difference: the accuracy on smooth (bent) minus that on straight drawings of the same paths with the same
    markers; p: permutation of the signs of the paths' differences (McNemar's exact test, where replies are right or
    wrong). Better: the number of paths that were read better in this drawing.
    """
    keys = ["model", "smoothness", "question"]
    means = replies["curved"].groupby(keys)[list(OUTCOMES)].mean().reset_index("smoothness")
    straight = means[means["smoothness"] == 0].drop(columns="smoothness")
    bent = means[means["smoothness"] > 0].join(straight.add_suffix("_straight"), how="inner").reset_index("question")
    lines = []
    for (model, smoothness), part in bent.groupby(["model", "smoothness"]):
        for outcome in OUTCOMES:
            a, b, paths = part[outcome], part[f"{outcome}_straight"], part["question"]
            less = (a - b).round(9)
            line = {"model": model, "smoothness": smoothness, "outcome": outcome, "n": len(part)}
            line |= {"bent": a.mean(), "straight": b.mean(), **cell("difference", differences(a - b, paths))}
            line |= {"better_bent": (less > 0).sum(), "better_straight": (less < 0).sum()}
            lines.append(line | {"p": sign_flip(a - b, paths)})
    return pd.DataFrame(lines)


@analysis("All coefficients of the regressions with and without direction", "Table 4", units={"change": "share"})
def direction_terms(replies: Replies) -> pd.DataFrame:
    """Coefficients of regressions over the base paths of all models, before and after adding ``rightwards``, a dummy
    variable for paths that end to the right of their start. Each model has a dummy variable, too.
    """
    frame = replies["base"]
    terms = [*_dummies(frame), dummies("model", frame["model"])]
    lines = []
    for outcome in OUTCOMES:
        before = least_squares(frame[outcome], terms, frame["question"])
        after = least_squares(frame[outcome], [*terms, frame[["rightwards"]]], frame["question"])
        both = after.rename(columns=renamed("coefficient", "after"))
        both = both.join(before.rename(columns=renamed("coefficient", "before")))
        both = both[~both.index.str.startswith("model=") & (both.index != "constant")].reset_index()
        both.insert(0, "outcome", outcome)
        both.insert(2, "n", len(frame))
        both["change"] = both["after"] - both["before"]
        lines.append(both)
    return pd.concat(lines, ignore_index=True)


@analysis(
    "Is difficulty a matter of left and right?",
    "Table 4",
    units=dict.fromkeys((f"{end}_{name}" for end in ("min", "max") for name in RANGES), "share"),
)
def direction(replies: Replies) -> pd.DataFrame:
    """Least and greatest coefficient of the dummies of each factor (tortuosity, crossings, points) in regressions over
    all models, before and after adding a dummy for paths that end to the right of their start; reference: the lowest
    bins.
    """
    terms = direction_terms.make(replies)
    family = terms["term"].str.partition("=")[0]
    complete = terms[terms["before"].notna() & terms["after"].notna()]
    ranges = complete.groupby(["outcome", family.loc[complete.index].rename("family")], sort=False)
    spread = ranges[[*RANGES]].agg(["min", "max"])
    spread.columns = pd.Index([f"{name[1]}_{name[0]}" for name in spread.columns])
    return spread.reset_index()


@analysis("Order of reading", "Table 1", needs=("reading_order",))
def reading_order(replies: Replies) -> pd.DataFrame:
    """Token accuracy: the mean over regimes (directions of reading), each a mean over numbers of lanes and of points.
    Changes: from the fewest to the most lanes and vertices, in a regression that controls for the regime.
    """
    frame, lines = replies["reading_order"], []
    of_regimes = _by_regime(frame)
    for model, part in frame.groupby("model"):
        mean = rates(of_regimes[of_regimes["model"] == model], "token_accuracy")
        line = {"model": model, "n": len(part), **cell("token_accuracy", combined(mean, 1 / len(mean[0])))}
        numbers = part[["lanes", "points"]].astype(float)
        fit = least_squares(part["token_accuracy"], [numbers, dummies("regime", part["regime"])], part["question"])
        for name, column in (("lanes", "lanes"), ("vertices", "points")):
            span = numbers[column].max() - numbers[column].min() or np.nan
            line |= cell(f"change_with_{name}", [span * fit["coefficient" + bound][column] for bound in BOUNDS])
        lines.append(line)
    return pd.DataFrame(lines)


@analysis("Order of reading by regime", "Figure 8", needs=("reading_order",), plots=(_BY_REGIME,))
def regimes(replies: Replies) -> pd.DataFrame:
    """Difference: the token accuracy in the regime (direction of reading) minus the mean of all regimes of the same
    model.
    """
    table, parts = _by_regime(replies["reading_order"]), []
    for _, part in table.groupby("model"):
        less_mean = np.eye(len(part)) - 1 / len(part)
        parts.append(part.assign(**cell("difference", combined(rates(part, "token_accuracy"), less_mean))))
    return pd.concat(parts or [table], ignore_index=True)


def _by_regime(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the token accuracy of each model by regime, the direction of reading.

    It is the mean over numbers of lanes of the means over numbers of points; each number counts equally, whatever its
    number of replies.
    """
    regime = ["model", "regime"]
    lanes, cell = [*regime, "lanes"], [*regime, "lanes", "points"]
    replies = frame.groupby(cell)["id"].transform("size")
    shares = frame.groupby(lanes)["points"].transform("nunique") * frame.groupby(regime)["lanes"].transform("nunique")
    return summary(frame.assign(weight=1 / (replies * shares)), regime, ["token_accuracy"], weights="weight")


def _dummies(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """Return dummy variables for the ranges of tortuosity and of crossings and for the number of points.

    The least value of each is the reference.
    """
    return [dummies(factor, frame[factor]) for factor in FACTORS]
