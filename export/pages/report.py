"""report/: one page without network, and the pictures it shows: gallery, distributions, coverage, funnel.

The page works from ``file://``, on a phone, with a keyboard and in dark mode; charts are inline SVG and tables coloured
by share, so that they can be read without colour too. A short script filters the gallery and shows an item large, with
its prompt, answer, measures and certificate; without it, all pictures are there and link to themselves.
"""

import json
import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from planimeter.export.atomic import write_file
from planimeter.export.columns import COMMON
from planimeter.export.manifest import Manifest
from planimeter.export.pages.charts import bars, funnel, heatmaps
from planimeter.export.pages.funnel_view import share, stages
from planimeter.export.pages.survey import MAX_BYTES, Survey, pictures
from planimeter.export.pages.templating import environment
from planimeter.export.rejects import RejectExample
from planimeter.export.texts import SuiteText

#: How many rejected examples of one (config, check, reason) are shown, and how many bytes all of them may take.
REJECTS_EACH = 4
REJECTS_BYTES = 1_000_000

#: Characters of an answer by which the gallery can be filtered, and of a measure: lists of points are long.
_ANSWER, _MEASURE = 40, 400


def write(
    folder: Path,
    manifest: Manifest,
    text: SuiteText,
    surveys: Mapping[str, Survey],
    rejects: Iterable[RejectExample],
) -> dict[str, str]:
    """Write ``report/`` under ``folder``; return one picture for each config, relative to ``folder``, for the card."""
    galleries = {
        config: _gallery(folder, config, found, MAX_BYTES // len(surveys)) for config, found in surveys.items()
    }
    checked = {config: stages(checks, text.checks) for config, checks in manifest.funnel.items()}
    page = (
        environment()
        .get_template("report.html.j2")
        .render(
            manifest=manifest,
            recipe=manifest.recipe,
            text=text,
            configs=list(surveys),
            surveys=surveys,
            galleries=galleries,
            charts={config: _charts(found) for config, found in surveys.items()},
            coverage={config: _coverage(found) for config, found in surveys.items()},
            heatmaps={config: heatmaps(found) for config, found in surveys.items()},
            stages=checked,
            funnels={config: funnel(checks) for config, checks in checked.items()},
            rejects=_rejects(folder, rejects),
            share=share,
            megabytes=sum(record.bytes for record in manifest.files) / 1e6,
        )
    )
    write_file(folder / "report" / "index.html", page.encode())
    return {config: f"report/{next(iter(groups.values()))[0]['src']}" for config, groups in galleries.items() if groups}


def _gallery(folder: Path, config: str, found: Survey, budget: int) -> dict[str, list[dict[str, Any]]]:
    """Write the chosen pictures and return their figures by the first axis, in the order of both axes."""
    layout, (rows, columns) = found.text, found.axes()
    chosen = sorted(
        pictures(folder, found, budget), key=lambda item: (rows.index(item[0][0]), columns.index(item[0][1]))
    )
    groups: dict[str, list[dict[str, Any]]] = {}
    for (first, second), row in chosen:
        source = f"gallery/{config}/{_file_name(row['id'])}.png"
        write_file(folder / "report" / source, row["image"]["bytes"])
        figure = {
            "src": source,
            "first": first,
            "second": second,
            "family": layout.family.of(row) if layout.family else first,
            "caption": layout.caption(row),
            "row": row,
            "answer": _short(row["answer"], _ANSWER),
            "measures": _measures(row),
        }
        groups.setdefault(first, []).append(figure)
    return groups


def _measures(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the columns that are a suite's own, as names and texts; those of every config are shown apart."""
    common = {column.name for column in COMMON}
    return [(name, _short(_figure(value), _MEASURE)) for name, value in row.items() if name not in common]


def _figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "–" if value is None or value == "" else str(value)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _file_name(name: str) -> str:
    """Return ``name`` if it can name a file anywhere, else a digest of it."""
    safe = re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,79}", name)
    return name if safe else blake2b(name.encode(), digest_size=10).hexdigest()


def _rejects(folder: Path, examples: Iterable[RejectExample]) -> list[dict[str, Any]]:
    """Write the pictures of a few rejected items for each reason and return their figures, grouped by reason."""
    shown: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    left = REJECTS_BYTES
    for number, example in enumerate(sorted(examples, key=lambda e: (e.config, e.check, e.reason, e.stratum))):
        figures = shown.setdefault((example.config, example.check, example.reason), [])
        if len(figures) == REJECTS_EACH:
            continue
        source = ""
        if example.picture and len(example.picture) <= left:
            source = f"rejected/{number:04d}.png"
            left -= len(example.picture)
            write_file(folder / "report" / source, example.picture)
        figures.append({"src": source, "example": example})
    return [
        {"config": config, "check": check, "reason": reason, "figures": figures}
        for (config, check, reason), figures in shown.items()
    ]


def _charts(found: Survey) -> list[dict[str, Any]]:
    return [
        {"title": axis.title, "bars": bars(counter, axis)}
        for axis, counter in zip(found.text.distributions, found.distributions, strict=True)
    ]


def _coverage(found: Survey) -> dict[str, Any]:
    rows, columns = found.axes()
    top = max(found.coverage.values(), default=1)
    return {
        "columns": columns,
        "lines": [
            {
                "name": row,
                "cells": [
                    {
                        "number": found.coverage[row, column],
                        "share": round(found.coverage[row, column] / top, 3),
                        "empty": found.text.empty(row, column) or "–",
                    }
                    for column in columns
                ],
                "total": sum(found.coverage[row, column] for column in columns),
            }
            for row in rows
        ],
    }
