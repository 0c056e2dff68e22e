"""How the report of the generated GeoGramBench dataset lays out its rows."""

from dataclasses import replace

from planimeter.export.columns import Row
from planimeter.export.stated import RULES
from planimeter.export.texts import Axis, Layout, suite_text
from planimeter.items import FORMS

LEVEL = Axis(title="Level", of="{level}".format_map)
LANGUAGE = Axis(title="Language", of="{language}".format_map)


def _answer_form(row: Row) -> str:
    """Return what kind of number the answer is."""
    if row["answer_value"] is None:
        return "no number"
    forms = {"\\pi": "with pi", "\\sqrt": "with a root", "\\frac": "fraction"}
    return next((form for mark, form in forms.items() if mark in row["answer"]), "whole number")


def _code_length(row: Row) -> str:
    """Return the number of lines of the program, in steps of ten."""
    first = len(row["code"].splitlines()) // 10 * 10
    return f"{first:03d} to {first + 9:03d} lines"


ANSWER_FORM = Axis(title="Form of the answer", of=_answer_form)
CODE_LENGTH = Axis(title="Length of the program", of=_code_length)

_GEOGRAM = Layout(
    rows=Axis(title="Template", of=lambda row: f"{row['level']}: {row['template'].replace('_', ' ')}"),
    columns=LANGUAGE,
    distributions=(LEVEL, LANGUAGE, ANSWER_FORM, CODE_LENGTH),
    caption="{answer}".format_map,
    shortcuts=RULES,
)

_FORM = replace(_GEOGRAM, columns=LEVEL, distributions=(LEVEL, ANSWER_FORM))

TEXT = suite_text("geogram", {"geogram": _GEOGRAM, **dict.fromkeys(FORMS, _FORM)})
