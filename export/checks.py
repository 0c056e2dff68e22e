"""The base class of checkers: each finds rows of one suite that contradict themselves, each other or the recipe.

The verifier itself checks the rules that are the same in all suites: types, unique ids, valid pictures, and that the
grader scores each row's own answer as right. The checker of a suite compares columns, and rows, with each other. A
``Quota`` is a number of rows that the recipe promises, such as 50 rows of level 2. Quotas are checked only if the
recipe is at full scale and allows no shortfall.
"""

from abc import ABC, abstractmethod
from ast import literal_eval
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from planimeter.export.columns import Between, Column
from planimeter.filters.verdict import Verdict
from planimeter.generators.quotas import apportion
from planimeter.items.values import Recipe, Row
from planimeter.suites.editions import is_published, judge_of, likeness
from planimeter.suites.loading import RecipeError, promised_cells

#: The most unfilled quotas of one config that are listed one by one.
LISTED = 20

#: The required splits of a config without training rows.
TEST: Mapping[str, int | None] = MappingProxyType({"test": None})
#: The required splits of a config whose rows are distributed over training levels.
TRAIN: Mapping[str, int | None] = MappingProxyType({"train": None})


class Quota(NamedTuple):
    """A promise of the recipe: ``rows`` rows of ``config`` have the ``values``, which map columns to values.

    Instead of one value, a ``Between`` allows all numbers in its range.
    """

    config: str
    values: Mapping[str, object]
    rows: int

    def __str__(self) -> str:
        return f"{self.rows} rows of {', '.join(f'{name} {value}' for name, value in self.values.items())}"

    def fits(self, row: Row) -> bool:
        """True if ``row`` has the values of this quota; it must be a row of the quota's config."""
        pairs = ((row[name], wanted) for name, wanted in self.values.items())
        return all(value in wanted if isinstance(wanted, Between) else value == wanted for value, wanted in pairs)


class Bond(NamedTuple):
    """A rule for groups of rows of ``config`` that show one item in several ways, such as one plot in several styles.

    The rows of a group are equal in the columns ``shared`` and differ in one property, such as the style, whose value
    is called the member; ``members`` is its plural ("styles"). If ``is_loose``, a sample may contain a part of a group.
    """

    config: str
    members: str
    shared: tuple[str, ...]
    is_loose: bool = False


@dataclass(slots=True)
class Group:
    """The rows that belong together by a ``Bond``, such as one plot in several styles.

    ``members``: the member of each row, such as its style. ``shared``: the distinct digests of the columns in which all
    the rows should be equal; more than one digest is a fault.
    """

    members: tuple[object, ...] = ()
    shared: tuple[bytes, ...] = ()

    def add(self, members: Iterable[object], shared: Iterable[bytes]) -> None:
        """Add rows, given the member of each, such as its style, and the digests of their shared columns."""
        self.members += tuple(members)
        self.shared = tuple(dict.fromkeys((*self.shared, *shared)))


