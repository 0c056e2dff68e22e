"""Writes report/index.html, one offline file with all pictures: gallery, distributions, coverage, funnel.

The page works from ``file://``, on a phone, with a keyboard and in dark mode. Bars and tables are coloured, and
also print each number, so that they can be read without colour. A short script filters the gallery and enlarges a
picture, next to prompt, answer, columns and certifier; without scripts, all pictures are shown. The folder ``report/``
also contains one picture of each config for the card.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from planimeter.export.atomic import write_file
from planimeter.export.columns import COMMON
from planimeter.export.layout import Axis
from planimeter.export.manifest import Manifest
from planimeter.export.pages.funnel_view import share, stages
from planimeter.export.pages.sections import configs_of
from planimeter.export.pages.survey import MAX_BYTES, Survey, pictures
from planimeter.export.pages.templating import environment
from planimeter.export.rejects import RejectExample
from planimeter.export.texts import SuiteText
from planimeter.items.values import Record, Row, data_url

#: The most rejected examples of one (config, check, reason), and the most bytes of all of them.
REJECTS_EACH = 4
REJECTS_BYTES = 1_000_000

#: The most rejected ambiguous questions that are shown of each answer.
AMBIGUOUS_EACH = 2

#: The most characters of an answer in a filter of the gallery, and of the value of a column.
_ANSWER, _MEASURE = 40, 400


def write(
    folder: Path, manifest: Manifest, text: SuiteText, surveys: Mapping[str, Survey], rejects: Iterable[RejectExample]
) -> dict[str, str]:
    """Write ``report/`` in ``folder``; return config -> path of its picture for the card, relative to ``folder``."""
    galleries = {config: _gallery(folder, found, MAX_BYTES // len(surveys)) for config, found in surveys.items()}
    examples = sorted(rejects, key=lambda e: (e.config, e.check, e.reason, e.stratum))
    ambiguous = _ambiguous(examples)
    template = environment().get_template("report.html.j2")
    page = template.render(
        manifest=manifest,
        recipe=manifest.recipe,
        text=text,
        configs=[config for config in configs_of(manifest) if config in surveys],
        filters=_filters(surveys),
        surveys=surveys,
        galleries=galleries,
        charts={config: _charts(found) for config, found in surveys.items()},
        coverage={config: grid(*found.axes(), found.coverage) for config, found in surveys.items()},
        stages={config: stages(checks, text.checks) for config, checks in manifest.funnel.items()},
        ambiguous=ambiguous,
        rejects=_rejects(examples),
        share=share,
        megabytes=sum(record.bytes for record in manifest.files) / 1e6,
    )
    write_file(folder / "report" / "index.html", page.encode())
    heroes: dict[str, str] = {}
    for config, groups in galleries.items():
        drawn = (figure["row"]["image"] for figures in groups.values() for figure in figures)
        if first := next(filter(None, drawn), None):
            heroes[config] = hero_of(config)
            write_file(folder / heroes[config], first["bytes"])
    return heroes


#: The data URL of the picture that is shown for a row without one: white, 64 x 64 px.
_NOT_DRAWN = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKUlEQVR42u3MQREAAAwCIPuX1hD77SAA6VEEAoFAIBAIBAKBQCAQ"
    "fA8Gpwvw4qrwDDIAAAAASUVORK5CYII="
)


def hero_of(config: str) -> str:
    """Return the path of the picture that the card shows of ``config``, within the dataset's folder."""
    return f"report/{config}.png"


def _filters(surveys: Mapping[str, Survey]) -> dict[str, str]:
    """Return the titles of the gallery's filters `family` and `stratum`, made of the titles of all configs' axes."""
    texts = [found.text for found in surveys.values()]
    families = [text.family or text.rows for text in texts]
    sides = [
        (text.columns,) if family is text.rows else (text.rows, text.columns)
        for text, family in zip(texts, families, strict=True)
    ]
    strata = [" · ".join(dict.fromkeys(axis.title for axis in axes)) for axes in sides]
    return {
        "family": " / ".join(dict.fromkeys(axis.title for axis in families)),
        "stratum": " / ".join(dict.fromkeys(strata)),
    }


