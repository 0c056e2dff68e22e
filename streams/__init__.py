"""Certified rows for training, without end: ``stream``, ``mixture``, ``Adaptive`` (docs/guides/streams.md)."""

from planimeter.streams.adaptive import Adaptive
from planimeter.streams.ladders import LADDERS, levels
from planimeter.streams.mixture import Mixture, mixture
from planimeter.streams.stream import Stream, again, stream

__all__ = ["LADDERS", "Adaptive", "Mixture", "Stream", "again", "levels", "mixture", "stream"]
