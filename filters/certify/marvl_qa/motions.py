"""Pixel certificates of the config ``transformation_hard``: the motion that turns the left panel into the right one.

A motion is a rotation or reflection, a translation, or both. The height fields of both panels are compared after every
motion, for translations after every allowed shift by whole pixels, over the area that both panels show. The surfaces
have small bumps, so the fields have more pixels than in ``registration.py``.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

import cv2
import numpy as np

from planimeter.filters.certify.marvl_qa.certificate import choose
from planimeter.filters.certify.marvl_qa.reading import PanelReading, UnreadableError, decode, read_panel
from planimeter.filters.certify.marvl_qa.registration import Field, Moved, rms
from planimeter.filters.certify.marvl_qa.shrunk import read_panels
from planimeter.filters.certify.png import Pixels
from planimeter.items import Reading
from planimeter.items.motions import MOTIONS, Turn

Prepared = TypeVar("Prepared")

CERTIFIER: Final = "pixels/motions"
#: Fields are compared at this many px; a translation moves by these shares of the axis.
SIZE: Final = 240
LEAST_SHIFT: Final = 0.01
MOST_SHIFT: Final = 0.06

#: The view of a field after each turn.
TURNED: dict[Turn, Callable[[Field], Field]] = {
    "no_change": lambda field: field,
    "rotate_90_clockwise": lambda field: np.rot90(field, -1),
    "rotate_180": lambda field: np.rot90(field, 2),
    "reflect_x": np.fliplr,
    "reflect_y": np.flipud,
    "reflect_diagonal": lambda field: np.rot90(field, 2).T,
}


def certify(png: bytes, options: Sequence[str]) -> Reading:
    """Return as the answer the 1-based number, among ``options``, of the motion from left to right panel."""
    try:
        panels = [read_panel(panel) for panel in decode(png)]
        if len(panels) != 2:
            return Reading(certifier=CERTIFIER, answer=None, reason="not two panels")
        return choose(residuals(*panels), options, CERTIFIER)
    except UnreadableError as unreadable:
        return Reading(certifier=CERTIFIER, answer=None, reason=str(unreadable))


def read_motion(picture: Pixels, share: float, reduction: str, options: Sequence[str]) -> Iterator[str | None]:
    """Yield once the 1-based number, among ``options``, of the motion in a shrunk picture, or None if none is clear.

    ``picture`` has its original size; it is shrunk to ``share`` of that by ``reduction``, "area" or "bicubic".
    Nothing is yielded if it does not have two panels.
    """
    try:
        panels = read_panels(picture, share, reduction, 2)
        if len(panels) == 2:
            yield choose(residuals(*panels), options, CERTIFIER).answer
    except UnreadableError:
        yield None


def residuals(first: PanelReading, second: PanelReading) -> dict[str, float]:
    """Return {motion: RMS difference of the moved first panel from the second}, as shares of the range of heights.

    Raises:
        UnreadableError: if a panel is a contour plot, which has intervals instead of heights.
    """
    if first.levels or second.levels:
        raise UnreadableError("contour lines alone")
    a, b = (_field(panel) for panel in (first, second))
    return by_motion(a, b, Moved, lambda moved, other: moved.least_shifted(other, LEAST_SHIFT, MOST_SHIFT), rms)


def by_motion(
    a: Field,
    b: Field,
    prepare: Callable[[Field], Prepared],
    least_shifted: Callable[[Prepared, Prepared], float],
    size: Callable[[Field], float],
) -> dict[str, float]:
    """Return {motion: difference of ``b`` from ``a`` after this motion of ``a``}.

    ``size`` reduces an array of differences to one number, such as the RMS. For motions with a translation,
    ``least_shifted`` returns the least number over all allowed shifts along the rows, given the results of
    ``prepare`` for both fields (transposed for shifts along y).
    """
    along = {"x": prepare(b), "y": prepare(np.ascontiguousarray(b.T))}
    found: dict[str, float] = {}
    for turn, turned in TURNED.items():
        field = np.ascontiguousarray(turned(a))
        moved = {"x": prepare(field), "y": prepare(np.ascontiguousarray(field.T))}
        for motion in MOTIONS.values():
            if motion.turn == turn:
                found[motion.name] = (
                    least_shifted(moved[motion.axis], along[motion.axis]) if motion.axis else size(field - b)
                )
    return found


def _field(panel: PanelReading) -> Field:
    return np.asarray(cv2.resize(panel.heights, (SIZE, SIZE), interpolation=cv2.INTER_AREA), np.float32)
