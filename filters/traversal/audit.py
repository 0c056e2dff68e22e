"""Checks existing rows, our own or those of the released JSONL, by every rule of TraversalBench.

Rows are dicts in either layout: ours (the columns of the published dataset) or the release's (``points`` as ``{"x",
"y"}``, ``metrics``, ``target``, ``confounders``). The caller reads the files; a damaged line or row becomes a
``Damage`` with its number and reason, and the remaining rows are still audited.

A spur is a short side line that distracts: (anchor, free end), px. It starts on the piece of the path (from a vertex to
the next) nearest to its anchor. Distances to the path exclude that piece, which the spur leaves at an angle and does
not meet again. Our limits for spurs equal those of the release in ``confounder_meta.params``, and judge its rows too.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import shapely

from planimeter.filters.traversal.rules import MeasuredPath, bent_line, judge, judge_bent, judge_cell, least, measure
from planimeter.filters.verdict import Verdict, at_least, at_most
from planimeter.generators.traversal.cells import Bins
from planimeter.generators.traversal.confounders import SpurLimits
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.signatures import SignaturePool, signature
from planimeter.items import CONDITIONS, ConfounderCondition, Point
from planimeter.items.values import Row

#: Checks on many rows at once.
NEAR_DUPLICATE, REUSED_ID = "near-duplicate", "reused id"

#: Largest distance of an anchor from its piece, px: the diagonal of half a lattice step, and a margin.
_ON_PATH = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Damage:
    """A line of a file that cannot be audited: its number, from 1, and the reason."""

    line: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditRules:
    """The limits by which rows are audited: of paths, of ranges of difficulty (``bins``), and of spurs."""

    limits: Limits = field(default_factory=Limits)
    bins: Bins = field(default_factory=Bins)
    spurs: SpurLimits = field(default_factory=SpurLimits)


def parse_lines(lines: Iterable[str]) -> Iterator[tuple[int, Row | Damage]]:
    """Yield (1-based line number, row or Damage) for each line of a JSONL file; blank lines are skipped."""
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
            yield number, Damage(line=number, reason=f"cannot be read as JSON: {error}")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            yield number, Damage(line=number, reason=f"need a JSON object, got {type(row).__name__}")


def audit(configs: Mapping[str, Iterable[tuple[int, Row | Damage]]], rules: AuditRules) -> dict[str, "ConfigAudit"]:
    """Return {config: audit of its rows}; the rows of a config are given as (line number, row or ``Damage``)."""
    audits = {name: ConfigAudit(rules) for name in configs}
    for name, rows in configs.items():
        for number, row in rows:
            audits[name].take(number, row)
        audits[name].finish()
    return audits


def judge_row(row: Row, rules: AuditRules) -> Iterator[Verdict]:
    """Yield the verdict of every rule that applies to a row with the columns of our datasets.

    Raises:
        KeyError, TypeError, ValueError: if a field is missing or has another type or shape.
    """
    path, bins = measure(row["points"]), (row["tortuosity_bin"], row["self_intersection_bin"])
    yield from judge(path, rules.limits)
    if "regime" not in row:
        yield from judge_cell(path, rules.bins, *bins, row["self_intersections"])
    if row.get("smoothness"):
        bent = measure(path.points, bent_line(path.points, row["smoothness"]))
        yield from judge_bent(bent, path.crossings, bins[0], rules.limits, rules.bins)
    condition = row.get("condition")
    if condition is not None:
        if condition not in CONDITIONS:
            raise ValueError(f"the condition (of spurs) must be low or high, got {condition!r}")
        yield from judge_spurs(path, row["confounders"], condition, rules.spurs, rules.limits)


def judge_spurs(
    path: MeasuredPath,
    spurs: Sequence[tuple[Point, Point]],
    condition: ConfounderCondition,
    rules: SpurLimits,
    limits: Limits,
) -> Iterator[Verdict]:
    """Yield the verdict of every rule on the ``spurs`` of one row.

    ``condition``, "low" or "high", determines the number of spurs that the row may have.
    """
    ends = np.array(spurs, np.float64).reshape(len(spurs), 2, 2)
    lines, lengths = np.asarray(shapely.linestrings(ends)), np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    anchors = shapely.distance(shapely.points(ends[:, 0])[:, None], path.pieces)
    own = np.arange(len(path.pieces)) == anchors.argmin(axis=1)[:, None]
    fewest, most = rules.counts(condition)
    yield Verdict.of("spur count", fewest <= len(ends) <= most, len(ends), most if len(ends) > most else fewest)
    yield at_least("spur length, least", least(lengths), rules.length[0])
    yield at_most("spur length, greatest", float(lengths.max(initial=0.0)), rules.length[1])
    yield at_most("spur anchor", float(anchors.min(axis=1).max(initial=0.0)), _ON_PATH)
    yield at_least("spur to path", least(shapely.distance(lines[:, None], path.pieces)[~own]), rules.to_path)
    pairs = np.triu_indices(len(lines), 1)
    yield at_least("spur to spur", least(shapely.distance(*(lines[side] for side in pairs))), rules.to_spur)
    for check, places, limit in (
        ("spur to crossing", path.positions, rules.to_crossing),
        ("spur to glyph", path.points, rules.to_glyph),
    ):
        yield at_least(check, least(shapely.distance(lines[:, None], shapely.points(places))), limit)
    yield at_least("spur margin", least(np.minimum(ends, limits.view - ends)), limits.margin)


class ConfigAudit:
    """The results of the audit of one config.

    ``seen`` counts rows; ``broken`` has for each rule that was run the number of rows that break it. ``damaged``
    lists lines that could not be audited, and ``examples`` the ids of up to three rows that break each rule.
    """

    def __init__(self, rules: AuditRules) -> None:
        self.rules, self.seen = rules, 0
        self.broken: Counter[str] = Counter()
        self.damaged: list[Damage] = []
        self.examples: defaultdict[str, list[str]] = defaultdict(list)
        self.shapes: defaultdict[tuple[int, int], list[tuple[Sequence[Point], str]]] = defaultdict(list)
        self.ids: set[tuple[str, str]] = set()
        self.pairs: set[str] = set()

    def take(self, number: int, row: Row | Damage) -> None:
        """Audit the row in line ``number`` of a file, or record the line as damaged."""
        if isinstance(row, Damage):
            self.damaged.append(row)
            return
        try:
            row = row if "tortuosity_bin" in row else _ours(row)
            verdicts = (*judge_row(row, self.rules),)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            missing = isinstance(error, KeyError)
            reason = f"no field {error}" if missing else f"a field has the wrong type or value: {error}"
            self.damaged.append(Damage(line=number, reason=reason))
            return
        self.seen += 1
        name, condition = str(row["id"]), str(row.get("condition") or "")
        for verdict in verdicts:
            self.count(verdict.check, name, broken=not verdict.kept)
        self.count(REUSED_ID, name, broken=(name, condition) in self.ids)
        self.ids.add((name, condition))
        # Two spur conditions of one source share their path, and so do drawings of one pair: not duplicates.
        pair = row.get("pair_id") or name
        if not condition and pair not in self.pairs:
            self.shapes[row["tortuosity_bin"], row["self_intersection_bin"]].append((row["points"], name))
            self.pairs.add(pair)

    def count(self, check: str, row_id: str, *, broken: bool) -> None:
        """Count that ``check`` was run on the row ``row_id`` and, if ``broken``, that the row violates it."""
        self.broken[check] += broken
        if broken and len(self.examples[check]) < 3:
            self.examples[check].append(row_id)

    def finish(self) -> None:
        """After the last row, count near-duplicates among paths in equal ranges of tortuosity and of crossings."""
        for bin_pair in sorted(self.shapes):
            limit = self.rules.limits.duplicate_distance
            pool = SignaturePool(limit)
            for points, row_id in self.shapes[bin_pair]:
                shape = signature(points, self.rules.limits.room)
                self.count(NEAR_DUPLICATE, row_id, broken=pool.nearest(shape) < limit)
                pool.add(shape)


def _ours(row: Row) -> Row:
    """Convert a row from the released layout to the columns of our datasets."""
    target, condition = row["target"], row.get("confounder_condition")
    converted = {
        "id": row["id"],
        "points": [(float(point["x"]), float(point["y"])) for point in row["points"]],
        "self_intersections": row["metrics"]["self_intersections"],
        "tortuosity_bin": int(target["tort_bin"]),
        "self_intersection_bin": int(target["self_int_bin"]),
    }
    if condition is None:
        return converted
    # Vertices are objects, the ends of spurs are lists.
    spurs = [[(float(x), float(y)) for x, y in spur["points"]] for spur in row["confounders"]]
    return {**converted, "condition": str(condition).removeprefix("conf_"), "confounders": spurs}
