"""What the probes look at in TraversalBench.

The answer is an order of markers. A blind probe guesses where in the alphabet the second one stands among those that
follow the start: in the first, the second or the last third.
"""

from collections.abc import Mapping
from types import MappingProxyType

from planimeter.probes.part import Measures, Part, Row

#: Into how many parts the alphabet of a picture's markers is cut.
_THIRDS = 3


def _second(row: Row) -> str:
    following = sorted(row["markers"][1:])
    return str(_THIRDS * following.index(row["markers"][1]) // len(following))


def _drawing(row: Row) -> Measures:
    return {"view": float(row["view"]), "radius": float(row["glyph_radius"]), "pad": float(row["glyph_pad"])}


def _size(row: Row) -> Measures:
    return {"markers": float(len(row["markers"]))}


_PART = {
    "guesses": "second marker, by the thirds of the alphabet",
    "target": _second,
    "stratum": lambda row: str(len(row["markers"])),
    "metrics": ("exact", "token_accuracy"),
    "style": _size,
    "blind": {"style": _drawing},
    "orders": "markers",
}

PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "base": Part(group=lambda row: str(row["id"]), **_PART),
        "confounded": Part(group=lambda row: str(row["source_id"]), **_PART),
        "reading_order": Part(group=lambda row: str(row["id"]), **_PART),
    }
)
