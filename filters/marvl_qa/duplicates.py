"""Signatures of plots, equal if their pictures look the same, to find repeated plots.

A colour scale stretches over the range of the plot, so surfaces that differ only in amplitude or height give the same
picture, to the byte. The signature is therefore computed from the grid normalised to its range, averaged over blocks
and quantised.

Tolerance: if heights change by the fraction e of the range, each of the 4,096 block means is quantised differently
with a probability of 63 e. Float noise (e below 1e-13) therefore separates one pair of equal pictures in ten million, a
change of 1e-5 nearly always gives another signature, and one of more than 1/63 in any block always does. This finds
repeats; it does not find near-duplicates.
"""

from hashlib import blake2b

import numpy as np

from planimeter.generators.marvl_qa.sampling import Grid

#: Blocks per axis, and steps between quantisation levels.
BLOCKS = 64
LEVELS = 63
#: Keeps the round fractions of symmetric surfaces (0, 1/2, 1) away from the borders between levels.
DITHER = 0.2137


def signature(grid: Grid) -> bytes:
    """Return 16 bytes, equal for grids that differ only in amplitude and height; ``grid`` is (rows, columns).

    Raises:
        ValueError: if the grid has fewer than 64 rows or columns.
    """
    if grid.ndim != 2 or min(grid.shape) < BLOCKS:
        raise ValueError(f"need a grid of at least {BLOCKS} x {BLOCKS} samples, got shape {grid.shape}")
    low, spread = float(grid.min()), float(np.ptp(grid))
    means = (_block_means(_block_means(grid).T) - low) / (spread or 1.0)
    levels = np.floor(means * LEVELS + DITHER).astype(np.uint8)
    return blake2b(levels.tobytes(), digest_size=16).digest()


def _block_means(grid: Grid) -> Grid:
    """Return the means of ``BLOCKS`` groups of consecutive rows, (64, columns); group sizes differ by at most 1."""
    edges = np.linspace(0, len(grid), BLOCKS + 1).astype(np.int64)
    return np.add.reduceat(grid, edges[:-1], axis=0) / np.diff(edges)[:, None]
