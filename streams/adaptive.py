"""A ladder that is climbed as a learner gets better: it takes rewards back, and holds them near a target.

The position on the ladder is a number x between two levels; rows are drawn from the lower and the upper one so that
their mean level is x. Each reward r moves it by gain * (r - target): what is too easy moves it up, what is too hard
down, and it rests where the mean reward is the target (Robbins and Monro, 1951).
"""

from collections.abc import Iterator

from planimeter.filters.funnel import Funnel, FunnelTable
from planimeter.flows.errors import PlanimeterError
from planimeter.generators.seeding import item_seed, rng_of
from planimeter.items.values import Record, Row
from planimeter.streams.items import Items
from planimeter.streams.ladders import ROOTS, Source, levels, parsed


class Adaptive:
    """Rows of one ladder, at the level that the rewards call for; the same reports give the same rows.

    ``target``: the mean reward to hold, 0 to 1. ``gain``: levels that a reward of 1 above the target moves it by.
    ``level``: where it begins. No address is drawn twice.

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
        #: Where it stands, from 1 to the number of levels.
        self.position = float(level)
        self._drawn = 0
        self._next: dict[int, int] = {}
        self._items: dict[int, Items] = {}

    def report(self, what: str | int, reward: float) -> None:
        """Take back the ``reward``, 0 to 1, for a row: ``what`` is its address, or its level.

        For several replies to one row, report their mean. Rewards for rows from levels that it has left (rows that were
        drawn ahead) move nothing.

        Raises:
            PlanimeterError: if the reward is no number from 0 to 1, or ``what`` is of another ladder.
        """
        if not 0 <= reward <= 1:
            raise PlanimeterError(f"a reward is a number from 0 to 1, got {reward}")
        level = what if isinstance(what, int) else self._level_of(what)
        if abs(level - self.position) <= 1:
            moved = self.position + self.gain * (reward - self.target)
            self.position = min(max(moved, 1.0), float(self._top))

    def _level_of(self, address: str) -> int:
        source, _ = parsed(address)
        if source.ladder != self.ladder:
            raise PlanimeterError(f"{address} is no row of {self.ladder}")
        return source.level

    def __iter__(self) -> Iterator[Record]:
        """Yield rows for ever, each drawn where the ladder stands when it is asked for."""
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
        """What each check kept and rejected of all that was made here."""
        return Funnel.total(items.funnel for items in self._items.values()).table()

    def state_dict(self) -> Record:
        """Return where the ladder stands, as JSON values."""
        following = {str(level): k for level, k in sorted(self._next.items())}
        return {"position": self.position, "drawn": self._drawn, "next": following}

    def load_state_dict(self, state: Row) -> None:
        """Go on from where another ladder of the same arguments stood."""
        self.position, self._drawn = float(state["position"]), int(state["drawn"])
        self._next = {int(level): int(k) for level, k in state["next"].items()}
