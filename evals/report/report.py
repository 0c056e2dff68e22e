"""Makes the page: what the template needs, as data, and how much of it, so that the page stays below ``MOST_BYTES``.

Whatever a model wrote is text to the template, which escapes it; beyond that the page makes the browser run nothing
but its own script, known by its digest, and to load nothing from anywhere.
"""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from planimeter import evals
from planimeter.evals.report.choice import choose
from planimeter.evals.report.evidence import Evidence, evidence
from planimeter.evals.report.pictures import Picture, pictures
from planimeter.evals.report.standings import findings, standings
from planimeter.evals.scores.forms import Figure, Scored, Table
from planimeter.evals.scores.tables import cells, side_by_side
from planimeter.export.manifest import Manifest
from planimeter.export.pages.templating import environment

#: Of the whole page, and of its figures; what texts leave of the rest is for pictures.
MOST_BYTES, FIGURE_BYTES = 15_000_000, 3_000_000

#: Of a page whose other parts take all: its pictures have so much still.
LEAST_PICTURE_BYTES = 4_000_000

#: Characters of a text; of a longer one the middle is left out.
SHOWN = 2_000

#: By what replies are filtered; rows are by their config and strata.
LABELS = ("model", "variant", "outcome", "reason")

#: Filters by two models: the rows that one has right, and the other has not.
PAIR = ("right", "wrong")

#: Lines of a table; its file has them all.
MOST_LINES = 200

_ID = re.compile(r"(\bid=[\"']|href=[\"']#|url\(#)")
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, kw_only=True)
class ShownReply:
    """A reply as the gallery shows it; ``labels`` are what it is filtered by, ``metrics`` names and values."""

    line: Mapping[str, Any]
    labels: Mapping[str, str]
    evidence: Evidence
    read: str
    reply: str | None
    metrics: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class ShownRow:
    """A row with the replies to it, side by side; ``marked`` says whether its picture serves all of them.

    ``options`` are (text, whether right, who chose it).
    """

    config: str
    id: str
    strata: str
    labels: Mapping[str, str]
    truth: str
    options: Sequence[tuple[str, bool, Sequence[str]]]
    replies: Sequence[ShownReply]
    marked: bool


def render(scored: Scored, tables: Sequence[Table], figures: Sequence[Figure], folder: Path) -> str:
    """Return the HTML of the page about ``scored``, the scores of some models on the dataset in ``folder``.

    It needs no network and no other file, and is the same for the same scores. Pictures are read from ``folder``.

    Raises:
        NoDatasetError: if the folder holds no dataset that can be read.
    """
    manifest, metric = Manifest.read(folder), evals.suite(scored.suite).HEADLINE
    templates = environment("planimeter.evals.report")
    script = templates.get_template("page.js.j2").render()
    # The bars above show what the figure of the ranking does.
    drawn, left_out = _figures([figure for figure in figures if figure.name != "ranking"])
    replies = choose(scored)
    shown = _shown(scored, replies)
    listed = [side_by_side(table, metric) for table in tables if len(table.frame)]
    rankings = standings(scored, manifest.recipe)
    names = (name for row in shown for name in (*row.labels, *(name for reply in row.replies for name in reply.labels)))
    context: dict[str, Any] = {
        "scored": scored,
        "recipe": manifest.recipe,
        "models": list(dict.fromkeys(scored.frame["model"])),
        "metric": metric,
        "meaning": evals.suite(scored.suite).METRICS[metric],
        "standings": rankings,
        "findings": findings(scored, rankings),
        "tables": [(table, *cells(replace(table, frame=table.frame.head(MOST_LINES)))) for table in listed],
        "figures": drawn,
        "figures_left_out": left_out,
        "shown": shown,
        "replies": len(replies),
        "filters": list(dict.fromkeys(["config", *LABELS, *PAIR, *names])),
        "script": Markup(script),  # noqa: S704 - our own file
        "digest": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    page = templates.get_template("scores.html.j2")
    wanted = list(replies.sort_values("place")[["config", "id"]].drop_duplicates().itertuples(index=False, name=None))
    frames = dict.fromkeys(wanted, Picture(name="picture-1000", width=1000, height=1000, url=""))
    bare = len(page.render(context, pictures=frames).encode(errors="replace"))
    content = pictures(folder, manifest, wanted, max(MOST_BYTES - bare, LEAST_PICTURE_BYTES))
    # Half of a surrogate pair, as a model's name may hold it, has no bytes.
    return page.render(context, pictures=content).encode(errors="replace").decode()


def _shown(scored: Scored, replies: pd.DataFrame) -> list[ShownRow]:
    rows = []
    for key, part in replies.groupby(["config", "id"], sort=False):
        config, name = map(str, key)
        columns = scored.rows[config].loc[name].to_dict()
        row = {"id": name, **{str(column): value for column, value in columns.items()}}
        strata = evals.strata(row, suite=scored.suite, config=config)
        shown = [_reply(scored.suite, config, row, line) for line in part.to_dict("records")]
        picked = [(reply.labels["model"], reply.evidence.options) for reply in shown]
        options = [
            (text, right, list(dict.fromkeys(model for model, options in picked if options[number][2])))
            for number, (text, right, _) in enumerate(picked[0][1])
        ]
        rows.append(
            ShownRow(
                config=config,
                id=name,
                strata=" · ".join(f"{axis} {value}".replace("_", " ") for axis, value in strata.items()),
                labels={"config": config, **{axis: str(value) for axis, value in strata.items() if value}},
                truth=cut(shown[0].line["answer"]),
                options=options,
                replies=shown,
                marked=all(reply.evidence.marks == shown[0].evidence.marks for reply in shown),
            )
        )
    return rows


def _reply(suite: str, config: str, row: Mapping[str, Any], line: Mapping[Any, Any]) -> ShownReply:
    labels = {name: str(line[name]) for name in LABELS if line[name]}
    metrics = ((name, line.get(name)) for name in evals.suite(suite).METRICS)
    return ShownReply(
        line=line,
        labels=labels,
        evidence=evidence(suite, config, row, line["read"], line["correct"]),
        read=cut(line["read"]),
        reply=cut(line["reply"]) if isinstance(line.get("reply"), str) else None,
        metrics=[(name, f"{value:.4g}") for name, value in metrics if not pd.isna(value)],
    )


def cut(text: str) -> str:
    """Return ``text`` as it can be shown: what no page can hold is replaced, and the middle of a long one left out."""
    seen, half = _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text), SHOWN // 2
    if len(seen) <= SHOWN:
        return seen
    return f"{seen[:half]}\n[… {len(seen) - 2 * half:,} characters are left out here …]\n{seen[-half:]}"


def _figures(figures: Sequence[Figure]) -> tuple[list[tuple[Figure, Markup]], int]:
    """Return the figures whose SVG fits, with their own ids: figures of one page must not share any."""
    shown, left = [], FIGURE_BYTES
    for number, figure in enumerate(figures):
        left -= len(figure.svg.encode())
        if left >= 0:
            svg = figure.svg[figure.svg.index("<svg") :]
            shown.append((figure, Markup(_ID.sub(rf"\g<1>f{number}-", svg))))  # noqa: S704 - drawn by us, escaped there
    return shown, len(figures) - len(shown)
