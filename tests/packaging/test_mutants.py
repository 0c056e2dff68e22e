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


def modules(**changed: str) -> dict[str, Module]:
    return {f"filters/{name}.py": Module(source) for name, source in {"hall": SOURCE, **changed}.items()}


def test_a_second_draw_takes_no_other_faults_and_none_twice() -> None:
    thrice = (SOURCE.replace("Hall", f"Hall{i}").replace("def seats(rows", f"def seats_{i}(rows") for i in range(3))
    plain = {"filters/hall.py": Module(SOURCE), "evals/long.py": Module("".join(thrice))}
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


TESTS = ["tests/test_a.py::test_b"]
FAULT = Fault(0, "sign", "filters/hall.py", "Hall.seats", "return -rows", "return rows", tests=TESTS)


def test_a_fault_moves_with_its_function_and_is_not_taken_for_the_same_line_of_two_others() -> None:
    assert find(FAULT, modules()) == ("filters/hall.py", 12)
    moved = {"evals/rooms/seats.py": Module(f"\n\n{SOURCE}"), **modules(hall="LIMIT = 3\n")}
    assert find(FAULT, moved) == ("evals/rooms/seats.py", 14)
    assert find(FAULT, modules(hall=SOURCE.replace("class Hall", "class Room"))) == ("filters/hall.py", 12)
    without, other = SOURCE.replace("return -rows", "return 0"), "def other(rows):\n    return -rows\n"
    assert find(FAULT, modules(hall=without)) is None
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


@pytest.mark.parametrize("failing", ["tests/filters/test_c.py::test_b", "tests/filters", ""])
def test_a_fault_whose_recorded_tests_pass_is_reported_and_one_whose_place_is_gone_is_not(
    tmp_path: Path, failing: str
) -> None:
    (tmp_path / "tests" / "filters").mkdir(parents=True)
    (tmp_path / "tests" / "filters" / "test_c.py").write_text("def test_b() -> None: ...\n")
    copy, recorded = PassingTests(tmp_path, failing), dataclasses.replace(FAULT, tier="test")
    today = mutants.search(recorded, cast(Any, copy))
    assert today.tier == ("test" if failing else "none")
    # First the recorded test, wherever it is now.
    assert copy.asked[0] == "tests/filters/test_c.py::test_b"
    lines, is_lost = mutants.table([recorded], [today])
    assert is_lost == ("0: test -> none: filters/hall.py Hall.seats: return rows" in lines) == (not failing)
    removed = dataclasses.replace(recorded, line="return 17")
    today = mutants.search(removed, cast(Any, copy))
    lines, is_lost = mutants.table([removed], [today])
    assert (today.tier, is_lost, lines[5].split()) == ("gone", False, ["gone", "0", "1"])


def test_no_fault_that_is_kept_is_without_a_test_or_a_reason() -> None:
    kept = mutants.read()
    assert [fault.id for fault in kept] == [*range(mutants.FAULTS)]
    assert {fault.tier for fault in kept} <= {"test", "slow", "equivalent", "none", ""}
    assert [fault.id for fault in kept if bool(fault.tests) != (fault.tier in mutants.FOUND)] == []
    assert [fault.id for fault in kept if bool(fault.why) != (fault.tier in ("equivalent", "none"))] == []
