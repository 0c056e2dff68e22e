"""Certified rows for training, for ever: ``stream``, ``mixture``, ``Adaptive``; see README.md for how they are used."""

from planimeter.streams.adaptive import Adaptive
from planimeter.streams.ladders import LADDERS, levels
from planimeter.streams.mixture import Mixture, mixture
from planimeter.streams.stream import Stream, again, stream

__all__ = ["LADDERS", "Adaptive", "Mixture", "Stream", "again", "levels", "mixture", "stream"]
