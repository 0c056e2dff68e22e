"""The tree that a config asks for, and the refusal of a config whose trees are never drawn or never fit.

Random trees take far more room than the star and are seldom of an extreme depth: a few are tried here, before a build
spends hours on it.
"""

import math

import numpy as np

from planimeter.generators.curves.config import CurvesConfig, LayoutError
from planimeter.generators.curves.trees import Parents, canonical_parents, depth, sample_tree
from planimeter.generators.seeding import rng_of

#: The largest trees that are tried, and how many. Larger ones are judged by these: the side that a tree takes grows
#: with the root of its size at least.
_LARGEST, _LARGE_TREES = 300, 20

#: Trees that are tried for the wanted depth: a config for which none of so many fits makes hardly a row an hour.
_TREES = 500


def draw_tree(config: CurvesConfig, rng: np.random.Generator, tries: int = 200) -> Parents:
    """Return the wanted tree, or one of the wanted size, depth and shape; canonical.

    Raises:
        LayoutError: if none of ``tries`` trees has the wanted depth and fits the canvas.
    """
    if config.parents is not None:
        return canonical_parents(config.parents)
    reason = "no tree of the wanted depth"
    for _ in range(tries):
        tree = _sample(int(rng.integers(config.nodes[0], config.nodes[1] + 1)), config, rng)
        if config.depth[0] <= depth(tree) <= config.depth[1]:
            if config.fits(tree):
                return tree
            reason = "tree does not fit the canvas"
    raise LayoutError(reason)


def check_trees(config: CurvesConfig, opening_px: float) -> None:
    """Refuse a config whose trees do not fit the canvas, or are not as deep as wanted.

    ``opening_px``: least width that an empty curve has inside, between its stroke's edges.

    Raises:
        ValueError: if the wanted tree, or none of some that were drawn, will do; with the limit.
    """
    if config.parents is None:
        _check_largest(config, opening_px)
        _check_depth(config)
    elif not config.fits(config.parents, opening_px):
        raise ValueError(
            f"need room for every tree with an opening of {opening_px} px in each empty curve, but one of "
            f"{len(config.parents)} curves takes {config.lanes(config.parents, opening_px):.1f} lanes of "
            f"gap_px={config.gap_px} on a side of {config.usable_lanes:.1f}: take a larger canvas or lower the opening"
        )


def _check_largest(config: CurvesConfig, opening_px: float) -> None:
    tried = min(config.nodes[1], _LARGEST)
    growth = math.sqrt(config.nodes[1] / tried)
    rng, least = rng_of(0), math.inf
    for _ in range(_LARGE_TREES):
        least = min(least, growth * config.lanes(_sample(tried, config, rng), opening_px))
        if least <= config.usable_lanes:
            return
    raise ValueError(
        f"need nodes <= {int(config.nodes[1] * (config.usable_lanes / least) ** 2)} or so on a canvas of "
        f"{config.canvas_px} px at gap_px={config.gap_px}, got {config.nodes[1]}: of {_LARGE_TREES} such trees "
        f"({config.tree_shape}, opening of {opening_px} px) the smallest takes {least:.1f} lanes on a side of "
        f"{config.usable_lanes:.1f}; take a larger canvas or a smaller gap"
    )


def _check_depth(config: CurvesConfig) -> None:
    if config.nodes[1] > _LARGEST:
        return
    try:
        draw_tree(config, rng_of(0), _TREES)
    except LayoutError as failure:
        raise ValueError(
            f"need trees of {config.nodes[0]} to {config.nodes[1]} curves that are {config.depth[0]} to "
            f"{config.depth[1]} deep, but of {_TREES} that were drawn ({config.tree_shape}) none will do "
            f"({failure.reason}): widen depth, change the sizes, or take another tree_shape"
        ) from None


def _sample(n: int, config: CurvesConfig, rng: np.random.Generator) -> Parents:
    return sample_tree(n, rng) if config.tree_shape == "uniform" else _attached(n, config, rng)


def _attached(n: int, config: CurvesConfig, rng: np.random.Generator) -> Parents:
    """Return a random recursive tree: each curve inside a random earlier one; ``deep`` prefers the latest."""
    levels, open_nodes = [0], [0]
    parents: list[int] = []
    for node, picks in enumerate(rng.random((n, 2)), start=1):
        latest = config.tree_shape == "deep" and picks[1] < 0.6
        around = open_nodes[-2:] if latest else open_nodes
        parents.append(around[int(picks[0] * len(around))])
        levels.append(levels[parents[-1]] + 1)
        if levels[node] < config.depth[1]:
            open_nodes.append(node)
    return canonical_parents(tuple(parents))
