"""The recipe of a picture of nested curves, the check of its parameters, and the choice of its random nesting tree.

With some recipes almost no attempt succeeds: random trees of many curves do not fit on the canvas, or rarely have the
required depth. Therefore ``check_trees`` tries some random trees before a build spends hours, and rejects the recipe if
none of them is suitable.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeVar

import numpy as np

from planimeter.generators.curves.packing import least_side
from planimeter.generators.curves.trees import Parents, canonical_parents, check_parents, depth, sample_tree
from planimeter.generators.seeding import rng_of
from planimeter.items import CurvesLook

#: Least paper between two strokes and least stroke width (px) at which an extractor recovers the curves. Below a true
#: stroke of 3.3 px the paper's own extraction (a 3 x 3 erosion) recovers no drawing at all; from 4.2 px on, all.
LEAST_PAPER_PX = 3.0
LEAST_STROKE_PX = 4.0

#: Least width (px) of the paper inside an empty curve, at its widest place.
LEAST_OPENING_PX = 4.0

#: Largest ratio of a tree's least side (see ``lanes``) to the canvas's side: of uniform random trees of 100 curves with
#: a ratio of at most 0.86 one in two hundred does not pack, of those with 0.9 or more most do not.
USABLE = 0.86

#: Black on white, as in the paper.
PLAIN = CurvesLook()

Drawing = TypeVar("Drawing")

TreeShape = Literal["uniform", "bushy", "deep"]


class LayoutError(Exception):
    """A random attempt at a layout failed; another attempt may succeed.

    ``reason`` is a short text under which failed attempts are counted.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def tries(draw: Callable[[np.random.Generator], Drawing], seed: int) -> Iterator[Drawing | LayoutError]:
    """Call ``draw(rng)`` endlessly; yield its result or its LayoutError. ``seed``: the seed of ``rng``."""
    rng = rng_of(seed)
    while True:
        try:
            yield draw(rng)
        except LayoutError as failure:
            yield failure


@dataclass(frozen=True, kw_only=True, slots=True)
class CurvesConfig:
    """The recipe of the pictures of one CurveBench category. Lengths: px of a square canvas; ranges include both ends.

    ``nodes``, ``depth``: the number of curves and of nested levels; ``parents``: one fixed nesting tree, in place of
    ``nodes``, ``depth`` and ``tree_shape``; ``tree_first``, for contour maps: True to choose the tree first, as in
    other categories, False to take it from the contour lines; ``gap_px``: the least distance between the centre lines
    of two curves, or of non-adjacent parts of one; ``convolution``: a factor for lobes, roughness or folding; larger
    values give longer curves (1: the default of the category); ``arcs``: the number of open arcs drawn as distractors.
    """

    nodes: tuple[int, int] = (1, 5)
    depth: tuple[int, int] = (1, 99)
    tree_shape: TreeShape = "uniform"
    parents: Parents | None = None
    tree_first: bool = False
    canvas_px: int = 1024
    margin_px: float = 20.0
    stroke_px: tuple[float, float] = (4.2, 6.0)
    gap_px: float = 8.0
    convolution: float = 1.0
    arcs: tuple[int, int] = (0, 0)
    look: CurvesLook = PLAIN

    def __post_init__(self) -> None:
        for name in ("nodes", "depth", "stroke_px", "arcs"):
            low, high = getattr(self, name)
            if not 0 <= low <= high:
                raise ValueError(f"need 0 <= low <= high, got {name}={(low, high)}")
        if self.nodes[0] < 1 or self.depth[0] > self.nodes[1]:
            raise ValueError(
                f"need nodes >= 1 and the least depth <= the most nodes, got nodes={self.nodes} depth={self.depth}; "
                "raise nodes or lower depth"
            )
        if self.stroke_px[0] < LEAST_STROKE_PX:
            raise ValueError(
                f"need stroke_px >= {LEAST_STROKE_PX}, got {self.stroke_px}: thinner strokes cannot be read "
                "from the picture; raise stroke_px"
            )
        if self.gap_px < self.stroke_px[0] + LEAST_PAPER_PX:
            raise ValueError(
                f"need gap_px >= stroke + {LEAST_PAPER_PX} px of paper = {self.stroke_px[0] + LEAST_PAPER_PX}, "
                f"got gap_px={self.gap_px}: raise gap_px or thin the stroke"
            )
        if self.look.ink == "dashed" and self.gap_px < self.stroke_px[0] + 2 * self.look.dash_px[1]:
            raise ValueError(
                f"need gap_px >= stroke + twice the space between dashes = "
                f"{self.stroke_px[0] + 2 * self.look.dash_px[1]}, got gap_px={self.gap_px}: a reader that bridges the "
                "spaces could join closer curves; raise gap_px or shorten the spaces"
            )
        if self.parents is not None:
            check_parents(self.parents)

    def fits(self, parents: Parents, opening_px: float = 0.0) -> bool:
        """Return True if a drawing of the tree ``parents`` probably fits on the canvas (``lanes`` <= ``usable_lanes``).

        ``opening_px``: the least width of blank paper inside each empty curve.
        """
        return self.lanes(parents, opening_px) <= self.usable_lanes

    def lanes(self, parents: Parents, opening_px: float = 0.0) -> float:
        """Return a lower bound on the side of any drawing of the tree, in units of ``gap_px``; see ``least_side``.

        ``opening_px``: the least width of blank paper inside each empty curve.
        """
        # The centre line of an empty curve goes around a disc as wide as its opening and its stroke.
        disc = math.pi / 4 * ((self.stroke_px[0] + opening_px) / self.gap_px) ** 2
        return least_side(parents, max(1.0, disc))

    @property
    def usable_lanes(self) -> float:
        """Return the greatest side (units of ``gap_px``) that a tree may need, by ``lanes``, to fit on the canvas."""
        return USABLE * (self.tightest_cells - 2)

    @property
    def cells(self) -> int:
        """Return the number of cells on a side of the finest grid on which curves are normally grown.

        Curves run along the edges of grid cells (see ``growth``), each of which is wider than ``gap_px``.
        """
        return int((self.canvas_px - 2 * self.margin_px) / self.gap_px) - 1

    @property
    def tightest_cells(self) -> int:
        """Return the number of cells on a side of the finest possible grid, for trees that need more than ``cells``.

        A grid cell is then hardly wider than ``gap_px``, if the drawing fills all but the outermost ring of cells.
        """
        return self.cells + 3


