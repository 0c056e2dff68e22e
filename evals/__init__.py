"""Protocols: for each suite a folder with the words of the question, and the reading and scoring of replies.

``prompt`` words the question and decides bytes of rows; ``protocol`` reads and scores replies and decides none.
"""

from types import ModuleType

from planimeter.generators.suites import SUITES as SUITES
from planimeter.generators.suites import part_of


def suite(name: str) -> ModuleType:
    """Import and return the protocol of the suite ``name``.

    It has ``score_gold(config, row)``, ``parse(config, reply, ...)`` and ``score(config, row, parsed)``.

    Raises:
        LookupError: if there is no such suite; the message lists those that exist.
    """
    return part_of("planimeter.evals", name, "protocol")
