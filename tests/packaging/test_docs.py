"""The documentation is fresh: links lead somewhere, commands and Python run, and no build takes another place."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import command_line
import loopback_openai
import plain
import pytest
import stand_in_hub
import typer
from small_datasets import whole

from planimeter.evals.harnesses.rows import source
from planimeter.flows.commands.cli import app
from planimeter.flows.store.place import default_outputs
from planimeter.flows.store.storage import OUTPUTS
from planimeter.suites.base import Recipe
from planimeter.suites.loading import load
from tools import docs

ROOT = docs.ROOT
PAGES = sorted(docs.DOCS.rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]
EXAMPLES = docs.read_examples()
VERSIONS = {name: recipe.version for name, recipe in docs.recipes().items()}
CODE = "\n".join(path.read_text() for path in sorted((ROOT / "generators").rglob("*.py")))

FENCE = re.compile(r"^(?P<fence>`{3,})(?P<language>\w*)\n(?P<code>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
#: Of Markdown, and of HTML within it.
LINK = re.compile(r"\]\(([^()\s]+(?:\([^()]*\))?)\)|(?:href|src|srcset)=\"([^\"]+)\"")
SHELLS = ("", "sh", "bash", "shell", "console")


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to the headings of ``text``."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} (.+?) *#*$", FENCE.sub("", text), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        number = sum(name == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", name) is not None for name in found)
        found.add(f"{slug}-{number}" if number else slug)
    return found


def commands(text: str) -> Iterator[list[str]]:
    """The arguments of each command `planimeter` in blocks of code, fenced or indented."""
    fenced = [match["code"] for match in FENCE.finditer(text) if match["language"] in SHELLS]
    indented = re.findall(r"^ {4}(?! ).*(?:\\\n.*)*", FENCE.sub("", text), re.MULTILINE)
    for line in "\n".join((*fenced, *indented)).replace("\\\n", " ").splitlines():
        if "planimeter " not in line:
            continue
        words = shlex.split(line, comments=True)
        ends = [at for at, word in enumerate(words) if word in ("|", "&&", "||", ";", ">", "2>&1")]
        for first, last in zip((0, *(end + 1 for end in ends)), (*ends, len(words)), strict=True):
            part = [word for word in words[first:last] if not re.fullmatch(r"\$|[A-Z_]+=.*", word)]
            if part[:1] == ["planimeter"]:
                yield part[1:]


def parse(words: list[str]) -> None:
    """Parse ``words`` as the command line does, without running them."""
    command: Any = typer.main.get_command(app)
    if words == ["--help"]:
        return
    while hasattr(command, "commands"):
        name, *words = words
        assert name in command.commands, f"there is no command {name}"
        command = command.commands[name]
    command.make_context(command.name, words)


def test_pages_are_those_that_the_tool_writes_now() -> None:
    assert EXAMPLES.keys() == docs.recipes().keys(), f"a dataset has no example or none now: run `{docs.RENEW}`"
    made = docs.pages(EXAMPLES)
    kept = {str(path.relative_to(docs.DOCS)): path.read_text() for path in (*PAGES, docs.DOCS / "assets/map.svg")}
    stale = [name for name, text in made.items() if kept.get(name) != text]
    stale += [name for name in kept if name.startswith("datasets/") and name not in made]
    assert not stale, f"{', '.join(stale)}: run `{docs.RENEW}` and commit what it writes"


DEAR = [pytest.param(name, marks=pytest.mark.slow) for name in ("curves-polygons", "marvl-qa-mini", "traversal-hard")]


@pytest.mark.parametrize("name", ["curves-maps", "geogram-programs", *DEAR])
def test_an_example_is_the_first_item_of_its_dataset(name: str) -> None:
    assert docs.example(docs.recipes()[name]) == EXAMPLES[name], f"run `{docs.RENEW}` and commit what it writes"


def test_no_relative_link_is_dead() -> None:
    dead = []
    for page in DOCUMENTS:
        text = re.sub(r"^ {4}.*$", "", FENCE.sub("", page.read_text()), flags=re.MULTILINE)
        links = [first or second for first, second in LINK.findall(re.sub(r"`[^`\n]*`", "", text))]
        for link in (link for link in links if not re.match(r"[a-z]+:", link)):
            path, _, anchor = unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            # The site holds the pages of docs/ and nothing beside them.
            astray = docs.DOCS in page.parents and not target.is_relative_to(docs.DOCS)
            if astray or not target.exists() or (anchor and anchor not in anchors(target.read_text())):
                dead.append(f"{page.relative_to(ROOT)}: {link}")
    assert not dead, "no such file or heading, or none of the site"


def test_commands_and_python_of_a_page_are_those_of_this_code() -> None:
    wrong = []
    for page in DOCUMENTS:
        text = page.read_text()
        for words in commands(text):
            try:
                parse(words)
            except (AssertionError, typer.TyperException) as error:
                wrong.append(f"{page.relative_to(ROOT)}: planimeter {shlex.join(words)}: {error}")
        for name, version in re.findall(r"outputs/(?:x[\d.]+/)?([\w-]+)/(\d+\.\d+\.\d+)", text):
            if name in VERSIONS and version != VERSIONS[name]:
                wrong.append(f"{page.relative_to(ROOT)}: {name} {version}, which is {VERSIONS[name]} now")
        for match in FENCE.finditer(text):
            if match["language"] == "python":
                compile(match["code"], str(page), "exec")
                if page.parent.name == "contributing":
                    parts = match["code"].strip().split("\n\n\n")
                    wrong += [f"{page.relative_to(ROOT)}: no such code: {part}" for part in parts if part not in CODE]
    assert not wrong


def test_the_navigation_lists_every_page() -> None:
    listed = re.findall(r"[\w./-]+\.md", (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2])
    assert sorted(listed) == sorted(str(path.relative_to(docs.DOCS)) for path in PAGES)


README = (Path(__file__).parents[2] / "README.md").read_text()
#: What is run elsewhere: by .ci/run, and by test_prefect against a server.
ELSEWHERE = ("git ", "make ", "source ", "prefect ")


def test_a_scaled_build_has_a_folder_of_its_own() -> None:
    # As a run of a deployment is given it, with the recipe's own version.
    scales = {1.0: OUTPUTS, 0.05: OUTPUTS / "x0.05", 10.0: OUTPUTS / "x10"}
    given = [({"scale": scale, "version": load("traversal").version}, folder) for scale, folder in scales.items()]
    for changed, folder in [*given, ({}, OUTPUTS), ({"scale": 0.05, "version": "9.0.0"}, OUTPUTS)]:
        assert default_outputs("traversal", cast("Recipe", load("traversal", **changed)), changed) == folder


def test_the_python_of_the_readme_gives_what_it_says(small, tmp_path: Path, monkeypatch) -> None:
    given = small("marvl-qa-mini")
    whole(tmp_path / "outputs" / "marvl-qa-mini" / load("marvl-qa-mini").version, given, given.rows)
    using, training = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    *_, scored = (line for line in using.splitlines() if line.endswith("  # 1.0"))
    *_, streamed = training.splitlines()
    # Another row stands first in a smaller dataset: its own answer takes the place of the one that the README gives.
    grading = scored.replace('"<final_answer>1</final_answer>"', 'row["answer"]')
    code = using.replace(scored, f"accuracy = {grading}") + training.replace(streamed, f"answer = {streamed}")
    answer = re.search(r'# (".*?")', streamed)
    assert answer is not None and "row[" in grading
    names: dict[str, object] = {}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "hf")
    exec(compile(code, "README.md", "exec"), names)
    assert (names["accuracy"], names["answer"]) == (1.0, json.loads(answer[1]))


@pytest.mark.slow
def test_the_commands_of_the_readme_run_in_their_order(tmp_path: Path) -> None:
    commands = [line[4:] for line in README.splitlines() if re.match(" {4}[a-z]", line)]
    planimeter = [shlex.split(line, comments=True)[1:] for line in commands if line.startswith("planimeter ")]
    assert len(planimeter) + sum(line.startswith(ELSEWHERE) for line in commands) == len(commands) >= 9
    # No model is served here but by a stand-in that knows the answers.
    place = plain.build("marvl-qa-mini", tmp_path / "outputs", scale=0.02).folder
    with stand_in_hub.started() as hub, loopback_openai.serving(source(str(place))) as model:
        there = {"HF_ENDPOINT": hub.url, "HF_TOKEN": stand_in_hub.TOKEN, **model.environment}
        env = command_line.environment(tmp_path / "prefect", HF_HOME=str(tmp_path / "hf"), **there)
        for words in planimeter:
            if words[0] == "evaluate":
                words[words.index("--model") + 1] = "openai-api/loopback/gold"
            if words[0] == "build":  # By default the outputs of a checkout lie in it, not in the working directory.
                words += ["--out", str(tmp_path / "outputs" / f"x{words[words.index('--scale') + 1]}")]
            command = [sys.executable, *command_line.PROGRAM, *words]
            given = {"cwd": tmp_path, "env": env, "timeout": command_line.PATIENCE}
            done = subprocess.run(command, capture_output=True, text=True, **given)
            assert done.returncode == 0, f"{shlex.join(words)}: {done.stdout + done.stderr}"
    assert (tmp_path / "replies.jsonl").is_file()
