"""Endless streams of certified rows for training: ``stream`` and ``Adaptive`` (docs/guides/streams.md)."""

from collections.abc import Mapping

from planimeter.streams.adaptive import Adaptive
from planimeter.streams.ladders import Course, ladders, levels
from planimeter.streams.stream import Stream, again, stream

__all__ = ["LADDERS", "Adaptive", "Stream", "again", "levels", "stream"]


def __getattr__(name: str) -> Mapping[str, Course]:
    if name == "LADDERS":
        return ladders()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
