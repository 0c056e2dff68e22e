"""Make candidate problems from templates: statement, program and exact answer, with random parameters."""

import json
from functools import cache
from typing import Final

import numpy as np

from planimeter.generators import registry
from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.exact import exact
from planimeter.generators.geogram.template import Figure, Template
from planimeter.items import GeogramItem, Language, Level

TEMPLATES: Final = "planimeter.generators.geogram.templates"
PRINTERS: Final = "planimeter.generators.geogram.printers"

#: Templates that cannot describe their figure in words: a net, and the steps of a recursion.
NOT_IN_WORDS: Final = frozenset({"carved_triangle", "net_of_a_box"})

_NOTES: Final = (
    "The figure is not drawn to scale.",
    "Lengths and angles in the drawing are not to scale.",
    "Note that the drawing does not keep the true proportions.",
    "(The picture shows the arrangement only; its measurements are not the real ones.)",
    "Do not rely on measurements of the figure: it is not to scale.",
    "The code draws the right arrangement but not the right sizes.",
    "Sizes in the code are for display only; take all measurements from the text.",
    "The sketch is not to scale.",
    "(Sketch not to scale.)",
    "Coordinates in the program were chosen for the picture and do not match the measurements given here.",
)


@cache
def templates(*, corpora: bool = False) -> tuple[Template, ...]:
    """Return all templates whose programs can be printed in every language, sorted by name.

    With ``corpora``, also those that only ``printers.corpora`` can print.
    """
    listed = (template for _, template in registry.members(TEMPLATES, Template).values())
    return tuple(template for template in listed if corpora or not template.corpora)


@cache
def templates_of(level: Level, *, in_words: bool = False, corpora: bool = False) -> tuple[Template, ...]:
    """Return the templates of ``level``, sorted by name; ``corpora``: see ``templates``.

    With ``in_words``, only those that can also describe their figure in words.
    """
    return tuple(
        t for t in templates(corpora=corpora) if t.level == level and not (in_words and t.name in NOT_IN_WORDS)
    )


def propose(
    template: Template, language: Language, rng: np.random.Generator, seed: int, *, corpora: bool = False
) -> GeogramItem:
    """Return a random problem of ``template``, as a candidate for the filters.

    The program is printed in ``language``, or with ``corpora`` in Asymptote as people write it (see
    ``printers.corpora``); ``seed`` is stored in the item.

    Raises:
        ValueError: if the random parameters are incompatible, or the answer has no simple exact form; call again.
    """
    figure = template.draft(rng)
    note = figure.choice(*_NOTES)
    answer = exact(figure.answer)
    if corpora and "show" in figure.helpers:
        figure.helpers["show"] = con.orthographic(figure.randint(3, 4), figure.randint(9, 12), figure.randint(2, 3))
    scene, outcome = figure.finish()
    printer = registry.load(PRINTERS, "corpora" if corpora else language)
    return GeogramItem(
        template=template.name,
        level=template.level,
        language=language,
        problem=_statement(figure, note, rng),
        code=printer.program(scene, int(rng.integers(printer.STYLES))),
        givens=_givens(figure),
        answer_latex=answer.latex,
        answer_value=answer.value,
        origin="generated",
        seed=seed,
        drawing=outcome.drawing(),
        words=" ".join(figure.words),
        stated=" ".join(figure.statement.split()),
    )


def _givens(figure: Figure) -> str:
    facts: dict[str, object] = {"given": [list(fact) for fact in figure.facts], "asked": figure.asked}
    return json.dumps(facts if figure.drawn else facts | {"drawn": False}, sort_keys=True)


def _statement(figure: Figure, note: str, rng: np.random.Generator) -> str:
    """Return the statement of the problem with ``note`` (that the figure is not to scale) added.

    The note is at the end or, in half of the cases if there are several sentences, before the last one.
    """
    text = " ".join(figure.statement.split())
    sentences = text.rsplit(". ", 1)
    if len(sentences) == 2 and rng.integers(2):
        return f"{sentences[0]}. {note} {sentences[1]}"
    return f"{text} {note}"
