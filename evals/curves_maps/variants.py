"""Prompt variants of planar maps: reasoning before the answer."""

from planimeter.evals.answers import Parsed
from planimeter.evals.curves_maps.protocol import PlanarMap, read
from planimeter.evals.graphs import closing
from planimeter.evals.places import Row
from planimeter.evals.variants import replaced

VARIANTS = {"reasoned": "reasoning is asked for before the answer"}

_ANSWER = "Answer inside <answer> tags"
_REASONED = "First describe in writing which faces there are. Then answer inside <answer> tags"


def reworded(config: str, row: Row, variant: str) -> tuple[str, str]:  # noqa: ARG001 - one config, one variant
    """Return the system prompt and the prompt of a variant."""
    return str(row["system_prompt"]), replaced(str(row["prompt"]), _ANSWER, _REASONED)


def read_strictly(config: str, row: Row, reply: str, variant: str) -> Parsed[PlanarMap]:
    """Take the format of the default prompt; after reasoning in the open, where it is asked for."""
    return read(config, row, closing(reply) if variant == "reasoned" else reply, strict=True)
