"""Markdown that GitHub and the generator of the site show alike."""

import re
import textwrap
from collections.abc import Iterable, Sequence


def prose(text: str) -> str:
    """Return ``text`` as one paragraph: what stands outside of code is no tag and no emphasis."""
    parts = re.split(r"(`[^`]+`)", " ".join(text.replace("``", "`").split()))
    return "".join(part if part.startswith("`") else _escaped(part) for part in parts)


def _escaped(text: str) -> str:
    return re.sub(r"<(?=[\w/!])", "&lt;", text.replace("&", "&amp;")).replace("*", "\\*")


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown; its cells are Markdown, too."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)


def fenced(language: str, text: str) -> str:
    """Return ``text`` as a block of code, whatever backticks it holds."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def wrapped(text: str, width: int = 80) -> str:
    """Return ``text`` with its lines broken at blanks, so that a page shows them without scrolling."""
    return "\n".join(
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) if len(line) > width else line
        for line in text.splitlines()
    )


def docstring(text: str) -> str:
    """Return a docstring as Markdown: paragraphs, lists, its sections and its examples."""
    return "\n\n".join(_block(block) for block in re.split(r"\n\s*\n", text.strip()))


def _block(block: str) -> str:
    first, *rest = block.splitlines()
    if first.startswith(">>>"):
        return fenced("pycon", block)
    if first.startswith("* "):
        return "\n".join(f"- {prose(item)}" for item in re.split(r"^\* ", block, flags=re.MULTILINE)[1:])
    if re.fullmatch(r"[A-Z][a-z]+:", first):
        items = re.split(r"^ {4}(?=\S)", "\n".join(rest), flags=re.MULTILINE)[1:]
        return f"{first}\n\n" + "\n".join(f"- {_named(item)}" for item in items)
    return prose(block)


def _named(item: str) -> str:
    """Return an entry of a section, its name as code."""
    name, colon, meaning = item.partition(": ")
    return f"`{name}`: {prose(meaning)}" if colon else prose(item)
