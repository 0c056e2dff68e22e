"""Divides the rows of a dataset into strata, which are the quotas of its recipe, such as 50 rows of level 2.

Each row counts for one quota, which is its stratum. Two editions of one recipe have equally many rows in each stratum,
so that their scores can be compared.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow.parquet as pq

from planimeter.export.checks import Quota
from planimeter.export.manifest import Manifest
from planimeter.export.schema import checker
from planimeter.export.strata import SPLIT

#: The name of the stratum of rows without a quota.
OTHER = "other"


class Design:
    """A division of the rows of a dataset into strata, one for each quota (such as 50 rows of level 2)."""

    def __init__(self, manifest: Manifest) -> None:
        self._quotas: dict[str, list[Quota]] = {}
        for quota in checker(manifest.recipe["suite"], manifest.recipe).quotas():
            self._quotas.setdefault(quota.config, []).append(quota)
        self._known: dict[tuple[object, ...], str] = {}

    def columns(self, config: str) -> list[str]:
        """Return the columns that decide for which quota a row of ``config`` counts; ``split`` may be one of them."""
        return list(dict.fromkeys(name for quota in self._quotas.get(config, ()) for name in quota.values))

    def strata(self, config: str, columns: Mapping[str, Sequence[object]]) -> list[str]:
        """Return for each row the name of its quota, or ``OTHER``; ``columns`` maps names to the values of the rows."""
        names = self.columns(config)
        values = zip(*(columns[name] for name in names), strict=True)
        return [self._stratum(config, names, row) for row in values]

    def _stratum(self, config: str, names: Sequence[str], values: tuple[object, ...]) -> str:
        key = (config, *values)
        if key not in self._known:
            row = dict(zip(names, values, strict=True))
            fitting = (quota.values for quota in self._quotas[config] if quota.fits(row))
            named = next(fitting, {})
            self._known[key] = ", ".join(f"{name} {value}" for name, value in named.items()) or OTHER
        return self._known[key]


def strata_of(folder: Path, manifest: Manifest) -> dict[str, dict[str, int]]:
    """Return config -> stratum (the name of a quota of the recipe) -> number of rows of the dataset in ``folder``.

    Rows that count for no quota are in the stratum ``OTHER``.
    """
    design, found = Design(manifest), dict[str, dict[str, int]]()
    for config in manifest.configs:
        counts: Counter[str] = Counter()
        names = design.columns(config)
        for record, split in manifest.files_of(config):
            table = pq.read_table(folder / record.path, columns=[name for name in names if name != SPLIT])
            columns = {**table.to_pydict(), SPLIT: [split] * record.rows}
            counts.update(design.strata(config, columns) if names else {OTHER: record.rows})
        found[config] = dict(sorted(counts.items()))
    return found