def _gallery(folder: Path, found: Survey, budget: int) -> dict[str, list[Record]]:
    """Return the page's example rows by their group on the first axis, with up to ``budget`` bytes of pictures."""
    layout, (rows, columns) = found.text, found.axes()
    chosen = sorted(
        pictures(folder, found, budget), key=lambda item: (rows.index(item[0][0]), columns.index(item[0][1]))
    )
    groups: dict[str, list[Record]] = {}
    for (first, second), row in chosen:
        figure = {
            "src": data_url(row["image"]["bytes"]) if row["image"] else _NOT_DRAWN,
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


def _measures(row: Row) -> list[tuple[str, str]]:
    common = {column.name for column in COMMON}
    return [(name, _short(_figure(value), _MEASURE)) for name, value in row.items() if name not in common]


def _figure(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "–" if value is None or value == "" else str(value)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _rejects(examples: Iterable[RejectExample]) -> list[Record]:
    """Return rejected candidates for the template, up to ``REJECTS_EACH`` for each (config, check, reason).

    Their pictures have at most ``REJECTS_BYTES`` in all; further examples have no picture.
    """
    shown: dict[tuple[str, str, str], list[Record]] = {}
    left = REJECTS_BYTES
    for example in examples:
        figures = shown.setdefault((example.config, example.check, example.reason), [])
        if len(figures) == REJECTS_EACH:
            continue
        source = ""
        if example.picture and len(example.picture) <= left:
            source = data_url(example.picture)
            left -= len(example.picture)
        figures.append({"src": source, "example": example})
    return [
        {"config": config, "check": check, "reason": reason, "figures": figures}
        for (config, check, reason), figures in shown.items()
    ]


def _ambiguous(examples: Sequence[RejectExample]) -> list[Record]:
    """Return, for the template, rejected questions with several right answers: a few for each intended answer."""
    kinds = {(example.answer, example.fits): example for example in reversed(examples) if example.fits}
    shown: dict[str, list[Record]] = {}
    for answer, fits in sorted(kinds, key=lambda kind: (kind[0], len(kind[1]), kind[1])):
        cases = shown.setdefault(answer, [])
        if len(cases) < AMBIGUOUS_EACH:
            cases.append({"src": data_url(kinds[answer, fits].picture), "example": kinds[answer, fits]})
    return [case for answer in sorted(shown) for case in shown[answer]]


def _charts(found: Survey) -> list[Record]:
    pairs = zip(found.text.distributions, found.distributions, strict=True)
    return [{"title": axis.title, "bars": bars(counter, axis)} for axis, counter in pairs]


def bars(counter: Mapping[str, int], axis: Axis) -> list[Record]:
    """Return the bars of a bar chart of ``counter``, which maps names to numbers of rows.

    They are in the order of ``axis`` if it declares one or any name contains a digit, else by decreasing number.
    """
    by_size = not axis.order and not any(character.isdigit() for name in counter for character in name)
    names = sorted(counter, key=lambda name: (-counter[name] if by_size else 0, axis.place(name)))
    top = max(counter.values(), default=1)
    total = sum(counter.values())
    return [
        {
            "name": name,
            "number": counter[name],
            "share": share(counter[name], total),
            "width": round(100 * counter[name] / top, 1),
        }
        for name in names
    ]


def grid(rows: Sequence[str], columns: Sequence[str], numbers: Mapping[tuple[str, str], int]) -> Record:
    """Return a table of ``numbers`` by (row, column); the ``share`` of a cell is its number divided by the largest."""
    top = max(numbers.values(), default=1) or 1
    lines = []
    for row in rows:
        found = [numbers.get((row, column), 0) for column in columns]
        cells = [{"number": number, "share": round(number / top, 3)} for number in found]
        lines.append({"name": row, "cells": cells, "total": sum(found)})
    return {"columns": columns, "lines": lines}
