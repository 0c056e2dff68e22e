"""The Jinja2 environment of card and report."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

#: What a template shows, by the names that it uses.
Shown = dict[str, Any]


def environment() -> Environment:
    """Return the Jinja2 environment of all templates; a name that is not given is an error, HTML is escaped."""
    found = Environment(
        loader=PackageLoader("planimeter.export.pages", "templates"),
        autoescape=select_autoescape(("html", "html.j2")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["thousands"] = lambda number: f"{number:,}"
    found.filters["figure"] = lambda number: f"{number:.4g}"
    found.filters["cell"] = lambda value: str(value).replace("|", "\\|").replace("\n", " ")
    # A block of code by its indentation: no text can end it, whatever fences, headings or tags it holds.
    found.filters["indented"] = lambda text: "\n".join(f"    {line}".rstrip() for line in text.splitlines())
    return found
