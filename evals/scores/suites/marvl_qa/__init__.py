"""Tables and figures of MaRVL-QA's results."""

from collections.abc import Sequence

from planimeter.evals.marvl_qa.prompt import LABELS
from planimeter.evals.report.evidence import Evidence, Mark, Record, in_picture, ring
from planimeter.evals.scores.suites.marvl_qa.figures import figures as figures
from planimeter.evals.scores.suites.marvl_qa.tables import tables as tables


def evidence(config: str, row: Record, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001 - shared signature
    """Return what to show of a reply."""
    if config == "transformation":
        options = enumerate((str(LABELS[name]) for name in row["options"]), start=1)
        return Evidence(options=tuple((text, str(k) == row["answer"], str(k) == read) for k, text in options))
    kind = row["feature"].removesuffix("a") + "um"
    rings = [
        Mark(kind="truth", d=ring(*in_picture(row, e["x"], e["y"]), 11), title=f"{kind} {k}")
        for k, e in enumerate(row["extrema"], start=1)
    ]
    return Evidence(note=f"Each {kind} is ringed.", marks=tuple(rings))
