"""The command `canary`: finds canaries, strings that mark each file of a published dataset, in other files."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planimeter.flows.commands.options import out
from planimeter.flows.errors import PlanimeterError

if TYPE_CHECKING:
    from planimeter.export.canary import Canary

#: Bytes of a piece of a file that is searched at once, and of the overlap of two pieces, which is longer than a canary.
PIECE, SHARED = 1 << 24, 1 << 9


def canary(
    files: Annotated[list[Path], typer.Argument(help="Files to search: texts, or any others that are not compressed.")],
) -> None:
    """Print the datasets whose canaries (marker strings) FILES contain; exit with 1 if FILES contain none."""
    found = Counter((path, each) for path in files for each in _canaries(path))
    for (path, each), number in sorted(found.items()):
        out.print(f"{path}: {each.dataset} {each.version}{f', {number} times' if number > 1 else ''}")
    if not found:
        out.print(f"no canary of Planimeter in {', '.join(map(str, files))}")
        raise typer.Exit(1)


def _canaries(path: Path) -> "list[Canary]":
    from planimeter.export.canary import find

    canaries: list[Canary] = []
    try:
        with path.open("rb") as file:
            before = b""
            while piece := file.read(PIECE):
                text = (before + piece).decode(errors="replace")
                seen = len([*find(before.decode(errors="replace"))])
                canaries += [*find(text)][seen:]
                before = (before + piece)[-SHARED:]
    except OSError as error:
        raise PlanimeterError(f"{path} cannot be read: {error.strerror}; give files, such as card.md") from None
    return canaries
