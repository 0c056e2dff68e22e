"""Renders an HTML page of scores, with as many replies, figures and pictures as fit into ``MOST_BYTES``.

The template escapes every text of a model. In addition, the page's content security policy lets the browser run only
the page's script, which it identifies by a digest, and load nothing from elsewhere.
"""

import base64
import hashlib
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from markupsafe import Markup

from planimeter import evals
from planimeter.evals.answers import PROTOCOL
from planimeter.evals.report.standings import standings
from planimeter.evals.scores.evidence import evidence
from planimeter.evals.scores.forms import Figure, Scored, Table, records, row_of
from planimeter.evals.scores.summary import headline
from planimeter.evals.scores.tables import cells, side_by_side
from planimeter.export.built import Built
from planimeter.export.manifest import Manifest
from planimeter.export.pages.templating import environment
from planimeter.items.values import Record, Row, data_url

#: Maximum bytes of the whole page, and of its figures; pictures get the bytes that the rest leaves.
MOST_BYTES, FIGURE_BYTES = 15_000_000, 3_000_000

#: The least bytes for pictures, even if the other parts of the page take all.
LEAST_PICTURE_BYTES = 4_000_000

#: The maximum length of a text in characters; the middle of a longer one is omitted.
SHOWN = 2_000

#: The columns by which a reader of the page can filter replies; rows can be filtered by config and strata.
LABELS = ("model", "variant", "outcome", "reason")

#: Filters by two models: the rows that one has right and the other wrong.
PAIR = ("right", "wrong")

#: Maximum rows of a table on the page; the table's file has all rows.
MOST_LINES = 200

#: The page has about this number of replies, but at least those to this number of rows.
MOST_REPLIES, LEAST_ROWS = 240, 60

OUTCOMES = ("wrong", "unread", "right")

_SIDE = ["model", "variant"]

