"""Replies in the manner of real ones: what is marked is read, and nothing else is taken for an answer.

They were written before the readers, and without a look at them. A line of ``battery.jsonl`` has a ``verdict``: the
reply gives the right answer, a wrong one, or none; ``marked``: the contract takes the answer for marked; ``cut``: the
reply was cut off. Of right answers without a mark nothing is asked.
"""

import json
from pathlib import Path

import pytest

from planimeter.evals import Scores, grade
from planimeter.evals.curves.prompt import answer as tree
from planimeter.evals.curves_maps.prompt import answer as planar_map

CONFIGS = {
    "counting": ("marvl_qa", "counting"),
    "transformation": ("marvl_qa", "transformation"),
    "traversal": ("traversal", "base"),
    "curves": ("curves", "easy"),
    "curves_maps": ("curves_maps", "planar_map"),
    "geogram": ("geogram", "geogram"),
}
CASES = [
    json.loads(line) for line in Path(__file__).with_name("battery.jsonl").read_text(encoding="utf-8").splitlines()
]
MOST_REFUSED, MOST_ACCEPTED = 0.01, 0.003


def graded(case: dict) -> Scores:
    row, (suite, config) = dict(case["row"]), CONFIGS[case["task"]]
    if suite == "curves":
        row["answer"] = tree(row["parents"])
    if suite == "curves_maps":
        row["answer"] = planar_map(row["faces"], row["adjacent"])
    return grade(row, case["reply"], suite=suite, config=config, cut_off=case["cut"])


@pytest.mark.parametrize("task", CONFIGS)
def test_grading_accepts_right_marked_replies_and_no_others(task: str) -> None:
    scores = [(case, graded(case)) for case in CASES if case["task"] == task]
    right = [(case, score) for case, score in scores if case["verdict"] == "right" and case["marked"]]
    others = [(case, score) for case, score in scores if case["verdict"] != "right"]
    refused = [(case["kind"], score.reason, case["reply"]) for case, score in right if score.value < 1]
    accepted = [(case["kind"], case["reply"]) for case, score in others if score.value == 1]
    assert len(right) >= 30 and len(refused) <= MOST_REFUSED * len(right), refused
    assert len(others) >= 20 and len(accepted) <= MOST_ACCEPTED * len(others), accepted


def test_grading_reads_no_answer_where_there_is_none() -> None:
    cases = [case for case in CASES if case["verdict"] == "none"]
    read = [(case["kind"], case["reply"]) for case in cases if graded(case).answered]
    assert len(read) <= MOST_ACCEPTED * len(cases), read
