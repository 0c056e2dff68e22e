"""The consoles of the command line: their output may quote foreign files, and no terminal obeys it."""

from collections.abc import Iterable

from rich import console
from rich.segment import Segment

from planimeter.items.printing import printable


class Console(console.Console):
    """A console that makes control characters in its output visible, also within tables and bars.

    It replaces no emoji codes: in ``rows.jsonl:100:`` rich would draw a picture of a hundred.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)

    def render(
        self, renderable: console.RenderableType, options: console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of ``renderable``; only rich itself controls the terminal."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)
