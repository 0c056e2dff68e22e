"""Programs are found in a corpus whatever stands around their lines: GeoGramBench's own Python was refused as none."""

import ast

import pytest

from planimeter.filters.geogram import sandbox
from planimeter.filters.geogram.curation import read_rows, with_code
from planimeter.filters.geogram.programs import parsable, split, syntax_fault
from planimeter.items import CuratedProblem
from planimeter.items.corpora import RawProblem

LINES = ("import matplotlib.pyplot as plt", "for k in range(2):", "    plt.plot([0, 3], [k, 2])", "plt.show()")
PLOT = "\n".join(LINES)
INDENTED = "\n".join(f"   {line}" for line in LINES)
ASY = "draw((0,0)--(4,1)--(1,5)--cycle);"


def item(problem: str) -> CuratedProblem:
    found, verdict = with_code(RawProblem(line=1, problem=problem, answer="7"))
    assert found is not None, verdict.reason
    return found


def item_of_column(code: str) -> CuratedProblem:
    (problem,), faults = read_rows([(1, {"problem": "Area?", "answer": "7", "code": code})], code="code")
    assert not faults
    return item(problem.problem)


MARKED = [
    f"[python]\n{PLOT}\n[/python]",
    f"[python]{INDENTED.lstrip()}\n[/python]",
    f"[PYTHON]\n{INDENTED}\n[/PYTHON]",
    f"```python\n{PLOT}\n```",
    f"``` py title=figure\n{INDENTED}\n```",
    f"```\n{PLOT}```",
    f"[python]\n```python\n{PLOT}\n```\n[/python]",
    f"<python>{INDENTED}</python>",
    f"<code>\n{PLOT}\n</code>",
    f"[code]\n{INDENTED}\n[/code]",
]


@pytest.mark.parametrize("code", MARKED)
def test_markers_fences_and_a_common_indent_are_no_part_of_the_code(code: str) -> None:
    for read in (item(f"Area? {code} It is a triangle."), item_of_column(code)):
        assert (read.language, read.code) == ("matplotlib", PLOT)
        assert "python" not in read.problem.lower() and "```" not in read.problem


@pytest.mark.parametrize(
    "code",
    [f"[asy]{ASY}[/asy]", f"```asy\n{ASY}\n```", f"```asymptote\n{ASY}```", f"<asy>{ASY}</asy>", f"```\n{ASY}\n```"],
)
def test_asymptote_in_any_marker_is_asymptote(code: str) -> None:
    for read in (item(f"Area? {code}"), item_of_column(code)):
        assert (read.language, read.code, read.problem) == ("asymptote", ASY, "Area?")


def test_backticks_in_a_sentence_are_no_fence_that_hides_the_program_after_them() -> None:
    read = item(f"Which area has ```` ``` ~~~~ the triangle? [asy]\n{ASY}\n[/asy]")
    assert (read.language, read.code, read.problem) == ("asymptote", ASY, "Which area has ```` ``` ~~~~ the triangle?")


@pytest.mark.parametrize("code", [PLOT, INDENTED, f"[python]\n{PLOT}", f"{PLOT}\n```", f"```python\n{INDENTED}"])
def test_a_column_of_code_may_lack_a_marker_at_either_end(code: str) -> None:
    assert item_of_column(code).code == PLOT


TABBED = "\n".join(f"\t{line}" for line in LINES[1:])
TABS = (f"{LINES[0]}\n{TABBED}", PLOT.replace("    ", "\t"), f"\t{LINES[0]}\n{TABBED}", f"    {LINES[0]}\n{TABBED}")
FOREIGN = (f"%matplotlib inline\n{PLOT}", PLOT.replace("    ", "\u00a0" * 4))


@pytest.mark.parametrize("code", [*TABS, *FOREIGN])
def test_tabs_foreign_blanks_and_notebook_commands_do_not_make_code_unreadable(code: str) -> None:
    read = item(f"Area? [python]\n{code}\n[/python]")
    assert ast.dump(ast.parse(read.code)) == ast.dump(ast.parse(PLOT))
    assert sandbox.check(read.code) == ""


def test_code_that_parses_and_a_fence_around_no_program_are_left_as_they_are() -> None:
    code = 'text = """\n   indented\n"""\n' + PLOT
    assert parsable(code) == code
    statement, programs = split(f"Given\n```\nAB = 3\n```\nfind BC. [asy]{ASY}[/asy]")
    assert statement == "Given ``` AB = 3 ``` find BC." and programs == (("asymptote", ASY),)


def test_code_that_does_not_parse_is_refused_with_its_line() -> None:
    outcome = sandbox.run(f"{PLOT}\nplt.plot([0, 1], [0, 1)")
    assert outcome.reason == sandbox.NO_PYTHON
    assert outcome.detail.startswith("line 5: ") and "plt.plot([0, 1], [0, 1)" in outcome.detail
    assert syntax_fault(PLOT) is None and syntax_fault("\0") is not None
