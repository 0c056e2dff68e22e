"""Tables of MaRVL-QA's results: counts by size and style, transformations, and where answers collapse."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from planimeter.evals.marvl_qa.prompt import LABELS
from planimeter.evals.scores.evidence import Evidence, Mark, Record, in_picture, ring
from planimeter.evals.scores.forms import Plot, Scored, Table
from planimeter.evals.scores.summary import BOUNDS, INTERVALS, Rates, flags, summary, with_strata
from planimeter.items import OPTIONS

UNREADABLE = "unreadable"
COUNTING, TRANSFORMATION = "config == 'counting'", "config == 'transformation'"

#: Errors of counts that have a column, or a bar, each.
ERRORS = {f"{value:+d}" if value else "0": value for value in range(-3, 4)}

_RELAXED = ("accuracy", "relaxed_10", "relaxed_20")
_COUNTS = "Accuracy is of exact counts; relaxed: within 10% or 20% of the true count."
_CHANCE = (
    "A guess among the five options is right in 20%, and in 25% without “no change”, which is never right. “Same” and "
    "“different” compare the two plots; contour plots have no colours, so pairs with one are in no colour column."
)
_STRICT = "Strictly read: the asked format only. "
_SIGNED = (
    "Count in the reply less the true count, of replies that could be read: its mean, the share of counts too small "
    "and too large, and of each error from -3 to +3."
)
_POSITIONS = tuple(str(place + 1) for place in range(len(OPTIONS)))
_GIVEN = (*OPTIONS, UNREADABLE)
_BARS = Plot(kind="bars", x="model", series="metric")
_HISTOGRAM = Plot(
    kind="columns",
    name="signed_errors",
    x="metric",
    series="feature",
    panel="model",
    labels={"metric": {name: name for name in ERRORS}},
)

TABLES = (
    Rates(name="t1_counting", title="Counting", source="Table 1", where=COUNTING, metrics=_RELAXED, note=_COUNTS),
    Rates(
        name="t2_transformation",
        title="Transformations, by whether both plots are drawn alike",
        source="Table 2",
        where=TRANSFORMATION,
        metrics=("accuracy",),
        across=("plot_types", "colormaps"),
        note=_CHANCE,
    ),
    Rates(
        name="t8_counting_strict",
        title="Counting, strictly read",
        source="Table 8",
        where=COUNTING,
        metrics=tuple(f"strict_{metric}" for metric in _RELAXED),
        note=_STRICT + _COUNTS,
    ),
    Rates(
        name="t9_transformation_strict",
        title="Transformations, strictly read, by whether both plots are drawn alike",
        source="Table 9",
        where=TRANSFORMATION,
        metrics=("strict_accuracy",),
        across=("plot_types", "colormaps"),
        note=_STRICT + _CHANCE,
    ),
    Rates(
        name="t10_counts",
        title="Counting, by the true count",
        source="Table 10, Figure 3",
        where=COUNTING,
        metrics=_RELAXED,
        down=("count",),
        note=_COUNTS,
        plots=(
            Plot(kind="lines", name="fig3_counts", x="count", panel="metric", metrics=_RELAXED, xlabel="true count"),
        ),
    ),
    Rates(
        name="t11_colormaps",
        title="Counting, by colour map",
        source="Table 11, Figure 7",
        where=COUNTING,
        metrics=("strict_accuracy",),
        across=("colormap",),
        note=_STRICT + "Contour plots have no colour map and count in the first column only.",
        plots=(replace(_BARS, name="fig7_colormaps", xlabel="strict accuracy"),),
    ),
    Rates(
        name="t12_features",
        title="Counting maxima and minima",
        source="Table 12, Figure 4",
        where=COUNTING,
        metrics=("accuracy",),
        across=("feature",),
        plots=(replace(_BARS, name="fig4_features", xlabel="accuracy"),),
    ),
    Rates(
        name="t13_transformations",
        title="Each transformation",
        source="Table 13, Figure 5",
        where=TRANSFORMATION,
        metrics=("accuracy",),
        across=("transformation",),
        plots=(replace(_BARS, name="fig5_transformations", xlabel="accuracy"),),
    ),
    *(
        Rates(
            name=f"signed_errors_by_{axis}",
            title=f"How far counts are off, by {axis}",
            source="section 4.1.2",
            where=f"{COUNTING} and answered == 1",
            metrics=("signed_error", "under", "over", *ERRORS),
            rank="accuracy",
            down=(axis,),
            note=_SIGNED,
            units={"signed_error": "number"},
            plots=(_HISTOGRAM,) if axis == "feature" else (),
        )
        for axis in ("feature", "count")
    ),
    Rates(
        name="confusion",
        title="What is answered for each transformation",
        source="Figure 6",
        where=TRANSFORMATION,
        metrics=_GIVEN,
        rank="accuracy",
        down=("transformation",),
        note="Shares of all replies to the rows of a transformation; a row adds up to 100%.",
        plots=(Plot(kind="heat", x="metric", series="transformation", panel="model", metrics=_GIVEN),),
    ),
    Rates(
        name="fig6_option_bias",
        title="Which options wrong replies give",
        source="Figure 6",
        where=f"{TRANSFORMATION} and accuracy == 0",
        metrics=_GIVEN,
        rank="accuracy",
        note="Shares of the wrong replies; a row adds up to 100%.",
        plots=(Plot(kind="stacked", x="model", series="metric", metrics=_GIVEN, xlabel="share of the wrong replies"),),
    ),
    Rates(
        name="styles",
        title="Transformations, by the styles of both plots",
        source="style confusion",
        where=TRANSFORMATION,
        metrics=("accuracy",),
        down=("style_a", "style_b"),
        note="A style is a plot type and its colour map, or the type alone unless all pairs were asked.",
        plots=(
            Plot(
                kind="heat",
                x="style_b",
                series="style_a",
                panel="model",
                metrics=("accuracy",),
                xlabel="Plot B",
                ylabel="Plot A",
            ),
        ),
    ),
)


def tables(scored: Scored) -> list[Table]:
    """Return the tables of the paper's results of the configs that were asked, and those of errors and of styles."""
    frame = with_strata(scored)
    if "transformation" in scored.rows:
        frame = _with_options(frame, scored.rows["transformation"])
    if "signed_error" in frame:
        error = frame["signed_error"]
        each = {name: (error == value).astype(float) for name, value in ERRORS.items()}
        frame = frame.assign(under=(error < 0).astype(float), over=(error > 0).astype(float), **each)
    asked = {str(config) for config in frame["config"].unique()}
    result = [table.of(frame) for table in TABLES if any(config in table.where for config in asked)]
    choices = frame.query(TRANSFORMATION)
    return [*result, _collapse(choices)] if len(choices) else result


