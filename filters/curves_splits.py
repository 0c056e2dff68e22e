"""Splits rows so that training sees every tree shape: 210 / 45 / 45 in `easy` (CurveBench, section 3)."""

from collections.abc import Mapping, Sequence

import numpy as np


def assign(shapes: Sequence[str], quotas: Mapping[str, int], rng: np.random.Generator) -> list[str]:
    """Return the split of each row; the first split of ``quotas`` holds at least one row of every shape.

    ``shapes``: the canonical string of each row's tree; ``quotas``: rows of each split, the training split first.

    Raises:
        ValueError: if the quotas do not add up to the rows, or the first is smaller than the number of shapes.
    """
    first = next(iter(quotas))
    kinds = sorted(set(shapes))
    if sum(quotas.values()) != len(shapes):
        raise ValueError(f"need quotas that add up to {len(shapes)} rows, got {dict(quotas)}")
    if quotas[first] < len(kinds):
        raise ValueError(f"need {first} >= {len(kinds)} rows to show every tree shape, got {quotas[first]}")
    order = rng.permutation(len(shapes)).tolist()
    kept: dict[str, int] = {}
    for row in order:
        kept.setdefault(shapes[row], row)
    pinned = set(kept.values())
    # Pinned rows come first and the first split is filled first.
    queue = [*sorted(pinned), *(row for row in order if row not in pinned)]
    splits = [""] * len(shapes)
    for name, quota in quotas.items():
        for row in queue[:quota]:
            splits[row] = name
        queue = queue[quota:]
    return splits
