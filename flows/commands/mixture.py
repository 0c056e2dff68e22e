"""The file of a mixture: streams to train on, and datasets with the replies to be scored, of any suites."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from planimeter.flows.commands import stream
from planimeter.flows.commands.options import out
from planimeter.flows.errors import PlanimeterError
from planimeter.recipes.base import Positive, Table
from planimeter.recipes.errors import RecipeError
from planimeter.recipes.loading import message, read

SeedOfStream = Annotated[int, Field(ge=0, lt=2**61)]


class Streamed(Table):
    """A stream of the mixture."""

    ladder: str
    """Name of the stream, such as curves."""
    level: Positive = 1
    """Difficulty; 1 is the easiest."""
    seed: SeedOfStream = 0
    """Another seed gives other rows."""
    weight: Annotated[float, Field(gt=0)] = 1.0
    """How often rows are drawn from it, beside the weights of the others."""


class Replied(Table):
    """A built dataset, and replies to it."""

    folder: str
    """Folder of the dataset; from the folder of the file on."""
    replies: tuple[str, ...] = Field(min_length=1)
    """Files of replies, or folders of them; from the folder of the file on."""


class MixtureFile(Table):
    """What a file of a mixture holds."""

    seed: SeedOfStream = 0
    """By which the streams are mixed."""
    stream: tuple[Streamed, ...] = ()
    """The streams."""
    dataset: tuple[Replied, ...] = ()
    """The datasets."""


def load(path: Path) -> MixtureFile:
    """Return what the file at ``path`` says. Raises ``RecipeError`` with each fault and its key."""
    try:
        return MixtureFile.model_validate(read(path))
    except ValidationError as error:
        raise RecipeError(str(path), [message(fault) for fault in error.errors()]) from None


def stream_rows(path: Path, rows: int, target: Path, workers: int | None) -> None:
    """Write the first distinct rows of the mixture at ``path``, with the columns that all suites share."""
    mixture = load(path)
    if not mixture.stream:
        raise PlanimeterError(f"{path}: names no streams: add a table [[stream]] with a ladder")
    parts = tuple((part.ladder, part.level, part.seed, part.weight) for part in mixture.stream)
    stream.write(stream.Origin(parts, mixture.seed), rows, target, out, workers=workers)
