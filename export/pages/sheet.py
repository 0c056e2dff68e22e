"""Writes question sheets for people to answer: an HTML page of questions, one of answers, and the answers as CSV.

``pick`` draws the rows, and ``section`` makes the questions of one config from their prompts. Paragraphs with which all
prompts of a config begin or end are printed once, above its questions. Each question has the rest of its prompt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from operator import itemgetter
from typing import NamedTuple

import pandas as pd

from planimeter.export.built import Built
from planimeter.export.errors import CurationError
from planimeter.export.pages.templating import environment
from planimeter.export.spreadsheets import csv_of
from planimeter.export.strata import chosen_rows, population
from planimeter.filters.strata import Stratum, chosen, priority, shares
from planimeter.items.order import natural
from planimeter.items.values import Row, data_url


class Words(NamedTuple):
    """A paragraph of a question; printed verbatim if ``is_code``."""

    text: str
    is_code: bool = False


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question on a sheet: number, picture (PNG or None), and ``words``, the paragraphs not shared by all prompts.

    The page of answers shows its answer, the row's id, and ``values``, those of the columns by which rows were chosen.
    """

    number: int
    picture: bytes | None
    words: tuple[Words, ...]
    id: str
    values: tuple[str, ...]
    answer: str

    @property
    def url(self) -> str:
        """The picture as a data URL."""
        return data_url(self.picture or b"")


