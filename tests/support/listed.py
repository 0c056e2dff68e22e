"""Tables of short texts, several on a line: ``¦`` stands between two, ``⏎`` for a line break within one."""


def listed(table: str) -> list[str]:
    """Return the entries of ``table``."""
    return [entry.strip().replace("⏎", "\n") for line in table.strip().splitlines() for entry in line.split("¦")]


def valued(table: str) -> list[tuple[str, str]]:
    """Return each entry with the value of its line, which stands before ``::``."""
    lines = (line.split("::", 1) for line in table.strip().splitlines())
    return [(entry, value.strip()) for value, entries in lines for entry in listed(entries)]


def numbered(table: str) -> list[tuple[str, int | None]]:
    """Return each entry with the number of its line; None where that is ``-``."""
    return [(entry, None if value == "-" else int(value)) for entry, value in valued(table)]
