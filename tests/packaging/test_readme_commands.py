"""The README runs as it stands: its Python, its commands from top to bottom, and no build takes another's place."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import cast

import command_line
import loopback_openai
import plain
import pytest
import stand_in_hub
from small_datasets import Small, whole

from planimeter.evals.harnesses.rows import source
from planimeter.flows.display.flow_names import FLOW_OF
from planimeter.flows.store.place import default_outputs
from planimeter.flows.store.storage import OUTPUTS
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Collection, load

README = (Path(__file__).parents[2] / "README.md").read_text()
BUILD = re.compile(r"make mini|(?:planimeter build|prefect deployment run) [a-z][^\n`]*")
#: What is run elsewhere: by .ci/run, and by test_prefect against a server.
ELSEWHERE = ("git ", "make ", "source ", "prefect ")
RECIPE_OF = {flow: recipe for recipe, flow in FLOW_OF.items()}


def builds(command: str) -> list[tuple[str, Recipe]]:
    """Where each dataset of ``command`` is built, and its recipe."""
    words = shlex.split(command, comments=True)
    if words[0] == "prefect":
        name = RECIPE_OF[words[3].removesuffix("/default")]
        given = dict(word.split("=", 1) for word in words if "=" in word)
    else:
        name = "marvl-qa-mini" if words[0] == "make" else words[2]
        given = {flag[2:]: value for flag, value in pairwise(words) if flag.startswith("--")}
    changed = {key: float(given[key]) if key == "scale" else given[key] for key in ("scale", "version") if key in given}
    loaded = load(name, **changed)
    if isinstance(loaded, Collection):
        changed = {"scale": loaded.scale, "seed": loaded.seed, "version": loaded.version}
        names = loaded.datasets
    else:
        names = (name,)
    each = [(name, cast("Recipe", load(name, **changed))) for name in names]
    return [(given.get("out") or str(default_outputs(name, recipe, changed)), recipe) for name, recipe in each]


def test_no_build_of_the_readme_stands_in_the_way_of_a_later_one() -> None:
    commands = BUILD.findall(README)
    assert "make mini" in commands and any("--param scale=" in command for command in commands)
    built: dict[tuple[str, str, str], Recipe] = {}
    for command in [*commands, "planimeter build marvl-qa-mini --scale 0.1", *commands]:
        for outputs, recipe in builds(command):
            place = (outputs, recipe.dataset, recipe.version)
            assert built.setdefault(place, recipe) == recipe, f"{command}: {place} stands there with other rows"


@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ({}, OUTPUTS),
        ({"scale": 1.0}, OUTPUTS),
        ({"scale": 0.05}, OUTPUTS / "x0.05"),
        ({"scale": 10.0}, OUTPUTS / "x10"),
        ({"scale": 0.05, "version": "9.0.0"}, OUTPUTS),
        # As a run of a deployment is given it.
        ({"scale": 0.05, "version": load("traversal").version}, OUTPUTS / "x0.05"),
    ],
)
def test_a_scaled_build_has_a_folder_of_its_own_unless_it_has_a_version_of_its_own(
    given: dict[str, object], folder: Path
) -> None:
    assert default_outputs("traversal", cast("Recipe", load("traversal", **given)), given) == folder


def test_the_python_of_the_readme_runs_as_it_stands_and_gives_what_it_says(
    small: Callable[[str], Small], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = small("marvl-qa-mini")
    whole(tmp_path / "outputs" / "marvl-qa-mini" / load("marvl-qa-mini").version, given, given.rows)
    using, training = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    *_, scored = (line for line in using.splitlines() if line.endswith("  # 1.0"))
    *_, streamed = training.splitlines()
    # Another row stands first in a smaller dataset: its own answer takes the place of the one that the README gives.
    grading = scored.replace('"I count one local maximum."', 'row["answer"]')
    code = using.replace(scored, f"accuracy = {grading}") + training.replace(streamed, f"answer = {streamed}")
    answer = re.search(r'# (".*?")', streamed)
    assert answer is not None and "row[" in grading
    names: dict[str, object] = {}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "hf")
    exec(compile(code, "README.md", "exec"), names)
    assert (names["accuracy"], names["answer"]) == (1.0, json.loads(answer[1]))


def ran(command: list[str], folder: Path, **more: str) -> None:
    environment = command_line.environment(folder / "prefect", HF_HOME=str(folder / "hf"), **more)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{shlex.join(command)}: {done.stdout + done.stderr}"


@pytest.mark.slow
def test_the_commands_of_the_readme_run_in_their_order(tmp_path: Path) -> None:
    commands = [line[4:] for line in README.splitlines() if re.match(" {4}[a-z]", line)]
    planimeter = [shlex.split(line, comments=True)[1:] for line in commands if line.startswith("planimeter ")]
    assert len(planimeter) + sum(line.startswith(ELSEWHERE) for line in commands) == len(commands) >= 9
    # No model is served here but by a stand-in that knows the answers.
    place = plain.build("marvl-qa-mini", tmp_path / "outputs", scale=0.02).folder
    with stand_in_hub.started() as hub, loopback_openai.serving(source(str(place))) as model:
        there = {"HF_ENDPOINT": hub.url, "HF_TOKEN": stand_in_hub.TOKEN, **model.environment}
        for words in planimeter:
            if words[0] == "evaluate":
                words[words.index("--model") + 1] = "openai-api/loopback/gold"
            if words[0] == "build":  # By default the outputs of a checkout lie in it, not in the working directory.
                ((outputs, _),) = builds(shlex.join(["planimeter", *words]))
                words += ["--out", str(tmp_path / Path(outputs).relative_to(command_line.ROOT))]
            ran([sys.executable, "-m", "planimeter.flows", *words], tmp_path, **there)
    assert (tmp_path / "replies.jsonl").is_file()
