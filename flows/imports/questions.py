"""The questions to a model about an imported problem (is it geometry, and what is its level), and parsers of replies.

The questions follow GeoGramBench, section 4.2 and appendix B, in our own words. If a reply has no answer, the rules
decide, and the problem is listed for review by a person.
"""

import re
from typing import Final

from planimeter.items import Level

_GEOMETRY: Final = (
    "Decide whether the following mathematics problem is a geometry problem: one about shapes, lengths, angles, areas "
    "or volumes, rather than counting, probability, charts or graphs of functions. Reply with one word, yes or no.\n\n"
)

_LEVEL: Final = """\
Sort a geometry problem and the program that draws its figure into one of three categories.

Primitive Recognition
- The program draws hardly anything: one shape or two, or a few marked points and lines.
- One look or one elementary calculation gives the answer; nothing has to be combined, constructed or added.
- It tests whether the basic content of the figure is recognised.

Local Relation Composition
- The program draws several elements (points, lines, circles, polygons), finitely many, each stated outright.
- The answer takes several steps that bring together relations between parts of the figure, or auxiliary lines. All of \
it is ordinary plane geometry.
- The difficulty lies in combining what stands in the figure, part by part.

Global Abstract Integration
- The program may be intricate or recursive, or the figure comes of folding, projecting, arranging in space, or of \
another process that is not drawn outright.
- The answer needs the whole configuration at once, a recursion, solid geometry, a limit or an extreme case.
- It tests whether an integrated or abstract structure can be rebuilt in the mind and reasoned about.

Rules
1. Name exactly one category.
2. Count as elements only what the program states.
3. Judge the reasoning by what this problem asks for, and by the thought and calculation that its answer takes.
4. Say briefly why, with reference to the figure and to the reasoning.

Reply in this form:
- Category: [Primitive Recognition / Local Relation Composition / Global Abstract Integration]
- Justification: [one or two sentences]

Problem:
"""

_CATEGORY: Final = re.compile(r"category\W{0,9}[^\n]*", re.IGNORECASE)
_NAME: Final = re.compile(r"primitive recognition|local relation|global abstract", re.IGNORECASE)
_JUSTIFICATION: Final = re.compile(r"justification[\s:*]*(.+)", re.IGNORECASE | re.DOTALL)
_LEVELS: Final[dict[str, Level]] = {"p": "primitive", "l": "compositional", "g": "abstract"}

#: The most characters of a justification that are kept.
LONGEST: Final = 600


def geometry(problem: str) -> str:
    """Return the question about ``problem``, a statement: is it a geometry problem?"""
    return _GEOMETRY + problem


def level(problem: str, code: str) -> str:
    """Return the question about the level (of difficulty) of ``problem``, a statement, with the drawing ``code``."""
    return f"{_LEVEL}{problem}\n\nProgram:\n{code}"


def read_geometry(reply: str) -> bool | None:
    """Return True if ``reply`` begins with yes, False if it begins with no, None otherwise; reasoning is skipped."""
    word = _conclusion(reply).lstrip(" \n\t*_\"'").lower()
    return word.startswith("yes") if word.startswith(("yes", "no")) else None


def read_level(reply: str) -> tuple[Level, str] | None:
    """Return the level and the justification in ``reply``; None if it names no level, or several."""
    conclusion = _conclusion(reply)
    initials = {name[0].lower() for line in _CATEGORY.findall(conclusion) for name in _NAME.findall(line)}
    if len(initials) != 1:
        return None
    why = _JUSTIFICATION.search(conclusion)
    return _LEVELS[initials.pop()], " ".join(why[1].split())[:LONGEST] if why else ""


def _conclusion(reply: str) -> str:
    """Return ``reply`` without the reasoning, which ends with ``</think>``."""
    return reply.rpartition("</think>")[2]
