"""The console of the command line: control characters that its output quotes from files never reach the terminal."""

from collections.abc import Iterable

from rich import console
from rich.segment import Segment

from planimeter.items.printing import printable


class Console(console.Console):
    """A console that makes control characters in its output visible, also within tables and bars.

    Emoji codes are not replaced: rich would print an emoji for ``:100:`` in ``rows.jsonl:100:``.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)

    def render(
        self, renderable: console.RenderableType, options: console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of ``renderable``, with control characters in texts made visible."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)
