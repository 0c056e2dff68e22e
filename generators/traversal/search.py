"""Filling one cell: each index has its own stream and takes turns through the families until a path obeys every rule.

The search is bounded by counted work (annealing steps and proposals), not by a clock, so that a cell ends in the same
place on a slow machine. What it cannot fill is a shortfall in the result; no rule is relaxed. A path that comes too
near an earlier one of its cell is passed over and the stream goes on: index k depends on the indices before it only
through that test.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from generators import registry, seeding
from generators.items import TraversalItem
from generators.traversal.annealing import anneal
from generators.traversal.cells import Bins, Cell, check_cell
from generators.traversal.family import Family
from generators.traversal.kernels import Floats, energy
from generators.traversal.limits import LATTICE, Limits
from generators.traversal.markers import draw_markers
from generators.traversal.path_record import record
from generators.traversal.signatures import SignaturePool, signature
from generators.traversal.targets import targets

FAMILIES = "generators.traversal.families"

#: A proposal counts as much work as this many annealing steps.
_PROPOSAL_STEPS = 60
#: A proposal this close to the rules is taken at once; a worse one is compared with further draws.
_GOOD_ENOUGH = 2.5


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """``steps``: annealing steps that one index may use (a proposal counts 60). 3e6 are about 6 CPU seconds."""

    steps: int = 6_000_000

    def __post_init__(self) -> None:
        if self.steps <= 0:
            raise ValueError(f"need steps > 0, got {self.steps}")


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchConfig:
    """What a cell's paths are a function of, besides seed and cell.

    ``duplicate_distance`` is the least distance, px, of two paths of a cell as shapes (A.4 names no figure; ours is 24,
    one glyph). ``families`` are names of modules of ``families/``; empty means all of them.
    """

    bins: Bins = field(default_factory=Bins)
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
    duplicate_distance: float = 24.0
    families: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CellResult:
    """``items`` in the order of their index; ``shortfall`` is how many of the quota are missing.

    ``seen`` counts candidates, ``rejected`` by reason; ``steps`` is the work done.
    """

    cell: Cell
    items: tuple[TraversalItem, ...]
    shortfall: int
    seen: int
    rejected: Mapping[str, int] = field(default_factory=dict)
    steps: int = 0


def generate_cell(cell: Cell, quota: int, root: int, config: SearchConfig, suite: str = "traversal") -> CellResult:
    """Return ``quota`` paths of ``cell``, each a function of (config, address ``(suite, n, t, s, index)``).

    Raises:
        ValueError: for a cell that contradicts itself or the limits.
    """
    check_cell(cell, config.bins, config.limits)
    search = _Search(cell, config)
    items: list[TraversalItem] = []
    for index in range(quota):
        address = (suite, cell.n_points, cell.tortuosity_bin, cell.crossing_bin, index)
        item = search.item(seeding.item_seed(root, address))
        if item is None:
            break
        items.append(item)
    return CellResult(
        cell=cell,
        items=tuple(items),
        shortfall=quota - len(items),
        seen=search.seen,
        rejected=dict(sorted(search.rejected.items())),
        steps=search.steps,
    )


class _Search:
    """The state of one cell's search: what was accepted, and the counts of the funnel."""

    def __init__(self, cell: Cell, config: SearchConfig) -> None:
        self.cell, self.config = cell, config
        self.target = targets(cell, config.bins, config.limits)
        named = config.families or registry.names(FAMILIES)
        families: list[Family] = [registry.load(FAMILIES, name).FAMILY for name in named]
        self.families = [f for f in families if f.suits(cell, config.bins)]
        if not self.families:
            raise ValueError(f"none of the families {', '.join(named)} suits {cell}; name annealing_search as well")
        self.accepted = SignaturePool()
        self.rejected: dict[str, int] = {}
        self.seen = self.steps = 0

    def item(self, seed: int) -> TraversalItem | None:
        """Return the item with ``seed``, or None where its budget ends first."""
        rng = seeding.rng_of(seed)
        limit = self.steps + self.config.budget.steps
        markers = draw_markers(self.cell.n_points, rng)
        while self.steps < limit:
            for turn in rng.permutation(len(self.families)):
                family = self.families[int(turn)]
                path = self._candidate(family, rng)
                if path is None:
                    continue
                shape = signature(path, self.config.limits.room)
                if self.accepted.nearest(shape) < self.config.duplicate_distance:
                    self._reject("near-duplicate")
                    continue
                self.accepted.add(shape)
                return record(
                    path,
                    markers=markers,
                    family=family.name,
                    seed=seed,
                    bins=self.config.bins,
                    limits=self.config.limits,
                )
        return None

    def _candidate(self, family: Family, rng: np.random.Generator) -> Floats | None:
        """Return a path of ``family`` that obeys every rule of the cell, or None."""
        self.seen += 1
        best, least = None, np.inf
        for _ in range(family.proposals):
            self.steps += _PROPOSAL_STEPS
            proposal = family.propose(self.cell, self.config.bins, self.config.limits, rng)
            if proposal is None:
                continue
            # On the lattice before anything is compared: the last bits of a sine differ between machines.
            proposal = np.round(proposal * LATTICE) / LATTICE
            wrong = float(energy(proposal, self.target)) if family.proposals > 1 else 0.0
            if wrong < least:
                best, least = proposal, wrong
            if wrong < _GOOD_ENOUGH:
                break
        if best is None:
            self._reject(f"{family.name}: no proposal")
            return None
        path, steps = anneal(best, self.target, family.finish, rng)
        self.steps += steps
        if path is None:
            self._reject(f"{family.name}: rules not met")
        return path

    def _reject(self, reason: str) -> None:
        self.rejected[reason] = self.rejected.get(reason, 0) + 1
