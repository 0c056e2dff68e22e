"""Accepted problems for tests: the loop that a flow runs inside the stream of an address."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from planimeter.filters.certify.geogram.certificate import certify
from planimeter.filters.geogram import leakage
from planimeter.generators.geogram.propose import propose, templates
from planimeter.generators.seeding import item_seed, rng_of
from planimeter.items import GeogramItem, Language, Reading

TEMPLATES = {template.name: template for template in templates()}
NAMES = tuple(TEMPLATES)


class Accepted(NamedTuple):
    """An item that is certified, and what the certificate read in it."""

    item: GeogramItem
    reading: Reading


def candidates(name: str, language: Language, index: int = 0, root: int = 20261120) -> Iterator[GeogramItem]:
    """Yield what the stream of one address proposes."""
    seed = item_seed(root, ("geogram", name, language, index))
    rng = rng_of(seed)
    for _ in range(200):
        try:
            yield propose(TEMPLATES[name], language, rng, seed)
        except ValueError:
            continue


def read(item: GeogramItem) -> Reading:
    return certify(item.problem, item.code, item.language, item.givens, item.answer_latex)


@cache
def accepted_reading(name: str, language: Language) -> Accepted:
    """Return the first candidate that is certified and does not leak."""
    for item in candidates(name, language):
        reading = read(item)
        if reading.answer == item.answer_latex and leakage.judge(item, 0.005, 0.05).kept:
            return Accepted(item, reading)
    raise LookupError(f"{name} proposes nothing that is accepted")


def accepted(name: str, language: Language) -> GeogramItem:
    return accepted_reading(name, language).item
