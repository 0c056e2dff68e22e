"""TraversalBench's tables: what breaks a path-following model, and where on the path.

Questions are source paths: a path, and the same path with few and with many spurs, are one. Intervals draw them again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from planimeter.evals.report.evidence import Evidence, Mark, Record, between, ring
from planimeter.evals.scores.forms import Plot, Scored, Table
from planimeter.evals.scores.suites.traversal import accuracy, effects, local
from planimeter.evals.scores.suites.traversal.replies import replies
from planimeter.evals.scores.summary import ranked

_BINS = "Bins are those of the dataset's columns tortuosity_bin and self_intersection_bin."
#: Edges of the bins of tortuosity; the last is that of traversal-hard.
_TORTUOSITY = ("1–1.3", "1.3–2", "2–3", "3–4.5", "4.5–6.5", "6.5–9", "9–14")
_FACTORS = {"tortuosity": "bin of tortuosity", "crossings": "bin of crossings", "points": "number of markers"}
_REGIMES = {"ltr_tb": "→ then ↓", "rtl_tb": "← then ↓", "ttb_rl": "↓ then ←", "ttb_lr": "↓ then →"}
_CONTROL = "Control: the same position of paths of as many points that do not cross themselves."


@dataclass(frozen=True, kw_only=True)
class Analysis(Table):
    """A table that ``make`` makes of the replies to each config, if all that it ``needs`` have any."""

    make: Callable[[local.Replies], pd.DataFrame]
    needs: tuple[str, ...] = ("base",)


_GRID = Plot(kind="heat", x="crossings", series="tortuosity", panel="model", xlabel="crossings", ylabel="tortuosity")
_MARKERS = Plot(
    kind="lines",
    x="offset",
    series="model",
    metrics=("accuracy", "control"),
    dashed=("metric", "control", ""),
    xlabel="markers past it",
    ylabel="token accuracy",
)
_SPURS = replace(_MARKERS, dashed=("metric", "control", "without spurs"), source="Figure 6")
ANALYSES = (
    Analysis(
        name="main",
        title="Main results",
        source="section 3.2 and Table 2",
        make=accuracy.main,
        needs=(),
        note="Exact match and token accuracy by part of the dataset; tokens are means of a reply.",
    ),
    Analysis(
        name="grid",
        title="Tortuosity and crossings",
        source="Figures 2 and 11",
        make=accuracy.grid,
        note=f"Paths without spurs. {_BINS}",
        plots=(
            replace(_GRID, name="grid_exact", metrics=("exact",), title="Exact match by tortuosity and crossings"),
            replace(
                _GRID,
                name="grid_token_accuracy",
                metrics=("token_accuracy",),
                title="Token accuracy by tortuosity and crossings",
            ),
        ),
    ),
    Analysis(
        name="curves",
        title="Accuracy by each factor",
        source="Figure 3",
        make=accuracy.curves,
        note=f"Base: the paths that were also shown with spurs, or all where none was. {_BINS}",
        plots=(
            Plot(
                kind="lines",
                x="value",
                panel="factor",
                metrics=("exact",),
                dashed=("part", "confounded", "with spurs"),
                labels={"factor": _FACTORS},
                ylabel="exact match",
            ),
        ),
    ),
    Analysis(
        name="around_crossings",
        title="Accuracy around the k-th crossing met",
        source="Figure 5",
        make=local.around_crossings,
        note=f"Offset 0 is the first marker past the crossing. {_CONTROL}",
        plots=(
            replace(
                _MARKERS,
                panel="crossing",
                dashed=("metric", "control", "paths without crossings"),
            ),
        ),
    ),
    Analysis(
        name="crossing_drop",
        title="Drop at the k-th crossing met",
        source="Figure 5",
        make=local.crossing_drop,
        note=(
            "Drop: accuracy at the last marker before the crossing less that at the first one past it; control drop: "
            "the same of paths without crossings; beyond control: their difference."
        ),
        plots=(Plot(kind="columns", x="crossing", metrics=("drop",), xlabel="crossing met", ylabel="drop (points)"),),
    ),
    Analysis(
        name="prefix",
        title="Prefixes before the first crossing",
        source="Table 3",
        make=local.prefix,
        note=(
            "How often all markers before the first crossing are right, and equally long prefixes of paths of as many "
            "points without crossings; a negative difference: paths that will cross are harder before they do."
        ),
    ),
    Analysis(
        name="around_spur",
        title="Accuracy around the first spur met",
        source="Figure 6, left",
        make=local.around_spur,
        needs=("base", "confounded"),
        note="Offset 0 is the first marker past the spur's anchor; control: the same position without spurs.",
        plots=(replace(_SPURS, panel="condition", labels={"condition": {name: name for name in local.CONDITIONS}}),),
    ),
    Analysis(
        name="by_spurs_passed",
        title="Accuracy by spurs passed",
        source="Figure 6, right",
        make=local.by_spurs_passed,
        needs=("base", "confounded"),
        note="n counts markers; control: the same markers of the same paths without spurs.",
        plots=(replace(_SPURS, x="spurs_passed", xlabel="spurs passed before the marker"),),
    ),
    Analysis(
        name="spurs",
        title="What a spur costs",
        source="section 4.2",
        make=effects.spurs,
        needs=("base", "confounded"),
        note=(
            "Difference: with spurs less without, paired. Per spur: coefficient of the number of spurs in a regression "
            "of the difference, with dummies of both bins and of the number of points; errors clustered by path."
        ),
    ),
    Analysis(
        name="curvature",
        title="What bending changes",
        source="section 5, future work",
        make=effects.curvature,
        needs=("curved",),
        note=(
            "Difference: bent less straight, of the same paths with the same markers; p: permutation of the paths' "
            "signs (McNemar's exact test, where replies are right or wrong). Better: paths that one drawing was read "
            "better in."
        ),
        units={"bent": "share", "straight": "share"},
    ),
    Analysis(
        name="hard_subset",
        title="Hard examples: answered, and right if answered",
        source="Table 2, B.3",
        make=accuracy.hard_subset,
        note=f"Paths without spurs of 13, 15 and 17 points, both bins 4 or 5; a dash: all of them. {_BINS}",
        units={"reasoning_tokens": "number"},
        plots=(
            Plot(
                kind="heat",
                x=("crossings", "tortuosity"),
                series="points",
                panel=("model", "metric"),
                metrics=("exact", "answered", "exact_if_answered"),
                where="crossings.notna()",
                xlabel="bins of crossings, tortuosity",
                ylabel="markers",
            ),
        ),
    ),
    Analysis(
        name="reading_order",
        title="Order of reading",
        source="Table 1",
        make=effects.reading_order,
        needs=("reading_order",),
        note=(
            "Token accuracy with each combination of lanes and points, and each regime, counted once; changes are from "
            "the fewest to the most lanes and vertices, by a regression that controls for the regime."
        ),
    ),
    Analysis(
        name="regimes",
        title="Order of reading by regime",
        source="Figure 8",
        make=effects.regimes,
        needs=("reading_order",),
        note="Difference: the regime less the mean of all regimes of the same model.",
        plots=(Plot(kind="heat", x="regime", series="model", metrics=("difference",), labels={"regime": _REGIMES}),),
    ),
    Analysis(
        name="direction",
        title="Is difficulty a matter of left and right?",
        source="Table 4",
        make=effects.direction,
        note=(
            "Least and greatest coefficient of each family of dummies in regressions over all models, before and after "
            "a dummy for paths that end to the right of their start; reference: the lowest bins."
        ),
        units=dict.fromkeys((f"{end}_{name}" for end in ("min", "max") for name in effects.RANGES), "share"),
    ),
    Analysis(
        name="direction_terms",
        title="All coefficients of the regressions with and without direction",
        source="Table 4",
        make=effects.direction_terms,
        units={"change": "share"},
    ),
)


def tables(scored: Scored) -> list[Table]:
    """Return TraversalBench's tables; those without replies are left out."""
    parts, made = replies(scored), []
    for analysis in ANALYSES:
        there = all(len(parts[config]) for config in analysis.needs)
        table: Table = analysis
        frame = analysis.make(parts) if there else pd.DataFrame()
        if table.name == "grid" and len(frame):
            labels = _bins(scored.rows["base"])
            table = replace(table, plots=tuple(replace(plot, labels=labels) for plot in table.plots))
        frame = ranked(frame, scored.frame, "exact") if "model" in frame else frame
        made.append(replace(table, frame=frame))
    return [table for table in made if len(table.frame)]


