"""Runs every rule of TraversalBench over rows that already exist: our own, or the released JSONL.

Rows come as dicts, in either layout: ours (the columns of the published dataset) or the release's (``points`` as
``{"x", "y"}``, ``metrics``, ``target``, ``confounders``). The caller reads the files; a damaged line or row becomes a
``Damage`` with its number and reason, and the others are audited all the same.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from planimeter.filters.traversal.bent import bent_line
from planimeter.filters.traversal.duplicates import duplicate_pairs
from planimeter.filters.traversal.rules import judge, judge_bent, judge_cell, measure
from planimeter.filters.traversal.spur_rules import judge_spurs
from planimeter.filters.verdict import Verdict
from planimeter.generators.traversal.cells import Bins
from planimeter.generators.traversal.confounders import SpurLimits
from planimeter.generators.traversal.limits import Limits
from planimeter.items import ConfounderCondition, Point

Row = Mapping[str, Any]

#: Checks on many rows at once.
NEAR_DUPLICATE, REUSED_ID = "near-duplicate", "reused id"


@dataclass(frozen=True, kw_only=True, slots=True)
class Damage:
    """A line that cannot be audited: its 1-based number and why."""

    line: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditRules:
    """What to audit against; ``duplicate_distance`` in px."""

    limits: Limits = field(default_factory=Limits)
    bins: Bins = field(default_factory=Bins)
    spurs: SpurLimits = field(default_factory=SpurLimits)
    duplicate_distance: float = 24.0


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditTable:
    """Violations by config and rule: ``seen[config]`` rows, ``broken[config][rule]`` rows that break it.

    Every rule that was run is listed, with 0 where it holds. ``examples`` name up to three rows of each broken rule.
    """

    seen: Mapping[str, int]
    broken: Mapping[str, Mapping[str, int]]
    damaged: Mapping[str, Sequence[Damage]]
    examples: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)

    @property
    def violations(self) -> int:
        """All violations and damaged lines together: 0 for a clean dataset."""
        return sum(sum(rules.values()) for rules in self.broken.values()) + sum(map(len, self.damaged.values()))


def parse_lines(lines: Iterable[str]) -> Iterator[tuple[int, Row | Damage]]:
    """Yield (1-based line number, row or Damage) for each line of a JSONL file; blank lines are passed over."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            yield number, Damage(line=number, reason=f"not JSON: {error.msg} at column {error.colno}")
            continue
        except (ValueError, RecursionError) as error:
            # A number of thousands of digits; thousands of brackets.
            yield number, Damage(line=number, reason=f"not to be read as JSON: {error}")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            yield number, Damage(line=number, reason=f"not a JSON object but {type(row).__name__}")


