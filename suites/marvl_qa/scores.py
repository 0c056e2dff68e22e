"""Tables and figures of model results on MaRVL-QA: counts by size and style, transformations, and favourite options."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from planimeter.evals.marvl_qa.prompt import LABELS
from planimeter.evals.scores.evidence import Evidence, Mark, in_picture, ring
from planimeter.evals.scores.forms import Plot, Scored, Table
from planimeter.evals.scores.summary import BOUNDS, INTERVALS, Rates, flags, summary, with_strata
from planimeter.items import OPTIONS
from planimeter.items.values import Row

UNREADABLE = "unreadable"

#: Errors of counts that have a column, or a bar, each.
ERRORS = {f"{value:+d}" if value else "0": value for value in range(-3, 4)}

_RIGHT, _RELAXED = ("accuracy",), ("accuracy", "relaxed_10", "relaxed_20")
_STRICTLY, _STRICTLY_RELAXED = (tuple(f"strict_{name}" for name in metrics) for metrics in (_RIGHT, _RELAXED))
_ALIKE = ("plot_types", "colormaps")
_COUNTS = "Accuracy is of exact counts; relaxed: within 10% or 20% of the true count."
_CHANCE = (
    "A guess among the five options is right in 20%, and in 25% without “no change”, which is never right. “Same” and "
    "“different” compare the two plots; contour plots have no colours, so pairs with one are in no colour column."
)
_GUESSED = "A guess among the eighteen options is right in 5.6%; “no change” is never right."
_STRICT = "Strictly read: the asked format only. "
_NO_COLOURS = "Contour plots have no colour map and count in the first column only."
_SIGNED = (
    "Count in the reply less the true count, of replies that could be read: its mean, the share of counts too small "
    "and too large, and of each error from -3 to +3."
)
_CONFUSED = "Shares of all replies to the rows of a transformation; a row adds up to 100%."
_STYLE = "A style is a plot type and its colour map, or the type alone unless all pairs were asked."
_POSITIONS = tuple(str(place + 1) for place in range(len(OPTIONS)))
_GIVEN = (*OPTIONS, UNREADABLE)

_counts, _choices = (partial(Rates, config=config) for config in ("counting", "transformation"))
_bars = partial(Plot, "bars", "model", series="metric")
_fine_counts, _motions = (partial(Rates, config=config) for config in ("counting_hard", "transformation_hard"))
_surfaces, _surface_motions = (partial(Rates, config=config) for config in ("surface", "surface_transformation"))
_by_count = Plot("lines", "count", _RELAXED, name="fig3_counts", panel="metric", xlabel="true count")
_by_colours = _bars(name="fig7_colormaps", xlabel="strict accuracy")
_by_feature, _by_transformation = (
    _bars(name=name, xlabel="accuracy") for name in ("fig4_features", "fig5_transformations")
)
_errors = {"metric": {name: name for name in ERRORS}}
_histogram = Plot("columns", "metric", name="signed_errors", series="feature", panel="model", labels=_errors)
_confusion = Plot("heat", "metric", _GIVEN, series="transformation", panel="model")
_bias = Plot("stacked", "model", _GIVEN, series="metric", xlabel="share of the wrong replies")
_styles = Plot("heat", "style_b", _RIGHT, series="style_a", panel="model", xlabel="Plot B", ylabel="Plot A")

TABLES = (
    _counts("t1_counting", "Counting", "Table 1", _RELAXED, note=_COUNTS),
    _choices(
        "t2_transformation",
        "Transformations, by whether both plots are drawn alike",
        "Table 2",
        _RIGHT,
        across=_ALIKE,
        note=_CHANCE,
    ),
    _counts("t8_counting_strict", "Counting, strictly read", "Table 8", _STRICTLY_RELAXED, note=_STRICT + _COUNTS),
    _choices(
        "t9_transformation_strict",
        "Transformations, strictly read, by whether both plots are drawn alike",
        "Table 9",
        _STRICTLY,
        across=_ALIKE,
        note=_STRICT + _CHANCE,
    ),
    _counts(
        "t10_counts",
        "Counting, by the true count",
        "Table 10, Figure 3",
        _RELAXED,
        down="count",
        note=_COUNTS,
        plots=(_by_count,),
    ),
    _counts(
        "t11_colormaps",
        "Counting, by colour map",
        "Table 11, Figure 7",
        _STRICTLY,
        across="colormap",
        note=_STRICT + _NO_COLOURS,
        plots=(_by_colours,),
    ),
    _counts(
        "t12_features",
        "Counting maxima and minima",
        "Table 12, Figure 4",
        _RIGHT,
        across="feature",
        plots=(_by_feature,),
    ),
    _choices(
        "t13_transformations",
        "Each transformation",
        "Table 13, Figure 5",
        _RIGHT,
        across="transformation",
        plots=(_by_transformation,),
    ),
    *(
        _counts(
            f"signed_errors_by_{axis}",
            f"How far counts are off, by {axis}",
            "section 4.1.2",
            ("signed_error", "under", "over", *ERRORS),
            where="answered == 1",
            rank="accuracy",
            down=axis,
            note=_SIGNED,
            plots=plots,
        )
        for axis, plots in (("feature", (_histogram,)), ("count", ()))
    ),
    _choices(
        "confusion",
        "What is answered for each transformation",
        "Figure 6",
        _GIVEN,
        rank="accuracy",
        down="transformation",
        note=_CONFUSED,
        plots=(_confusion,),
    ),
    _choices(
        "fig6_option_bias",
        "Which options wrong replies give",
        "Figure 6",
        _GIVEN,
        where="accuracy == 0",
        rank="accuracy",
        note="Shares of the wrong replies; a row adds up to 100%.",
        plots=(_bias,),
    ),
    _choices(
        "styles",
        "Transformations, by the styles of both plots",
        "style confusion",
        _RIGHT,
        down=("style_a", "style_b"),
        note=_STYLE,
        plots=(_styles,),
    ),
    _fine_counts(
        "fine_counts", "Fine counting, by the true count", "beyond the paper", _RELAXED, down="count", note=_COUNTS
    ),
    _fine_counts("fine_families", "Fine counting, by family", "beyond the paper", _RELAXED, down="family"),
    _surfaces("surfaces", "3D surfaces, by the true count", "beyond the paper", _RELAXED, down="count", note=_COUNTS),
    _surfaces("surface_views", "3D surfaces, by elevation", "beyond the paper", _RELAXED, across="elevation"),
    _motions("motions", "Each motion", "beyond the paper", _RIGHT, down="motion", note=_GUESSED),
    _surface_motions(
        "surface_motions", "Each motion of 3D surfaces", "beyond the paper", _RIGHT, down="motion", note=_GUESSED
    ),
    _surface_motions(
        "surface_motion_views",
        "Motions of 3D surfaces, by the lower elevation",
        "beyond the paper",
        _RIGHT,
        across="lower_elevation",
        note=_GUESSED,
    ),
)


def tables(scored: Scored) -> list[Table]:
    """Return the tables of the scored replies: those of the MaRVL-QA paper, and others of errors and of styles."""
    frame = with_strata(scored)
    if "transformation" in scored.rows:
        frame = _with_options(frame, scored.rows["transformation"])
    if "signed_error" in frame:
        error = frame["signed_error"]
        each = {name: (error == value).astype(float) for name, value in ERRORS.items()}
        frame = frame.assign(under=(error < 0).astype(float), over=(error > 0).astype(float), **each)
    result = [table.of(frame) for table in TABLES if (frame["config"] == table.config).any()]
    choices = frame[frame["config"] == "transformation"]
    return [*result, _collapse(choices)] if len(choices) else result


def _with_options(frame: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return ``frame`` with a column for each option and each position in the list: 1 if the reply chose it, else 0.

    The columns ``style_a`` and ``style_b`` have the drawing styles of the plots. ``rows``: the rows of
    ``transformation``.
    """
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
    """Return the table of each model's most frequent choice: the option, and the position in the list of options."""
    each = summary(frame, ["model"], (*OPTIONS, *_POSITIONS))
    table = each[["model", "n"]].copy()
    kinds = (("option", "collapse_index", OPTIONS), ("position", "position_share", _POSITIONS))
    for kind, name, values in kinds:
        most = [str(given) for given in each[list(values)].idxmax(axis=1)]
        table[f"most_given_{kind}"] = most
        for bound in BOUNDS:
            table[name + bound] = [each[given + bound][line] for line, given in zip(each.index, most, strict=True)]
    positions = [position + bound for position in _POSITIONS for bound in BOUNDS]
    table = table.join(each[positions])
    return Table(
        "collapse",
        "Collapse to one option, and to one position",
        frame=table.sort_values("collapse_index", ascending=False, kind="stable", ignore_index=True),
        note="Collapse index: the share of all replies that goes to the option given most often; right answers alone "
        "would give 25%. The columns 1 to 5 are shares of the positions in the list; each is right in about a fifth. "
        f"{INTERVALS}",
    )


def evidence(config: str, row: Row, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001 - shared signature
    """Return the evidence on the grade of a reply: the options, or rings around the counted extrema."""
    if "options" in row:
        options = enumerate((str(LABELS[name]) for name in row["options"]), start=1)
        return Evidence(options=tuple((text, str(k) == row["answer"], str(k) == read) for k, text in options))
    kind = row["feature"].removesuffix("a") + "um"
    if config == "surface":
        places = [(float(x), float(y)) for x, y in row["extrema_px"]]
    else:
        places = [in_picture(row, e["x"], e["y"]) for e in row["extrema"]]
    rings = [Mark(kind="truth", d=ring(*place, 11), title=f"{kind} {k}") for k, place in enumerate(places, start=1)]
    return Evidence(note=f"Each {kind} is ringed.", marks=tuple(rings))
