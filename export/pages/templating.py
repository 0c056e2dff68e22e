"""The Jinja2 environment of all templates: card, report, and page of scores."""

from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

#: The package with the templates of a dataset's pages, and with the styles of all pages.
HOME = "planimeter.export.pages"


@cache
def environment(package: str = HOME) -> Environment:
    """Return the Jinja2 environment with the templates of ``package`` and of the dataset's pages (``HOME``).

    An undefined name raises an error, and HTML is escaped. All callers share one environment, which caches compiled
    templates.
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
    # A block of code by indentation: no text can end it, neither by fences nor by headings or tags.
    found.filters["indented"] = lambda text: "\n".join(f"    {line}".rstrip() for line in text.splitlines())
    return found
