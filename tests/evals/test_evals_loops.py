"""A model that repeats itself to its last token does not stall the grading of its reply, in any suite."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from graded_rows import EXAMPLES

ROOT = Path(__file__).resolve().parents[2]
#: Of CPU time, so that a busy machine fails nothing; what is quadratic takes longer for one of these replies.
SECONDS = 120

#: What a reply may loop on: marks of an answer, open brackets, blanks, signs, words and whole statements.
PIECES = (
    *(
        " ",
        "\n",
        "\t\n",
        "\u00a0",
        "\u200b ",
        "x",
        "9",
        "-",
        "\\",
        "\\\\",
        "*",
        "**",
        "_",
        "#",
        "# ",
        ">",
        "> ",
        "|",
        "~",
        "`$",
        "```\n",
    ),
    *(
        "<",
        "<|",
        "<answer>",
        "</answer>",
        "<answer>5</answer>",
        "<answer>5",
        "<final_answer>3",
        "&lt;answer&gt;",
        "<|begin_of_box|>",
    ),
    *(
        "<think>",
        "</think>",
        "\u25c1think\u25b7",
        "<|im_end|>",
        "[THINK]",
        "\\boxed{",
        "\\boxed{5}",
        "\\text{",
        "\\frac{1}{",
        "\\sqrt",
        "{",
        "}",
    ),
    *(
        "[",
        "[[",
        "[1,",
        "[1,0],",
        "(",
        "(1,0), ",
        "'",
        '"',
        '{"a":',
        '{"answer":',
        '{"answer": [',
        "{answer: ",
        '["red tri",',
        "{1: 0, ",
    ),
    *(
        "the answer is ",
        "The answer is 3. ",
        "answer: ",
        "Answer\n",
        "is the answer ",
        "A: ",
        "final ",
        "my ",
        "i choose ",
        "\u7b54\u6848:",
    ),
    *(
        "wait, ",
        "no, ",
        "Actually, 5. ",
        "The answer is 5, no, ",
        "not ",
        "either ",
        "or ",
        "so 12 peaks ",
        "maxima ",
        "6 peaks and ",
    ),
    *(
        "two ",
        "twenty ",
        "half a ",
        "at least ",
        "3 + ",
        "3 rows of ",
        "= 5 ",
        "rotate by 90 ",
        "translation along ",
        "x axis ",
        "option 3 ",
    ),
    *("red tri, ", "1. red tri\n", "red ", "tri ", "light blue ", "red tri -> ", "orange-colored "),
    *(
        "1 0\n",
        "1 0, ",
        "1 -> 0\n",
        "1 2 ",
        "1: 0, 2\n",
        "1 is inside 0\n",
        "0 touches 1, ",
        "region 1 ",
        "parent of ",
        "5 regions\n",
        "a b c 1 2\n",
    ),
    *(
        "\u00b0 ",
        "degrees ",
        "square units ",
        "units ",
        "\\ ",
        "\\,",
        "^{",
        "\u221a",
        "\u03c0",
        "1/",
        "\uff11",
        "\u0967 ",
        "\u2460",
    ),
)
WRAPPINGS = (
    ("", ""),
    ("<answer>\n", "\n</answer>"),
    ("\\boxed{", "}"),
    ("<answer>5</answer>\nActually, ", "."),
    ("The answer is ", "."),
)

SCRIPT = """
import resource
import sys
import time
from graded_rows import EXAMPLES
from planimeter.evals import grade, variants
from test_evals_loops import PIECES, SECONDS, WRAPPINGS

suite, config = sys.argv[1:]
row = {**EXAMPLES[suite, config], "id": "x"}
asked = [variant for variant in variants(suite, config) if suite == "traversal"]
resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def seconds(wrapping, piece, length, again=0):
    inner = piece * (length // len(piece)) + " " * again  # the same reply is not read twice
    reply = inner.join(wrapping)
    before = time.process_time()
    grade(row, reply, suite=suite, config=config)
    for variant in ("", *asked):
        grade(row, reply, suite=suite, config=config, strict=True, variant=variant)
    return time.process_time() - before


seconds(("", ""), "1 0\\n", 100)
for piece in (*PIECES, row["answer"] + "\\n", row["prompt"]):
    for wrapping in WRAPPINGS:
        if seconds(wrapping, piece, 12_000) > 0.2:
            # Four times as long a reply may take four times as long, not sixteen times; the fastest of three counts.
            long, short = (min(seconds(wrapping, piece, length, k) for k in (1, 2, 3)) for length in (12_000, 3_000))
            assert long < 9 * short, (wrapping, piece[:20], short, long)
"""


@pytest.mark.parametrize(("suite", "config"), EXAMPLES)
def test_a_reply_that_ends_in_a_loop_is_graded_in_linear_time(suite: str, config: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, suite, config],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests" / "evals")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
