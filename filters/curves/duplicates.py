"""Near-duplicates by picture: two drawings that a person would call the same, whatever their tree.

``generators.curves.signatures`` defines the similarity of drawings.
"""

from collections.abc import Sequence
from itertools import compress

from planimeter.filters.curves.likeness import Drawings
from planimeter.filters.verdict import Verdict


class NearDuplicates:
    """Judges packed drawings in order: one that looks like an earlier one that was kept is rejected."""

    def __init__(self) -> None:
        self._kept: list[Drawings] = []

    def judge(self, packed: Sequence[bytes], limit: float) -> list[Verdict]:
        """Return for each of the next drawings whether it is less similar than ``limit`` to each kept before it.

        ``measured`` is the greatest similarity where that is ``limit`` or more, and 0 elsewhere.
        """
        block = Drawings(packed)
        earlier = [(there, similarity) for held in self._kept for _, there, similarity in held.like(block, limit)]
        among = list(block.like(block, limit))
        verdicts: list[Verdict] = []
        for number in range(len(packed)):
            similar = [similarity for there, similarity in earlier if there == number]
            similar += [similarity for here, there, similarity in among if there == number and verdicts[here].kept]
            greatest = max(similar, default=0.0)
            reason = "looks like an earlier row" if greatest else ""
            verdicts.append(
                Verdict(check="near-duplicate", kept=not reason, measured=greatest, limit=limit, reason=reason)
            )
        self._kept.append(Drawings(list(compress(packed, (verdict.kept for verdict in verdicts)))))
        return verdicts
