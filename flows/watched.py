"""Runs a suite's code in a process of its own, and reports what it does there beside what it returns (``gate``).

A task comes pickled by stdin, and what it returns leaves so by stdout.
"""

import os
import pickle
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from traceback import walk_stack
from types import FrameType
from typing import NamedTuple

import cv2
import numpy as np

from planimeter.filters.verdict import MISREAD
from planimeter.flows.shards import Item, Shard
from planimeter.items import Reading
from planimeter.items.declaration import described
from planimeter.items.suites import declared
from planimeter.recipes.base import Recipe

#: Audit events (PEP 578) of what no attempt at an item may do.
_FORBIDDEN = {
    **dict.fromkeys(("os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec"), "starts a process"),
    "subprocess.Popen": "starts a process",
    **dict.fromkeys(("socket.connect", "socket.getaddrinfo", "urllib.Request"), "uses the network"),
    **dict.fromkeys(("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate"), "changes files"),
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT

#: Where Python and numba keep compiled code, which decides nothing.
_COMPILED = "__pycache__"


class Address(NamedTuple):
    """Item ``number`` of the cell of ``shard``."""

    shard: Shard
    number: int


@dataclass(kw_only=True)
class Attempted:
    """What came of an address: rows by config and their signature, or a ``fault``; the check and reason of the last
    rejection; how many pictures of its cell the certifier had read by then, right and ``misread``; and what its code
    did beside, as (what, where).
    """

    rows: Item = field(default_factory=dict)
    signature: bytes = b""
    rejected: str = ""
    right: int = 0
    misread: int = 0
    fault: str = ""
    deeds: list[tuple[str, str]] = field(default_factory=list)


class Read(NamedTuple):
    """What a certifier answered to a picture: as it is, with its pixels encoded anew, and to a blank one."""

    published: str
    encoded_anew: str
    blank: str
    fault: str = ""


class Seen(NamedTuple):
    """The readings of a certifier, and the modules that its process had loaded by then."""

    readings: list[Read]
    modules: frozenset[str]


def make(recipe: Recipe, addresses: Sequence[Address], noise: int) -> list[Attempted]:
    """Return what comes of each of ``addresses``, in their order; ``noise`` seeds the global random states."""
    from planimeter.flows.suites import suite_of

    random.seed(noise)
    np.random.seed(noise)  # noqa: NPY002 - the state that no suite may draw from
    pipeline, packages = suite_of(recipe), declared(recipe.suite).packages
    maker_of = cache(lambda shard: pipeline.maker(recipe, replace(shard, count=1)))
    attempted = []
    for address in addresses:
        result = Attempted()
        with _watched(packages, result.deeds):
            try:
                maker = maker_of(address.shard)
                item = maker.first(address.number, None)
                for checks in maker.account.funnel.table().values():
                    read = checks.get("certify", {"kept": 0, "rejected": {}})
                    result.right += read["kept"]
                    result.misread += read["rejected"].get(MISREAD, 0)
                if item is not None:
                    result.rows, result.signature = item.rows, item.signature
                elif maker.account.rejects:
                    # The check that is reached last is the one that nothing passes.
                    result.rejected = f"{maker.account.rejects[-1].check}: {maker.account.rejects[-1].reason}"
            except Exception as error:  # noqa: BLE001 - the code of others
                result.fault = f"raises {described(error, packages)}"
        attempted.append(result)
    return attempted


def certify(suite: str, pictures: Sequence[tuple[bytes, str]]) -> Seen:
    """Return what the certifier of ``suite`` reads of each picture and prompt, in a process that has made none."""
    known = declared(suite)
    function = known.load("certify")
    readings = []
    for png, prompt in pictures:
        pixels = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
        if pixels is None:
            readings.append(Read("", "", "", "is given a picture that is no PNG"))
            continue
        variants = (png, _encoded(pixels), _encoded(np.full_like(pixels, 255)))
        published, encoded_anew, fault = "", "", ""
        try:
            published, encoded_anew = (_answer(function(variant, prompt)) for variant in variants[:2])
        except Exception as error:  # noqa: BLE001 - the code of others
            fault = f"raises {described(error, known.packages)}"
        try:
            # Most certifiers find nothing to read on white paper, and some raise there.
            blank = _answer(function(variants[2], prompt))
        except Exception:  # noqa: BLE001 - see above
            blank = ""
        readings.append(Read(published, encoded_anew, blank, fault))
    return Seen(readings, frozenset(sys.modules))


def _answer(reading: object) -> str:
    if not isinstance(reading, Reading):
        raise TypeError(f"need a Reading, got {type(reading).__name__}")
    return reading.answer or ""


def _encoded(pixels: cv2.typing.MatLike) -> bytes:
    return bytes(cv2.imencode(".png", pixels)[1].tobytes())


@contextmanager
def _watched(packages: frozenset[str], deeds: list[tuple[str, str]]) -> Iterator[None]:
    """Note in ``deeds`` what code within does that it may not, and from which line of ``packages``."""
    global _note
    states = _global_states()
    _listen()

    def note(what: str) -> None:
        deeds.append((what, _line(walk_stack(sys._getframe(2)), packages)))

    _note = note
    try:
        yield
    finally:
        _note = None
    for name, before, after in zip(("random", "numpy.random"), states, _global_states(), strict=True):
        if before != after:
            deeds.append((f"draws from the global state of {name}", ""))


_note: Callable[[str], object] | None = None


@cache
def _listen() -> None:
    """Hear of every audit event from now on: a hook cannot be taken out again."""
    sys.addaudithook(_heard)


def _heard(event: str, arguments: tuple[object, ...]) -> None:
    if _note is None or (event != "open" and event not in _FORBIDDEN) or any(_COMPILED in str(a) for a in arguments):
        return
    if event != "open":
        _note(_FORBIDDEN[event])
    elif isinstance(arguments[0], str | bytes) and isinstance(arguments[2], int) and arguments[2] & _WRITES:
        _note(f"writes the file {os.fsdecode(arguments[0])}")


def _global_states() -> tuple[str, str]:
    return str(random.getstate()), str(np.random.get_state())  # noqa: NPY002 - see above


def _line(frames: Iterable[tuple[FrameType, int]], packages: frozenset[str]) -> str:
    """Return the module and line of the first of ``frames`` that is one of ``packages``."""
    named = ((str(frame.f_globals.get("__name__", "")), line) for frame, line in frames)
    return next((f"{name}:{line}" for name, line in named if name.partition(".")[0] in packages), "")


def main() -> None:
    """Do the task that comes by stdin."""
    # What a suite prints is no part of the answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    name, arguments = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own
    tasks: dict[str, Callable[..., object]] = {"make": make, "certify": certify}
    with answers:
        pickle.dump(tasks[name](*arguments), answers)
