"""What pages of scores are made of: models, replies that attack the page, a table, figures."""

from typing import Any

import pandas as pd
from sample_folder import ROWS
from simulated import Model, gold, other_option, simulate

from planimeter.evals.scores.forms import Figure, Scored, Table

SVG = '<?xml version="1.0"?><svg class="planimeter-figure"><g id="a"/><use href="#a"/><path clip-path="url(#a)"/></svg>'
FIGURES = [Figure(name=name, title=f"Figure {name}", source="Fig. 3", svg=SVG, note="A note.") for name in "fg"]
HOSTILE = (
    "<script>window.ran = true</script>",
    "</pre></textarea></figure></script><img src=x onerror='window.ran=true'>",
    '"><svg onload="window.ran=true"><style>*{display:none}</style>',
    "{{ 7 * 191 }} {% raw %}",
    "\x00\x1b[31m\u202ereversed",
)


def wrong(config, row, rng):
    return f"It is <final_answer>{other_option(row)}</final_answer>"


def mixed(config, row, rng):
    """Right, wrong or unread, by the id."""
    return (gold, wrong, lambda *_: "no idea")[sum(map(ord, row["id"])) % 3](config, row, rng)


def scored(**models: Model) -> Scored:
    return simulate("marvl_qa", ROWS, models or {"mixed": mixed, "wrong": wrong}, dataset="marvl-qa-mini")


def table(**columns: Any) -> Table:
    frame = pd.DataFrame(columns or {"model": ["<b>m</b>"], "n": [26]})
    return Table(name="t1", title="First <table>", source="Table 1", frame=frame, note="Read & weep.")
