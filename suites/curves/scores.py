"""Tables and figures of model results on CurveBench: accuracy of trees and numbers of curves, rewards, and errors."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from planimeter.evals.curves.grader import parse, render
from planimeter.evals.curves.metrics import depth
from planimeter.evals.scores.evidence import Evidence, tree
from planimeter.evals.scores.forms import Plot, Scored, Table
from planimeter.evals.scores.summary import Rates, with_strata
from planimeter.items.suites import declared
from planimeter.items.values import Row
from planimeter.suites.drawing import scores as graphs

EASY, CURRICULUM = "easy", "curriculum"
HARD = declared("curves").pools["hard"]
_RANKING = ("tree_accuracy", "count_accuracy", "reward")
_READ = (*_RANKING, "answered", "cut_off")
_AXES = {"category": "", "size": "curves (number)", "depth": "depth (curves)", "level": "level of the curriculum"}
#: The columns of section 7, and the label of an axis.
_FINER = {
    "tree_accuracy": "tree accuracy",
    "depth_accuracy": "depth right",
    "parent_f1": "F1 of parents",
    "ancestor_f1": "F1 of ancestors",
    "edit_distance": "edit distance",
    "node_error": "error of the number of curves",
}
#: Heading -> the function of a tree whose value the page of a reply shows.
FACTS = {"curves": len, "depth": depth}
_NUMBERS = ("node_error", "absolute_node_error", "depth_error", "absolute_depth_error")
_MEASURES = (*_FINER, "count_accuracy", *_NUMBERS[1:], "node_error_under", "node_error_over", "answered", "cut_off")


TABLES = (
    Rates(
        "easy",
        "CurveBench-Easy",
        "Tables 2 and 6",
        _READ,
        where=f"config == '{EASY}' and split == 'test'",
        note="The test split; the paper takes four samples of each row. Sorted by trees.",
    ),
    Rates(
        "hard",
        "CurveBench-Hard",
        "Tables 3 and 7",
        _READ,
        where=f"config in {HARD}",
        note=f"{', '.join(HARD)} together. Sorted by trees.",
    ),
)
_CATEGORIES = Plot("bars", "category", ("tree_accuracy",), xlabel="tree accuracy")
_SHOWN = (
    Rates("categories", "Success by category", "Figure 4", _RANKING[:2], down="category", plots=(_CATEGORIES,)),
    graphs.rewards("category", "Figure 5"),
)
_DIAGNOSTICS = Table(
    "diagnostics",
    "Where trees are wrong",
    "section 7",
    note="Errors are of replies that could be read, less the truth: below 0 curves were missed. Edit distance: share "
    "of nodes to remove or put in, 0 is a perfect tree. Sizes and depths in curves.",
)


def tables(scored: Scored) -> list[Table]:
    """Return CurveBench's tables of the scored replies, without empty ones.

    The tables of CurveBench-Easy and -Hard use only the rows of these benchmarks. All others use every test row, and
    the training rows of the curriculum.
    """
    frame = _frame(scored)
    shown = frame[(frame["split"] == "test") | (frame["config"] == CURRICULUM)]
    result = [*(table.of(frame) for table in TABLES), *(table.of(shown) for table in _SHOWN)]
    result.append(graphs.diagnostics(shown, _AXES, _MEASURES, _FINER, _DIAGNOSTICS))
    return [table for table in result if len(table.frame)]


def _frame(scored: Scored) -> pd.DataFrame:
    """Return a table with a line per reply: groups (such as category), rewards, errors of curve number and depth."""
    frame = graphs.with_rewards(with_strata(scored))
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


def evidence(config: str, row: Row, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001 - shared signature
    """Return the evidence on the grade of a reply: the true tree and that of the reply, with differing nodes marked."""
    truth, reply = (parse(config, render(text)).value for text in (row["answer"], read))
    if truth is None:
        return Evidence()
    pairs = [("truth", truth, reply), ("reply", reply, truth)]
    drawn = (tree(name, own_one, other) for name, own_one, other in pairs if own_one is not None)
    trees = tuple(item for item in drawn if item)
    note = "Marked nodes: the other tree has no such node with all that it holds."
    return Evidence(note=note if any(item.differs for item in trees) else "", trees=trees)