class Checker(ABC):
    """The checker of a suite: finds rows that contradict themselves, each other, or ``recipe`` (JSON values).

    Each file is checked by its own instance, in any process: ``row`` is called for each row in order. Then another
    instance adds up the counts and groups of rows of all files (``recall``), and checks the sums (``whole``).

    A subclass sets ``columns`` (config -> the suite's own columns) and ``certified_by`` (the value of that column in
    every row). It may set ``bonds`` (name of a kind of group -> its rule) and ``remembered`` (names of further
    attributes that ``recall`` adds up: dicts or counters of Python literals).
    """

    columns: ClassVar[Mapping[str, tuple[Column, ...]]]
    certified_by: ClassVar[str]
    bonds: ClassVar[Mapping[str, Bond]] = MappingProxyType({})
    remembered: ClassVar[tuple[str, ...]] = ()

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        #: True if the recipe promises numbers of rows: at full scale, without an allowed shortfall.
        self.full = recipe.get("scale", 1.0) == 1 and not recipe.get("allow_shortfall", False)
        #: The number of rows by config, and by the index of the quota that they count for.
        self.rows: Counter[str] = Counter()
        self.filled: Counter[int] = Counter()
        #: The groups of rows by the name of their bond and their key.
        self.groups: dict[tuple[str, str], Group] = {}

    def table(self, name: str) -> Recipe:
        """Return the table ``name`` of the recipe, such as that of a config; an empty dict if it is absent."""
        found: Recipe | None = self.recipe.get(name)
        return {} if found is None else found

    def certifier(self, config: str) -> str:  # noqa: ARG002 - most suites have one for all configs
        """Return the value of ``certified_by`` in every row of ``config``."""
        return self.certified_by

    def trains(self, config: str) -> bool:
        """True if the recipe distributes the rows of ``config`` over training levels."""
        return "level_shares" in self.table(config)

    def splits(self, config: str) -> Mapping[str, int | None]:
        """Return the required splits of ``config`` and their numbers of rows, None if the recipe promises no number."""
        if self.trains(config):
            return TRAIN
        asked: Mapping[str, int] | None = self.table(config).get("splits")
        return TEST if asked is None else dict(asked) if self.full else dict.fromkeys(asked)

    def row(self, config: str, row: Row) -> Iterator[str]:
        """Yield the faults of ``row`` as texts with rule and value, and count the row for its quotas.

        Relations of columns are checked only if each value by itself is valid.
        """
        wrong = [fault for column in self.columns[config] if (fault := column.fault(row))]
        yield from wrong
        if not wrong:
            yield from self.like_a_test(config, row) if self.trains(config) or row.get("split") == "train" else ()
            yield from self.faults(config, row)
        self.rows[config] += 1
        for place, quota in self._quotas_of.get(config, ()):
            self.filled[place] += quota.fits(row)

    @abstractmethod
    def faults(self, config: str, row: Row) -> Iterator[str]:
        """Yield the contradictions between the columns of ``row``, each of which has a valid value."""

    def bind(self, bond: str, key: str | tuple[object, ...], member: object, row: Row) -> bool:
        """Add ``row`` to a group of rows; return True if it is the first of its group.

        ``bond`` names the rule of the group. ``key`` identifies the group, such as one plot, and ``member`` the row
        within the group, such as its style.
        """
        group = bond, key if isinstance(key, str) else ", ".join(map(str, key))
        is_new = group not in self.groups
        self.groups.setdefault(group, Group()).add([member], [digest(row, self.bonds[bond].shared)])
        return is_new

    def wholes(self, bond: str) -> Sequence[frozenset[object]]:
        """Return the complete sets of members, such as all styles of a plot, for groups by the rule ``bond``.

        A group is complete if it has exactly the members of one of these sets. Checkers with ``bonds`` override this.
        """
        raise NotImplementedError

    def like_a_test(self, config: str, row: Row) -> Iterator[str]:
        """Yield a fault if the training ``row`` is a near-duplicate of a published test item."""
        if not is_published(self.recipe["suite"]):
            return
        try:
            verdict = judge_of(self.recipe["suite"]).judge(likeness(self.recipe["suite"], config, row))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            yield f"cannot be compared with the published test items: {error!r}"
            return
        yield from broken_rules([verdict])

    def quotas(self) -> Iterator[Quota]:
        """Yield the quotas that a recipe at full scale promises; those of one config add up to its number of rows.

        By default they follow from the shares of training levels and, in suites of other Python packages, from the
        combinations of parameter values for which the recipe makes rows.
        """
        yield from self._of_cells()
        for config, columns in self.columns.items():
            if self.trains(config):
                (level,) = (column.name for column in columns if column.trains)
                course = self.table(config)
                shares = enumerate(apportion(course["rows"], course["level_shares"]), start=1)
                yield from (Quota(config, {level: number}, rows) for number, rows in shares)

    def _of_cells(self) -> Iterator[Quota]:
        """Yield a quota for each combination of parameter values for which the recipe promises rows.

        Parameters that are not columns are ignored; combinations that differ only in these are added up to one quota.
        """
        rows: Counter[tuple[str, tuple[tuple[str, object], ...]]] = Counter()
        # A fault of the recipe itself is reported by the check of the manifest.
        with suppress(RecipeError):
            for config, cell, count in promised_cells(self.recipe):
                names = {"answer", *(column.name for column in self.columns[config])}
                rows[config, tuple((name, value) for name, value in cell.items() if name in names)] += count
        yield from (Quota(config, dict(values), number) for (config, values), number in rows.items() if values)

    @cached_property
    def _quotas_of(self) -> Mapping[str, Sequence[tuple[int, Quota]]]:
        """Config -> its quotas, each with its index; empty if the recipe promises no numbers."""
        found: dict[str, list[tuple[int, Quota]]] = {}
        for place, quota in enumerate(self.quotas() if self.full else ()):
            found.setdefault(quota.config, []).append((place, quota))
        return found

    def memory(self) -> str:
        """Return the counts and groups of this checker as a Python literal, for ``recall`` of another checker."""
        groups = {key: (group.members, group.shared) for key, group in self.groups.items()}
        seen = {name: dict(getattr(self, name)) for name in ("rows", "filled", *self.remembered)}
        return repr({"groups": groups, **seen})

    def recall(self, memory: str) -> None:
        """Add the counts and groups of another checker, given its ``memory()``, as if its rows came next."""
        seen = literal_eval(memory)
        for name in ("rows", "filled", *self.remembered):
            getattr(self, name).update(seen[name])
        for key, (members, shared) in seen["groups"].items():
            self.groups.setdefault(key, Group()).add(members, shared)

    def whole(self, *, sampled: bool = False) -> Iterator[tuple[str, str]]:
        """Yield (config, fault) for each broken rule about several rows; with ``sampled``, quotas are not checked."""
        yield from self.together(sampled=sampled)
        if not sampled:
            yield from self._missing()

    def together(self, *, sampled: bool) -> Iterator[tuple[str, str]]:
        """Yield (config, fault) for each incomplete group of rows, and for each group whose shared columns differ.

        In a sample (``sampled``), a group may be incomplete if its rule allows it (``Bond.is_loose``).
        """
        wholes = {name: self.wholes(name) for name in dict.fromkeys(name for name, _ in self.groups)}
        for (name, key), group in self.groups.items():
            bond, members = self.bonds[name], frozenset(group.members)
            is_part = any(members <= whole if sampled and bond.is_loose else members == whole for whole in wholes[name])
            if not is_part or len(members) < len(group.members):
                counted = f"{len(group.members)} rows in {len(members)} {bond.members}"
                yield bond.config, f"the {name} {key} has {counted}; need {max(map(len, wholes[name]))}, each once"
            if len(group.shared) > 1:
                yield bond.config, f"the rows of the {name} {key} must agree on {', '.join(bond.shared)}"

    def _missing(self) -> Iterator[tuple[str, str]]:
        """Yield (config, fault) for each quota and each config whose number of rows is not the promised one."""
        for config, quotas in self._quotas_of.items():
            faults = [
                f"the recipe promises {quota}, found {self.filled[place]}"
                for place, quota in quotas
                if self.filled[place] != quota.rows
            ]
            wanted = sum(quota.rows for _, quota in quotas)
            if self.rows[config] != wanted:
                yield config, f"the recipe promises {wanted} rows, found {self.rows[config]}"
            yield from ((config, fault) for fault in faults[:LISTED])
            if len(faults) > LISTED:
                yield config, f"{len(faults) - LISTED} more quotas are not filled"


def digest(row: Row, columns: Iterable[str]) -> bytes:
    """Return a 16-byte digest of the values of ``row`` in ``columns``, which takes less memory than the values."""
    return sha256(repr([row[column] for column in columns]).encode()).digest()[:16]


def broken_rules(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield a line for each rejection among ``verdicts``: check, reason, measured value and limit."""
    for verdict in verdicts:
        if not verdict.kept:
            yield f"{verdict.check}: {verdict.reason}: {verdict.measured:.6g}, the limit is {verdict.limit:.6g}"


def differing(row: Row, wanted: Row, source: str) -> Iterator[str]:
    """Yield a line for each column in which ``row`` differs from ``wanted``, the values that ``source`` requires."""
    for name, value in wanted.items():
        if row[name] != value:
            yield f"{name} must be {value!r} for {source}, got {row[name]!r}"
