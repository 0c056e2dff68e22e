"""Filling one cell: each index has its own stream and takes turns through the families until a path obeys every rule.

The search is bounded by counted work (annealing steps and proposals), not by a clock, so that it ends in the same place
on a slow machine. What it cannot fill is a shortfall; no rule is relaxed. A path is a function of its seed alone, not
of earlier paths: near-duplicates are judged afterwards (``filters.traversal.duplicates``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from planimeter.generators import seeding
from planimeter.generators.traversal.annealing import anneal, targets
from planimeter.generators.traversal.cells import Bins, Cell, check_cell
from planimeter.generators.traversal.families import FAMILIES, Family
from planimeter.generators.traversal.kernels import Floats, energy
from planimeter.generators.traversal.limits import LATTICE, Limits
from planimeter.generators.traversal.path_record import draw_markers, record
from planimeter.items import TraversalItem

#: The general search, which may be tried in any cell.
_GENERAL = "annealing_search"
#: A proposal this close to the rules is taken at once; a worse one is compared with further draws.
_GOOD_ENOUGH = 2.5


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """``steps``: annealing steps that one index may use, proposals included. 3e6 are about 6 CPU seconds."""

    steps: int = 6_000_000

    def __post_init__(self) -> None:
        if self.steps <= 0:
            raise ValueError(f"need steps > 0, got {self.steps}")


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchConfig:
    """What a cell's paths are a function of, besides seed and cell.

    ``families`` are names of families; empty means all of them.
    """

    bins: Bins = field(default_factory=Bins)
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
    families: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """One turn of a family: ``proposal`` (n, 2) px as drawn, and the ``item`` that the annealing made of it, if any.

    ``proposal`` is None where the family's draws came to nothing. ``wrong`` is the energy of the proposal: 0 where it
    breaks no rule of the cell, infinite where there is none.
    """

    family: str
    proposal: Floats | None
    wrong: float
    item: TraversalItem | None


class CellSearch:
    """What all searches in one cell share: its targets, and the families that suit it; ``steps`` counts the work.

    Raises:
        ValueError: for a cell that contradicts itself or the limits, or that no named family suits.
    """

    def __init__(self, cell: Cell, config: SearchConfig) -> None:
        check_cell(cell, config.bins, config.limits)
        self.cell, self.config = cell, config
        self.target = targets(cell, config.bins, config.limits)
        named = config.families or tuple(FAMILIES)
        families = [FAMILIES[name] for name in named]
        suited = [f for f in families if f.suits(cell, config.bins)]
        self.families = suited or [f for f in families if f.name == _GENERAL]
        if not self.families:
            raise ValueError(f"none of the families {', '.join(named)} suits {cell}; name {_GENERAL} as well")
        self.steps = 0

    def candidates(self, seed: int) -> Iterator[Candidate]:
        """Yield what ``seed`` draws, up to the first candidate that has an item, or until the budget is spent."""
        rng = seeding.rng_of(seed)
        limit = self.steps + self.config.budget.steps
        markers = draw_markers(self.cell.n_points, rng)
        while self.steps < limit:
            for turn in rng.permutation(len(self.families)):
                family = self.families[int(turn)]
                proposal, wrong = self._propose(family, rng)
                item = None
                if proposal is not None:
                    path, steps = anneal(proposal, self.target, family.finish, rng)
                    self.steps += steps
                    item = None if path is None else self._item(path, markers, family.name, seed)
                yield Candidate(family=family.name, proposal=proposal, wrong=wrong, item=item)
                if item is not None:
                    return

    def _propose(self, family: Family, rng: np.random.Generator) -> tuple[Floats | None, float]:
        """Return the best of a few proposals of ``family`` and its energy; None where none came to anything."""
        best, least = None, np.inf
        for _ in range(family.proposals):
            self.steps += family.work
            proposal = family.propose(self.cell, self.config.bins, self.config.limits, rng)
            if proposal is None:
                continue
            # On the lattice before anything is compared: the last bits of a sine differ between machines.
            proposal = np.round(proposal * LATTICE) / LATTICE
            wrong = float(energy(proposal, self.target))
            if wrong < least:
                best, least = proposal, wrong
            if wrong < _GOOD_ENOUGH:
                break
        return best, least

    def _item(self, path: Floats, markers: tuple[str, ...], family: str, seed: int) -> TraversalItem:
        return record(path, markers=markers, family=family, seed=seed, bins=self.config.bins, limits=self.config.limits)
