"""What the probes look at in TraversalBench.

The answer is an order of markers. A blind probe guesses where in the alphabet the second one stands among those that
follow the start: in the first, the second or the last third.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from planimeter.evals.probes.part import Measures, Part, Row
from planimeter.filters.certify.readable import Look
from planimeter.filters.certify.traversal.shrunk import read

#: What was seen of pictures that were looked at one step below the size at which they are readable.
LOOKED = (
    "Looked at by eye one step smaller, all of 4 at 126 px could still be answered; of 8 at 84 px none, for "
    "shapes can no longer be distinguished there, though the order of the path can."
)

#: Into how many parts the alphabet of a picture's markers is cut.
_THIRDS = 3


def _second(row: Row) -> str:
    following = sorted(row["markers"][1:])
    return str(_THIRDS * following.index(row["markers"][1]) // len(following))


def _drawing(row: Row) -> Measures:
    return {"view": float(row["view"]), "radius": float(row["glyph_radius"]), "pad": float(row["glyph_pad"])}


def _size(row: Row) -> Measures:
    return {"markers": float(len(row["markers"]))}


def _shrunk(recipe: Mapping[str, Any], config: str) -> Callable[[Row], Look]:  # noqa: ARG001 - they look alike
    return lambda row: lambda *shown: (read(*shown, start=str(row["markers"][0]), n_points=len(row["markers"])),)


_PART: dict[str, Any] = {
    "guesses": "second marker, by the thirds of the alphabet",
    "targets": lambda rows: [_second(row) for row in rows],
    "stratum": lambda row: str(len(row["markers"])),
    "metrics": ("exact", "token_accuracy"),
    "style": _size,
    "blind": {"style": _drawing},
    "shrunk": _shrunk,
}

PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "base": Part(group=lambda row: str(row["id"]), **_PART),
        "confounded": Part(group=lambda row: str(row["source_id"]), **_PART),
        "reading_order": Part(group=lambda row: str(row["id"]), **_PART),
        "curved": Part(group=lambda row: str(row["pair_id"]), **_PART),
    }
)
