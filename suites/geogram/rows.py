"""The columns and rows of GeoGramBench problems. The id of a row is a digest of statement and program."""

from planimeter.export.columns import FLOAT, STRING, Column, level
from planimeter.export.layout import Axis, layout
from planimeter.export.rows import fields, item_id
from planimeter.generators.geogram.curriculum import LEVELS as COURSE
from planimeter.items import FORMS, LANGUAGES, LEVELS, GeogramItem, Reading
from planimeter.items.values import Record, Row

#: The module of the checks, by name: it imports the grader, on which no row may depend.
CHECKS = "planimeter.suites.geogram.checks"


def _lines(code: str) -> str:
    first = len(code.splitlines()) // 10 * 10
    return f"{first} to {first + 9} lines"


def columns(*languages: str) -> tuple[Column, ...]:
    """Return the columns that generated and imported problems share; the column `language` allows ``languages``."""
    return (
        Column("problem", STRING, "The statement of the problem."),
        Column(
            "code",
            STRING,
            "The drawing program, bare, without tags or fences; in `words` the figure's description.",
            axis="Length of the program",
            stratum=_lines,
        ),
        Column(
            "language",
            STRING,
            "`asymptote` or `matplotlib`; `words` where the figure is described in words.",
            values=languages,
            axis="Language",
        ),
        Column("givens", STRING, "JSON: the facts of the statement that the certificate uses."),
        Column(
            "level", STRING, "`primitive`, `compositional` or `abstract`.", values=LEVELS, axis="Level", order=LEVELS
        ),
        Column("answer_value", FLOAT, "The answer as a number; null where it is none.", nullable=True),
        Column("answer_latex", STRING, "The exact answer as LaTeX in simplest form, without `$`."),
        Column("origin", STRING, "`generated`, or the name of the imported corpus."),
        Column("template", STRING, "The template that the problem comes from."),
    )


_PAIR = Column("pair_id", STRING, "The same in all forms of one problem.", owner=FORMS[0])

#: Config -> its own columns, which follow the common ones. ``level`` is that of the taxonomy.
COLUMNS: dict[str, tuple[Column, ...]] = {
    "geogram": (*columns(*LANGUAGES), level(len(COURSE), "difficulty")),
    **{form: (*columns(form), _PAIR) for form in FORMS},
}


def _form(row: Row) -> str:
    """Return the kind of number that the answer is, for the report, such as "fraction" or "with pi"."""
    if row["answer_value"] is None:
        return "no number"
    forms = {"\\pi": "with pi", "\\sqrt": "with a root", "\\frac": "fraction"}
    return next((form for mark, form in forms.items() if mark in row["answer"]), "whole number")


ANSWER_FORM = Axis("Form of the answer", _form)
CAPTION = "{answer}".format_map
_TEMPLATE = Axis("Template", lambda row: f"{row['level']}: {row['template'].replace('_', ' ')}")

LAYOUTS = {
    "geogram": layout(
        COLUMNS["geogram"],
        rows=_TEMPLATE,
        across="language",
        distributions=("level", "language", ANSWER_FORM, "code"),
        caption=CAPTION,
    ),
    **{
        form: layout(
            COLUMNS[form], rows=_TEMPLATE, across="level", distributions=("level", ANSWER_FORM), caption=CAPTION
        )
        for form in FORMS
    },
}


def geogram_row(item: GeogramItem, png: bytes, reading: Reading, prompt: str) -> Record:
    """Return the row of a generated problem, without the columns that only its config has: training level or pair."""
    return {
        **problem_columns(item.problem, item.code, png, prompt, item.answer_latex, item.answer_value),
        **fields(item, "seed", "language", "givens", "level", "origin", "template"),
        "certified_by": reading.certifier,
    }


def problem_id(problem: str, code: str) -> str:
    """Return the id of a problem, a digest of statement and program."""
    return item_id("geogram", {"problem": problem, "code": code})


def problem_columns(
    problem: str, code: str, png: bytes | None, prompt: str, answer: str, value: float | None
) -> Record:
    """Return the columns that generated and imported problems share."""
    row_id = problem_id(problem, code)
    return {
        "id": row_id,
        "image": None if png is None else {"bytes": png, "path": f"{row_id}.png"},
        "system_prompt": "",
        "prompt": prompt,
        "answer": answer,
        "problem": problem,
        "code": code,
        "answer_value": value,
        "answer_latex": answer,
    }
