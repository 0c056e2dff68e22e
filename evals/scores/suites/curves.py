"""CurveBench's tables and figures: trees, numbers of curves, rewards, and where a tree is wrong. Rows are questions."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from planimeter.evals.curves.metrics import depth
from planimeter.evals.curves.protocol import parse, render
from planimeter.evals.report.evidence import Evidence, Record, tree
from planimeter.evals.scores import drawing
from planimeter.evals.scores.forms import Figure, Scored, Table, Unit
from planimeter.evals.scores.suites import graphs
from planimeter.evals.scores.summary import INTERVALS, labelled, ranked, rates, summary, with_strata
from planimeter.items.suites import declared

EASY, CURRICULUM = "easy", "curriculum"
HARD = declared("curves").pools["hard"]
_RANKING = ("tree_accuracy", "count_accuracy", "reward")
_AXES = {
    "category": "category",
    "size": "curves (number)",
    "depth": "depth (curves)",
    "level": "level of the curriculum",
}
#: What section 7 asks for, and the label of an axis.
_FINER = {
    "tree_accuracy": "tree accuracy",
    "depth_accuracy": "depth right",
    "parent_f1": "F1 of parents",
    "ancestor_f1": "F1 of ancestors",
    "edit_distance": "edit distance",
    "node_error": "error of the number of curves",
}
_NUMBERS = ("node_error", "absolute_node_error", "depth_error", "absolute_depth_error")
_UNITS: Mapping[str, Unit] = dict.fromkeys(_NUMBERS, "number")
_MEASURES = (*_FINER, "count_accuracy", *_NUMBERS[1:], "node_error_under", "node_error_over", "answered", "cut_off")


def tables(scored: Scored) -> list[Table]:
    """Return CurveBench's tables; those without replies are left out."""
    frame = _frame(scored)
    hard = frame[frame["config"].isin(HARD)]
    result = [
        _ranking(
            "easy",
            "CurveBench-Easy",
            "Tables 2 and 6",
            frame[(frame["config"] == EASY) & (frame["split"] == "test")],
            "The test split; the paper takes four samples of each row.",
        ),
        _ranking("hard", "CurveBench-Hard", "Tables 3 and 7", hard, f"{', '.join(HARD)} together."),
    ]
    frame = _shown(frame)
    if len(frame):
        metrics = ("tree_accuracy", "count_accuracy")
        by_category = summary(frame, ["category", "model"], metrics)
        result += [
            Table(
                name="categories",
                title="Success by category",
                source="Figure 4",
                frame=ranked(by_category, frame, "tree_accuracy"),
                note=INTERVALS,
            ),
            graphs.rewards(frame, ["category"], "Figure 5"),
            Table(
                name="diagnostics",
                title="Where trees are wrong",
                source="section 7",
                frame=graphs.by_stratum(frame, _axes(frame), _MEASURES),
                note=(
                    "Errors are of replies that could be read, less the truth: below 0 curves were missed. Edit "
                    "distance: share of nodes to remove or put in, 0 is a perfect tree. Sizes and depths in curves."
                ),
                units=_UNITS,
            ),
        ]
    return [table for table in result if len(table.frame)]


def figures(scored: Scored) -> list[Figure]:
    """Return CurveBench's figures; none without replies."""
    frame = _shown(_frame(scored))
    if not len(frame):
        return []
    result = graphs.by_stratum(frame, _axes(frame), list(_FINER))
    categories = [name for name in (EASY, *HARD) if name in set(frame["category"])]
    return [
        _categories(frame, categories),
        graphs.reward_figure(graphs.rewards(frame, ["category"], "Figure 5"), "category", categories),
        *(
            graphs.stratum_figure(result, stratum, _AXES[stratum], _FINER, "section 7")
            for stratum in _axes(frame)
            if stratum != "category"
        ),
    ]


def _frame(scored: Scored) -> pd.DataFrame:
    """Return the scores of all configs with their strata and errors."""
    frame = graphs.with_shares(with_strata(labelled(scored)))
    frame = graphs.with_error(frame, "node_error", frame["node_error"])
    answered = frame["answered"] == 1
    wrong = answered & (frame["tree_accuracy"] == 0)
    error = np.where(answered, 0.0, np.nan)
    answers = frame.loc[wrong, ["config", "read", "answer"]].itertuples(index=False)
    error[wrong] = [_depth(config, read) - _depth(config, truth) for config, read, truth in answers]
    return graphs.with_error(frame, "depth_error", pd.Series(error, frame.index))


def _depth(config: str, answer: str) -> float:
    tree = parse(config, render(answer)).value
    return np.nan if tree is None else float(depth(tree))


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the replies to rows for testing, and those to the curriculum, which has no others."""
    return frame[(frame["split"] == "test") | (frame["config"] == CURRICULUM)]


def _axes(frame: pd.DataFrame) -> list[str]:
    return [axis for axis in _AXES if axis in frame and frame[axis].notna().any()]


def _ranking(name: str, title: str, source: str, frame: pd.DataFrame, note: str) -> Table:
    table = summary(frame, ["model"], (*_RANKING, "answered", "cut_off"))
    return Table(
        name=name,
        title=title,
        source=source,
        frame=ranked(table, frame, "tree_accuracy"),
        note=f"{note} Sorted by trees.",
    )


def _categories(frame: pd.DataFrame, categories: Sequence[str]) -> Figure:
    by_category = ranked(summary(frame, ["category", "model"], ["tree_accuracy"]), frame, "tree_accuracy")
    series = {}
    for model in by_category["model"].unique():
        rates_of = by_category[by_category["model"] == model].set_index("category").reindex(categories)
        series[model] = rates(rates_of, "tree_accuracy")
    height = 0.8 + 0.1 * len(categories) * (1 + len(series))
    with drawing.sheet(1, size=(6.0, max(2.2, height))) as page:
        (panel,) = page.panels
        drawing.bars(panel, categories, series)
        panel.set(xlim=(0, 1), xlabel="tree accuracy")
        drawing.percent(panel, "x")
        page.legend()
    return Figure(
        name="categories",
        title="Success by category",
        source="Figure 4",
        svg=page.svg,
        note="Whole trees that are right; whiskers: 95%, clustered by row.",
    )


def evidence(config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001 - shared signature
    """Return what to show of a reply."""
    truth, reply = (parse(config, render(text)).value for text in (row["answer"], read))
    if truth is None:
        return Evidence()
    facts = [("curves", str(len(truth)), "–" if reply is None else str(len(reply)))]
    facts.append(("depth", str(depth(truth)), "–" if reply is None else str(depth(reply))))
    pairs = [("truth", truth, reply), ("reply", reply, truth)]
    drawn = (tree(name, own_one, other) for name, own_one, other in pairs if own_one is not None)
    trees = tuple(item for item in drawn if item)
    note = "Hollow nodes: the other tree has no such node with all that it holds."
    return Evidence(note=note if any(item.odd for item in trees) else "", trees=trees, facts=tuple(facts))
