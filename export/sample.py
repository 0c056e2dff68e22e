"""The entry of a sample in its manifest: the parent dataset, and the number of rows of each stratum."""

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
        """Its name and version."""
        return self.dataset, self.version


class SampledStratum(BaseModel, frozen=True, extra="forbid", use_attribute_docstrings=True):
    """A stratum of a sample."""

    stratum: tuple[str, ...]
    """Its config, and its value in each column of ``by``."""
    rows: StrictInt
    """Rows that were taken."""
    of: StrictInt
    """Rows that the parent has."""

    def __str__(self) -> str:
        return "/".join(value or "-" for value in self.stratum)


class Sample(BaseModel, frozen=True, extra="forbid", use_attribute_docstrings=True):
    """The ``sample`` of a manifest."""

    parent: Parent
    """The dataset that was sampled."""
    rows: StrictInt
    """Rows that were asked for."""
    by: tuple[str, ...]
    """Columns whose values, with the config, make the strata."""
    shares: Shares
    """As many rows of each stratum, or in proportion to it."""
    seed: StrictInt
    """Another seed draws other rows."""
    strata: tuple[SampledStratum, ...]
    """What was taken of each stratum."""

    @property
    def taken(self) -> int:
        """The number of rows."""
        return sum(stratum.rows for stratum in self.strata)

    def __str__(self) -> str:
        *others, last = ("config", *self.by)
        by = f"{', '.join(others)} and {last}" if others else last
        return (
            f"{self.taken:,} of {sum(stratum.of for stratum in self.strata):,} rows of {self.parent.dataset} "
            f"{self.parent.version}, in {self.shares} shares by {by}, seed {self.seed}"
        )

    def summary(self) -> Iterator[str]:
        """Yield a line for each stratum that could not give its share, and one if rows are lacking."""
        most = max((stratum.rows for stratum in self.strata), default=0)
        for stratum in self.strata:
            if self.shares == "equal" and stratum.rows == stratum.of < most:
                yield f"{stratum} has only {stratum.of:,} rows: all are taken, and the others make up for it"
            elif not stratum.rows:
                yield f"{stratum} gets none of its {stratum.of:,} rows: its share is less than half of what is drawn"
        if self.taken < self.rows:
            yield f"{self.taken:,} rows, not {self.rows:,}: the next belong together and are too many"
