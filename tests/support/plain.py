"""Builds without processes and without Prefect: the functions of the flows and tasks, one after the other."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock
from uuid import uuid4

from prefect import Flow, Task
from prefect.blocks.core import Block
from prefect.logging import disable_run_logger
from prefect.states import State
from prefect.utilities.annotations import BaseAnnotation

from planimeter.flows import build as flow
from planimeter.flows import tasks
from planimeter.flows.display import artifacts, events
from planimeter.flows.imports import steps
from planimeter.flows.imports.chunks import Options
from planimeter.flows.options import BuildOptions
from planimeter.flows.secret import Sealed
from planimeter.flows.store.place import Place
from planimeter.flows.store.results import PLAIN
from planimeter.flows.workers.calls import Workers
from planimeter.suites.base import Recipe
from planimeter.suites.loading import load


class Here(Workers):
    """The one worker is this process."""

    __slots__ = ()

    def __init__(self) -> None:
        self.threads = 1

    def call(self, name: str, attempt: int, function: Callable[..., Any], *arguments: object) -> Any:
        return function(*arguments)

    def stop(self) -> None:
        pass


@dataclass
class Future:
    """The end of a mapped task."""

    value: Any
    state: Any

    def result(self) -> Any:
        return self.value


def bare(value: Any) -> Any:
    """What a task gets of an annotated argument."""
    while isinstance(value, BaseAnnotation):
        value = value.unwrap()
    return value


def called(step: Any, *given: object, **named: object) -> Any:
    """What Prefect returns of a task or a flow, or raises."""
    result = step.fn(*map(bare, given), **{name: bare(value) for name, value in named.items()})
    if isinstance(result, State):
        assert isinstance(step, Flow), "Prefect gives the caller of a task the state itself"
        if result.is_failed():
            raise result.data
        return result.data
    return result


def mapped(step: Any, items: Sequence[Any], keys: Sequence[str], *given: object) -> list[Future]:
    """What Prefect returns of a mapped task, with its cache in ``result_storage``."""
    return [_mapped(step, item, key, given) for item, key in zip(items, keys, strict=True)]


def _mapped(step: Any, item: Any, key: str, given: Sequence[object]) -> Future:
    if not step.refresh_cache:
        with suppress(OSError, ValueError):
            kept = json.loads(step.result_storage.read_path(key))["result"]
            return Future(json.loads(kept), SimpleNamespace(name=tasks.CACHED))
    value = called(step, item, key, *given)
    content = {"metadata": {"serializer": PLAIN}, "result": json.dumps(value)}
    step.result_storage.write_path(key, json.dumps(content).encode())
    return Future(value, SimpleNamespace(name="Completed"))


@contextmanager
def without_prefect() -> Iterator[None]:
    """Let tasks and flows be plain functions within this block."""
    with ExitStack() as stack:
        stack.enter_context(disable_run_logger())
        patch = mock.patch.object
        for kind in (Task, Flow):
            stack.enter_context(patch(kind, "__call__", called))
        stack.enter_context(patch(Task, "map", mapped))
        stack.enter_context(patch(Block, "save", lambda block, *_, **__: setattr(block, "_block_document_id", uuid4())))
        stack.enter_context(patch(tasks, "as_completed", list))
        stack.enter_context(patch(Workers, "of_processes", lambda *_: Here()))
        for function in ("publish_address", "publish_funnel", "publish_timings"):
            stack.enter_context(patch(artifacts, function, lambda *_: None))
        stack.enter_context(patch(events, "emit", lambda *_: None))
        yield


@dataclass(frozen=True)
class Built:
    """What a build returned: the dataset's place, what it says of it, and whether it stood there already."""

    place: Place
    message: str
    stood: bool

    @property
    def folder(self) -> Path:
        return self.place.folder


def build(recipe: Recipe | str, outputs: Path | str, *, sealed: Path | None = None, **given: object) -> Built:
    """Build ``recipe`` (by name, with what is ``given`` in place of its own values) below ``outputs``, in this process;
    with a ``sealed`` file of a seed as a sealed edition.

    Raises what the flow would report as one line.
    """
    loaded = load(recipe, **given) if isinstance(recipe, str) else recipe
    assert isinstance(loaded, Recipe)
    if sealed:
        loaded = loaded.model_copy(update={"seed": None})
    place = Place(loaded, str(outputs), Sealed.at(sealed) if sealed else None)
    with without_prefect():
        state = flow.build_at(place, BuildOptions(recipe=loaded.dataset, workers=1))
    return Built(place, str(state.message), state.name == tasks.UNCHANGED)


def curate(options: Options) -> Path:
    """Import a corpus in this process, and return the dataset's folder."""
    with without_prefect():
        return steps.import_corpus(options)
