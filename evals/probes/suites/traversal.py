"""What the probes look at in TraversalBench.

The answer is an order of markers. A blind probe guesses where in the alphabet the second one stands among those that
follow the start: in the first, the second or the last third.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from planimeter.evals.probes.part import Measures, Part, Row
from planimeter.filters.certify.readable import Look
from planimeter.filters.certify.traversal.shrunk import read
from planimeter.generators.traversal.signatures import SignaturePool, distance, signature

#: What was seen of pictures that were looked at one step below the size at which they are readable.
LOOKED = (
    "Looked at by eye one step smaller, all of 4 at 126 px could still be answered; of 8 at 84 px none, for "
    "shapes can no longer be told apart there, though the order of the path can."
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


def _twins(first: Sequence[Row], second: Sequence[Row], recipe: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return whose paths are nearer to one another than two paths of one dataset may be."""
    rules = recipe["rules"]
    view = rules["view"] * (1 - 2 * rules["margin_fraction"])
    pools: dict[int, SignaturePool] = {}
    for row in first:
        pools.setdefault(len(row["points"]), SignaturePool(rules["duplicate_distance"])).add(
            signature(row["points"], view)
        )
    pairs = []
    for row in second:
        shape = signature(row["points"], view)
        pool = pools.get(len(row["points"]))
        if pool and pool.nearest(shape) < rules["duplicate_distance"]:
            # Few: the other one is looked for among all.
            others = (candidate for candidate in first if len(candidate["points"]) == len(row["points"]))
            nearest = min(others, key=lambda candidate: distance(signature(candidate["points"], view), shape))
            pairs.append((str(nearest["id"]), str(row["id"])))
    return pairs


def _shrunk(recipe: Mapping[str, Any], config: str) -> Callable[[Row], Look]:  # noqa: ARG001 - they look alike
    return lambda row: lambda *shown: (read(*shown, start=str(row["markers"][0]), n_points=len(row["markers"])),)


_PART: dict[str, Any] = {
    "guesses": "second marker, by the thirds of the alphabet",
    "targets": lambda rows: [_second(row) for row in rows],
    "twins": _twins,
    "stratum": lambda row: str(len(row["markers"])),
    "metrics": ("exact", "token_accuracy"),
    "style": _size,
    "blind": {"style": _drawing},
    "orders": "markers",
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
