"""The base class of reference models, and the models of any suite: certifier, most common and random answer."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar, Generic, TypeVar

import numpy as np

from planimeter.items.suites import declared
from planimeter.items.values import Recipe, Row

#: The sortable value that a model learns from a row.
Value = TypeVar("Value", str, int, tuple[int, int])


class Solver(ABC):
    """A reference model for one config. It is pickled, with the values that it learnt, for use in other processes.

    ``columns``: the columns that ``answer`` reads, with ``image`` if it needs the picture.
    ``learns``: the columns that ``learn`` reads, empty for a model that learns nothing; ``learn`` is called with all
    rows before the first answer. ``slow``: True if several processes save time. ``sized``: True if the model sees a
    thumbnail; its name may then end in the thumbnail's side in px, as in ``thumbnail-24``.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    learns: ClassVar[tuple[str, ...]] = ()
    slow: ClassVar[bool] = False
    sized: ClassVar[bool] = False

    def __init__(self, config: str, recipe: Recipe, size: int) -> None:
        """Store the name of the config, the dataset's recipe, and the side of the thumbnail (px) of a sized model."""
        self.config, self.recipe, self.size = config, recipe, size

    def learn(self, rows: Iterable[Row]) -> None:  # noqa: B027 - most have nothing to learn
        """Learn from all ``rows`` of the config, in the order of the dataset."""

    @abstractmethod
    def answer(self, row: Row, rng: np.random.Generator) -> str:
        """Return the prediction for ``row``, formatted like the column ``answer``; empty if the model has none."""


class Reader(Solver):
    """A reference model that draws no random numbers; subclasses define ``read``, not ``answer``."""

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - see above
        """Return the prediction of ``read``, which needs no random numbers."""
        return self.read(row)

    @abstractmethod
    def read(self, row: Row) -> str:
        """Return the prediction for ``row``, formatted like the column ``answer``; empty if the model has none."""


def reader(*columns: str, slow: bool = False) -> Callable[[Callable[[Row], str]], type[Reader]]:
    """Return a decorator that turns a function of a row's ``columns`` into a reference model of the same name."""

    def model(read: Callable[[Row], str]) -> type[Reader]:
        body = {"columns": columns, "slow": slow, "read": staticmethod(read)}
        return type(read.__name__, (Reader,), {**body, "__doc__": read.__doc__, "__module__": read.__module__})

    return model


class Certificate(Reader):
    """Recovers the answer with the check that the rows were certified with."""

    columns: ClassVar[tuple[str, ...]] = ("image", "prompt")
    slow: ClassVar[bool] = True

    def read(self, row: Row) -> str:
        certify = declared(self.recipe["suite"]).load("certify")
        return certify(row["image"]["bytes"], row["prompt"]).answer or ""


class Majority(Reader):
    """The commonest answer of the config. It is taken from the rows that are scored: a strict baseline."""

    learns: ClassVar[tuple[str, ...]] = ("answer",)
    #: The column by which rows are grouped to share an answer; without one all rows share it.
    by: ClassVar[str] = ""

    def learn(self, rows: Iterable[Row]) -> None:
        counts: dict[str, Counter[str]] = {}
        for row in rows:
            counts.setdefault(row[self.by] if self.by else "", Counter())[row[self.learns[0]]] += 1
        self.commonest = {group: commonest(answers) for group, answers in counts.items()}

    def read(self, row: Row) -> str:
        return self.commonest[row[self.by] if self.by else ""]


class Drawn(Solver, Generic[Value]):
    """The answer of a row chosen uniformly at random from the config."""

    learns: ClassVar[tuple[str, ...]] = ("answer",)

    def learn(self, rows: Iterable[Row]) -> None:
        counts = Counter(self.drawn_from(row) for row in rows)
        self.values: list[Value] = sorted(counts)
        self.ends = np.cumsum([counts[value] for value in self.values])

    def drawn_from(self, row: Row) -> Value:
        """Return the value to learn from ``row``, by default its answer; ``draw`` returns one of these values."""
        value: Value = row["answer"]
        return value

    def draw(self, rng: np.random.Generator) -> Value:
        """Return the learnt value of a random row; all rows are equally likely."""
        return self.values[int(np.searchsorted(self.ends, rng.integers(self.ends[-1]), side="right"))]

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - the row is not read
        return str(self.draw(rng))


def commonest(counts: Mapping[str, int]) -> str:
    """Return the most common key of ``counts``; of equally common keys the first in the alphabet."""
    return min(counts, key=lambda value: (-counts[value], value))
