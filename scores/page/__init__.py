"""One self-contained page of the scores of one or more models: tables, figures and a gallery of replies."""

from planimeter.scores.page.report import render as render
