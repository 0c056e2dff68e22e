"""`make quick` runs the tests of what was changed, and no others."""

import pytest
from command_line import ROOT

from tools.quick import MIRRORS, selected


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ([], []),
        (["scores/tables.py", "scores/resampling.py"], ["tests/evals/scores"]),
        (["tests/evals/scores/test_leaderboard.py"], ["tests/evals/scores/test_leaderboard.py"]),
        (["tests/evals/scores/test_leaderboard.py", "scores/tables.py"], ["tests/evals/scores"]),
        (["tests/evals/scores/test_that_was_removed.py"], []),
        (["tests/support/worker_tasks.py"], ["tests/flows/test_workers.py"]),
        (["generators/seeding.py"], ["tests/generators", "tests/suites"]),
        (["generators/curves/nesting.py"], ["tests/generators"]),
        (["items/suites.py"], ["tests/suites"]),
        (["flows/commands/show.py"], ["tests/cli", "tests/flows"]),
        (["flows/suites/curves.py"], ["tests/suites"]),
        (["Makefile", "docs/index.md", "tools/frozen.py"], ["tests/packaging"]),
    ],
)
def test_a_change_is_not_tested_by_other_tests_than_its_own(changed: list[str], tests: list[str]) -> None:
    assert selected(changed) == tests


def test_every_package_has_tests_of_its_own() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert {"scores", "flows"} <= packages
    assert [name for name in sorted(packages) if selected([f"{name}/x.py"]) == ["tests/packaging"]] == []
    assert all((ROOT / path).exists() for path in MIRRORS)
