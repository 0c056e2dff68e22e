"""The settings that the recipes of `curves` and `curves_maps` share: the picture, and rows by number of curves."""

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
    """Return ``splits`` with the training split first.

    A manifest sorts splits by name; a fixed order leads to the same plan of items.
    """
    return {split: splits[split] for split in get_args(Split) if split in splits}


#: Rows of each split; the training split comes first, so that it gets a row of every tree before the others do.
Splits = Annotated[Mapping[Split, Positive], Field(min_length=1), AfterValidator(_training_first)]


class Canvas(Table):
    """The settings that all pictures of curves share: size and margin, tries per row, and rows per shard."""

    attempts: Positive
    """Candidates that are tried for one row."""
    rows_per_shard: Positive
    """Rows of one shard, the unit of work."""
    canvas_px: Annotated[int, Field(ge=64, le=4096)]
    """Side of the square picture, px."""
    margin_px: Length
    """Empty margin around the drawing, px."""


class BySize(Canvas):
    """The settings of rows without near-duplicates, equally many for each range of the number of curves."""

    QUOTAS = frozenset({"splits", "similarity"})

    splits: Splits
    """Rows of each split."""
    sizes: tuple[tuple[Positive, Positive], ...] = Field(min_length=1)
    """Ranges of the number of curves; each gets an equal part of the rows."""
    similarity: Annotated[float, Field(gt=0, le=1)]
    """Least similarity, 0 to 1, at which two drawings are near-duplicates."""

    @property
    def trees_to(self) -> int:
        """The largest number of curves for which every tree is drawn equally often; 0 if all drawings are random."""
        return 0

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        overlap = any(high >= low for (_, high), (low, _) in pairwise(self.sizes))
        if overlap or any(low > high for low, high in self.sizes):
            raise ValueError(f"sizes must be increasing ranges that do not overlap, got {self.sizes}")
        for nodes in self.sizes:
            self.config(nodes)
        return self

    def config(self, nodes: tuple[int, int]) -> object:
        """Return the generator's parameters for drawings of ``nodes`` (least, greatest) curves.

        Raises:
            ValueError: if the canvas is too small, or no drawing can meet the limits.
        """
        raise NotImplementedError
