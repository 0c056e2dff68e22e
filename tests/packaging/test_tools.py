"""The tools notice what they are for: frozen bytes, planted faults, and the tests of a change."""

import ast
import copy
import dataclasses
import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import cv2
import numpy as np
import pytest
from command_line import ROOT

from benchmarks import table
from tools import mutants
from tools.frozen import differences, of_dataset, of_rows
from tools.planted import Fault, Module, draw, fault_at, find, planted, sites
from tools.quick import MIRRORS, selected

if TYPE_CHECKING:
    from small_datasets import Small

Rows = list[dict[str, Any]]


def _pixel(rows: Rows) -> None:
    picture = cv2.imdecode(np.frombuffer(rows[-1]["image"]["bytes"], np.uint8), cv2.IMREAD_UNCHANGED)
    picture[0, 0] ^= 1
    rows[-1]["image"]["bytes"] = cv2.imencode(".png", picture)[1].tobytes()


CHANGES: dict[str, Callable[[Rows], Any]] = {
    "image": _pixel,
    "prompt": lambda rows: rows[0].update(prompt=rows[0]["prompt"].replace("the", "a", 1)),
    "seed": lambda rows: rows[0].update(seed=rows[0]["seed"] + 1),
    "the order of the rows": lambda rows: rows.insert(0, rows.pop(1)),
}
CONFIGS = {"marvl-qa-mini": "counting", "traversal": "base", "curves": "polygon", "curves-maps": "planar_map"}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_planted_change_is_noticed_and_named(small: "Callable[[str], Small]", name: str) -> None:
    config, rows = CONFIGS[name], small(name).rows[CONFIGS[name]]
    before = {name: {config: of_rows(rows)}}
    assert list(differences(before, before)) == []
    for named, change in CHANGES.items():
        changed = copy.deepcopy(rows)
        change(changed)
        assert list(differences(before, {name: {config: of_rows(changed)}})) == [f"{name}, {config}: {named}"]


def test_files_splits_and_datasets_are_compared(small: "Callable[[str], Small]") -> None:
    made = of_dataset(small("curves").folder)
    assert {"files", "easy/test", "polygon/test"} <= made.keys() and made["polygon/test"]["rows"] == "3"
    fewer = {part: digests for part, digests in made.items() if part != "polygon/test"}
    assert any(line.startswith("curves, polygon/test: ") for line in differences({"curves": made}, {"curves": fewer}))
    assert list(differences({"curves": made}, {})) == ["curves: gone"]
    other = {**made, "files": {path: f"{digest}x" for path, digest in made["files"].items()}}
    changed = ", ".join(sorted(made["files"]))
    assert list(differences({"curves": made}, {"curves": other})) == [f"curves, files: {changed}"]


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


def test_every_kind_of_fault_is_drawn_the_same_each_time_and_is_one_line_that_python_still_reads() -> None:
    module = Module(SOURCE)
    faults = [fault_at(0, "filters/hall.py", module, site) for site in sites(module)]
    kinds = {"not", "comparison", "and for or", "min for max", "sign", "constant"}
    assert {fault.kind for fault in faults} == kinds
    assert draw(modules(), 6) == draw(modules(), 6) != draw(modules(), 6, seed=1)
    lines = {fault.planted for fault in faults}
    assert {"if rows or rows < LIMIT and rows != 1:", "return max(rows, 1) + 1", "return rows", "LIMIT = 4"} <= lines
    for fault in faults:
        place = find(fault, {"filters/hall.py": module})
        assert place is not None
        assert ast.dump(ast.parse(planted(fault, module, place[1]))) != ast.dump(module.tree)


TESTS = ["tests/test_a.py::test_b"]
FAULT = Fault(0, "sign", "filters/hall.py", "Hall.seats", "return -rows", "return rows", tests=TESTS)


def test_a_fault_moves_with_its_function_and_is_not_taken_for_the_same_line_of_two_others() -> None:
    assert find(FAULT, modules()) == ("filters/hall.py", 12)
    moved = {"evals/hall/seats.py": Module(f"\n\n{SOURCE}"), **modules(hall="LIMIT = 3\n")}
    assert find(FAULT, moved) == ("evals/hall/seats.py", 14)
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
def test_a_fault_whose_tests_pass_is_reported_and_one_whose_place_is_gone_is_not(tmp_path: Path, failing: str) -> None:
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
    for fault in kept:
        reasoned = fault.tier in ("equivalent", "none")
        assert (bool(fault.tests), bool(fault.why)) == (fault.tier in mutants.FOUND, reasoned), fault.id


SELECTED = [
    ([], []),
    (["evals/scores/tables.py", "evals/scores/resampling.py"], ["tests/evals/scores"]),
    (["tests/evals/scores/test_comparison.py", "evals/scores/tables.py"], ["tests/evals/scores"]),
    (["tests/evals/scores/test_that_was_removed.py"], []),
    (["tests/support/worker_tasks.py"], ["tests/flows/test_embedded_server.py", "tests/flows/test_workers.py"]),
    (["generators/seeding.py"], ["tests/generators", "tests/suites"]),
    (["flows/commands/show.py"], ["tests/cli", "tests/flows"]),
    (["suites/curves/pipeline.py"], ["tests/suites"]),
    (["Makefile", "docs/index.md", "tools/frozen.py"], ["tests/packaging"]),
]


@pytest.mark.parametrize(("changed", "tests"), SELECTED)
def test_a_change_is_not_tested_by_other_tests_than_its_own(changed: list[str], tests: list[str]) -> None:
    assert selected(changed) == tests
    packages = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")})
    assert {"evals", "flows"} <= {*packages} and all((ROOT / path).exists() for path in MIRRORS)
    assert [name for name in packages if selected([f"{name}/x.py"]) == ["tests/packaging"]] == []


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("bench_*.py")), ids=lambda path: path.stem)
def test_a_benchmark_imports_what_is_there(path: Path) -> None:
    importlib.import_module(f"benchmarks.{path.stem}")


@pytest.mark.parametrize("section", [*table.SECTIONS][:5])
def test_a_table_of_the_page_is_replaced_and_nothing_else(section: str) -> None:
    page = table.PAGE.read_text()
    begin, content, end = table.written(page, section, "| new |").partition("\n| new |\n")
    assert content and page.startswith(begin) and page.endswith(end.lstrip("\n"))


@pytest.mark.slow
@pytest.mark.parametrize("section", [*table.SECTIONS][:5])
def test_a_table_of_what_builds_cost_can_be_measured(section: str) -> None:
    head, _, *lines = table.SECTIONS[section](True).splitlines()
    assert lines and {line.count(" | ") for line in (head, *lines)} == {head.count(" | ")}
    assert not [line for line in lines if line.endswith(" 0 |")], "nothing is used: the process is not found"
