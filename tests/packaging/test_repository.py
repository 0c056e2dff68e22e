"""What a repository says to its readers and its services: workflows, forms, hooks, citation, changelogs."""

import re
import tomllib
from pathlib import Path
from typing import Any

import command_line
import pytest
import yaml

from planimeter.suites.base import Recipe
from planimeter.suites.loading import available, load

ROOT = command_line.ROOT
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def read(path: Path | str) -> Any:
    return yaml.safe_load((ROOT / path).read_text())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_targets_that_exist_and_may_only_read(path: Path) -> None:
    workflow = read(path)
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {name for step in steps for name in re.findall(r"\bmake ([a-z]+)", step.get("run", ""))} <= targets
    assert workflow["permissions"] == {"contents": "read"}
    assert all(job["timeout-minutes"] for job in workflow["jobs"].values())
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v1)", step["uses"]) for step in steps if "uses" in step)


def test_citation_and_changelogs_are_of_the_newest_versions() -> None:
    citation, version = read("CITATION.cff"), PROJECT["version"]
    assert (citation["version"], citation["license"]) == (version, PROJECT["license"])
    assert citation["repository-code"] == PROJECT["urls"]["Homepage"]
    assert f"\n## [{version}] - {citation['date-released']}\n" in (ROOT / "CHANGELOG.md").read_text()
    recipes = [recipe for recipe in map(load, available()) if isinstance(recipe, Recipe)]
    text = (ROOT / "CHANGELOG-datasets.md").read_text()
    assert recipes
    assert [recipe.dataset for recipe in recipes if not re.search(rf"\b{re.escape(recipe.version)}\b", text)] == []
