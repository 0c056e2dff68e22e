"""Writes tables as CSV that is safe in a spreadsheet: no text is run as a formula or contains a carriage return."""

import re

import pandas as pd

#: The beginning of a formula: one of = + - @, also as full-width characters and after spaces, a tab, or a carriage
#: return.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r]")

#: A number is not a formula, though it begins with a sign.
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)


def csv_of(table: pd.DataFrame) -> str:
    """Return ``table`` as CSV without its index; a text that would be a formula gets an apostrophe in front."""
    safe = table.rename(columns=cell)
    for place, name in enumerate(table.columns):
        if not pd.api.types.is_numeric_dtype(table[name]):
            safe.isetitem(place, table[name].map(cell).to_list())
    return safe.to_csv(index=False, lineterminator="\n")


def cell(value: object) -> object:
    """Return ``value`` for a spreadsheet: carriage returns become newlines; a formula gets an apostrophe in front."""
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else text
