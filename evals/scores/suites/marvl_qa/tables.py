"""The tables of MaRVL-QA's results: counts by size and style, transformations, and where answers collapse."""

from collections.abc import Iterable

import pandas as pd

from planimeter.evals.scores.forms import Scored, Table, Unit
from planimeter.evals.scores.suites.marvl_qa.asked import ERRORS, UNREADABLE, frames, styled
from planimeter.evals.scores.summary import BOUNDS, INTERVALS, Spec, ranked, shares, sides, summary, table
from planimeter.items import OPTIONS

_RELAXED = ("accuracy", "relaxed_10", "relaxed_20")
_COUNTS = "Accuracy is of exact counts; relaxed: within 10% or 20% of the true count."
_CHANCE = (
    "A guess among the five options is right in 20%, and in 25% without “no change”, which is never right. “Same” and "
    "“different” compare the two plots; contour plots have no colours, so pairs with one are in no colour column."
)
_STRICT = "Strictly read: the asked format only. "
_POSITIONS = tuple(str(place + 1) for place in range(len(OPTIONS)))
SPECS = (
    Spec(name="t1_counting", title="Counting", source="Table 1", config="counting", metrics=_RELAXED, note=_COUNTS),
    Spec(
        name="t2_transformation",
        title="Transformations, by whether both plots are drawn alike",
        source="Table 2",
        config="transformation",
        metrics=("accuracy",),
        across=("plot_types", "colormaps"),
        note=_CHANCE,
    ),
    Spec(
        name="t8_counting_strict",
        title="Counting, strictly read",
        source="Table 8",
        config="counting",
        metrics=tuple(f"strict_{metric}" for metric in _RELAXED),
        note=_STRICT + _COUNTS,
    ),
    Spec(
        name="t9_transformation_strict",
        title="Transformations, strictly read, by whether both plots are drawn alike",
        source="Table 9",
        config="transformation",
        metrics=("strict_accuracy",),
        across=("plot_types", "colormaps"),
        note=_STRICT + _CHANCE,
    ),
    Spec(
        name="t10_counts",
        title="Counting, by the true count",
        source="Table 10",
        config="counting",
        metrics=_RELAXED,
        down=("count",),
        note=_COUNTS,
    ),
    Spec(
        name="t11_colormaps",
        title="Counting, by colour map",
        source="Table 11",
        config="counting",
        metrics=("strict_accuracy",),
        across=("colormap",),
        note=_STRICT + "Contour plots have no colour map and count in the first column only.",
    ),
    Spec(
        name="t12_features",
        title="Counting maxima and minima",
        source="Table 12",
        config="counting",
        metrics=("accuracy",),
        across=("feature",),
    ),
    Spec(
        name="t13_transformations",
        title="Each transformation",
        source="Table 13",
        config="transformation",
        metrics=("accuracy",),
        across=("transformation",),
    ),
)


def tables(scored: Scored) -> list[Table]:
    """Return the tables of the paper's results of the configs that were asked, and those of errors and of styles."""
    by_config = frames(scored)
    result = [table(spec, by_config[spec.config]) for spec in SPECS if spec.config in by_config]
    if "counting" in by_config:
        counting = by_config["counting"]
        result += [_errors(counting, axis) for axis in ("feature", "count")] + [_true_counts(scored, counting)]
    if "transformation" in by_config:
        choices = by_config["transformation"]
        result += [_confusion(choices), _collapse(choices), _option_bias(choices), _styles(choices)]
    return result


def _errors(frame: pd.DataFrame, axis: str) -> Table:
    """Return how far counts are off, of the replies that could be read."""
    keys, read = [*sides(frame), axis], frame[frame["answered"]]
    error = read["signed_error"]
    signed = read.assign(
        under=(error < 0).astype(float),
        over=(error > 0).astype(float),
        error=[f"{value:+.0f}" if value else "0" for value in error],
    )
    table = summary(signed, keys, ["signed_error", "under", "over"])
    names = [f"{value:+d}" if value else "0" for value in ERRORS]
    each = shares(signed, keys, "error", [*names, *sorted({*signed["error"]} - {*names})])
    table = table.join(each.set_index(keys)[names], on=keys)
    table = ranked(table, frame, "accuracy")
    return Table(
        name=f"signed_errors_by_{axis}",
        title=f"How far counts are off, by {axis}",
        source="section 4.1.2",
        frame=table,
        note="Count in the reply less the true count, of replies that could be read: its mean, the share of counts too "
        f"small and too large, and of each error from -3 to +3. {INTERVALS}",
        units={"signed_error": "number", **_in_per_cent(names)},
    )