def _with_options(frame: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the replies with the option that each gives, as 0 and 1, its place in the list, and the plots' styles."""
    asked = frame["id"].where(frame["config"] == "transformation")
    options = asked.map(rows["options"])
    pairs = zip(options, frame["read"], strict=True)
    given = [listed[int(read) - 1] if read and isinstance(listed, list) else UNREADABLE for listed, read in pairs]
    frame = flags(flags(frame.assign(given=given), "given", _GIVEN), "read", _POSITIONS)
    styles = {panel: (rows[f"plot_type_{panel}"] + " " + rows[f"colormap_{panel}"]).str.strip() for panel in "ab"}
    shown = rows.index.isin(asked)
    a, b = (styles[panel][shown] for panel in "ab")
    if len({*zip(a, b, strict=True)}) < len({*a, *b}) ** 2:
        styles = {panel: rows[f"plot_type_{panel}"] for panel in "ab"}
    return frame.assign(style_a=asked.map(styles["a"]), style_b=asked.map(styles["b"]))


def _collapse(frame: pd.DataFrame) -> Table:
    """Return how much of all replies goes to one option, and to one place in the list of options."""
    each = summary(frame, ["model"], (*OPTIONS, *_POSITIONS))
    columns: dict[str, Any] = {}
    kinds = (("option", "collapse_index", OPTIONS), ("position", "position_share", _POSITIONS))
    for kind, name, values in kinds:
        most = [str(name) for name in each[list(values)].idxmax(axis=1)]
        columns[f"most_given_{kind}"] = most
        for bound in BOUNDS:
            columns[name + bound] = [each.at[line, given + bound] for line, given in zip(each.index, most, strict=True)]
    positions = [position + bound for position in _POSITIONS for bound in BOUNDS]
    table = each[["model", "n"]].assign(**columns).join(each[positions])
    return Table(
        name="collapse",
        title="Collapse to one option, and to one position",
        frame=table.sort_values("collapse_index", ascending=False, kind="stable", ignore_index=True),
        note="Collapse index: the share of all replies that goes to the option given most often; right answers alone "
        "would give 25%. The columns 1 to 5 are shares of the positions in the list; each is right in about a fifth. "
        f"{INTERVALS}",
    )


def evidence(config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001 - shared signature
    """Return what to show of a reply."""
    if config == "transformation":
        options = enumerate((str(LABELS[name]) for name in row["options"]), start=1)
        return Evidence(options=tuple((text, str(k) == row["answer"], str(k) == read) for k, text in options))
    kind = row["feature"].removesuffix("a") + "um"
    rings = [
        Mark(kind="truth", d=ring(*in_picture(row, e["x"], e["y"]), 11), title=f"{kind} {k}")
        for k, e in enumerate(row["extrema"], start=1)
    ]
    return Evidence(note=f"Each {kind} is ringed.", marks=tuple(rings))
