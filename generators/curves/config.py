"""What a recipe asks of a picture of nested curves; ``wanted.check_trees`` refuses what no canvas can hold."""

import math
from dataclasses import dataclass
from typing import Literal

from planimeter.generators.curves.packing import least_side
from planimeter.generators.curves.trees import Parents, check_parents
from planimeter.items import CurvesLook

#: Least paper (px) between two strokes and least stroke (px) that any extractor can be trusted with. Below a true
#: stroke of 3.3 px the paper's own extraction (a 3 x 3 erosion) recovers no drawing at all; from 4.2 px on, all.
LEAST_PAPER_PX = 3.0
LEAST_STROKE_PX = 4.0

#: Least width (px) of the paper that an empty curve has inside, at its widest place.
LEAST_OPENING_PX = 4.0

#: How much of the canvas's side (in lanes of one gap) a tree may take in theory: of uniform random trees of 100 curves
#: that take 0.86 of it or less one in two hundred does not pack, of those that take 0.9 or more most do not.
USABLE = 0.86

#: Black on white, as in the paper.
PLAIN = CurvesLook()

TreeShape = Literal["uniform", "bushy", "deep"]


class LayoutError(Exception):
    """This draw does not lead to a picture; ``reason`` is a short key for the funnel. The next draw may."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, kw_only=True, slots=True)
class CurvesConfig:
    """One category's recipe. Lengths in px of a square canvas; ranges include both ends.

    ``gap_px`` is the least distance between centre lines, of two curves or of two stretches of one; ``nodes`` and
    ``depth`` count curves; ``parents`` asks for one tree (then ``nodes``, ``depth`` and ``tree_shape`` are not used);
    ``tree_first`` draws the tree before the picture even where the style finds it in a terrain;
    ``convolution`` scales the length of boundaries (1: the style's own); ``arcs`` is how many open arcs distract.
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
            raise ValueError(f"need 1 <= nodes and depth <= nodes, got nodes={self.nodes} depth={self.depth}")
        if self.stroke_px[0] < LEAST_STROKE_PX:
            raise ValueError(
                f"need stroke_px >= {LEAST_STROKE_PX}, got {self.stroke_px}: thinner is lost in extraction"
            )
        if self.gap_px < self.stroke_px[0] + LEAST_PAPER_PX:
            raise ValueError(
                f"need gap_px >= stroke + {LEAST_PAPER_PX} px of paper = {self.stroke_px[0] + LEAST_PAPER_PX}, "
                f"got gap_px={self.gap_px}: raise gap_px or thin the stroke"
            )
        if self.look.ink == "dashed" and self.gap_px < self.stroke_px[0] + 2 * self.look.dash_px[1]:
            raise ValueError(
                f"need gap_px >= stroke + twice the space of a dash = {self.stroke_px[0] + 2 * self.look.dash_px[1]}, "
                f"got gap_px={self.gap_px}: closer curves could be joined across a space"
            )
        if self.parents is not None:
            check_parents(self.parents)

    def fits(self, parents: Parents, opening_px: float = 0.0) -> bool:
        """Return whether the canvas can be trusted to hold the tree, each empty curve ``opening_px`` wide inside."""
        return self.lanes(parents, opening_px) <= self.usable_lanes

    def lanes(self, parents: Parents, opening_px: float = 0.0) -> float:
        """Return the side, in lanes of one gap, that no drawing of the tree can undercut; see ``least_side``."""
        # The centre line of an empty curve goes around a disc as wide as its opening and its stroke.
        disc = math.pi / 4 * ((self.stroke_px[0] + opening_px) / self.gap_px) ** 2
        return least_side(parents, max(1.0, disc))

    @property
    def usable_lanes(self) -> float:
        """How many lanes on a side the canvas can be trusted to hold; see ``USABLE``."""
        return USABLE * (self.tightest_cells - 2)

    @property
    def cells(self) -> int:
        """How many gaps lie side by side in the drawing area: the finest grid that a drawing may use."""
        return int((self.canvas_px - 2 * self.margin_px) / self.gap_px) - 1

    @property
    def tightest_cells(self) -> int:
        """The finest grid of all: a drawing that fills it, but for its outermost ring, has cells of just a gap."""
        return self.cells + 3
