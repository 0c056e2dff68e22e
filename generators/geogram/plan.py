"""Splits the recipe's quotas over cells, and determines the template of each turn.

A cell is a level in a language: of the taxonomy, or of the curriculum, with its number as suffix. The templates of the
level take turns by index, so that each has its even share. The gaps of near-duplicates are refilled from the templates
whose turn comes next: a template with few variants passes its share on by itself.
"""

from collections.abc import Iterable, Mapping, Sequence

from planimeter.generators.geogram.curriculum import LEVELS as COURSE
from planimeter.generators.geogram.propose import templates, templates_of
from planimeter.generators.geogram.template import Template
from planimeter.items import LANGUAGES, LEVELS, Language, Level

Quotas = Mapping[tuple[Level, Language], int]


def quotas(levels: Mapping[Level, int], scale: float) -> Quotas:
    """Return the rows of each cell: ``levels`` times ``scale``, in both languages, half and half and at least one."""
    shares: dict[tuple[Level, Language], int] = {}
    odd = 0
    for level in LEVELS:
        rows = max(len(LANGUAGES), int(levels[level] * scale + 0.5)) if levels[level] else 0
        for i, language in enumerate(LANGUAGES):
            # Of an odd number the languages get the larger half in turn.
            shares[level, language] = (rows + (i + odd + 1) % 2) // 2 if rows % 2 else rows // 2
        odd += rows % 2
    return shares


def templates_at(number: int) -> tuple[Template, ...]:
    """Return the templates of level ``number`` of the curriculum, 1 to 8, in their order there."""
    known = {template.name: template for template in templates()}
    return tuple(known[name] for name in COURSE[number - 1])


def turn(pool: Sequence[Template], language: Language, index: int) -> Template:
    """Return the template of the cell's ``pool`` whose turn it is; the languages begin at different ones, which mixes
    small datasets better.
    """
    ahead = LANGUAGES.index(language) * (len(pool) // len(LANGUAGES))
    return pool[(index + ahead) % len(pool)]


def most_of_a_template(cells: Iterable[tuple[Sequence[Template], int]], template_share: float) -> int:
    """Return the most rows of one template: its share of all, but at least as many as its turns.

    ``cells`` are the templates and the rows of each.
    """
    shares = [(len(templates), rows) for templates, rows in cells]
    fair = max(-(-rows // number) for number, rows in shares)
    return max(len(LANGUAGES) * fair, int(template_share * sum(rows for _, rows in shares)))


def check_shares(shares: Quotas, template_share: float) -> None:
    """Refuse levels that cannot be filled without a template above its share; tiny datasets are exempt.

    Raises:
        ValueError: for the first such level, with the numbers.
    """
    total = sum(shares.values())
    for level in LEVELS:
        rows, number = sum(shares[level, language] for language in LANGUAGES), len(templates_of(level))
        if rows > number and rows / number > max(template_share * total, len(LANGUAGES)):
            raise ValueError(
                f"geogram.levels.{level}: {rows} rows from {number} templates are {rows / number / total:.1%} of "
                f"all rows a template, more than template_share = {template_share:.0%}; ask for fewer of this level "
                "or raise template_share"
            )
