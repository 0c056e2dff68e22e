"""Counts what each check saw, kept and rejected, and for which reason: the published account of a build."""

from collections.abc import Iterable, Mapping
from typing import Any

from planimeter.filters.verdict import Verdict

#: {config: {check: {"seen", "kept", "rejected": {reason: n}, "strata": {stratum: {"seen", "kept", "rejected"}}}}}
Entry = dict[str, Any]
FunnelTable = dict[str, dict[str, Entry]]
Table = Mapping[str, Mapping[str, Mapping[str, Any]]]


class Funnel:
    """A running account. Checks appear in the order in which they first judged something."""

    def __init__(self) -> None:
        self._table: FunnelTable = {}

    def add(self, config: str, verdict: Verdict, *strata: str) -> None:
        """Count ``verdict`` under ``config``, and under each stratum (a family, ``style=...``)."""
        entry = self._entry(config, verdict.check)
        _count(entry, 1, int(verdict.kept), {} if verdict.kept else {verdict.reason: 1})
        for stratum in strata:
            counts = entry["strata"].setdefault(stratum, {"seen": 0, "kept": 0, "rejected": 0})
            _add_stratum(counts, {"seen": 1, "kept": int(verdict.kept), "rejected": int(not verdict.kept)})

    def merge(self, table: Table) -> None:
        """Add another account, as ``table()`` gives it."""
        for config, checks in table.items():
            for check, other in checks.items():
                entry = self._entry(config, check)
                _count(entry, other["seen"], other["kept"], other["rejected"])
                for stratum, counts in other["strata"].items():
                    _add_stratum(entry["strata"].setdefault(stratum, {"seen": 0, "kept": 0, "rejected": 0}), counts)

    def table(self) -> FunnelTable:
        """Return the account with reasons and strata in sorted order, whatever the order of the counting."""
        return {
            config: {
                check: {
                    **entry,
                    "rejected": dict(sorted(entry["rejected"].items())),
                    "strata": dict(sorted(entry["strata"].items())),
                }
                for check, entry in checks.items()
            }
            for config, checks in self._table.items()
        }

    @classmethod
    def total(cls, tables: Iterable[Table]) -> "Funnel":
        """Return the sum of several accounts."""
        funnel = cls()
        for table in tables:
            funnel.merge(table)
        return funnel

    def _entry(self, config: str, check: str) -> Entry:
        checks = self._table.setdefault(config, {})
        return checks.setdefault(check, {"seen": 0, "kept": 0, "rejected": {}, "strata": {}})


def _count(entry: Entry, seen: int, kept: int, rejected: Mapping[str, int]) -> None:
    entry["seen"] += seen
    entry["kept"] += kept
    for reason, number in rejected.items():
        entry["rejected"][reason] = entry["rejected"].get(reason, 0) + number


def _add_stratum(counts: dict[str, int], other: Mapping[str, int]) -> None:
    for key in counts:
        counts[key] += other[key]
