"""The page of what was measured: tables and one figure, in one file that needs no network."""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from planimeter.evals.probes.results import Probes
from planimeter.evals.probes.tables import HEADING, INTRODUCTION, Measured, figure, tables
from planimeter.evals.scores.tables import cells
from planimeter.export.pages.templating import environment


def render(probes: Probes, recipe: Mapping[str, Any], measured: Measured) -> str:
    """Return the page as HTML."""
    return (
        environment("planimeter.evals.probes")
        .get_template("probes.html.j2")
        .render(
            heading=HEADING,
            introduction=INTRODUCTION,
            probes=probes,
            # Drawn by us; whatever text it holds is escaped by matplotlib.
            figure=Markup(figure(probes)),  # noqa: S704 - see above
            tables=[(table, *cells(table)) for table in tables(probes, recipe, measured)],
        )
    )
