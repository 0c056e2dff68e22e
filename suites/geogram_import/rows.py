"""The columns and rows of imported GeoGramBench problems: those of generated problems, and others from the corpus."""

import json

from planimeter.export.columns import IMAGE, STRING, Column
from planimeter.export.layout import layout
from planimeter.items import FORMS, CuratedProblem
from planimeter.items.corpora import RawProblem
from planimeter.items.values import Record
from planimeter.suites.geogram.rows import ANSWER_FORM, CAPTION, columns, problem_columns

#: The name of the module of the checks.
CHECKS = "planimeter.suites.geogram_import.checks"

#: Config -> its own columns.
COLUMNS: dict[str, tuple[Column, ...]] = {
    "geogram": (
        Column("image", IMAGE, "The figure as PNG, if `asy` drew it; no part of the question.", nullable=True),
        *columns(*FORMS),
        Column("source", STRING, "The corpus's own `source` of the problem; empty where it has none."),
        Column("source_level", STRING, "The corpus's own `level`; empty where it has none."),
        Column("source_difficulty", STRING, "The corpus's own `difficulty`; empty where it has none."),
    )
}

LAYOUTS = {
    "geogram": layout(
        COLUMNS["geogram"],
        rows="level",
        across=ANSWER_FORM,
        distributions=("level", "language", "code"),
        caption=CAPTION,
    )
}

#: ``certified_by`` of imported rows: their answers come from the corpus, and no solver has confirmed them.
UNCERTIFIED = "none (answer of the imported corpus)"


def imported_row(
    item: CuratedProblem, raw: RawProblem, origin: str, png: bytes | None, prompt: str, justification: str = ""
) -> Record:
    """Return the row of an imported problem of the corpus ``origin``; its seed is the problem's line in the corpus.

    ``item``: the curated problem; ``raw``: the problem as the corpus has it; ``justification``: the reason that a model
    gave for the level, empty if rules decided it.
    """
    why = {"justification": justification} if justification else {}
    return {
        **problem_columns(item.problem, item.code, png, prompt, item.answer_latex, item.answer_value),
        "seed": item.line,
        "certified_by": UNCERTIFIED,
        "language": item.language,
        "givens": json.dumps({"changes": list(item.changes), **why}),
        "level": item.level,
        "origin": origin,
        "template": "",
        "source": raw.source,
        "source_level": raw.level,
        "source_difficulty": raw.difficulty,
    }
