"""An adaptive curriculum: the level of difficulty follows the learner's rewards, so that their mean nears a target.

The position on a ladder, a series of training levels, is a number x between two levels; rows are drawn from the lower
and the upper one so that their mean level is x. Each reward r changes x by gain * (r - target): easy rows raise it,
hard rows lower it, and it is stationary where the mean reward is the target (Robbins and Monro, 1951).
"""

from collections.abc import Iterator

from planimeter.filters.funnel import Funnel, FunnelTable
from planimeter.flows.errors import PlanimeterError
from planimeter.generators.seeding import item_seed, rng_of
from planimeter.items.values import Record, Row
from planimeter.streams.items import Items
from planimeter.streams.ladders import ROOTS, Source, levels, parsed


class Adaptive:
    """An endless iterable of training rows of one ladder, at a level that follows the reported rewards.

    ``target``: the desired mean reward, between 0 and 1. ``gain``: the number of levels that a reward of 1 above the
    target adds. ``level``: the first level, from 1, the easiest. No item (LADDER/LEVEL/SEED/NUMBER) is drawn twice.
    Equal arguments and equal reports give equal rows.

    Raises:
        PlanimeterError: if there is no such ladder or level, or the target or the gain is out of range.
    """

    def __init__(
        self, ladder: str, *, target: float = 0.5, gain: float = 0.05, level: float = 1.0, seed: int = 0
    ) -> None:
        self._top = levels(ladder)
        if not 0 < target < 1:
            raise PlanimeterError(f"target: need 0 < target < 1, got {target}")
        if not gain > 0:
            raise PlanimeterError(f"gain: need gain > 0, got {gain}")
        if not 1 <= level <= self._top:
            raise PlanimeterError(f"level: {ladder} has levels 1 (easiest) to {self._top}, got {level}")
        self.ladder, self.target, self.gain, self.seed = ladder, target, gain, seed
        #: The current level, from 1 to the number of levels; fractions mix two levels.
        self.position = float(level)
        self._drawn = 0
        self._next: dict[int, int] = {}
        self._items: dict[int, Items] = {}

    def report(self, what: str | int, reward: float) -> None:
        """Adapt the level to the ``reward`` (0 to 1) of a row; ``what`` is the row's address, or its level.

        For several replies to one row, report their mean. Rewards of rows more than one level away from the current
        position (rows that were drawn ahead) have no effect.

        Raises:
            PlanimeterError: if the reward is not a number from 0 to 1, or ``what`` is an address of another ladder.
        """
        if not 0 <= reward <= 1:
            raise PlanimeterError(f"reward: need a number from 0 to 1, got {reward}")
        level = what if isinstance(what, int) else self._level_of(what)
        if abs(level - self.position) <= 1:
            moved = self.position + self.gain * (reward - self.target)
            self.position = min(max(moved, 1.0), float(self._top))

    def _level_of(self, address: str) -> int:
        source, _ = parsed(address)
        if source.ladder != self.ladder:
            raise PlanimeterError(f"{self.ladder} has no row {address}; report only rows of this ladder")
        return source.level

    def __iter__(self) -> Iterator[Record]:
        """Yield rows endlessly, each at one of the two levels next to the current position."""
        while True:
            lower = int(self.position)
            draw = rng_of(item_seed(ROOTS + self.seed, ("adaptive", self.ladder, self._drawn))).random()
            level = lower + int(draw < self.position - lower)
            k = self._next.get(level, 0)
            self._next[level] = k + 1
            self._drawn += 1
            if level not in self._items:
                self._items[level] = Items(Source(ladder=self.ladder, level=level, seed=self.seed))
            item = self._items[level].item(k)
            if item is not None:
                yield item.row

    @property
    def funnel(self) -> FunnelTable:
        """The numbers of items that each check accepted and rejected, over all levels so far."""
        return Funnel.total(items.funnel for items in self._items.values()).table()

    def state_dict(self) -> Record:
        """Return the state to resume from, as JSON values.

        It has the position, the number of items drawn, and the next item number of each level.
        """
        following = {str(level): k for level, k in sorted(self._next.items())}
        return {"position": self.position, "drawn": self._drawn, "next": following}

    def load_state_dict(self, state: Row) -> None:
        """Continue from ``state``, the ``state_dict`` of an object that was created with the same arguments."""
        self.position, self._drawn = float(state["position"]), int(state["drawn"])
        self._next = {int(level): int(k) for level, k in state["next"].items()}
