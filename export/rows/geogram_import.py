"""Rows of imported GeoGramBench problems: the columns of generated ones, and what the corpus says of each."""

import json

from planimeter.export.columns import STRING, Column
from planimeter.export.rows.common import Row
from planimeter.export.rows.geogram import COLUMNS as GENERATED
from planimeter.export.rows.geogram import problem_columns
from planimeter.items import CuratedProblem
from planimeter.items.corpora import RawProblem

#: Config -> its own columns.
COLUMNS = {
    "geogram": (
        *GENERATED["geogram"],
        Column("source", STRING, "The corpus's own `source` of the problem; empty where it has none."),
        Column("source_level", STRING, "The corpus's own `level`; empty where it has none."),
        Column("source_difficulty", STRING, "The corpus's own `difficulty`; empty where it has none."),
    )
}

#: ``certified_by`` of imported rows: their answers are the corpus's own word, and no solver has confirmed them.
UNCERTIFIED = "none (answer of the imported corpus)"


def imported_row(
    item: CuratedProblem, raw: RawProblem, origin: str, png: bytes, prompt: str, justification: str = ""
) -> Row:
    """Return the row of a curated problem of the corpus ``origin``, where it is ``raw``; its seed is its line there.

    ``justification`` is a model's, where it judged the level.
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
