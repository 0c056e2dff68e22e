"""The first screen of the page: the headline of each config beside that of baselines, and what follows in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planimeter import evals
from planimeter.evals.baselines.solving import baselines
from planimeter.evals.scores.forms import Scored, records
from planimeter.evals.scores.intervals import Interval, paired
from planimeter.evals.scores.summary import BOUNDS, NONE, coverage, headline, labelled, of_rows, stratified, summary
from planimeter.evals.scores.tables import with_interval
from planimeter.items.values import Recipe, Row

#: A finding names so many places or models, and counts the others.
MOST_NAMED = 3

#: From this share on, replies that could not be read are a finding.
UNREAD = 0.01


@dataclass(frozen=True, kw_only=True)
class Line:
    """A model's headline, from 0 to 1, with its 95% interval; ``partial`` says how much it was asked, if not all.

    ``label`` is the model as tables name it.
    """

    label: str
    value: float
    low: float
    high: float
    partial: str = ""

    @property
    def name(self) -> str:
        """The model without the mark of a part, which ``partial`` makes needless."""
        return self.label.rpartition(" (")[0] if self.partial and self.label.endswith(" rows)") else self.label

    @property
    def text(self) -> str:
        """The headline in per cent, such as "87.1 [84.2, 89.6]"."""
        return with_interval(self.value, self.low, self.high)


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The models on one config and split, the best first, and the headline of baselines on the same rows."""

    config: str
    split: str
    title: str
    rows: int
    lines: Sequence[Line]
    floors: Mapping[str, float]

    @property
    def ranked(self) -> Sequence[Line]:
        """The models that were asked every row; all, if none was."""
        return [line for line in self.lines if not line.partial] or self.lines


def standings(scored: Scored, recipe: Recipe) -> list[Standing]:
    """Return the standing of each config and split; ``recipe`` is the dataset's, for its baselines."""
    scored, by = labelled(scored), ["config", "split", "model"]
    metric, rankings = headline(scored), []
    table = summary(scored.frame, by, [metric]).merge(coverage(scored, by), on=by)
    table = table.sort_values(metric, ascending=False, kind="stable")
    for key, part in table.groupby(["config", "split"]):
        config, split = map(str, key)
        several = scored.frame.loc[scored.frame["config"] == config, "split"].nunique() > 1
        lines = []
        for record in records(part):
            number, rows = record["asked"], record["rows"]
            lines.append(line(record, metric, f"{of_rows(number, rows)} rows" if number < rows else ""))
        title = f"{config}, {split}" if several else config
        rows, floors = int(part["rows"].max()), _floors(scored, config, split, recipe)
        rankings.append(Standing(config=config, split=split, title=title, rows=rows, lines=lines, floors=floors))
    return rankings


def line(record: Row, metric: str, partial: str) -> Line:
    """Return the line of a model whose ``record`` has the rate ``metric``."""
    value, low, high = (record[metric + end] for end in BOUNDS)
    return Line(label=str(record["model"]), value=value, low=low, high=high, partial=partial)


def _floors(scored: Scored, config: str, split: str, recipe: Recipe) -> dict[str, float]:
    metric, frame = headline(scored), scored.frame
    ids = frame.loc[(frame["config"] == config) & (frame["split"] == split), "id"].unique()
    rows = list(records(scored.rows[config].loc[sorted(ids)].rename_axis("id").reset_index()))
    render, floors = evals.suite(scored.suite).render, {}
    for name, answers in baselines(scored.suite, config, recipe, rows).items():
        both = zip(rows, map(render, answers), strict=True)
        grades = [evals.grade(row, reply, suite=scored.suite, config=config).metrics[metric] for row, reply in both]
        floors[name] = sum(grades) / len(grades)
    return floors


def findings(scored: Scored, rankings: Sequence[Standing]) -> list[str]:
    """Return what the intervals support, a sentence each: leaders, a weakness, models no better than guessing.

    The last one, which needs no interval, is on replies that could not be read.
    """
    scored = labelled(scored)
    lines = [*_leads(scored, rankings), _weakness(scored, rankings), *_guesses(rankings), _unread(scored)]
    return [line for line in lines if line]


