"""Reads a tree that is drawn as an outline: a number a line, each further in than the one that holds it."""

import re
from collections.abc import Sequence
from typing import Final

from planimeter.evals.graph_words import Pair, named, rooted

#: What may stand before the number of a line: blanks, bullets, and the lines of a drawn tree.
_LEAD: Final = re.compile(r"[\s\u2500-\u257f|`+*\u2022\u25aa\u25e6\u2013>-]*")
_NODE: Final = re.compile(r"[\W_]*(\d{1,6})(?:\W\D{0,80})?")
#: Stands for a blank of a deep indent.
DEEP: Final = "\u2502"
_INDENT: Final = re.compile(r"^[ \t]{4,64}(?=\S)", re.MULTILINE)


def kept_deep(text: str) -> str:
    """Return ``text`` with a sign for each blank of a deep indent, as in a drawn tree: long blanks are shortened."""
    return _INDENT.sub(lambda blanks: DEEP * len(blanks[0].expandtabs(4)), text)


def outline(lines: Sequence[str], start: int) -> tuple[Pair, ...]:
    """Return the pairs of a child and its parent in the outline that begins at a line; empty where there is none.

    It begins with the root; each other number is there once, and at least one is further in than another.
    """
    inside: list[tuple[int, str]] = []
    pairs: list[Pair] = []
    seen: set[str] = set()
    depths: set[int] = set()
    for line in lines[start:]:
        depth, node = node_of(line)
        while inside and inside[-1][0] >= depth:
            inside.pop()
        if not node or node in seen or (seen and not inside) or (not seen and node != "0"):
            break
        if inside:
            pairs.append((node, inside[-1][1]))
        inside.append((depth, node))
        seen.add(node)
        depths.add(depth)
    return tuple(pairs) if len(depths) > 1 else ()


def node_of(line: str) -> tuple[int, str]:
    """Return how far in a line begins, and the number that it names and says nothing else of; empty without one."""
    lead = _LEAD.match(line)
    depth = lead.end() if lead else 0
    match = _NODE.fullmatch(named(rooted(line[depth:])).strip()) if len(line) < 200 else None
    return depth, str(int(match[1])) if match else ""
