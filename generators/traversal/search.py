"""Search for paths with given numbers of points and ranges of tortuosity and crossings (a cell): each path has its own
seed, and path families (kinds of shapes) are tried in random order until a path meets every rule.

The search is limited by counted work (annealing steps and proposals) rather than by time, so that it ends at the same
point on a slow machine. If it finds too few paths, the build reports the number missing; no rule is relaxed. A path
depends on its seed only, not on earlier paths: near-duplicates are removed later (``filters.traversal.duplicates``).
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
    """The limit of the search for one path, in annealing steps; 3e6 steps take about 6 CPU seconds.

    A proposal counts as the number of steps that take the same time.
    """

    steps: int = 6_000_000

    def __post_init__(self) -> None:
        if self.steps <= 0:
            raise ValueError(f"need steps > 0, got {self.steps}")


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchConfig:
    """The parameters of a search that are the same for all cells and seeds; empty ``families``: all path families."""

    bins: Bins = field(default_factory=Bins)
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
    families: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """One attempt of a path family: a ``proposal`` (n, 2; px), and the ``item`` that annealing made from it.

    ``proposal`` is None if the family could not make one, and ``item`` if annealing did not reach a path that meets all
    rules. ``wrong`` is the energy of the proposal: 0 if it breaks no rule, infinite without a proposal.
    """

    family: str
    proposal: Floats | None
    wrong: float
    item: TraversalItem | None


class CellSearch:
    """A search for paths whose number of points, tortuosity and crossings are in the ranges of ``cell``.

    It tries each path family (a way to construct paths of one shape) in ``config`` that suits the cell, or the family
    "annealing_search" if no other does. ``steps`` counts the work done, in annealing steps.

    Raises:
        ValueError: if no path can be in the cell, or none of the families in ``config`` suits it.
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
            raise ValueError(f"none of the families {', '.join(named)} suits {cell}; add {_GENERAL} to them")
        self.steps = 0

    def candidates(self, seed: int) -> Iterator[Candidate]:
        """Yield attempts with random numbers from ``seed`` until one has an item or the work exceeds the budget."""
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
        """Request up to ``family.proposals`` paths of ``family``; return the one with the least energy, and its energy.

        Returns None and infinity if the family can propose none.
        """
        best, least = None, np.inf
        for _ in range(family.proposals):
            self.steps += family.work
            proposal = family.propose(self.cell, self.config.bins, self.config.limits, rng)
            if proposal is None:
                continue
            # Round to the lattice before any comparison: the last bits of a sine differ between machines.
            proposal = np.round(proposal * LATTICE) / LATTICE
            wrong = float(energy(proposal, self.target))
            if wrong < least:
                best, least = proposal, wrong
            if wrong < _GOOD_ENOUGH:
                break
        return best, least

    def _item(self, path: Floats, markers: tuple[str, ...], family: str, seed: int) -> TraversalItem:
        return record(path, markers=markers, family=family, seed=seed, bins=self.config.bins, limits=self.config.limits)