def _leads(scored: Scored, rankings: Sequence[Standing]) -> Iterable[str]:
    clear: dict[str, list[str]] = {}
    unclear, alone = [], []
    for standing in rankings:
        best, *others = standing.ranked
        if not others:
            floor = max(standing.floors.items(), key=lambda item: item[1], default=None)
            beside = f" (the {floor[0]} baseline: {100 * floor[1]:.1f})" if floor else ""
            alone.append(f"{best.text} on {standing.title}{beside}")
            continue
        lead = _difference(scored, standing, best, others[0])
        if lead.low > 0:
            clear.setdefault(best.label, []).append(f"{best.text} on {standing.title}")
        else:
            by = with_interval(lead.estimate, lead.low, lead.high)
            unclear.append(f"{best.label} and {others[0].label} differ by {by} on {standing.title}")
    if alone:
        yield f"{rankings[0].ranked[0].label}: {_listed(alone)}."
    for label, places in clear.items():
        yield f"Best: {label}, with {_listed(places)}; the interval of its lead over the next model lies above 0."
    if unclear:
        yield f"No clear best: {_listed(unclear)}."


def _difference(scored: Scored, standing: Standing, a: Line, b: Line) -> Interval:
    frame, metric = scored.frame, headline(scored)
    frame = frame[(frame["config"] == standing.config) & (frame["split"] == standing.split)]
    both = frame.groupby(["id", "question", "model"])[metric].mean().unstack("model")[[a.label, b.label]].dropna()
    return paired(both[a.label], both[b.label], both.index.get_level_values("question"))


def _weakness(scored: Scored, rankings: Sequence[Standing]) -> str:
    """Return the widest gap between two values of a stratum, of the first model that has one beyond its intervals."""
    metric = headline(scored)
    for label in dict.fromkeys(line.label for standing in rankings for line in standing.ranked):
        gaps: list[tuple[float, str, str, Row, Row]] = []
        for config in dict.fromkeys(standing.config for standing in rankings):
            frame, axes = stratified(scored, config)
            replies = frame[frame["model"] == label]
            for axis in axes:
                part = summary(replies[replies[axis] != NONE], [axis], [metric]).sort_values(metric, kind="stable")
                if part.empty:  # the model was asked another config alone, or no row that lies on this axis
                    continue
                for worst, best in zip(*(records(part.iloc[[end]]) for end in (0, -1)), strict=True):
                    gaps.append((best[f"{metric}_low"] - worst[f"{metric}_high"], config, axis, worst, best))
        gap, config, axis, worst, best = max(gaps, key=lambda item: item[0], default=(0.0, "", "", {}, {}))
        if gap > 0:
            low, high = (with_interval(*(value[metric + end] for end in BOUNDS)) for value in (worst, best))
            where = f"{axis.replace('_', ' ')} is {worst[axis]}"
            return f"{label} is weakest on {config} where {where}: {low}, against {high} where it is {best[axis]}."
    return ""


def _guesses(rankings: Sequence[Standing]) -> Iterable[str]:
    parts = []
    for standing in rankings:
        floor = max(standing.floors.values(), default=-1.0)
        below = [line.label for line in standing.lines if line.low <= floor and line.label not in standing.floors]
        if below:
            parts.append(f"{_listed(below)} on {standing.title}")
    if parts:
        yield f"Not above the better baseline, by their intervals: {_listed(parts)}."


def _unread(scored: Scored) -> str:
    shares = 1 - scored.frame["answered"].astype(float).groupby(scored.frame["model"]).mean()
    shares = shares[shares >= UNREAD].sort_values(ascending=False, kind="stable")
    listed = _listed([f"{share:.1%} of the replies of {label}" for label, share in shares.items()])
    return f"Could not be read: {listed}." if listed else ""


def _listed(parts: Sequence[str]) -> str:
    """Return the first few parts, which may hold commas, as a list in words."""
    more = len(parts) - MOST_NAMED
    return "; ".join([*parts[:MOST_NAMED], *([f"and {more:,} more"] if more > 0 else [])])
