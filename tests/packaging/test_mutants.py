"""The draw of planted faults is the same each time, a fault moves with its line, and one that lives on is reported."""

import ast
import dataclasses
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, cast

import pytest

from tools import mutants
from tools.planted import Fault, Module, draw, fault_at, find, planted, sites

SOURCE = '''"""A module."""

LIMIT = 3


class Hall:
    """Seats."""

    def seats(self, rows: int = 2) -> int:
        """Count."""
        if not rows or rows < LIMIT and rows != 1:
            return min(rows, 1) + 1
        return -rows


def seats(rows: int) -> int:
    return rows + 1
'''


#: Three times as long.
LONG = "".join(SOURCE.replace("Hall", f"Hall{i}").replace("def seats(rows", f"def seats_{i}(rows") for i in range(3))


def modules(**changed: str) -> dict[str, Module]:
    return {f"filters/{name}.py": Module(source) for name, source in {"hall": SOURCE, **changed}.items()}


def test_a_second_draw_takes_no_other_faults_and_none_twice() -> None:
    plain = {"filters/hall.py": Module(SOURCE), "evals/long.py": Module(LONG)}
    drawn = draw(plain, 12)
    assert draw({path: Module(module.source) for path, module in plain.items()}, 12) == drawn
    assert draw(plain, 12, seed=1) != drawn
    assert [fault.path for fault in drawn].count("evals/long.py") == 9
    assert len({(fault.path, fault.where, fault.line, fault.planted, fault.nth) for fault in drawn}) == 12


def test_every_kind_of_fault_is_one_line_that_python_still_reads() -> None:
    module = Module(SOURCE)
    faults = [fault_at(0, "filters/hall.py", module, site) for site in sites(module)]
    assert {(fault.kind, fault.planted) for fault in faults} >= {
        ("not", "if rows or rows < LIMIT and rows != 1:"),
        ("comparison", "if not rows or rows <= LIMIT and rows != 1:"),
        ("comparison", "if not rows or rows < LIMIT and rows == 1:"),
        ("and for or", "if not rows and rows < LIMIT and rows != 1:"),
        ("and for or", "if not rows or rows < LIMIT or rows != 1:"),
        ("min for max", "return max(rows, 1) + 1"),
        ("sign", "return min(rows, 1) - 1"),
        ("sign", "return rows"),
        ("constant", "LIMIT = 4"),
        ("constant", "def seats(self, rows: int = 3) -> int:"),
    }
    for fault in faults:
        place = find(fault, {"filters/hall.py": module})
        assert place is not None
        assert ast.dump(ast.parse(planted(fault, module, place[1]))) != ast.dump(module.tree)


FAULT = Fault(
    0, "sign", "filters/hall.py", "Hall.seats", "return -rows", "return rows", tests=["tests/test_a.py::test_b"]
)


def test_a_fault_is_not_lost_where_its_function_moves_or_has_another_name() -> None:
    assert find(FAULT, modules()) == ("filters/hall.py", 12)
    moved = {"evals/rooms/seats.py": Module(f"\n\n{SOURCE}"), **modules(hall="LIMIT = 3\n")}
    assert find(FAULT, moved) == ("evals/rooms/seats.py", 14)
    renamed = SOURCE.replace("class Hall", "class Room")
    assert find(FAULT, modules(hall=renamed)) == ("filters/hall.py", 12)


def test_a_line_that_two_other_functions_have_is_not_taken_for_the_fault() -> None:
    without = SOURCE.replace("return -rows", "return 0")
    assert find(FAULT, modules(hall=without)) is None
    other = "def other(rows):\n    return -rows\n"
    assert find(FAULT, modules(hall=without, first=other, second=other)) is None
    # The function of the same name at the top of the module has the line that a fault of the method changes.
    same = dataclasses.replace(FAULT, where="seats", line="return rows + 1", planted="return rows - 1")
    assert find(same, modules(hall=SOURCE.replace("return -rows", "return rows + 1"))) == ("filters/hall.py", 16)


class PassingTests:
    """Stands for a copy of the tree in which each test passes, but for those that are named."""

    def __init__(self, root: Path, *failing: str) -> None:
        self.root, self.modules, self.failing, self.asked = root, modules(), failing, list[str]()

    def planted(self, path: str, source: str) -> AbstractContextManager[None]:
        assert (path, "return rows\n" in source) == ("filters/hall.py", True)
        return nullcontext()

    def run(self, tests: list[str], *_: str) -> tuple[str, str]:
        self.asked += tests
        failing = [test for test in tests if test in self.failing]
        return ("found", failing[0]) if failing else ("passed", "")


@pytest.mark.parametrize(
    ("failing", "tier", "lost"),
    [("tests/filters/test_c.py::test_b", "test", False), ("tests/filters", "test", False), ("", "none", True)],
)
def test_a_fault_whose_recorded_tests_pass_is_reported(tmp_path: Path, failing: str, tier: str, lost: bool) -> None:
    (tmp_path / "tests" / "filters").mkdir(parents=True)
    (tmp_path / "tests" / "filters" / "test_c.py").write_text("def test_b() -> None: ...\n")
    copy = PassingTests(tmp_path, failing)
    recorded = dataclasses.replace(FAULT, tier="test")
    today = mutants.search(recorded, cast(Any, copy))
    assert today.tier == tier
    # First the recorded test, wherever it is now.
    assert copy.asked[0] == "tests/filters/test_c.py::test_b"
    lines, is_lost = mutants.table([recorded], [today])
    assert is_lost == lost
    assert ("0: test -> none: filters/hall.py Hall.seats: return rows" in lines) == lost


def test_a_fault_whose_place_is_gone_is_counted_and_not_lost(tmp_path: Path) -> None:
    recorded = dataclasses.replace(FAULT, line="return 17", tier="test")
    today = mutants.search(recorded, cast(Any, PassingTests(tmp_path)))
    lines, is_lost = mutants.table([recorded], [today])
    assert (today.tier, is_lost) == ("gone", False)
    assert lines[5].split() == ["gone", "0", "1"]


def test_no_fault_that_is_kept_is_without_a_test_or_a_reason() -> None:
    kept = mutants.read()
    assert [fault.id for fault in kept] == [*range(mutants.FAULTS)]
    assert {fault.tier for fault in kept} <= {"test", "slow", "equivalent", "none", ""}
    assert [fault.id for fault in kept if bool(fault.tests) != (fault.tier in mutants.FOUND)] == []
    assert [fault.id for fault in kept if bool(fault.why) != (fault.tier in ("equivalent", "none"))] == []
