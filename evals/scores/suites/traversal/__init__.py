"""TraversalBench's tables and figures: what breaks a path-following model, and where on the path.

Questions are source paths: a path, and the same path with few and with many spurs, are one. Intervals draw them again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from planimeter.evals.report.evidence import Evidence, Mark, Record, between, ring
from planimeter.evals.scores.forms import Figure, Scored, Table, Unit
from planimeter.evals.scores.suites.traversal import accuracy, effects, local
from planimeter.evals.scores.suites.traversal import figures as pictures
from planimeter.evals.scores.suites.traversal.replies import replies
from planimeter.evals.scores.summary import labelled, ranked

_BINS = "Bins are those of the dataset's columns tortuosity_bin and self_intersection_bin."
_TOKENS: Mapping[str, Unit] = {"reasoning_tokens": "number"}
_CONTROL = "Control: the same position of paths of as many points that do not cross themselves."


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """A table that ``of`` makes of the replies to each config, if all that it ``needs`` have any."""

    name: str
    title: str
    source: str
    of: Callable[[local.Replies], pd.DataFrame]
    needs: tuple[str, ...] = ("base",)
    note: str = ""
    units: Mapping[str, Unit] = field(default_factory=dict)


ANALYSES = (
    Analysis(
        name="main",
        title="Main results",
        source="section 3.2 and Table 2",
        of=accuracy.main,
        needs=(),
        note="Exact match and token accuracy by part of the dataset; tokens are means of a reply.",
    ),
    Analysis(
        name="grid",
        title="Tortuosity and crossings",
        source="Figures 2 and 11",
        of=accuracy.grid,
        note=f"Paths without spurs. {_BINS}",
    ),
    Analysis(
        name="curves",
        title="Accuracy by each factor",
        source="Figure 3",
        of=accuracy.curves,
        note=f"Base: the paths that were also shown with spurs, or all where none was. {_BINS}",
    ),
    Analysis(
        name="around_crossings",
        title="Accuracy around the k-th crossing met",
        source="Figure 5",
        of=local.around_crossings,
        note=f"Offset 0 is the first marker past the crossing. {_CONTROL}",
    ),
    Analysis(
        name="crossing_drop",
        title="Drop at the k-th crossing met",
        source="Figure 5",
        of=local.crossing_drop,
        note=(
            "Drop: accuracy at the last marker before the crossing less that at the first one past it; control drop: "
            "the same of paths without crossings; beyond control: their difference."
        ),
    ),
    Analysis(
        name="prefix",
        title="Prefixes before the first crossing",
        source="Table 3",
        of=local.prefix,
        note=(
            "How often all markers before the first crossing are right, and equally long prefixes of paths of as many "
            "points without crossings; a negative difference: paths that will cross are harder before they do."
        ),
    ),
    Analysis(
        name="around_spur",
        title="Accuracy around the first spur met",
        source="Figure 6, left",
        of=local.around_spur,
        needs=("base", "confounded"),
        note="Offset 0 is the first marker past the spur's anchor; control: the same position without spurs.",
    ),
    Analysis(
        name="by_spurs_passed",
        title="Accuracy by spurs passed",
        source="Figure 6, right",
        of=local.by_spurs_passed,
        needs=("base", "confounded"),
        note="n counts markers; control: the same markers of the same paths without spurs.",
    ),
    Analysis(
        name="spurs",
        title="What a spur costs",
        source="section 4.2",
        of=effects.spurs,
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
        of=effects.curvature,
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
        of=accuracy.hard_subset,
        note=f"Paths without spurs of 13, 15 and 17 points, both bins 4 or 5; a dash: all of them. {_BINS}",
        units=_TOKENS,
    ),
    Analysis(
        name="reading_order",
        title="Order of reading",
        source="Table 1",
        of=effects.reading_order,
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
        of=effects.regimes,
        needs=("reading_order",),
        note="Difference: the regime less the mean of all regimes of the same model.",
    ),
)


def tables(scored: Scored) -> list[Table]:
    """Return TraversalBench's tables; those without replies are left out."""
    frames, terms = _frames(scored)
    made = [
        Table(name=a.name, title=a.title, source=a.source, frame=frames[a.name], note=a.note, units=a.units)
        for a in ANALYSES
        if a.name in frames
    ]
    if len(terms):
        made.append(
            Table(
                name="direction",
                title="Is difficulty a matter of left and right?",
                source="Table 4",
                frame=effects.direction(terms),
                note=(
                    "Least and greatest coefficient of each family of dummies in regressions over all models, before "
                    "and after a dummy for paths that end to the right of their start; reference: the lowest bins."
                ),
                units=dict.fromkeys((f"{end}_{name}" for end in ("min", "max") for name in effects.RANGES), "share"),
            )
        )
        made.append(
            Table(
                name="direction_terms",
                title="All coefficients of the regressions with and without direction",
                source="Table 4",
                frame=terms,
                units={"change": "share"},
            )
        )
    return made


def figures(scored: Scored) -> list[Figure]:
    """Return TraversalBench's figures; those without replies are left out."""
    return pictures.drawn(_frames(scored)[0], scored.rows)


def _frames(scored: Scored) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Return the frames of all analyses that have a line, by name, and the pooled regressions."""
    prepared = labelled(scored)
    parts = replies(prepared)
    needed = {analysis.name: analysis for analysis in ANALYSES if all(len(parts[config]) for config in analysis.needs)}
    frames = {name: analysis.of(parts) for name, analysis in needed.items()}
    frames = {name: ranked(frame, prepared.frame, "exact") for name, frame in frames.items() if len(frame)}
    return frames, effects.direction_terms(parts)


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
