"""Columns and rows of GeoGramBench problems. An id is a digest of statement and program."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from planimeter.export.columns import FLOAT, LEVEL, STRING, Column
from planimeter.export.rows.common import Row, item_id
from planimeter.items import FORMS, GeogramItem, Reading

_GEOGRAM: tuple[Column, ...] = (
    Column("problem", STRING, "The statement of the problem."),
    Column("code", STRING, "The drawing program, bare, without tags or fences; in `words` the figure's description."),
    Column("language", STRING, "`asymptote` or `matplotlib`; `words` where the figure is described in words."),
    Column("givens", STRING, "JSON: the facts of the statement that the certificate uses."),
    Column("level", STRING, "`primitive`, `compositional` or `abstract`."),
    Column("answer_value", FLOAT, "The answer as a number; null where it is none.", nullable=True),
    Column("answer_latex", STRING, "The exact answer as LaTeX in simplest form, without `$`."),
    Column("origin", STRING, "`generated`, or the name of the imported corpus."),
    Column("template", STRING, "The template that the problem comes from."),
)

#: Config -> its own columns, which follow the common ones.
COLUMNS: Mapping[str, tuple[Column, ...]] = MappingProxyType(
    {
        "geogram": _GEOGRAM,
        **dict.fromkeys(FORMS, (*_GEOGRAM, Column("pair_id", STRING, "The same in all forms of one problem."))),
    }
)

#: Config -> what its rows have besides in a split for training: `level` is that of the taxonomy.
TRAINING: Mapping[str, tuple[Column, ...]] = MappingProxyType({"geogram": (replace(LEVEL, name="difficulty"),)})


def geogram_row(item: GeogramItem, png: bytes, reading: Reading, prompt: str) -> Row:
    """Return the row of a generated problem."""
    return {
        **problem_columns(item.problem, item.code, png, prompt, item.answer_latex, item.answer_value),
        "seed": item.seed,
        "certified_by": reading.certifier,
        "language": item.language,
        "givens": item.givens,
        "level": item.level,
        "origin": item.origin,
        "template": item.template,
    }


def problem_columns(problem: str, code: str, png: bytes, prompt: str, answer: str, value: float | None) -> Row:
    """Return the columns that generated and imported problems fill alike."""
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
