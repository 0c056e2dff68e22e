"""Rows of imported GeoGramBench problems; their columns are those of generated ones."""

import json

from planimeter.export.rows.common import Row
from planimeter.export.rows.geogram import COLUMNS as GENERATED
from planimeter.export.rows.geogram import problem_columns
from planimeter.items import CuratedProblem

#: Config -> its own columns.
COLUMNS = {"geogram": GENERATED["geogram"]}

#: ``certified_by`` of imported rows: their answers are the corpus's own word, and no solver has confirmed them.
UNCERTIFIED = "none (answer of the imported corpus)"


def imported_row(item: CuratedProblem, origin: str, png: bytes, prompt: str) -> Row:
    """Return the row of a curated problem of the corpus ``origin``; its seed is its line there."""
    return {
        **problem_columns(item.problem, item.code, png, prompt, item.answer_latex, item.answer_value),
        "seed": item.line,
        "certified_by": UNCERTIFIED,
        "language": item.language,
        "givens": json.dumps({"changes": list(item.changes)}),
        "level": item.level,
        "origin": origin,
        "template": "",
    }
