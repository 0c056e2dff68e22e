"""The entry `sample` in the manifest of a sample: its parent dataset, and its number of rows in each stratum."""

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, StrictInt

Shares = Literal["equal", "proportional"]


class Parent(BaseModel, frozen=True, extra="forbid", use_attribute_docstrings=True):
    """The dataset from which a sample was drawn."""

    dataset: str
    """Name of the dataset."""
    version: str
    """Version of the dataset."""
    manifest_sha256: str
    """SHA-256 of its ``manifest.json``, hexadecimal."""

    @property
    def named(self) -> tuple[str, str]:
        """The name and the version of the dataset from which a sample was drawn."""
        return self.dataset, self.version


class SampledStratum(BaseModel, frozen=True, extra="forbid", use_attribute_docstrings=True):
    """A stratum (rows with equal config and column values), with its numbers of rows in sample and parent dataset."""

    stratum: tuple[str, ...]
    """Its config, and its value in each of the columns ``by``."""
    rows: StrictInt
    """Number of rows that were drawn."""
    of: StrictInt
    """Number of rows in the parent dataset."""

    def __str__(self) -> str:
        return "/".join(value or "-" for value in self.stratum)


class Sample(BaseModel, frozen=True, extra="forbid", use_attribute_docstrings=True):
    """The entry ``sample`` of a manifest: the parent dataset, the options of the draw, and the strata."""

    parent: Parent
    """The dataset that was sampled."""
    rows: StrictInt
    """Number of rows that the user requested."""
    by: tuple[str, ...]
    """Columns whose values, together with the config, define the strata."""
    shares: Shares
    """Equally many rows of each stratum, or in proportion to its size."""
    seed: StrictInt
    """Seed of the draw; another seed draws other rows."""
    strata: tuple[SampledStratum, ...]
    """Rows drawn from each stratum."""

    @property
    def taken(self) -> int:
        """The number of rows that were drawn, in all strata."""
        return sum(stratum.rows for stratum in self.strata)

    def __str__(self) -> str:
        *others, last = ("config", *self.by)
        by = f"{', '.join(others)} and {last}" if others else last
        return (
            f"{self.taken:,} of {sum(stratum.of for stratum in self.strata):,} rows of {self.parent.dataset} "
            f"{self.parent.version}, in {self.shares} shares by {by}, seed {self.seed}"
        )

    def summary(self) -> Iterator[str]:
        """Yield a line for each stratum with no rows or less than its share, and one if the total is below ``rows``."""
        most = max((stratum.rows for stratum in self.strata), default=0)
        for stratum in self.strata:
            if self.shares == "equal" and stratum.rows == stratum.of < most:
                yield f"{stratum} has only {stratum.of:,} rows: all are taken, and the others make up for it"
            elif not stratum.rows:
                yield f"{stratum} gets none of its {stratum.of:,} rows: its share is less than half of what is drawn"
        if self.taken < self.rows:
            yield f"{self.taken:,} rows, not {self.rows:,}: the next belong together and are too many"