def _bins(base: pd.DataFrame) -> dict[str, dict[int, str]]:
    """Return what the bins of tortuosity and of crossings are called, of those that the dataset has."""
    tortuosity = sorted(map(int, base["tortuosity_bin"].unique()))
    counts = base.groupby("self_intersection_bin")["self_intersections"].agg(["min", "max"])
    return {
        "tortuosity": {t: _TORTUOSITY[t] if t < len(_TORTUOSITY) else f"bin {t}" for t in tortuosity},
        "crossings": {int(s): str(low) if low == high else f"{low}–{high}" for s, low, high in counts.itertuples()},
    }


def evidence(config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001 - shared signature
    """Return what to show of a reply."""
    points = [(float(x), float(y)) for x, y in row["points"]]
    truth, named = list(row["markers"]), read.split(", ") if read else []
    right = len(correct) if all(correct) else list(correct).index(False)
    facts = (
        ("markers", str(len(truth)), str(len(named))),
        ("right from the start", str(len(truth)), str(right)),
    )
    gap = float(row["glyph_radius"]) + 2
    marks = [Mark(kind="path", d=between(points, gap), title="the path")]
    if right > 1:
        marks.append(Mark(kind="done", d=between(points[:right], gap), title="right so far"))
    if not read or (right == len(truth) == len(named)):
        return Evidence(facts=facts)
    if right == len(truth):
        return Evidence(note="All markers are right, and more follow.", marks=tuple(marks), facts=facts)
    radius = 1.5 * float(row["glyph_radius"]) + 2
    marks.append(Mark(kind="truth", d=ring(*points[right], radius), title=f"right: {truth[right]}"))
    note = f"First fault at marker {right + 1}: it is the {truth[right]}, ringed in full; the reply "
    if right >= len(named):
        return Evidence(note=f"{note}ends before it.", marks=tuple(marks), facts=facts)
    places = [point for point, marker in zip(points, truth, strict=True) if marker == named[right]]
    marks += [Mark(kind="reply", d=ring(*place, radius), title=f"named: {named[right]}") for place in places]
    where = "its ring is dashed" if places else "which the picture lacks"
    return Evidence(note=f"{note}names the {named[right]}, {where}.", marks=tuple(marks), facts=facts)
