"""The rankings at the top of the page: the headline metric of each model and config, next to that of baselines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planimeter import evals
from planimeter.evals.baselines.solving import baselines
from planimeter.evals.scores.forms import Scored, records
from planimeter.evals.scores.summary import BOUNDS, coverage, headline, labelled, of_rows, summary
from planimeter.evals.scores.tables import with_interval
from planimeter.items.values import Recipe


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a ranking: a model's headline metric, 0 to 1, with the bounds of its 95% interval.

    ``partial`` is a text such as "100 of 1,548 rows" if the model was evaluated on a part of the rows, else empty.
    """

    name: str
    value: float
    low: float
    high: float
    partial: str = ""

    @property
    def text(self) -> str:
        """The headline metric in per cent, such as "87.1 [84.2, 89.6]"."""
        return with_interval(self.value, self.low, self.high)


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The ranking on one config and split: ``lines`` of models, best first, and ``floors``, the scores of baselines.

    ``floors`` maps the baseline's name to its headline metric; ``rows`` is the number of rows of the split.
    """

    title: str
    rows: int
    lines: Sequence[Line]
    floors: Mapping[str, float]


def standings(scored: Scored, recipe: Recipe) -> list[Standing]:
    """Return the ranking of each config and split; the dataset's ``recipe`` determines its baselines."""
    scored, by = labelled(scored), ["config", "split", "model"]
    metric, rankings = headline(scored), []
    table = summary(scored.frame, by, [metric]).merge(coverage(scored, by), on=by)
    table = table.sort_values(metric, ascending=False, kind="stable")
    for key, part in table.groupby(["config", "split"]):
        config, split = map(str, key)
        several, lines = scored.frame.loc[scored.frame["config"] == config, "split"].nunique() > 1, []
        for record in records(part):
            value, low, high = (record[metric + bound] for bound in BOUNDS)
            partial = f"{of_rows(record['asked'], record['rows'])} rows" if record["asked"] < record["rows"] else ""
            # The label of a model with a partial run has the part in brackets.
            name = str(record["model"]).removesuffix(f" ({partial})") if partial else str(record["model"])
            lines.append(Line(name=name, value=value, low=low, high=high, partial=partial))
        title, floors = f"{config}, {split}" if several else config, _floors(scored, config, split, recipe)
        rankings.append(Standing(title=title, rows=int(part["rows"].max()), lines=lines, floors=floors))
    return rankings


def _floors(scored: Scored, config: str, split: str, recipe: Recipe) -> dict[str, float]:
    """Return {baseline: its mean headline metric} on the rows of one config and split that models were to answer."""
    metric, frame = headline(scored), scored.frame
    ids = frame.loc[(frame["config"] == config) & (frame["split"] == split), "id"].unique()
    rows = list(records(scored.rows[config].loc[sorted(ids)].rename_axis("id").reset_index()))
    render, floors = evals.suite(scored.suite).render, {}
    for name, answers in baselines(scored.suite, config, recipe, rows).items():
        both = zip(rows, map(render, answers), strict=True)
        grades = [evals.grade(row, reply, suite=scored.suite, config=config).metrics[metric] for row, reply in both]
        floors[name] = sum(grades) / len(grades)
    return floors
