"""An import without processes and without Prefect: its steps one after the other, as the flow takes them."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from planimeter.flows.display.bars import bars
from planimeter.flows.imports.chunks import Options
from planimeter.flows.imports.steps import ImportSteps, import_corpus
from planimeter.flows.workers.processes import Workers

Result = TypeVar("Result")


class Here(Workers):
    """The one worker is this process."""

    def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        return function(*arguments)

    @property
    def in_flight(self) -> int:
        return 1

    def close(self) -> None:
        pass


class Plain(ImportSteps):
    """Prefect's part of a step left out."""

    def _step(self, name: str, function: Callable[[], Result], **_: object) -> Result:
        return function()

    def _fold(self, name: str, what: str, function: Callable[[], Result], workers: Workers) -> Result:
        return function()

    def _map(
        self,
        name: str,
        labels: Sequence[str],
        function: Callable[[int], Any],
        finished: Sequence[Callable[[], Any]],
        ended: Callable[[int, Any], object],
    ) -> Iterator[Any]:
        for number in range(len(labels)):
            there = finished[number]()
            found = function(number) if there is None else there
            ended(number, found)
            yield found


def curate(options: Options) -> Path:
    with bars() as shown:
        return import_corpus(options, "planimeter import", shown, Plain, lambda _: Here())
