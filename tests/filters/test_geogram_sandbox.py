"""Hostile code harms nothing: with the check of the syntax tree, and by the kernel alone without it."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib import get_data_path

from planimeter.filters.geogram.sandbox import Limits, check, run

QUICK = Limits(cpu_seconds=3, wall_seconds=20, memory_bytes=256 * 2**20)

DRAWING = """
import matplotlib.pyplot as plt
import numpy as np
A = np.array([0.0, 0.0]); B = np.array([2.0, 1.0])
fig, ax = plt.subplots()
ax.plot(*zip(A, B), color="black")
ax.text(0, 0, r"$A$")
ax.set_aspect("equal")
plt.show()
"""


@pytest.fixture(scope="module", autouse=True)
def _needs_seccomp() -> None:
    outcome = run(DRAWING)
    if "no sandbox" in outcome.reason:
        pytest.skip(outcome.reason)


def test_a_drawing_comes_back_with_its_lines() -> None:
    outcome = run(DRAWING)
    assert outcome.reason == "" and outcome.picture is not None
    assert outcome.lines == (((0.0, 0.0), (2.0, 1.0)),)
    assert outcome.labels == (("$A$", 0.0, 0.0),)
    assert outcome.picture.min() < 64 < outcome.picture.max()


def test_neither_the_users_settings_nor_the_machines_fonts_change_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = DRAWING.replace('r"$A$"', '"A", fontfamily="Elsewhere", fontsize=60')
    monkeypatch.delenv("MPLCONFIGDIR", raising=False)
    pictures = []
    for home in (tmp_path / "bare", tmp_path / "furnished"):
        (home / ".fonts").mkdir(parents=True)
        if home.name == "furnished":
            (home / ".config/matplotlib").mkdir(parents=True)
            (home / ".config/matplotlib/matplotlibrc").write_text("lines.linewidth: 9\n")
            font = TTFont(Path(get_data_path(), "fonts", "ttf", "STIXGeneralItalic.ttf"))
            for name in [name for name in font["name"].names if name.nameID in (1, 16)]:
                name.string = "Elsewhere"
            font.save(home / ".fonts" / "elsewhere.ttf")
        monkeypatch.setenv("HOME", str(home))
        outcome = run(code)
        assert outcome.picture is not None, outcome.reason
        pictures.append(outcome.picture)
    assert np.array_equal(*pictures)


def test_a_solid_is_drawn_too() -> None:
    code = "import matplotlib.pyplot as plt\nax = plt.figure().add_subplot(projection='3d')\n"
    code += "ax.plot([0,1],[0,1],[0,1])\nax.text(0,0,0,'$P$')"
    assert run(code).picture is not None


@pytest.mark.parametrize(
    "code",
    [
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
    ],
)
def test_what_a_drawing_does_not_need_is_refused_before_it_runs(code: str) -> None:
    assert check(code)
    assert run(code).picture is None


HOSTILE = {
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


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_the_kernel_alone_stops(name: str, tmp_path: Path) -> None:
    target, victim = tmp_path / "made", tmp_path / "kept"
    victim.write_text("kept")
    ending = "\nimport matplotlib.pyplot as plt\nplt.plot([0, 1], [0, 1])"
    outcome = run(HOSTILE[name].format(target=target, victim=victim) + ending, QUICK, unchecked=True)
    assert outcome.picture is None, f"{name}: the code went on to its end"
    assert outcome.reason in ("the code fails", "the code gives no picture", "the code runs too long")
    assert not target.exists() and victim.read_text() == "kept"
    assert os.getpid()


def test_a_fork_bomb_leaves_no_process() -> None:
    before = _processes()
    run("import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass", QUICK, unchecked=True)
    assert _processes() <= before


def _processes() -> int:
    own = os.getpid()
    count = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            count += int(entry.read_text().rsplit(")", 1)[1].split()[1]) == own
        except OSError:
            continue
    return count


def test_an_endless_loop_ends() -> None:
    started = time.monotonic()
    assert run("while True:\n    pass", Limits(cpu_seconds=1, wall_seconds=30)).reason == "the code runs too long"
    assert time.monotonic() - started < 29


def test_sleeping_does_not_outlast_the_wall_clock() -> None:
    outcome = run("import time\ntime.sleep(1000)", Limits(wall_seconds=4), unchecked=True)
    assert outcome.reason == "the code runs too long"


def test_ten_gigabytes_are_refused() -> None:
    outcome = run("import numpy as np\nx = np.ones(10 * 2**30 // 8)", QUICK)
    assert outcome.reason == "the code takes too much memory"


def test_a_forged_answer_is_no_crash() -> None:
    outcome = run("import os\nos.write(1, b'{\"height\": -1}\\n')\nos._exit(0)", QUICK, unchecked=True)
    assert outcome.picture is None and outcome.reason


def test_a_flood_of_output_is_cut() -> None:
    code = "import os\nwhile True:\n    os.write(1, b'x' * 65536)"
    outcome = run(code, Limits(cpu_seconds=1, wall_seconds=20, output_bytes=2**20), unchecked=True)
    assert outcome.picture is None and outcome.reason in ("the code writes too much", "the code runs too long")
