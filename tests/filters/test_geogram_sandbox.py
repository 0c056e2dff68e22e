"""Programs are found in a corpus whatever stands around their lines, and hostile ones harm nothing."""

import ast
import os
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from fontTools.ttLib import TTFont
from matplotlib import get_data_path

from planimeter.filters.geogram import sandbox
from planimeter.filters.geogram.curation import read_rows, with_code
from planimeter.filters.geogram.programs import parsable, split, syntax_fault
from planimeter.filters.geogram.sandbox import Limits, Outcome, check
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
    for part in (PLOT, INDENTED, f"[python]\n{PLOT}", f"{PLOT}\n```", f"```python\n{INDENTED}"):
        assert item_of_column(part).code == PLOT, "a column may lack a marker at either end"


@pytest.mark.parametrize(
    "code",
    [f"[asy]{ASY}[/asy]", f"```asy\n{ASY}\n```", f"```asymptote\n{ASY}```", f"<asy>{ASY}</asy>", f"```\n{ASY}\n```"],
)
def test_asymptote_in_any_marker_is_asymptote(code: str) -> None:
    for read in (item(f"Area? {code}"), item_of_column(code)):
        assert (read.language, read.code, read.problem) == ("asymptote", ASY, "Area?")
    hidden = item(f"Which area has ```` ``` ~~~~ the triangle? [asy]\n{ASY}\n[/asy]")
    assert (hidden.code, hidden.problem) == (ASY, "Which area has ```` ``` ~~~~ the triangle?")


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


QUICK = Limits(cpu_seconds=2, wall_seconds=20, memory_bytes=256 * 2**20)

DRAWING = """
import matplotlib.pyplot as plt
import numpy as np
A = np.array([0.0, 0.0]); B = np.array([2.0, 1.0])
fig, ax = plt.subplots()
ax.plot(*zip(A, B), color="black")
ax.text(0, 0, "A", fontfamily="Elsewhere", fontsize=60)
ax.set_aspect("equal")
fig.savefig("x.png")
fig.show()
plt.show()
plt.close()
"""


def run(*given: Any, **how: Any) -> Outcome:
    outcome = sandbox.run(*given, **how)
    if "no sandbox" in outcome.reason:
        pytest.skip(outcome.reason)
    return outcome


@pytest.fixture(scope="module")
def drawn() -> Outcome:
    return run(DRAWING)


def test_a_drawing_that_is_shown_saved_and_closed_comes_back_with_its_lines(drawn: Outcome) -> None:
    assert drawn.reason == "" and drawn.picture is not None
    assert drawn.lines == (((0.0, 0.0), (2.0, 1.0)),)
    assert drawn.labels == (("A", 0.0, 0.0),)
    assert drawn.picture.min() < 64 < drawn.picture.max()


