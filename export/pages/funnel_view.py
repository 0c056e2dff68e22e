"""Prepares the funnel for card and report: for each check, in order, the numbers of items seen, kept and rejected."""

from collections.abc import Mapping
from dataclasses import dataclass

from planimeter.export.manifest import Check

#: The most styles in a table; of more, those of one plot type are added up.
MOST_STYLES = 12

#: The most reasons in a table: the most frequent ones; the others are added up.
MOST_REASONS = 6

#: The descriptions of checks that Planimeter itself applies, for suites whose texts lack them.
MEANINGS = {"near-duplicate": "No earlier item is alike.", "test-item": "No published test item is alike."}


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """The counts of one check of one config, for a table; ``meaning`` is a sentence about the check.

    ``reasons`` are (reason, rejections), the most frequent first. ``strata`` and ``styles`` are (name, items seen,
    rejections) by group of items and by drawing style, sorted by name.
    """

    check: str
    meaning: str
    seen: int
    kept: int
    reasons: tuple[tuple[str, int], ...]
    strata: tuple[tuple[str, int, int], ...]
    styles: tuple[tuple[str, int, int], ...]

    @property
    def rejected(self) -> int:
        """The number of rejections."""
        return self.seen - self.kept

    @property
    def main_reasons(self) -> tuple[tuple[str, int], ...]:
        """(reason, rejections) of the ``MOST_REASONS`` most frequent reasons, and one entry for all others together."""
        rare = self.reasons[MOST_REASONS:]
        if len(rare) < 2:
            return self.reasons
        return (*self.reasons[:MOST_REASONS], (f"{len(rare)} other reasons", sum(number for _, number in rare)))


def stages(funnel: Mapping[str, Check], meanings: Mapping[str, str]) -> tuple[Stage, ...]:
    """Return a ``Stage`` for each check of one config, in the order of ``meanings`` (check -> sentence), others last.

    The order of the keys of ``funnel`` is not that of the checks, since the manifest sorts all keys by name.
    """
    order = {check: place for place, check in enumerate(meanings)}
    names = sorted(funnel, key=lambda check: (order.get(check, len(order)), check))
    return tuple(_stage(check, funnel[check], meanings.get(check, MEANINGS.get(check, ""))) for check in names)


def share(part: int, whole: int) -> str:
    """Return ``part / whole`` as a percentage; only exact 0 and 1 are printed as 0.0% and 100.0%."""
    if not whole:
        return "–"
    percent = 100 * part / whole
    if 0 < percent < 0.05:
        return "<0.1%"
    if 99.95 <= percent < 100:
        return ">99.9%"
    return f"{percent:.1f}%"


def _stage(check: str, entry: Check, meaning: str) -> Stage:
    strata = [(name, counts.seen, counts.rejections) for name, counts in sorted(entry.strata.items())]
    styles = [(name.removeprefix("style="), seen, out) for name, seen, out in strata if name.startswith("style=")]
    return Stage(
        check=check,
        meaning=meaning,
        seen=entry.seen,
        kept=entry.kept,
        reasons=tuple(sorted(entry.rejected.items(), key=lambda item: (-item[1], item[0]))),
        strata=tuple(line for line in strata if not line[0].startswith("style=")),
        styles=tuple(styles) if len(styles) <= MOST_STYLES else _by_plot_type(styles),
    )


def _by_plot_type(styles: list[tuple[str, int, int]]) -> tuple[tuple[str, int, int], ...]:
    """Return (plot type, items seen, rejections), added up over all ``styles`` of a plot type, sorted by name.

    The styles "heatmap/viridis and contour" and "contour and heatmap" have the same plot type.
    """
    totals: dict[str, tuple[int, int]] = {}
    for name, seen, rejected in styles:
        kind = " and ".join(sorted(part.split("/")[0] for part in name.split(" and ")))
        before = totals.get(kind, (0, 0))
        totals[kind] = (before[0] + seen, before[1] + rejected)
    return tuple((kind, *counts) for kind, counts in sorted(totals.items()))
