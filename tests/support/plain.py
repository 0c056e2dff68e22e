"""Builds and imports without processes and without Prefect: their steps one after the other, as the flows take them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from planimeter.flows import build as flow
from planimeter.flows.display.bars import Bars, bars
from planimeter.flows.imports.chunks import Options
from planimeter.flows.imports.steps import ImportSteps, import_corpus
from planimeter.flows.steps import Steps
from planimeter.flows.store.place import Place
from planimeter.flows.workers.processes import Workers
from planimeter.flows.workers.runners import check
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

Result = TypeVar("Result")


class Here(Workers):
    """The one worker is this process."""

    in_flight = 1

    def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        return function(*arguments)

    def close(self) -> None:
        pass


class PlainSteps(Steps):
    """Steps of a build, Prefect's part of each left out; all work is done by ``workers``."""

    def __init__(self, place: Place, workers: Workers, processes: Workers, shown: Bars) -> None:
        super().__init__(place, workers, workers, shown)

    def _step(self, name: str, function: Callable[[], Result], **_: object) -> Result:
        return function()

    def _fold(self, name: str, what: str, function: Callable[[], Result], workers: Workers) -> Result:
        return function()

    def _map(
        self, name: str, jobs: Sequence[tuple[str, Any]], ended: Callable[[int, Any, bool], object]
    ) -> Iterator[Any]:
        # The list may grow while results are read.
        for number, (_, mapped) in enumerate(jobs):
            earlier = mapped.find()
            result = mapped.work() if earlier is None else earlier
            ended(number, result, earlier is None)
            yield result

    def show(self) -> None:
        pass


class ShownSteps(PlainSteps):
    """Plain steps, which show the dataset in Prefect all the same, as far as a test does not stand in for it."""

    show = Steps.show


class PlainImport(PlainSteps, ImportSteps):
    """Steps of an import, Prefect's part of each left out."""

    __init__ = ImportSteps.__init__


@dataclass(frozen=True)
class Built:
    """What a build returned: the dataset's place, what it says of it, and whether it stood there already."""

    place: Place
    message: str
    stood: bool

    @property
    def folder(self) -> Path:
        return self.place.folder


def build(recipe: Recipe | str, outputs: Path | str, steps_of: type[Steps] = PlainSteps, **given: object) -> Built:
    """Build ``recipe`` (by name, with what is ``given`` in place of its own values) below ``outputs``, in this process.

    Raises what the flow would report as one line.
    """
    loaded = load(recipe, **given) if isinstance(recipe, str) else recipe
    assert isinstance(loaded, Recipe)
    execution = check("processes", 1, None)
    with bars(lambda _: None) as shown:
        built = flow.build(loaded, str(outputs), execution, "planimeter build", shown, steps_of, lambda *_: Here())
    return Built(*built)


def curate(options: Options) -> Path:
    with bars() as shown:
        return import_corpus(options, "planimeter import", shown, PlainImport, lambda _: Here())
