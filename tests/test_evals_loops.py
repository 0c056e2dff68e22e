"""A model that repeats itself to its last token does not stall the grading of its reply, in any suite."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from graded_rows import EXAMPLES

ROOT = Path(__file__).resolve().parents[1]
#: Where quadratic, grading one of these would take longer than all of them may.
LENGTH, LONG = 30_000, 300_000
SECONDS = 20

SCRIPT = """
import resource
import sys
from planimeter.evals import grade, variants
from graded_rows import EXAMPLES

suite, config = sys.argv[1:]
row = {**EXAMPLES[suite, config], "id": "x"}
asked = tuple(variants(suite, config)) if suite == "traversal" else ("",)

# Of its own time, so that a busy machine fails nothing.
resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def graded(reply):
    for strict, variant in ((False, ""), *((True, variant) for variant in asked)):
        grade(row, reply, suite=suite, config=config, strict=strict, variant=variant)


starts = ("", "The answer", "The total", "maxima", "x <", "12", "<final_answer>", "<answer>", "\\\\boxed{", "red")
pieces = (" ", "\\n", "\\u00a0", "\\t\\n", "`$", "\\u200b ", "9", "a", "-", "\\\\", "{", "red tri, ")
for start in starts:
    for piece in pieces if not start else pieces[:7]:
        graded(start + piece * (LENGTH // len(piece)) + "x")
again = (
    *("</answer>", "<think>", "</think>", "<answer>1\\n1 0\\n</answer>", "<final_answer>3", "\\\\boxed{"),
    *("[", '["red tri",', "1. red tri\\n", "\\uff11", "\\u0967 ", row["answer"] + "\\n", "1 0\\n", "so 12 peaks "),
    *("rotate by 90 ", "^{", "<answer>\\n9"),
)
for piece in again:
    graded(piece * (LENGTH // len(piece)))
for piece in ("<answer>", "red tri, ", "the answer is 3. ", "\\\\boxed{5}", row["prompt"]):
    graded(piece * (LONG // len(piece)))
"""
for name, number in (("LENGTH", LENGTH), ("LONG", LONG), ("SECONDS", SECONDS)):
    SCRIPT = SCRIPT.replace(name, str(number))


@pytest.mark.parametrize(("suite", "config"), EXAMPLES)
def test_a_reply_that_ends_in_a_loop_is_graded_in_linear_time(suite: str, config: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, suite, config],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
