"""The common part of the recipes of `curves` and `curves_maps`: rows by the number of curves."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, Field, model_validator

from planimeter.suites.base import Positive, Table

Length = Annotated[float, Field(gt=0, le=1e9)]
Span = tuple[Length, Length]
Count = Annotated[int, Field(ge=0)]
Split = Literal["train", "validation", "test"]


def _training_first(splits: Mapping[Split, int]) -> Mapping[Split, int]:
    # The recipe in a manifest has its keys sorted by name, and distributes its trees in the same way.
    return {split: splits[split] for split in get_args(Split) if split in splits}


#: Rows of each split, the training split first: it has every tree before any other has.
Splits = Annotated[Mapping[Split, Positive], Field(min_length=1), AfterValidator(_training_first)]


class Canvas(Table):
    """The settings of every picture of curves."""

    attempts: Positive
    """Candidates for one row before it is given up."""
    rows_per_shard: Positive
    """Rows of one shard, the unit of work."""
    canvas_px: Annotated[int, Field(ge=64, le=4096)]
    """Side of the square picture, px."""
    margin_px: Length
    """Margin that the layout keeps free, px."""


class BySize(Canvas):
    """Rows of each split, shared out by size; no two look alike."""

    QUOTAS = frozenset({"splits", "similarity"})

    splits: Splits
    """Rows of each split."""
    sizes: tuple[tuple[Positive, Positive], ...] = Field(min_length=1)
    """Ranges of the number of curves, which share the rows evenly."""
    similarity: Annotated[float, Field(gt=0, le=1)]
    """From this similarity on, 0 to 1, two drawings are duplicates."""

    @property
    def trees_to(self) -> int:
        """The number of curves up to which every tree is drawn."""
        return 0

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        overlap = any(high >= low for (_, high), (low, _) in pairwise(self.sizes))
        if overlap or any(low > high for low, high in self.sizes):
            raise ValueError(f"sizes must rise and not overlap, got {self.sizes}")
        for nodes in self.sizes:
            self.config(nodes)
        return self

    def config(self, nodes: tuple[int, int]) -> object:
        """Return the requirements of a drawing of that many curves. Raises ``ValueError`` if no canvas can hold it."""
        raise NotImplementedError
