"""Columns and rows of both kinds, and the rules between the columns of a row."""

import numpy as np
import pyarrow as pa

from planimeter.export.checks import Checker, differing
from planimeter.export.columns import STRING, Between, Column, level
from planimeter.export.rows import common, item_id
from tiles import board as boards
from tiles.certifier import CERTIFIER
from tiles.words import PROMPTS, SYMMETRIES, SYSTEM_PROMPT

_BOARD = (
    Column("size", pa.int32(), "Tiles to a side.", values=Between(6, 10), axis="Size"),
    Column("board", pa.list_(pa.list_(pa.int32())), "Rows of tiles, from the top: 1 is black."),
)
_AREAS = Column("areas", pa.int32(), "Number of black areas.", axis="Areas")
_SYMMETRY = Column("symmetry", STRING, "Its symmetry.", values=SYMMETRIES, axis="Symmetry")
_KIND = Column("kind", STRING, "The kind of question: a test config.", values=tuple(PROMPTS), axis="Kind")
COLUMNS = {"areas": (*_BOARD, _AREAS), "mirror": (*_BOARD, _SYMMETRY), "train": (*_BOARD, _KIND, level(3))}


def tile_row(config, kind, board, answer, png, seed, reading):
    """Return the row of ``board`` that asks a question of ``kind``."""
    own = {"areas": boards.areas(board), "symmetry": boards.symmetry(board), "kind": kind}
    row_id = item_id(config, {"board": board.tolist(), "kind": kind})
    row = common(row_id, png, SYSTEM_PROMPT, PROMPTS[kind], answer, seed, reading)
    row |= {"size": len(board), "board": board.tolist()}
    return row | {column.name: own[column.name] for column in COLUMNS[config] if column.name in own}


class TilesChecker(Checker):
    columns = COLUMNS
    certified_by = CERTIFIER

    def faults(self, config, row):
        board, kind = np.array(row["board"]), row.get("kind", config)
        wanted = {"areas": boards.areas(board), "symmetry": boards.symmetry(board), "size": len(board)}
        answer = str(wanted["areas"]) if kind == "areas" else wanted["symmetry"]
        known = {name: value for name, value in wanted.items() if name in row}
        yield from differing(row, known | {"answer": answer, "prompt": PROMPTS[kind]}, "this board")


checker = TilesChecker