def test_neither_settings_nor_fonts_of_the_user_change_a_picture(drawn: Outcome, tmp_path: Path, monkeypatch) -> None:
    for folder in (".fonts", ".config/matplotlib"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / ".config/matplotlib/matplotlibrc").write_text("lines.linewidth: 9\n")
    font = TTFont(Path(get_data_path(), "fonts", "ttf", "STIXGeneralItalic.ttf"))
    for name in [name for name in font["name"].names if name.nameID in (1, 16)]:
        name.string = "Elsewhere"
    font.save(tmp_path / ".fonts" / "elsewhere.ttf")
    monkeypatch.delenv("MPLCONFIGDIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    furnished = run(DRAWING)
    assert furnished.picture is not None, furnished.reason
    assert np.array_equal(furnished.picture, drawn.picture)


@pytest.mark.slow
def test_a_solid_is_drawn_too() -> None:
    code = "import matplotlib.pyplot as plt\nax = plt.figure().add_subplot(projection='3d')\n"
    code += "ax.plot([0,1],[0,1],[0,1])\nax.text(0,0,0,'$P$')"
    assert run(code).picture is not None


REFUSED = [
    "import os\nos.system('true')",
    "import socket",
    "from subprocess import run",
    "open('/etc/passwd').read()",
    "().__class__.__base__.__subclasses__()",
    "__import__('os')",
    "eval('1')",
    "import numpy as np\nnp.fromfile('/etc/passwd')",
    "from . import x",
    "import matplotlib.pyplot as plt\ngetattr(plt, 'o' + 's')",
    "x = (",
]


@pytest.mark.parametrize("code", REFUSED)
def test_what_a_drawing_does_not_need_is_refused_before_it_runs(code: str) -> None:
    assert check(code)
    assert run(code).picture is None


ATTEMPTS = {
    "computes": "x = 1 + 1",
    "reads a file": "s = open('/etc/passwd').read()",
    "writes a file": "open('{target}', 'w').write('x')",
    "removes a file": "import os\nos.unlink('{victim}')",
    "opens a socket": "import socket\ns = socket.socket()",
    "forks": "import os\nos.fork()",
    "starts a program": "import os\nos.execv('/bin/sh', ['sh', '-c', 'touch {target}'])",
    "subclasses": "s = ().__class__.__base__.__subclasses__()\n"
    "[k for k in s if k.__name__ == 'Popen'][0](['touch', '{target}'])",
    "calls libc": "import ctypes\nassert ctypes.CDLL(None).system(b'touch {target}') == 0",
    "kills its parent": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "lists a folder": "import os\nos.listdir('/')",
    "lifts its limits": "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (-1, -1))",
}


def test_the_kernel_alone_refuses_all_but_computing(tmp_path: Path) -> None:
    """Each attempt that succeeds is named by a label."""
    target, victim = tmp_path / "made", tmp_path / "kept"
    victim.write_text("kept")
    attempts = {name: code.format(target=target, victim=victim) for name, code in ATTEMPTS.items()}
    code = f"""
import matplotlib.pyplot as plt
plt.plot([0, 1], [0, 1])
for name, attempt in {attempts!r}.items():
    try:
        exec(attempt, {{}})
    except Exception:
        continue
    plt.text(0, 0, name)
"""
    outcome = run(code, QUICK, unchecked=True)
    assert (outcome.reason, outcome.labels) == ("", (("computes", 0.0, 0.0),))
    assert not target.exists() and victim.read_text() == "kept"


FAILING = [
    ("import os\nos.fork()", QUICK, "the code fails"),
    ("import os\nos.write(1, b'{\"height\": -1}\\n')\nos._exit(0)", QUICK, "the code gives no picture"),
    ("import numpy as np\nx = np.ones(10 * 2**30 // 8)", QUICK, "the code takes too much memory"),
    ("import time\ntime.sleep(1000)", Limits(wall_seconds=1), "the code runs too long"),
]


@pytest.mark.parametrize(("code", "limits", "reason"), FAILING, ids=["fails", "forges an answer", "10 GB", "sleeps"])
def test_code_that_fails_gives_no_picture_but_a_reason(code: str, limits: Limits, reason: str) -> None:
    drawing = "\nimport matplotlib.pyplot as plt\nplt.plot([0, 1])"
    outcome = run(code + drawing, limits, unchecked=True)
    assert (outcome.picture, outcome.reason) == (None, reason)


@pytest.mark.slow
def test_a_fork_bomb_ends_by_its_limit_of_cpu_seconds_and_leaves_no_process() -> None:
    children, before = psutil.Process().children(), os.times()
    bomb = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
    assert run(bomb, Limits(cpu_seconds=1, wall_seconds=60), unchecked=True).reason == "the code runs too long"
    assert os.times().children_user + os.times().children_system - sum(before[2:4]) < 10
    assert {*psutil.Process().children()} <= {*children}


@pytest.mark.slow
def test_a_flood_of_output_is_cut() -> None:
    code = "import os\nwhile True:\n    os.write(1, b'x' * 65536)"
    outcome = run(code, Limits(cpu_seconds=1, wall_seconds=20, output_bytes=2**20), unchecked=True)
    assert outcome.picture is None and outcome.reason in ("the code writes too much", "the code runs too long")
