"""Makes the page: what the template needs, as data, and how much of it, so that the page stays below ``MOST_BYTES``.

Whatever a model wrote is text to the template, which escapes it; beyond that the page tells the browser to run nothing
but its own script, known by its digest, and to load nothing from anywhere.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup, escape

from planimeter import evals
from planimeter.export.manifest import Manifest
from planimeter.export.pages.templating import environment
from planimeter.scores.forms import Figure, Scored, Table
from planimeter.scores.page.choice import AXIS, OUTCOMES, axes_of, choose
from planimeter.scores.page.evidence import Evidence, evidence
from planimeter.scores.page.pictures import Picture, pictures
from planimeter.scores.tables import cells

#: Of the whole page, of its figures, and of the replies that are shown in full length; what is left is for pictures.
MOST_BYTES, FIGURE_BYTES, REPLY_BYTES = 15_000_000, 3_000_000, 2_000_000

#: Of a page whose other parts take all: its pictures have so much still.
LEAST_PICTURE_BYTES = 4_000_000

#: Characters at either end of a reply that is cut, and of one that is cut even in full length.
SHOWN, SHOWN_IN_FULL = 240, 100_000

#: By what replies are filtered, strata aside.
LABELS = ("config", "model", "variant", "outcome", "reason")

#: Lines of a table; its file has them all.
MOST_LINES = 200

_ID = re.compile(r"(\bid=[\"']|href=[\"']#|url\(#)")
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, kw_only=True)
class Text:
    """A text cut in the middle: its ends, the number of characters between them, and all of it where there is room."""

    head: str
    tail: str = ""
    left_out: int = 0
    whole: str = ""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A reply as the gallery shows it; ``labels`` are what it is filtered by, ``metrics`` names and values."""

    place: Mapping[str, Any]
    labels: Mapping[str, str]
    strata: str
    evidence: Evidence
    truth: Text
    read: Text
    reply: Text | None
    metrics: Sequence[tuple[str, str]]


def render(scored: Scored, tables: Sequence[Table], figures: Sequence[Figure], folder: Path) -> str:
    """Return the HTML of the page about ``scored``, the scores of some models on the dataset in ``folder``.

    It needs no network and no other file, and is the same for the same scores. Pictures are read from ``folder``.

    Raises:
        NoDatasetError: if the folder holds no dataset that can be read.
    """
    manifest = Manifest.read(folder)
    choice = choose(scored)
    templates = environment("planimeter.scores.page")
    script = templates.get_template("page.js.j2").render()
    own = evals.suite(scored.suite)
    drawn, left_out = _figures(figures)
    shown = _shown(scored, choice.replies)
    context: dict[str, Any] = {
        "scored": scored,
        "recipe": manifest.recipe,
        "models": list(dict.fromkeys(scored.frame["model"])),
        "metric": own.HEADLINE,
        "meaning": own.METRICS[own.HEADLINE],
        "headline": headline(scored, tables),
        "tables": [(table, *cells(replace(table, frame=table.frame.head(MOST_LINES)))) for table in tables],
        "figures": drawn,
        "figures_left_out": left_out,
        "choice": choice,
        "shown": shown,
        "filters": list(dict.fromkeys([*LABELS, *(name for one in shown for name in one.labels)])),
        "script": Markup(script),  # noqa: S704 - our own file
        "digest": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    page = templates.get_template("scores.html.j2")
    wanted = list(dict.fromkeys(zip(choice.replies["config"], choice.replies["id"], strict=True)))
    frames = dict.fromkeys(wanted, Picture(name="picture-1000", width=1000, height=1000, url=""))
    bare = len(page.render(context, pictures=frames).encode(errors="replace"))
    found = pictures(folder, manifest, wanted, max(MOST_BYTES - bare, LEAST_PICTURE_BYTES))
    # Half of a surrogate pair, as a model's name may hold it, has no bytes.
    return page.render(context, pictures=found).encode(errors="replace").decode()


def _shown(scored: Scored, replies: pd.DataFrame) -> list[Shown]:
    room = Room(REPLY_BYTES)
    axes = axes_of(replies)
    own = evals.suite(scored.suite)
    found = []
    place = replies["outcome"].map(OUTCOMES.index)
    order = ["config", "place", "id", "model", "variant", "sample"]
    for line in replies.assign(place=place).sort_values(order, kind="stable").to_dict("records"):
        reply = {str(name): value for name, value in line.items()}
        row = scored.rows[reply["config"]].loc[reply["id"]].to_dict()
        strata = {name.removeprefix(AXIS): reply[name] for name in axes if not pd.isna(reply[name])}
        labels = {name: str(reply[name]) for name in LABELS}
        metrics = {name: reply[name] for name in own.METRICS if not pd.isna(reply.get(name))}
        found.append(
            Shown(
                place=reply,
                labels={name: value for name, value in (labels | strata).items() if value},
                strata=" · ".join(f"{name} {value}".replace("_", " ") for name, value in strata.items()),
                evidence=evidence(scored.suite, reply["config"], row, reply["read"], reply["correct"]),
                truth=cut(reply["answer"], room),
                read=cut(reply["read"], room),
                reply=cut(reply["reply"], room) if isinstance(reply.get("reply"), str) else None,
                metrics=[(name, f"{value:.4g}") for name, value in metrics.items()],
            )
        )
    return found


class Room:
    """So many bytes of escaped text that may still be used."""

    def __init__(self, size: int) -> None:
        self._left = size

    def takes(self, text: str) -> bool:
        """Return whether ``text`` finds room, and if so, take it."""
        size = len(str(escape(text)).encode(errors="replace"))
        fits = size <= self._left
        self._left -= size * fits
        return fits


def cut(text: str, room: Room) -> Text:
    """Return ``text`` as it can be shown: what no page can hold is replaced, and the middle of a long one left out.

    All of it stands beside that as long as ``room`` takes it, or most of it if it is longer than ``SHOWN_IN_FULL``.
    """
    seen = _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text)
    if len(seen) <= 2 * SHOWN:
        return Text(head=seen)
    whole = seen
    if len(seen) > SHOWN_IN_FULL:
        half = SHOWN_IN_FULL // 2
        whole = f"{seen[:half]}\n[... {len(seen) - 2 * half:,} characters are left out here ...]\n{seen[-half:]}"
    return Text(
        head=seen[:SHOWN], tail=seen[-SHOWN:], left_out=len(seen) - 2 * SHOWN, whole=whole if room.takes(whole) else ""
    )


