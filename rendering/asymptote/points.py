"""The points that an Asymptote program names, for code that measures the drawing."""

from collections.abc import Iterator

from planimeter.filters.certify.geogram.asymptote import Node, UnreadableError, parse
from planimeter.items import Drawing
from planimeter.rendering.asymptote.drawing import Machine

Points = dict[str, tuple[float, float]]


def named_points(code: str) -> tuple[Points, Drawing]:
    """Return the points among the names of ``code``, which holds no comments, and what it draws.

    A statement that is not drawn here (an axis, a clip) is passed over, and code that cannot be read has neither.
    """
    machine = Machine()
    for node in _statements(code):
        try:
            machine.run([node])
        except (UnreadableError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
            continue
    points = {name: (z.real, z.imag) for name, z in machine.names.items() if isinstance(z, complex)}
    return points, Drawing(marks=tuple(machine.marks))


def _statements(code: str) -> Iterator[Node]:
    try:
        yield from parse(code)
    except (UnreadableError, RecursionError):
        return
