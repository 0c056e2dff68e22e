"""The comparison of problems with published test items, by the similarity of statements and of programs.

See ``filters.geogram.duplicates``.
"""

from collections.abc import Iterable

from planimeter.filters.geogram.duplicates import Texts, runs
from planimeter.filters.verdict import Verdict
from planimeter.items.values import Row
from planimeter.suites.editions import Likeness, refusal
from planimeter.suites.geogram.recipe import SuiteRecipe


def likeness(config: str, row: Row) -> Likeness:
    """Return the part of a row that is compared with test items of its config: statement and program, joined."""
    return Likeness(config, f"{row['problem']}\0{row['code']}".encode())


class _Similar:
    def __init__(self, items: Iterable[Likeness], limit: float) -> None:
        self._limit = limit
        self._statements, self._programs = Texts(self._limit), Texts(self._limit)
        for _, texts in items:
            statement, program = texts.decode().split("\0")
            self._statements.add(runs(statement))
            self._programs.add(runs(program))

    def judge(self, item: Likeness) -> Verdict:
        statement, program = item.signature.decode().split("\0")
        found = max(self._statements.most_similar(runs(statement)), self._programs.most_similar(runs(program)))
        return refusal(found, self._limit, refused=found > self._limit)


def judge_of(items: Iterable[Likeness], recipe: SuiteRecipe) -> _Similar:
    """Return the judge that rejects a problem if its similarity to one of ``items`` exceeds the limit in ``recipe``."""
    return _Similar(items, recipe.geogram.similarity)
