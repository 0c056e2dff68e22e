"""Columns and rows."""

import pyarrow as pa

from dots.certifier import CERTIFIER
from dots.words import PROMPT, SYSTEM_PROMPT
from planimeter.export.checks import Checker
from planimeter.export.columns import Between, Column
from planimeter.export.rows import common, item_id

_DOTS = (Column("dots", pa.int32(), "Number of dots.", values=Between(1, 99), axis="Dots"),)
COLUMNS = {"count": _DOTS, "train": _DOTS}


def dots_row(config, number, png, seed, reading):
    row = common(item_id(config, {"seed": seed}), png, SYSTEM_PROMPT, PROMPT, str(number), seed, reading)
    return {**row, "dots": number}


class DotsChecker(Checker):
    columns = COLUMNS
    certified_by = CERTIFIER

    def faults(self, config, row):
        if str(row["dots"]) != row["answer"]:
            yield f"dots must be the answer {row['answer']}, got {row['dots']}"


checker = DotsChecker
