"""Divide the rows of a recipe among cells, and choose the template of each row.

A cell, the smallest unit with a quota, is a level (of the GeoGramBench paper's taxonomy, or a numbered training level)
and a programming language. The templates (kinds of problem) of a level take turns, so that each has an equal share. A
row that is rejected as a near-duplicate is replaced by a row of the next template; so a template with few distinct
variants gets fewer rows.
"""

from collections.abc import Iterable, Mapping, Sequence

from planimeter.generators.geogram.curriculum import LEVELS as COURSE
from planimeter.generators.geogram.propose import templates, templates_of
from planimeter.generators.geogram.template import Template
from planimeter.items import LANGUAGES, LEVELS, Language, Level

Quotas = Mapping[tuple[Level, Language], int]


def quotas(levels: Mapping[Level, int], scale: float) -> Quotas:
    """Return the number of rows of each (level, language): the level's rows times ``scale``, divided between languages.

    A level that has rows has at least one in each language. If its number of rows is odd, one language gets one more;
    the languages take turns.
    """
    shares: dict[tuple[Level, Language], int] = {}
    odd = 0
    for level in LEVELS:
        rows = max(len(LANGUAGES), int(levels[level] * scale + 0.5)) if levels[level] else 0
        for i, language in enumerate(LANGUAGES):
            shares[level, language] = (rows + (i + odd + 1) % 2) // 2 if rows % 2 else rows // 2
        odd += rows % 2
    return shares


def templates_at(number: int) -> tuple[Template, ...]:
    """Return the templates of training level ``number``, 1 to 8, in the order of ``curriculum.LEVELS``."""
    known = {template.name: template for template in templates()}
    return tuple(known[name] for name in COURSE[number - 1])


def turn(pool: Sequence[Template], language: Language, index: int) -> Template:
    """Return the template for row ``index`` of a level in ``language``; ``pool``: the templates of this level.

    The rotation of each language starts at a different template, so that small datasets contain more templates.
    """
    ahead = LANGUAGES.index(language) * (len(pool) // len(LANGUAGES))
    return pool[(index + ahead) % len(pool)]


def most_of_a_template(cells: Iterable[tuple[Sequence[Template], int]], template_share: float) -> int:
    """Return the largest permitted number of rows of one template in all cells together.

    It is ``template_share`` of all rows, or more if that is needed to divide each cell evenly among its templates.
    ``cells``: (templates, number of rows) for each level in each language.
    """
    shares = [(len(templates), rows) for templates, rows in cells]
    fair = max(-(-rows // number) for number, rows in shares)
    return max(len(LANGUAGES) * fair, int(template_share * sum(rows for _, rows in shares)))


def check_shares(shares: Quotas, template_share: float) -> None:
    """Raise an error if a level has so few templates that each would need more than ``template_share`` of all rows.

    A level with at most one row for each template and language passes. ``shares``: the result of ``quotas``.

    Raises:
        ValueError: for the first such level; the message gives the numbers.
    """
    total = sum(shares.values())
    for level in LEVELS:
        rows, number = sum(shares[level, language] for language in LANGUAGES), len(templates_of(level))
        if rows > number and rows / number > max(template_share * total, len(LANGUAGES)):
            raise ValueError(
                f"geogram.levels.{level}: {rows} rows from {number} templates give each template "
                f"{rows / number / total:.1%} of all rows, more than template_share = {template_share:.0%}; ask for "
                "fewer rows of this level or raise template_share"
            )
