"""Counts the items that each check saw, kept and rejected, with reasons: the funnel that a dataset publishes."""

from collections.abc import Iterable, Mapping
from typing import Any

from planimeter.filters.verdict import Verdict

#: {config: {check: {"seen", "kept", "rejected": {reason: n}, "strata": {stratum: {"seen", "kept", "rejected"}}}}}
Entry = dict[str, Any]
FunnelTable = dict[str, dict[str, Entry]]
Table = Mapping[str, Mapping[str, Mapping[str, Any]]]


class Funnel:
    """The counts of items seen, kept and rejected, by config and check, in the order of the first verdicts."""

    def __init__(self) -> None:
        self._table: FunnelTable = {}

    def add(self, config: str, verdict: Verdict, *strata: str) -> None:
        """Count ``verdict`` under ``config``, and under each label of ``strata``, such as a family or ``style=...``."""
        counts = {"seen": 1, "kept": int(verdict.kept), "rejected": int(not verdict.kept)}
        reasons = {} if verdict.kept else {verdict.reason: 1}
        entry = {**counts, "rejected": reasons, "strata": dict.fromkeys(strata, counts)}
        self.merge({config: {verdict.check: entry}})

    def merge(self, table: Table) -> None:
        """Add the counts of another funnel, as its ``table()`` returns them."""
        for config, checks in table.items():
            for check, other in checks.items():
                nothing = {"seen": 0, "kept": 0, "rejected": {}, "strata": {}}
                entry = self._table.setdefault(config, {}).setdefault(check, nothing)
                entry["seen"] += other["seen"]
                entry["kept"] += other["kept"]
                _add(entry["rejected"], other["rejected"])
                for stratum, counts in other["strata"].items():
                    _add(entry["strata"].setdefault(stratum, {}), counts)

    def table(self) -> FunnelTable:
        """Return the counts by config and check, with the reasons and the strata of each check sorted."""
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
        """Return the sum of several tables as a funnel."""
        funnel = cls()
        for table in tables:
            funnel.merge(table)
        return funnel


def _add(counts: dict[str, int], other: Mapping[str, int]) -> None:
    for name, number in other.items():
        counts[name] = counts.get(name, 0) + number
