"""Tables of model results on TraversalBench: causes and positions of errors of models that follow paths.

A question is one path with all its rows: alone, and with few and with many spurs. Confidence intervals resample
questions.
"""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from planimeter.evals.scores.evidence import Evidence, Mark, between, ring
from planimeter.evals.scores.forms import Scored, Table
from planimeter.evals.scores.summary import ranked
from planimeter.items.values import Row
from planimeter.suites.traversal.scores import accuracy, effects, local
from planimeter.suites.traversal.scores.replies import replies

#: Edges of the bins of tortuosity; the last is that of traversal-hard.
_TORTUOSITY = ("1–1.3", "1.3–2", "2–3", "3–4.5", "4.5–6.5", "6.5–9", "9–14")


ANALYSES = (
    *(accuracy.main, accuracy.grid, accuracy.curves),
    *(local.around_crossings, local.crossing_drop, local.prefix, local.around_spur, local.by_spurs_passed),
    *(effects.spurs, effects.curvature, accuracy.hard_subset, effects.reading_order, effects.regimes),
    *(effects.direction, effects.direction_terms),
)


def tables(scored: Scored) -> list[Table]:
    """Return TraversalBench's tables of the scored replies, without those that would be empty."""
    parts, made = replies(scored), list[Table]()
    for analysis in ANALYSES:
        frame = analysis.make(parts) if all(len(parts[config]) for config in analysis.needs) else pd.DataFrame()
        if not len(frame):
            continue
        frame = ranked(frame, scored.frame, "exact") if "model" in frame else frame
        plots = analysis.plots
        if analysis is accuracy.grid:
            plots = tuple(replace(plot, labels=_bins(scored.rows["base"])) for plot in plots)
        made.append(replace(analysis, frame=frame, plots=plots))
    return made


def _bins(base: pd.DataFrame) -> dict[str, dict[int, str]]:
    """Return {number: label} of each range of tortuosity and of crossings in ``base``, such as "1.3–2" and "2–3"."""
    tortuosity = sorted(map(int, base["tortuosity_bin"].unique()))
    counts = base.groupby("self_intersection_bin")["self_intersections"].agg(["min", "max"])
    return {
        "tortuosity": {t: _TORTUOSITY[t] if t < len(_TORTUOSITY) else f"bin {t}" for t in tortuosity},
        "crossings": {int(s): str(low) if low == high else f"{low}–{high}" for s, low, high in counts.itertuples()},
    }


def evidence(config: str, row: Row, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001 - shared signature
    """Return the evidence on the grade of a reply: counts of markers, and lines and rings that show the first error."""
    points = [(float(x), float(y)) for x, y in row["points"]]
    truth, named = list(row["markers"]), read.split(", ") if read else []
    right = len(correct) if all(correct) else list(correct).index(False)
    facts = (("markers", str(len(truth)), str(len(named))), ("right from the start", str(len(truth)), str(right)))
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
