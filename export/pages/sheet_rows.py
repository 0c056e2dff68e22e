"""Draws the rows of a sheet for people: a few of one stratum, or of several evenly, in random order."""

from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from planimeter.export.built import Built
from planimeter.export.errors import CurationError
from planimeter.export.strata import chosen_rows, population
from planimeter.filters.strata import Stratum, chosen, priority, shares
from planimeter.items.order import natural
from planimeter.items.values import Row

#: More rows than a person answers; all their pictures are held in memory.
MOST_ROWS = 200

#: Values of a column that are listed where one is asked for that does not occur.
_LISTED = 12


class Picked(NamedTuple):
    """A row of ``config``, and its values in the columns by which rows were asked for."""

    config: str
    values: tuple[str, ...]
    row: Row


def pick(built: Built, configs: Sequence[str], by: Mapping[str, str | None], rows: int, seed: int) -> list[Picked]:
    """Return ``rows`` rows of ``configs``, pools among them, of all by default: by config, each in random order.

    ``by`` names columns (or ``split``): one with a value keeps only the rows that have it; each value of the others
    gives as many rows as any other, as far as it has them. Another ``seed`` draws other rows; with the same one a
    smaller sheet is a part of a larger one.

    Raises:
        ExportError: if a config, column or value does not occur, or there are not so many rows.
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
    return f"--rows: need 1 to {min(fitting, MOST_ROWS)} (of {fitting:,} that fit), got {rows}"
