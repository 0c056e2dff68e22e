"""A reference model for one config: it looks at the upper half of a board alone."""

from planimeter.evals.baselines.solver import reader


@reader("board")
def upper_half(row):
    """The symmetry of the upper half alone: left-right, or none."""
    rows = row["board"][: len(row["board"]) // 2]
    return "left-right" if all(line == line[::-1] for line in rows) else "none"


SOLVERS = {"upper-half": {"mirror": upper_half}}
