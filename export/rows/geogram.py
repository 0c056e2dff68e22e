"""Rows of GeoGramBench problems, generated and imported. An id is a digest of statement and program."""

import json

from planimeter.export.rows.marvl_qa import Row, item_id
from planimeter.generators.items import CuratedProblem, GeogramItem, Reading

#: ``certified_by`` of imported rows: their answers are the corpus's own word, and no solver has confirmed them.
UNCERTIFIED = "none (answer of the imported corpus)"


def geogram_row(item: GeogramItem, png: bytes, reading: Reading, prompt: str) -> Row:
    """Return the row of a generated problem."""
    return {
        **_common(item.problem, item.code, png, prompt, item.answer_latex, item.answer_value),
        "seed": item.seed,
        "certified_by": reading.certifier,
        "language": item.language,
        "givens": item.givens,
        "level": item.level,
        "origin": item.origin,
        "template": item.template,
    }


def imported_row(item: CuratedProblem, origin: str, png: bytes, prompt: str) -> Row:
    """Return the row of a curated problem of the corpus ``origin``; its seed is its line there."""
    return {
        **_common(item.problem, item.code, png, prompt, item.answer_latex, item.answer_value),
        "seed": item.line,
        "certified_by": UNCERTIFIED,
        "language": item.language,
        "givens": json.dumps({"changes": list(item.changes)}),
        "level": item.level,
        "origin": origin,
        "template": "",
    }


def _common(problem: str, code: str, png: bytes, prompt: str, answer: str, value: float | None) -> Row:
    row_id = item_id("geogram", {"problem": problem, "code": code})
    return {
        "id": row_id,
        "image": {"bytes": png, "path": f"{row_id}.png"},
        "system_prompt": "",
        "prompt": prompt,
        "answer": answer,
        "problem": problem,
        "code": code,
        "answer_value": value,
        "answer_latex": answer,
    }