_ID = re.compile(r"(\bid=[\"']|href=[\"']#|url\(#)")
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def render(scored: Scored, tables: Sequence[Table], figures: Sequence[Figure], folder: Path) -> str:
    """Return the HTML of the page about ``scored``, the scores of some models on the dataset in ``folder``.

    The page needs no network and no other file; equal scores give equal pages. Pictures are read from ``folder``.

    Raises:
        NoDatasetError: if ``folder`` has no dataset, or it cannot be read.
    """
    manifest, metric = Manifest.read(folder), headline(scored)
    templates = environment("planimeter.evals.report")
    script = templates.get_template("page.js.j2").render()
    # The first screen already shows the ranking.
    drawn, left_out = _figures([figure for figure in figures if figure.name != "ranking"])
    replies = choose(scored)
    groups = replies.groupby(["config", "id"], sort=False)
    rows = [_row(scored, str(config), str(name), part) for (config, name), part in groups]
    page_tables = [side_by_side(table, metric) for table in tables if len(table.frame)]
    names = (name for row in rows for labelled in (row, *row["replies"]) for name in labelled["labels"])
    context: Record = {
        "scored": scored,
        "recipe": manifest.recipe,
        "models": list(dict.fromkeys(scored.frame["model"])),
        "metric": metric,
        "meaning": evals.suite(scored.suite).METRICS[metric],
        "standings": standings(scored, manifest.recipe),
        "protocol": PROTOCOL,
        "tables": [(table, *cells(replace(table, frame=table.frame.head(MOST_LINES)))) for table in page_tables],
        "figures": drawn,
        "figures_left_out": left_out,
        "shown": rows,
        "replies": len(replies),
        "filters": list(dict.fromkeys(["config", *LABELS, *PAIR, *names])),
        "script": Markup(script),  # noqa: S704 - our own file
        "digest": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    page = templates.get_template("scores.html.j2")
    wanted = list(replies.sort_values("place")[["config", "id"]].drop_duplicates().itertuples(index=False, name=None))
    frames = dict.fromkeys(wanted, Picture(name="picture-1000", width=1000, height=1000, url=""))
    bare = len(page.render(context, pictures=frames).encode(errors="replace"))
    content = pictures(folder, wanted, max(MOST_BYTES - bare, LEAST_PICTURE_BYTES))
    # A lone surrogate, as in a model's name, has no bytes.
    return page.render(context, pictures=content).encode(errors="replace").decode()


def choose(scored: Scored, most: int = MOST_REPLIES, least_rows: int = LEAST_ROWS) -> pd.DataFrame:
    """Return about ``most`` replies of ``scored.frame`` to show on the page, with their ``outcome`` as a column.

    Rows are chosen in rounds, at least ``least_rows``, until they have about ``most`` replies. A round adds the next
    row by id for each combination of model, config and outcome, wrong replies first; ids are digests: their order is
    unbiased. All models' replies to a chosen row are shown; of several samples, the first with each outcome.
    """
    answered, right = scored.frame["answered"].astype(bool), scored.frame[headline(scored)] >= 1.0
    frame = scored.frame.assign(outcome=np.select([~answered, right], ["unread", "right"], "wrong"))
    frame = frame.sort_values(["config", "id", *_SIDE, "sample"], kind="stable")
    turn = frame.groupby(["config", *_SIDE, "outcome"], sort=False).cumcount()
    order = frame.assign(turn=turn, rank=frame["outcome"].map(OUTCOMES.index))
    order = order.sort_values(["turn", "rank"], kind="stable").drop_duplicates(["config", "id"])
    order = order.head(max(least_rows, most // max(1, frame.groupby(_SIDE).ngroups)))
    place = pd.Series(range(len(order)), pd.MultiIndex.from_frame(order[["config", "id"]]), name="place")
    chosen = frame.drop_duplicates(["config", "id", *_SIDE, "outcome"]).join(place, on=["config", "id"], how="inner")
    return chosen.sort_values(["config", "place", *_SIDE, "sample"], kind="stable")


def _row(scored: Scored, config: str, name: str, part: pd.DataFrame) -> Record:
    """Return the values for the page's template that show the row with the id ``name`` and its replies, ``part``.

    Among them are ``options`` (text, True if right, models that chose it), ``labels``, the values for page filters;
    ``marked`` is True if all replies have the same lines over the picture, which the page then draws only once.
    """
    row = row_of(scored, config, name)
    strata = evals.strata(row, suite=scored.suite, config=config)
    replies = [_reply(scored.suite, config, row, line) for line in records(part)]
    first = replies[0]["evidence"]
    options = [
        (text, right, list(dict.fromkeys(r["line"]["model"] for r in replies if r["evidence"].options[number][2])))
        for number, (text, right, _) in enumerate(first.options)
    ]
    return {
        "config": config,
        "id": name,
        "strata": " · ".join(f"{axis} {value}".replace("_", " ") for axis, value in strata.items()),
        "labels": {"config": config, **{axis: str(value) for axis, value in strata.items() if value}},
        "question": cut("\n\n".join(filter(None, (row.get("system_prompt"), row.get("prompt"))))),
        "truth": cut(part["answer"].iloc[0]),
        "options": options,
        "replies": replies,
        "marked": all(reply["evidence"].marks == first.marks for reply in replies),
    }


def _reply(suite: str, config: str, row: Row, line: Row) -> Record:
    metrics = ((name, line.get(name)) for name in evals.suite(suite).METRICS)
    return {
        "line": line,
        "labels": {name: str(line[name]) for name in LABELS if line[name]},
        "evidence": evidence(suite, config, row, line["read"], line["correct"]),
        "read": cut(line["read"]),
        "reply": cut(line["reply"]),
        "metrics": [(name, f"{value:.4g}") for name, value in metrics if not pd.isna(value)],
    }


def cut(text: str) -> str:
    """Return ``text`` with control characters replaced, and without the middle if it is longer than ``SHOWN``."""
    visible, half = _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text), SHOWN // 2
    if len(visible) <= SHOWN:
        return visible
    return f"{visible[:half]}\n[… {len(visible) - 2 * half:,} characters are left out here …]\n{visible[-half:]}"


def _figures(figures: Sequence[Figure]) -> tuple[list[tuple[Figure, Markup]], int]:
    """Return the figures that fit into ``FIGURE_BYTES``, each with its SVG, and the number of those left out.

    The ids in each SVG are changed to be unique on the page.
    """
    fitting, left = [], FIGURE_BYTES
    for number, figure in enumerate(figures):
        left -= len(figure.svg.encode())
        if left >= 0:
            svg = figure.svg[figure.svg.index("<svg") :]
            fitting.append((figure, Markup(_ID.sub(rf"\g<1>f{number}-", svg))))  # noqa: S704 - drawn by us, escaped there
    return fitting, len(figures) - len(fitting)


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A row's picture on the page, shown with all replies to it: ``url`` is the PNG as a data URL; sides are in px."""

    name: str
    width: int
    height: int
    url: str


def pictures(folder: Path, wanted: Sequence[tuple[str, str]], budget: int) -> Mapping[tuple[str, str], Picture]:
    """Return the pictures of the rows ``wanted``, pairs (config, id) by priority, as far as ``budget`` bytes suffice.

    A picture that does not fit is omitted; a later, smaller one may still fit.
    """
    built, content = Built.at(folder), dict[tuple[str, str], bytes]()
    for config in {config for config, _ in wanted}:
        ids = {name for part, name in wanted if part == config}
        content |= {(config, name): png for name, png in built.pictures(config, ids)}
    fitting: dict[tuple[str, str], Picture] = {}
    for name in wanted:
        picture = content.get(name, b"")
        url = data_url(picture)
        if picture and len(url) <= budget:
            budget -= len(url)
            width, height = struct.unpack_from(">II", picture, 16)
            fitting[name] = Picture(name=f"picture-{len(fitting)}", width=width, height=height, url=url)
    return fitting
