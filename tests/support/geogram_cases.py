"""Accepted problems for tests: the loop that a flow runs inside the stream of an address."""

from collections.abc import Iterator
from functools import cache

from planimeter.filters.certify.geogram.certificate import certify
from planimeter.filters.geogram import leakage
from planimeter.generators.geogram.propose import propose, templates
from planimeter.generators.geogram.template import Template
from planimeter.generators.seeding import item_seed, rng_of
from planimeter.items import GeogramItem, Language

NAMES = tuple(t.name for t in templates())


def template(name: str) -> Template:
    return next(t for t in templates() if t.name == name)


def candidates(name: str, language: Language, index: int = 0, root: int = 20261120) -> Iterator[GeogramItem]:
    """Yield what the stream of one address proposes."""
    seed = item_seed(root, ("geogram", name, language, index))
    rng = rng_of(seed)
    for _ in range(200):
        try:
            yield propose(template(name), language, rng, seed)
        except ValueError:
            continue


@cache
def accepted(name: str, language: Language, index: int = 0) -> GeogramItem:
    """Return the first candidate that is certified and does not leak."""
    for item in candidates(name, language, index):
        reading = certify(item.problem, item.code, item.language, item.givens, item.answer_latex)
        if reading.answer == item.answer_latex and not leaks(item):
            return item
    raise LookupError(f"{name} proposes nothing that is accepted")


def leaks(item: GeogramItem) -> str:
    """Return why ``item`` leaks its answer, or an empty string."""
    return leakage.judge(item, 0.005, 0.05).reason
