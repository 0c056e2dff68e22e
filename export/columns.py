"""The declaration of a column, and the columns that every config has.

``suites/<suite>/rows.py`` declares the columns of a suite and fills them. From the declarations follow the Arrow
schema, the fields of Croissant, the table in the card, the values that the verifier allows, the groups of rows that a
sample preserves, the axes of the report, and the strata of scores and probes, unless the grader names others. Columns
may be added; names, types and meanings of existing ones are promised to readers (dataset contract) and do not change.

All Arrow fields are nullable, although only columns marked ``nullable`` contain nulls (the verifier checks it):
``datasets`` recognises an Image feature only if the field in the file equals its own, which is nullable.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa

from planimeter.export.canary import KEY
from planimeter.items.order import size_bin
from planimeter.items.values import Row

#: The Arrow type of a Hub ``Image`` feature. With children in another order, or ``large_binary``, a picture is shown as
#: a dict.
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])

#: The feature of pictures, which ``datasets`` decodes as RGB; otherwise palette PNGs would become arrays of indices.
IMAGE_FEATURE = {"_type": "Image", "mode": "RGB"}

STRING = pa.string()
FLOAT = pa.float64()
#: The types of a list of points (x, y) in pixels, such as the vertices of a line, and of a list of lines.
POINTS = pa.list_(pa.list_(FLOAT))
LINES = pa.list_(POINTS)


class Between(NamedTuple):
    """The numbers from ``low`` to ``high``, both included."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


@dataclass(frozen=True)
class Column:
    """One column: ``type`` is its Arrow type, ``description`` one line with its unit or its values.

    ``values`` are the allowed values: a range, or a few texts. A column with an ``owner``, the name of a config,
    contains ids of rows of that config; a row and its owner are published, sampled and answered together. ``trains`` is
    true for the training level, which only rows of a split ``train`` have. If ``axis``, a title, is not empty, the
    report groups rows by this column: ``stratum`` returns the name of the group of a value, by default the value, and
    ``order`` lists these names if their order is neither numerical nor alphabetical.
    """

    name: str
    type: pa.DataType
    description: str
    nullable: bool = False
    values: Between | tuple[str, ...] | None = None
    owner: str = ""
    trains: bool = False
    axis: str = ""
    stratum: Callable[[Any], str] | None = None
    order: tuple[str, ...] = ()

    def fault(self, row: Row) -> str:
        """Return a message with rule and value if ``row`` has a forbidden value in this column; empty otherwise."""
        lines = {POINTS: [row.get(self.name, ())], LINES: row.get(self.name, ())}.get(self.type, ())
        if not all({*map(len, line)} <= {2} for line in lines):
            return f"{self.name} must be {'lines, each ' if self.type == LINES else ''}a list of points (x, y)"
        if self.values is None or self.name not in row or row[self.name] in self.values:
            return ""
        wanted = str(self.values) if isinstance(self.values, Between) else f"one of {', '.join(self.values)}"
        return f"{self.name} must be {wanted}, got {row[self.name]!r}"

    def group(self, value: object) -> str:
        """Return the name of the group of rows with ``value``, without the title of the axis: "3", not "depth 3"."""
        return self.stratum(value) if self.stratum else str(value)

    def named(self, value: object) -> str:
        """Return the name of the group of rows with ``value``; for a number with the title of the axis: "depth 3"."""
        title = "" if self.stratum or not pa.types.is_integer(self.type) else f"{self.axis.lower()} "
        return title + self.group(value)

    @property
    def is_image(self) -> bool:
        """True if the column contains pictures: PNG bytes that the Hub shows as an Image."""
        return bool(self.type == IMAGE)

    @property
    def dimensions(self) -> int:
        """The nesting depth of lists: 0 for a single value, 1 for a list of values, 2 for a list of lists."""
        depth, inner = 0, self.type
        while pa.types.is_list(inner):
            depth, inner = depth + 1, inner.value_type
        return depth

    @cached_property
    def element(self) -> pa.DataType:
        """The type of the values inside all nested lists."""
        inner = self.type
        while pa.types.is_list(inner):
            inner = inner.value_type
        return inner


def bins(what: str, *ends: int) -> Callable[[int], str]:
    """Return a function that names the range of a number: "5-8 curves" for 6, if ``ends`` are 4 and 8."""
    return lambda number: f"{size_bin(number, ends)} {what}"


def level(number: int, name: str = "level") -> Column:
    """Return the column ``name`` of the training level, 1 to ``number``, which only rows of a split ``train`` have."""
    bounds = Between(1, number)
    return Column(name, pa.int32(), "Training level, 1 the easiest.", values=bounds, trains=True, axis="Level")


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The columns of one config, in the order of its files, and the ``canary`` (a search text) in their metadata."""

    config: str
    columns: tuple[Column, ...]
    canary: str = ""

    @cached_property
    def arrow(self) -> pa.Schema:
        """The Arrow schema. Its metadata mark the picture columns for ``datasets`` and the Hub's viewer, and contain
        the canary, if there is one.
        """
        features = {column.name: IMAGE_FEATURE for column in self.columns if column.is_image}
        metadata = {"huggingface": json.dumps({"info": {"features": features}}, sort_keys=True)}
        marked = {KEY.decode(): self.canary} if self.canary else {}
        return pa.schema([(column.name, column.type) for column in self.columns], metadata=metadata | marked)

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """The columns by their names."""
        return MappingProxyType({column.name: column for column in self.columns})


#: The column that the rows of a sealed edition lack.
SEED = "seed"

COMMON: tuple[Column, ...] = (
    Column("id", STRING, "Stable id of the item, unique in the dataset; equal items have equal ids."),
    Column("image", IMAGE, "The picture that the question is about, as PNG."),
    Column("system_prompt", STRING, "The system prompt; empty where the protocol has none."),
    Column("prompt", STRING, "The user's turn, complete."),
    Column("answer", STRING, "The canonical answer, as a perfect model writes it inside the answer markers."),
    Column(SEED, pa.uint64(), "With the recipe, the seed that this item alone is a function of."),
    Column("certified_by", STRING, "The independent check that recovered the answer from what a model sees."),
)
