"""What an outsider gets wrong: the gate finds each fault, and says in one line what, where, and of which distribution.

Each wrong suite is what `planimeter new dots` writes, with one change.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import command_line
import outsiders
import pytest

from planimeter.flows import gate

#: A file that is changed, what stands there, and what stands there instead.
Change = tuple[str, str, str]


def making(statement: str) -> Change:
    """An item is made after ``statement``."""
    return "pipeline.py", "        png = encode", f"        {statement}\n        png = encode"


#: Wrong suite: what is said of it, and its changes.
WRONG: dict[str, tuple[str, *tuple[Change, ...]]] = {
    "its certifier reads what the generator left behind": (
        r"discs: .*: the certifier recovers '[a-z ]+' from what a model sees, but the stored answer is",
        making("certify.left = corner"),
        ("certifier.py", "answer=corner", "answer=getattr(certify, 'left', 'nowhere')"),
    ),
    "its certifier imports the generator": (
        r"its certifier imports dots\.pipeline, which makes items",
        ("certifier.py", "    picture =", "    import dots.pipeline\n    picture ="),
    ),
    "its certifier raises": (
        r"making discs/4/top left failed \(ZeroDivisionError: division by zero in dots\.certifier:12\)",
        ("certifier.py", "    picture =", "    len(prompt) / 0\n    picture ="),
    ),
    "it has no certifier": (
        r"it declares no certifier",
        ("__init__.py", '    "dots",\n', '    "dots",\n    certify="",\n'),
    ),
    "items depend on those before": (
        r"(discs|train): an item differs when it is made again",
        (
            "pipeline.py",
            "rng = rng_of(seed)",
            "rng = rng_of(seed + 256 * len(self.account.rejects) + 256 * index * len(SEEN)); SEEN.append(index)",
        ),
        ("pipeline.py", "class DiscsMaker", "SEEN = []\n\n\nclass DiscsMaker"),
    ),
    "a quota cannot be filled": (
        r"discs/4/top left: no attempt gives an item, so its quota cannot be filled \(certify: reads another answer\)",
        ("pipeline.py", "png, PROMPT, corner", "png, PROMPT, 'the middle'"),
    ),
    "it ends its process": (r"its process ends with code 3", making("exit(3)")),
    "a column is missing": (
        r"dots: a row of discs must have the columns of its schema; it differs in: discs",
        ("rows.py", '"discs": len(centres), ', ""),
    ),
    "its grader does not take its own answers": (
        r".*: its own answer scores 0\.0, not 1\.0",
        ("grader.py", "len(named) == 1", "len(named) == 2"),
    ),
    "its grader reads a column that no grader is handed": (
        r".*scor.* failed \(KeyError: 'centres' in dots\.grader:\d+\); a grader is handed .* NEEDED names",
        ("grader.py", "float(parsed.value", "len(row['centres']) and float(parsed.value"),
    ),
    "its certifier imports what makes items, too": (
        r"its certifier and its generator both import dots\.prompt: name it in `shared`",
        ("certifier.py", "import cv2", "import cv2\nfrom dots.prompt import CORNERS"),
    ),
    "it trains apart from test rows of which there are no signatures": (
        r".*/signatures/dots\.parquet is missing; training items are compared .*",
        ("pipeline.py", "    maker = DiscsMaker", "    maker, exclude_test_items = DiscsMaker, True"),
        ("__init__.py", "    ladders=", "    likeness='dots.rows', editions=('dots',),\n    ladders="),
        ("rows.py", "checker =", "def judge_of(items, recipe):\n    list(items)\n\n\nchecker ="),
    ),
    "it cannot be imported": (
        r"dots\.recipe:SuiteRecipe cannot be imported \(ModuleNotFoundError: No module named 'nampy' in dots\.recipe:",
        ("recipe.py", "from pydantic", "import nampy\nfrom pydantic"),
    ),
}


@pytest.fixture
def distribution(tmp_path: Path) -> Iterator[Path]:
    """A copy of the outside suite, as pip leaves it, to be spoilt."""
    shutil.copytree(outsiders.FOLDER, tmp_path / "site", ignore=shutil.ignore_patterns("broken*", "__pycache__"))
    with outsiders.installed(tmp_path / "site") as site:
        yield site


def spoil(package: Path, file: str, there: str, instead: str) -> None:
    text = (package / file).read_text()
    assert there in text
    (package / file).write_text(text.replace(there, instead, 1))


@pytest.mark.slow
@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_suite_is_named_with_its_distribution(distribution: Path, fault: str) -> None:
    said, *changes = WRONG[fault]
    for change in changes:
        spoil(distribution / "dots", *change)
    lines = gate.faults("dots")
    assert any(re.fullmatch(rf"the suite dots of dots-bench 0\.3: {said}.*", line) for line in lines), lines
    assert all("\n" not in line for line in lines) and len(lines) < 6, lines


@pytest.mark.slow
def test_a_right_suite_has_no_fault(distribution: Path) -> None:
    assert gate.faults("dots") == []
    hidden = (
        "drawn = draw(centres, 0)\n        drawn.indices[0, 0] = CORNERS.index(corner)\n        png = encode(drawn)"
    )
    spoil(distribution / "dots", "pipeline.py", "png = encode(draw(centres, 0))", hidden)
    shown = "answer=('top left', 'top right', 'bottom left', 'bottom right')[(255 - int(picture[0, 0])) // 17]"
    spoil(distribution / "dots", "certifier.py", "answer=corner", shown)
    ended = command_line.here("check", "dots")
    assert "whether the answer is hidden in the pixels" in ended.out, ended


def test_a_suite_with_the_name_of_ours_is_refused(distribution: Path) -> None:
    (points,) = distribution.glob("*.dist-info/entry_points.txt")
    points.write_text("[planimeter.suites]\ncurves = dots:SUITE\n")
    outsiders.forget()
    ended = command_line.here("check", "curves")
    assert "the suite curves of dots-bench 0.3 is ignored: Planimeter has its own suite of this name" in ended.err
    assert (ended.code, "there is no suite 'rings'" in command_line.here("check", "rings").err) == (1, True)