def audit(configs: Mapping[str, Iterable[tuple[int, Row | Damage]]], rules: AuditRules) -> AuditTable:
    """Audit each config's rows, given as (number, row or Damage), and return the table rule x config."""
    results = {name: _Config(name, rules) for name in configs}
    for name, rows in configs.items():
        for number, row in rows:
            results[name].take(number, row)
        results[name].finish()
    return AuditTable(
        seen={name: result.seen for name, result in results.items()},
        broken={name: dict(result.broken) for name, result in results.items()},
        damaged={name: tuple(result.damaged) for name, result in results.items()},
        examples={key: tuple(rows) for result in results.values() for key, rows in result.examples.items()},
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Parsed:
    """One row in either layout, checked for shape."""

    id: str
    points: tuple[Point, ...]
    crossings: int
    tortuosity_bin: int
    crossing_bin: int
    condition: ConfounderCondition | None
    spurs: tuple[tuple[Point, Point], ...]
    binned: bool
    smoothness: float
    pair: str


class _Config:
    """The running counts of one config."""

    def __init__(self, name: str, rules: AuditRules) -> None:
        self.name, self.rules = name, rules
        self.seen = 0
        self.broken: Counter[str] = Counter()
        self.damaged: list[Damage] = []
        self.examples: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self.shapes: defaultdict[tuple[int, int], list[tuple[tuple[Point, ...], str]]] = defaultdict(list)
        self.ids: Counter[tuple[str, str]] = Counter()
        self.pairs: set[str] = set()

    def take(self, number: int, row: Row | Damage) -> None:
        """Audit one row, or note it as damaged."""
        if isinstance(row, Damage):
            self.damaged.append(row)
            return
        try:
            parsed = _parse(row)
            path = measure(parsed.points)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            reason = f"no field {error}" if isinstance(error, KeyError) else str(error)
            self.damaged.append(Damage(line=number, reason=reason))
            return
        self.seen += 1
        rules = self.rules
        verdicts: tuple[Verdict, ...] = (*judge(path, rules.limits),)
        if parsed.binned:
            verdicts += (*judge_cell(path, rules.bins, parsed.tortuosity_bin, parsed.crossing_bin, parsed.crossings),)
        if parsed.smoothness:
            drawn = measure(parsed.points, bent_line(np.array(parsed.points), parsed.smoothness))
            verdicts += (*judge_bent(drawn, path.crossings, parsed.tortuosity_bin, rules.limits, rules.bins),)
        if parsed.condition is not None:
            verdicts += (*judge_spurs(path, parsed.spurs, parsed.condition, rules.spurs, rules.limits),)
        for verdict in verdicts:
            self.count(verdict.check, parsed.id, broken=not verdict.kept)
        key = (parsed.id, parsed.condition or "")
        self.count(REUSED_ID, parsed.id, broken=self.ids[key] > 0)
        self.ids[key] += 1
        # Two spur conditions of one source share their path, and so do drawings of one pair: no duplication.
        if parsed.condition is None and parsed.pair not in self.pairs:
            self.shapes[parsed.tortuosity_bin, parsed.crossing_bin].append((parsed.points, parsed.id))
            self.pairs.add(parsed.pair)

    def count(self, check: str, row_id: str, *, broken: bool) -> None:
        """Count ``check`` as run, and as broken by the row where it is."""
        self.broken[check] += broken
        if broken and len(self.examples[self.name, check]) < 3:
            self.examples[self.name, check].append(row_id)

    def finish(self) -> None:
        """Compare the paths of each (tortuosity, crossing) bin with one another, across point counts."""
        for bin_pair in sorted(self.shapes):
            paths = [points for points, _ in self.shapes[bin_pair]]
            pairs = duplicate_pairs(paths, self.rules.duplicate_distance, self.rules.limits.room)
            later = {pair.second for pair in pairs}
            for index, (_, row_id) in enumerate(self.shapes[bin_pair]):
                self.count(NEAR_DUPLICATE, row_id, broken=index in later)


def _parse(row: Row) -> _Parsed:
    """Return ``row`` of either layout.

    Raises:
        KeyError, TypeError, ValueError: where a field is missing or has another shape.
    """
    ours = "tortuosity_bin" in row
    target = row if ours else row["target"]
    crossings = row["self_intersections"] if ours else row["metrics"]["self_intersections"]
    condition = row.get("condition") if ours else row.get("confounder_condition")
    spurs = row.get("confounders") or ()
    return _Parsed(
        id=str(row["id"]),
        points=tuple(_point(p) for p in row["points"]),
        crossings=int(crossings),
        tortuosity_bin=int(target["tortuosity_bin" if ours else "tort_bin"]),
        crossing_bin=int(target["self_intersection_bin" if ours else "self_int_bin"]),
        condition=None if condition is None else _condition(condition),
        spurs=tuple(_spur(spur if ours else spur["points"]) for spur in spurs),
        binned=not (ours and "regime" in row),
        smoothness=float(row.get("smoothness", 0.0)),
        pair=str(row.get("pair_id", "")) or f"{row['id']}",
    )


def _condition(value: object) -> ConfounderCondition:
    if value in ("low", "conf_low"):
        return "low"
    if value in ("high", "conf_high"):
        return "high"
    raise ValueError(f"a spur condition is low or high, got {value!r}")


def _spur(points: Sequence[object]) -> tuple[Point, Point]:
    if len(points) != 2:
        raise ValueError(f"a spur has two points, got {len(points)}")
    return _point(points[0]), _point(points[1])


def _point(value: Any) -> Point:
    if isinstance(value, Mapping):
        return float(value["x"]), float(value["y"])
    x, y = value
    return float(x), float(y)
