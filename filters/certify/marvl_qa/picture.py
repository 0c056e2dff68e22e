"""From the bytes of a picture to its panels: pixels as numbers of colours, and the colours."""

from typing import Final

from planimeter.filters.certify.png import Indexed, Pixels, indexed

#: A picture this many times as wide as high has two panels.
TWO_PANELS: Final = 1.5


class UnreadableError(ValueError):
    """The picture does not show what a panel must show; the message is a key of the funnel."""


def decode(png: bytes) -> tuple[Indexed, ...]:
    """Return the one or two panels of a picture, left to right; ``UnreadableError`` if it is none."""
    read = indexed(png)
    if read is None:
        raise UnreadableError("no picture")
    indices, colours = read
    if len(colours) > 256:
        raise UnreadableError("more colours than a plot has")
    return tuple((half, colours) for half in halves(indices))


def halves(indices: Pixels) -> tuple[Pixels, ...]:
    """Return the pixels of each panel."""
    height, width = indices.shape
    return (indices,) if width < TWO_PANELS * height else (indices[:, : width // 2], indices[:, width // 2 :])
