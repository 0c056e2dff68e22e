"""The documentation is fresh, its links lead somewhere, and its commands and Python are those of this code."""

import re
import shlex
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest
import typer
import yaml

from planimeter.flows.commands.cli import app
from tools import docs

ROOT = docs.ROOT
PAGES = sorted(docs.DOCS.rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]
EXAMPLES = docs.read_examples()

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
    """Parse ``words`` as the command line does, and run nothing. Raises what the command line prints."""
    command: Any = typer.main.get_command(app)
    if words == ["--help"]:
        return
    while hasattr(command, "commands"):
        name, *words = words
        assert name in command.commands, f"there is no command {name}"
        command = command.commands[name]
    command.make_context(command.name, words)


def test_pages_are_those_that_the_tool_writes_now() -> None:
    made = docs.pages(EXAMPLES)
    kept = {str(path.relative_to(docs.DOCS)): path.read_text() for path in (*PAGES, docs.DOCS / "assets/map.svg")}
    stale = [name for name, text in made.items() if kept.get(name) != text]
    stale += [name for name in kept if name.startswith("datasets/") and name not in made]
    assert not stale, f"{', '.join(stale)}: run `{docs.RENEW}` and commit what it writes"


@pytest.mark.parametrize(
    "name",
    [
        *("curves-maps", "geogram-programs"),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("curves-polygons", "marvl-qa-mini", "traversal-hard")
        ),
    ],
)
def test_an_example_is_the_first_item_of_its_dataset(name: str) -> None:
    assert docs.example(docs.recipes()[name]) == EXAMPLES[name], f"run `{docs.RENEW}` and commit what it writes"


def test_every_dataset_has_an_example() -> None:
    assert set(EXAMPLES) == set(docs.recipes())


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
        for match in FENCE.finditer(text):
            if match["language"] == "python":
                compile(match["code"], str(page), "exec")
    assert not wrong


def test_a_command_that_does_not_exist_is_found() -> None:
    page = (
        "    planimeter build curves --scale 0.1 | head  # a comment\n\n```sh\nX=1 planimeter build \\\n  curves\n```\n"
    )
    assert list(commands(page)) == [["build", "curves"], ["build", "curves", "--scale", "0.1"]]
    for line in ("biuld curves", "build", "build curves --scales 1", "build curves --seed x"):
        with pytest.raises((AssertionError, typer.TyperException)):
            parse(line.split())


def test_headings_are_named_as_github_does() -> None:
    page = "# `a_b`: C & D\n\n## Twice\n\n## Twice\n\n```\n# no heading\n```\n"
    assert anchors(page) == {"a_b-c--d", "twice", "twice-1"}


def test_the_navigation_lists_every_page() -> None:
    def leaves(part: Any) -> Iterator[str]:
        if isinstance(part, str):
            yield part
        else:
            for value in part.values() if isinstance(part, dict) else part:
                yield from leaves(value)

    listed = leaves(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    assert sorted(listed) == sorted(str(path.relative_to(docs.DOCS)) for path in PAGES)
