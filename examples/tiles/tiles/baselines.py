"""A reference model for one config: it looks at the upper half of a board alone."""

from planimeter.evals.baselines.solver import reader


@reader("board")
def upper_half(row):
    """Whether the upper half is its own mirror image, left and right exchanged."""
    rows = row["board"][: len(row["board"]) // 2]
    return "left-right" if all(line == line[::-1] for line in rows) else "none"


SOLVERS = {"upper-half": {"mirror": upper_half}}
