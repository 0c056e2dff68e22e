"""Endless streams of certified rows for training: ``stream`` and ``Adaptive`` (docs/guides/streams.md)."""

import warnings
from typing import Any

from planimeter.streams.adaptive import Adaptive
from planimeter.streams.ladders import ladders, levels
from planimeter.streams.stream import Stream, row_at, stream

__all__ = ["LADDERS", "Adaptive", "Stream", "levels", "row_at", "stream"]


def __getattr__(name: str) -> Any:
    if name == "LADDERS":
        return ladders()
    if name == "again":
        warnings.warn("streams.again is named row_at now; 2.1 removes the old name", DeprecationWarning, stacklevel=2)
        return row_at
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
