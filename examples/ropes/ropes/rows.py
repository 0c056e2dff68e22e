"""Columns and rows, and what must hold between the columns of a row."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from planimeter.export.checks import Checker, Quota, differing
from planimeter.export.columns import FLOAT, POINTS, STRING, Between, Column, bins, level
from planimeter.export.rows import common, item_id
from ropes.certifier import CERTIFIER
from ropes.tangle import Crossing, Tangle
from ropes.words import LETTERS, NUMBERS, PROMPT, SYSTEM_PROMPT, answer

_TANGLE = (
    Column("ropes", pa.int32(), "Number of ropes.", values=Between(2, 6), axis="Ropes"),
    Column("crossings", pa.int32(), "Number of crossings.", axis="Crossings", stratum=bins("crossings", 3, 6, 9, 12)),
    Column(
        "folds", pa.int32(), "Turns of the band of ropes: none, or two as in an S.", values=Between(0, 2), axis="Folds"
    ),
    Column("length_px", FLOAT, "Mean length of a rope in pixels.", axis="Length", stratum=lambda px: _length(px)),
    Column("courses", pa.list_(POINTS), "Points of each rope in pixels, A first, from its start to its end."),
    Column("over", pa.list_(pa.int32()), "For each crossing along the band the number of the upper rope, A is 0."),
    Column("under", pa.list_(pa.int32()), "For each crossing the number of the lower rope."),
)
_TWIN = Column("coloured_id", STRING, "The row whose ropes run alike in colours of their own.", owner="coloured")
COLUMNS = {"coloured": _TANGLE, "one_colour": (*_TANGLE, _TWIN), "train": (*_TANGLE, level(5))}


def _length(px: float) -> str:
    return f"{int(px) // 500 * 500} px and more"


def answer_of(tangle: Tangle) -> str:
    """Return the canonical answer."""
    return answer({LETTERS[rope]: NUMBERS[rank] for rope, rank in enumerate(tangle.ends())})


def tangle_row(config, tangle, folds, png, seed, reading, **more):
    """Return the row of ``tangle`` in ``config``."""
    courses = [rope.tolist() for rope in tangle.ropes]
    row_id = item_id(config, {"courses": courses, "over": [crossing.over for crossing in tangle.crossings]})
    return {
        **common(row_id, png, SYSTEM_PROMPT, PROMPT, answer_of(tangle), seed, reading),
        "ropes": len(courses),
        "crossings": len(tangle.crossings),
        "folds": folds,
        "length_px": round(tangle.length(), 1),
        "courses": courses,
        "over": [crossing.over for crossing in tangle.crossings],
        "under": [crossing.under for crossing in tangle.crossings],
        **more,
    }


class RopesChecker(Checker):
    columns = COLUMNS
    certified_by = CERTIFIER

    def faults(self, config, row) -> Iterator[str]:
        courses = tuple(np.array(course) for course in row["courses"])
        crossings = tuple(Crossing(over=a, under=b, place=0.0) for a, b in zip(row["over"], row["under"], strict=True))
        tangle = Tangle(ropes=courses, crossings=crossings)
        wanted = {"ropes": len(courses), "crossings": len(crossings), "answer": answer_of(tangle)}
        yield from differing(row, wanted, "these courses")
        if abs(row["length_px"] - tangle.length()) > 0.1:
            yield f"length_px must be {tangle.length():.1f} for these courses, got {row['length_px']}"
        if _swapped(len(courses), crossings) != tangle.ends():
            yield "the crossings must lead each rope to its end"

    def quotas(self):
        cells = [(n, folds) for n in self.table("coloured")["ropes"] for folds in (0, 0, 2, 2, 2)]
        each = self.table("coloured")["rows_each"]
        for config in ("coloured", "one_colour"):
            for n, folds in dict.fromkeys(cells):
                yield Quota(config, {"ropes": n, "folds": folds}, each * cells.count((n, folds)))


def _swapped(ropes: int, crossings: tuple[Crossing, ...]) -> list[int]:
    """Return the rank of the end of each rope after all crossings, each of which swaps neighbours."""
    order = list(range(ropes))
    for crossing in crossings:
        i, j = sorted((order.index(crossing.over), order.index(crossing.under)))
        order[i], order[j] = order[j], order[i]
    return [order.index(rope) for rope in range(ropes)]


checker = RopesChecker
