"""The motions of a plot in ``marvl-qa-hard``: a rotation or reflection, then a translation; either may be absent."""

from dataclasses import dataclass
from typing import Literal

Turn = Literal["no_change", "rotate_90_clockwise", "rotate_180", "reflect_x", "reflect_y", "reflect_diagonal"]
TURNS: tuple[Turn, ...] = (
    "no_change",
    "rotate_90_clockwise",
    "rotate_180",
    "reflect_x",
    "reflect_y",
    "reflect_diagonal",
)
#: The axis of a translation; empty for none.
Axis = Literal["", "x", "y"]


@dataclass(frozen=True, slots=True)
class Motion:
    """A rotation or reflection (``turn``) of the plot, then a translation along ``axis``; either may be absent.

    ``reflect_x`` swaps left and right, ``reflect_y`` top and bottom, and ``reflect_diagonal`` the two axes.
    """

    turn: Turn
    axis: Axis

    @property
    def name(self) -> str:
        """The name of the motion in rows, such as ``rotate_180``, ``translate_x`` or ``rotate_180+translate_x``."""
        parts = (self.turn if self.turn != "no_change" else "", f"translate_{self.axis}" if self.axis else "")
        return "+".join(filter(None, parts)) or "no_change"


#: All motions by their names, each of which is an option of every question; ``no_change`` is never right.
MOTIONS: dict[str, Motion] = {motion.name: motion for motion in (Motion(t, a) for a in ("", "x", "y") for t in TURNS)}
ANSWERS: tuple[str, ...] = tuple(name for name in MOTIONS if name != "no_change")
