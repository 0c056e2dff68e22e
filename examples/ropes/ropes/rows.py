"""Columns and rows, and the rules between the columns of a row."""

import numpy as np
import pyarrow as pa

from planimeter.export.checks import Checker, Quota, differing
from planimeter.export.columns import FLOAT, POINTS, STRING, Between, Column, bins, level
from planimeter.export.rows import common, item_id
from ropes.certifier import CERTIFIER
from ropes.tangle import Crossing, Tangle
from ropes.words import PROMPT, SYSTEM_PROMPT, ranked

_TANGLE = (
    Column("ropes", pa.int32(), "Number of ropes.", values=Between(2, 6), axis="Ropes"),
    Column("crossings", pa.int32(), "Number of crossings.", axis="Crossings", stratum=bins("crossings", 3, 6, 9, 12)),
    Column("folds", pa.int32(), "Turns of the band: none, or two as in an S.", values=Between(0, 2), axis="Folds"),
    Column("length_px", FLOAT, "Mean length, px.", axis="Length", stratum=lambda px: f"{px // 500 * 500:g} px on"),
    Column("courses", pa.list_(POINTS), "Points of each rope in pixels, A first, from its start to its end."),
    Column("over", pa.list_(pa.int32()), "For each crossing along the band the number of the upper rope, A is 0."),
    Column("under", pa.list_(pa.int32()), "For each crossing the number of the lower rope."),
)
_TWIN = Column("coloured_id", STRING, "The row whose ropes run alike in colours of their own.", owner="coloured")
COLUMNS = {"coloured": _TANGLE, "one_colour": (*_TANGLE, _TWIN), "train": (*_TANGLE, level(5))}


def tangle_row(config, tangle, folds, png, seed, reading):
    """Return the row of ``tangle`` in ``config``."""
    own = {"courses": [rope.tolist() for rope in tangle.ropes], "over": [over for over, _, _ in tangle.crossings]}
    return {
        **common(item_id(config, own), png, SYSTEM_PROMPT, PROMPT, ranked(tangle.ends()), seed, reading),
        **own,
        "under": [crossing.under for crossing in tangle.crossings],
        "ropes": len(tangle.ropes),
        "crossings": len(tangle.crossings),
        "folds": folds,
        "length_px": tangle.length(),
    }


class RopesChecker(Checker):
    columns = COLUMNS
    certified_by = CERTIFIER

    def faults(self, config, row):
        courses = tuple(np.array(course) for course in row["courses"])
        crossings = tuple(Crossing(a, b, 0.0) for a, b in zip(row["over"], row["under"], strict=True))
        tangle = Tangle(courses, crossings)
        wanted = {"ropes": len(courses), "crossings": len(crossings), "length_px": tangle.length()}
        yield from differing(row, wanted | {"answer": ranked(tangle.ends())}, "these courses")
        order = list(range(len(courses)))
        for crossing in crossings:
            i, j = order.index(crossing.over), order.index(crossing.under)
            order[i], order[j] = order[j], order[i]
        if [order.index(rope) for rope in range(len(order))] != tangle.ends():
            yield "the crossings must lead each rope to its end"

    def quotas(self):
        table = self.table("coloured")
        for config in ("coloured", "one_colour"):
            for ropes in table["ropes"]:
                yield Quota(config, {"ropes": ropes, "folds": 0}, 2 * table["rows_each"])
                yield Quota(config, {"ropes": ropes, "folds": 2}, 3 * table["rows_each"])


checker = RopesChecker