def headline(scored: Scored, tables: Iterable[Table]) -> list[dict[str, Any]]:
    """Return a line for each config, split, model and variant, the best first: the headline metric and some counts.

    The interval, as texts, is that of the first table in which the line is one of its own.
    """
    metric = evals.suite(scored.suite).HEADLINE
    by, found = ["config", "split", "model", "variant"], []
    for keys, part in scored.frame.groupby(by):
        known = dict(zip(by, map(str, keys), strict=True))
        intervals = (_interval(table.frame, metric, known) for table in tables)
        counts = {
            "replies": len(part),
            "unread": int((~part["answered"].astype(bool)).sum()),
            "cut_off": int((part["finish_reason"] == "length").sum()),
        }
        interval = next(filter(None, intervals), "")
        found.append({**known, **counts, "value": float(part[metric].mean()), "interval": interval})
    return sorted(found, key=lambda line: (line["config"], line["split"], -line["value"]))


def _interval(frame: pd.DataFrame, metric: str, known: Mapping[str, str]) -> str:
    bounds = [f"{metric}_low", f"{metric}_high"]
    if not {"config", "model", *bounds} <= set(frame):
        return ""
    for name in known.keys() & set(frame):
        frame = frame[frame[name] == known[name]]
    return "{:.1f} to {:.1f}%".format(*(100 * frame[bounds].iloc[0])) if len(frame) == 1 else ""


def _figures(figures: Sequence[Figure]) -> tuple[list[tuple[Figure, Markup]], int]:
    """Return the figures whose SVG fits, with ids of their own: figures of one page must not share any."""
    found, left = [], FIGURE_BYTES
    for number, figure in enumerate(figures):
        left -= len(figure.svg.encode())
        if left >= 0:
            svg = figure.svg[figure.svg.index("<svg") :]
            found.append((figure, Markup(_ID.sub(rf"\g<1>f{number}-", svg))))  # noqa: S704 - drawn by us, escaped there
    return found, len(figures) - len(found)