#: Curves of the largest trees that are sampled, and the number of samples. The least side of a larger tree is
#: extrapolated from these: it grows at least with the square root of the number of curves.
_LARGEST, _LARGE_TREES = 300, 20

#: Trees that are sampled for the required depth: a config for which all of them fail gives hardly one row an hour.
_TREES = 500


def draw_tree(config: CurvesConfig, rng: np.random.Generator, tries: int = 200) -> Parents:
    """Return the fixed tree of ``config`` or, if it has none, a random tree of its size, depth and shape.

    The tree is in canonical form; see ``trees``.

    Raises:
        LayoutError: if none of ``tries`` random trees has the required depth and fits on the canvas.
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


@cache  # each shard reads its recipe again
def check_trees(config: CurvesConfig, opening_px: float) -> None:
    """Raise an error if the trees of ``config`` do not fit on its canvas or do not have the depth that it requires.

    ``opening_px``: the least width of paper inside an empty curve.

    Raises:
        ValueError: if the fixed tree is unsuitable, or if all of a sample of random trees are.
    """
    if config.parents is None:
        _check_largest(config, opening_px)
        _check_depth(config)
    elif not config.fits(config.parents, opening_px):
        raise ValueError(
            f"the tree of {len(config.parents)} curves does not fit on a canvas of {config.canvas_px} px: with "
            f"{opening_px} px of paper inside each empty curve it is at least "
            f"{config.lanes(config.parents, opening_px):.1f} gaps (gap_px={config.gap_px}) wide, and the limit is "
            f"{config.usable_lanes:.1f}; take a larger canvas or a smaller opening"
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
        f"need nodes <= about {int(config.nodes[1] * (config.usable_lanes / least) ** 2)} on a canvas of "
        f"{config.canvas_px} px at gap_px={config.gap_px}, got {config.nodes[1]}: of {_LARGE_TREES} random trees "
        f"({config.tree_shape}, opening of {opening_px} px) the smallest is at least {least:.1f} gaps wide, and the "
        f"limit is {config.usable_lanes:.1f}; take a larger canvas or a smaller gap_px"
    )


def _check_depth(config: CurvesConfig) -> None:
    if config.nodes[1] > _LARGEST:
        return
    try:
        draw_tree(config, rng_of(0), _TREES)
    except LayoutError as failure:
        raise ValueError(
            f"need trees of {config.nodes[0]} to {config.nodes[1]} curves that are {config.depth[0]} to "
            f"{config.depth[1]} deep, but none of {_TREES} random trees ({config.tree_shape}) is suitable "
            f"({failure.reason}): widen depth, change nodes, or take another tree_shape"
        ) from None


def _sample(n: int, config: CurvesConfig, rng: np.random.Generator) -> Parents:
    return sample_tree(n, rng) if config.tree_shape == "uniform" else _attached(n, config, rng)


def _attached(n: int, config: CurvesConfig, rng: np.random.Generator) -> Parents:
    """Return a random recursive tree of ``n`` curves: each curve is put inside a random earlier one or the exterior.

    If ``tree_shape`` is ``deep``, a curve is put inside one of the two latest with probability 0.6. Curves at the
    largest depth of ``config`` get no children.
    """
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
