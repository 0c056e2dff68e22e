"""The similarity of boards: near-duplicates share nine tenths of their tiles, turned or mirrored or not."""

from planimeter.filters.near import Boards
from planimeter.suites.editions import Likeness, Near

#: The share of equal tiles from which on two boards are near-duplicates.
LIMIT = 0.9


def likeness(config, row):
    """Return the pool and the signature of a row: its board, among those of the same size."""
    return Likeness(str(row["size"]), Boards.pack(row["board"]))


def judge_of(items, recipe):
    """Return the judge of training rows, with the boards of all test rows."""
    return Near(items, Boards(LIMIT))