def _true_counts(scored: Scored, frame: pd.DataFrame) -> Table:
    rows = scored.rows["counting"]
    counted = rows.loc[rows.index.isin(frame["id"])]
    table = counted.groupby("feature")["count"].agg(rows="size", mean="mean", least="min", most="max").reset_index()
    return Table(name="true_counts", title="True counts of the rows that were asked", source="Table 12", frame=table)


def _confusion(frame: pd.DataFrame) -> Table:
    names = (*OPTIONS, UNREADABLE)
    table = ranked(shares(frame, [*sides(frame), "transformation"], "option", names), frame, "accuracy")
    return Table(
        name="confusion",
        title="What is answered for each transformation",
        source="Figure 6",
        frame=table,
        note="Shares of all replies to the rows of a transformation; a row adds up to 100%.",
        units=_in_per_cent(names),
    )


def _collapse(frame: pd.DataFrame) -> Table:
    """Return how much of all replies goes to one option, and to one place in the list of options."""
    keys, parts = sides(frame), []
    for kind, column, values in (("option", "option", OPTIONS), ("position", "position", _POSITIONS)):
        chosen = frame.assign(**{value: (frame[column] == value).astype(float) for value in values})
        each = summary(chosen, keys, values)
        most = each[list(values)].idxmax(axis=1)
        name = "collapse_index" if kind == "option" else "position_share"
        part = each[keys].assign(**{f"most_given_{kind}": most})
        for bound in BOUNDS:
            part[name + bound] = [
                line[str(value) + bound] for (_, line), value in zip(each.iterrows(), most, strict=True)
            ]
        parts.append(part.set_index(keys))
    places = shares(frame, keys, "position", [*_POSITIONS, UNREADABLE]).set_index(keys)
    table = parts[0].join(parts[1]).join(places).reset_index()
    return Table(
        name="collapse",
        title="Collapse to one option, and to one position",
        frame=table.sort_values("collapse_index", ascending=False, kind="stable", ignore_index=True),
        note="Collapse index: the share of all replies that goes to the option given most often; right answers alone "
        "would give 25%. The columns 1 to 5 are shares of the positions in the list; each is right in about a fifth.",
        units=_in_per_cent((*_POSITIONS, UNREADABLE)),
    )


def _option_bias(frame: pd.DataFrame) -> Table:
    names, wrong = (*OPTIONS, UNREADABLE), frame[frame["accuracy"] == 0]
    table = ranked(shares(wrong, sides(frame), "option", names), frame, "accuracy")
    top = [
        ", ".join(name for name in sorted(names, key=lambda name: -line[name])[:3] if line[name] > 0)
        for _, line in table.iterrows()
    ]
    table.insert(table.columns.tolist().index("n") + 1, "top_three", top)
    return Table(
        name="fig6_option_bias",
        title="Which options wrong replies give",
        source="Figure 6",
        frame=table,
        note="Shares of the wrong replies; a row adds up to 100%.",
        units=_in_per_cent(names),
    )


def _styles(frame: pd.DataFrame) -> Table:
    drawn, _ = styled(frame)
    table = summary(drawn, [*sides(frame), "style_a", "style_b"], ["accuracy"])
    return Table(
        name="styles",
        title="Transformations, by the styles of both plots",
        source="style confusion",
        frame=ranked(table, frame, "accuracy"),
        note=f"A style is a plot type and its colour map, or the type alone unless all pairs were asked. {INTERVALS}",
    )


def _in_per_cent(names: Iterable[str]) -> dict[str, Unit]:
    return dict.fromkeys(names, "share")