@dataclass(frozen=True, kw_only=True)
class Section:
    """The questions of a config, and the common beginning (``before``) and end (``after``) of their prompts."""

    config: str
    before: tuple[Words, ...]
    after: tuple[Words, ...]
    questions: tuple[Question, ...]

    @property
    def columns(self) -> int:
        """The number of questions side by side: 1 if the first has no picture or a wide one, else 2."""
        picture = self.questions[0].picture
        if picture is None:
            return 1
        # Width and height are at these offsets in a PNG.
        width, height = (int.from_bytes(picture[at : at + 4]) for at in (16, 20))
        return 1 if width > 1.5 * height else 2


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A page of questions for people to answer; ``drawn`` describes how their rows were chosen.

    ``by`` names the columns by which rows were chosen; the page of answers shows these columns for each question.
    """

    title: str
    drawn: str
    by: tuple[str, ...]
    sections: tuple[Section, ...]


def section(config: str, rows: Sequence[tuple[tuple[str, ...], Row]], first: int, *, pictures: bool) -> Section:
    """Return a section with the questions of ``config``, numbered from ``first``.

    ``rows`` are (values, row), with the ``values`` of a ``Question``. ``pictures`` is false if models get the
    prompts of ``config`` without pictures; then the questions have none.
    """
    prompts = [_paragraphs(row) for _, row in rows]
    before = _alike(prompts) if len(prompts) > 1 else 0
    rest = [words[before:] for words in prompts]
    after = _alike([words[::-1] for words in rest]) if len(rest) > 1 else 0
    return Section(
        config=config,
        before=tuple(prompts[0][:before]),
        after=tuple(rest[0][len(rest[0]) - after :]),
        questions=tuple(
            Question(
                number=number,
                picture=row["image"]["bytes"] if pictures and row["image"] else None,
                words=tuple(words[: len(words) - after]),
                id=row["id"],
                values=values,
                answer=row["answer"],
            )
            for number, ((values, row), words) in enumerate(zip(rows, rest, strict=True), start=first)
        ),
    )


def sheet_html(sheet: Sheet) -> bytes:
    """Return the HTML page of the questions of ``sheet``."""
    return _page("sheet.html.j2", sheet)


def key_html(sheet: Sheet) -> bytes:
    """Return the HTML page of the answers to ``sheet``."""
    return _page("key.html.j2", sheet)


def key_csv(sheet: Sheet) -> bytes:
    """Return the answers to ``sheet`` as CSV: a line for each question, with the columns ``by``, id and answer."""
    heads = ["number", "config", *sheet.by, "id", "answer"]
    lines = [[q.number, part.config, *q.values, q.id, q.answer] for part in sheet.sections for q in part.questions]
    return csv_of(pd.DataFrame(lines, columns=heads)).encode()


def describe_choice(by: Mapping[str, str | None]) -> str:
    """Return ``by``, the choice of rows for ``pick``, as a text: "level = abstract; evenly by language"."""
    kept = [f"{name} = {value}" for name, value in by.items() if value is not None]
    even = [name for name, value in by.items() if value is None]
    return "; ".join(filter(None, (", ".join(kept), f"evenly by {', '.join(even)}" if even else "")))


def _page(template: str, sheet: Sheet) -> bytes:
    return environment().get_template(template).render(sheet=sheet).encode()


def _paragraphs(row: Row) -> list[Words]:
    """Return the paragraphs of system prompt and prompt of ``row``; the code in its column `code` is one paragraph."""
    code = str(row.get("code") or "")
    before, program, after = str(row["prompt"]).partition(code) if code else (str(row["prompt"]), "", "")
    opening = f"{row['system_prompt']}\n\n{before}" if row["system_prompt"] else before
    words = [Words(text.strip("\n")) for text in opening.split("\n\n")]
    words += [Words(program.strip("\n"), is_code=True)] + [Words(text.strip("\n")) for text in after.split("\n\n")]
    return [paragraph for paragraph in words if paragraph.text.strip()]


def _alike(prompts: Sequence[Sequence[Words]]) -> int:
    """Return the number of paragraphs at the beginning that all ``prompts`` have in common."""
    return len(list(takewhile(lambda paragraphs: len(set(paragraphs)) == 1, zip(*prompts, strict=False))))


# --- the rows of a sheet


#: The most questions of a sheet, all of whose pictures are in memory.
MOST_ROWS = 200

#: The most values of a column in the message about a missing value.
_LISTED = 12


class Picked(NamedTuple):
    """A row of ``config`` that ``pick`` drew, and its values in the columns by which rows were chosen."""

    config: str
    values: tuple[str, ...]
    row: Row


def pick(built: Built, configs: Sequence[str], by: Mapping[str, str | None], rows: int, seed: int) -> list[Picked]:
    """Draw ``rows`` rows of ``configs`` and return them config by config, in random order within a config.

    ``configs`` names configs or groups of configs (pools); empty means all. ``by`` maps a column (or ``split``) to a
    value, which selects the rows that have it, or to None: then equally many rows are drawn of each value, if there are
    enough. Another ``seed`` draws other rows. With one seed, a smaller sheet is a part of a larger one.

    Raises:
        ExportError: for an unknown config, column or value, or too few rows.
    """
    folder, manifest, asked = built.folder, built.manifest, built.chosen(configs)
    with built.reading():
        found = population(folder, manifest, asked, tuple(by), partial(priority, seed), alone=True)
        fits = [all(map(_fits, by.values(), values)) for _, *values in found.labels]
        counts = [count * fit for count, fit in zip(found.counts, fits, strict=True)]
        if not 1 <= rows <= min(sum(counts), MOST_ROWS):
            raise CurationError(_refused(rows, sum(counts), by, found.labels))
        taken = shares(rows, [Stratum(count) for count in counts], equal=True)
        is_picked = chosen(found.strata, found.priorities, taken)
        picked: list[Picked] = []
        for config in asked:
            drawn: list[tuple[int, Picked]] = []
            for record, _ in manifest.files_of(config):
                units = found.units[record.path]
                tables = chosen_rows(folder, record.path, is_picked[units])
                read = (row for table in tables for row in table.to_pylist())
                for unit, row in zip(units[is_picked[units]], read, strict=True):
                    values = found.labels[found.strata[unit]][1:]
                    drawn.append((int(found.priorities[unit]), Picked(config, values, row)))
            picked += [row for _, row in sorted(drawn, key=itemgetter(0))]
    return picked


def _fits(wanted: str | None, value: str) -> bool:
    return wanted in (None, value)


def _refused(rows: int, fitting: int, by: Mapping[str, str | None], labels: Sequence[tuple[str, ...]]) -> str:
    for place, (column, value) in enumerate(by.items(), start=1):
        known = sorted({label[place] for label in labels}, key=natural)
        if value is not None and value not in known:
            more = ", ..." if len(known) > _LISTED else ""
            return f"no row has {column} = {value}; there are {', '.join(known[:_LISTED])}{more}"
    return f"--rows: need 1 to {min(fitting, MOST_ROWS)} (of {fitting:,} that can be drawn), got {rows}"
