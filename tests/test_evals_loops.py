"""A model that repeats itself to its last token does not stall the reader of its reply, in any suite."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Where quadratic, reading one of these would take minutes.
LENGTH = 100_000

SCRIPT = f"""
from planimeter.evals import suite

marvl_qa, traversal, curves, maps, geogram = map(suite, ("marvl_qa", "traversal", "curves", "curves_maps", "geogram"))

shown = ("translate_x", "rotate_90_clockwise", "no_change", "rotate_180", "translate_y")
readers = (
    *(lambda reply, c=config: marvl_qa.parse(c, reply, shown) for config in marvl_qa.CONFIGS),
    lambda reply: marvl_qa.parse_strict("counting", reply),
    lambda reply: traversal.parse("base", reply),
    lambda reply: traversal.parse_strict("base", reply),
    lambda reply: curves.parse("easy", reply),
    lambda reply: maps.parse("planar_map", reply),
    lambda reply: geogram.parse("geogram", reply),
)
starts = ("", "The answer", "The total", "maxima", "x <", "12", "<final_answer>", "<answer>", "\\\\boxed{{", "red")
pieces = (" ", "\\n", "\\u00a0", "\\t\\n", "`$", "\\u200b ", "9", "a", "-", "\\\\", "{{", "red tri, ")
for start in starts:
    for piece in pieces if not start else pieces[:7]:
        reply = start + piece * ({LENGTH} // len(piece)) + "x"
        for read in readers:
            read(reply)
"""


def test_a_reply_that_ends_in_a_loop_is_read_in_linear_time():
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
