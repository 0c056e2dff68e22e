"""How the report of an imported corpus of geometry problems lays out its rows."""

from planimeter.export.texts import Layout, suite_text
from planimeter.export.texts.geogram import ANSWER_FORM, CODE_LENGTH, LANGUAGE, LEVEL

_IMPORTED = Layout(
    rows=LEVEL,
    columns=ANSWER_FORM,
    distributions=(LEVEL, LANGUAGE, CODE_LENGTH),
    caption="{answer}".format_map,
)

TEXT = suite_text("geogram_import", {"geogram": _IMPORTED})
