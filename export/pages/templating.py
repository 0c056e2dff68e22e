"""The Jinja2 environment of card, report and page of scores."""

from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

#: Where the templates of a dataset's pages lie, and the styles of every page.
HOME = "planimeter.export.pages"


@cache
def environment(package: str = HOME) -> Environment:
    """Return the Jinja2 environment of the templates of ``package``, and of those in ``HOME``.

    A name that is not given is an error, HTML is escaped. One for all callers, since it keeps its compiled templates.
    """
    found = Environment(
        loader=ChoiceLoader([PackageLoader(name, "templates") for name in dict.fromkeys((package, HOME))]),
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
