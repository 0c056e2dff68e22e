"""The command `schema`: what an editor needs to complete and check a recipe."""

import sys

from planimeter.flows.errors import PlanimeterError
from planimeter.recipes.schema import schema


def run(kind: str) -> None:
    """Print the JSON schema of the recipes of ``kind``. Raises ``PlanimeterError`` if there is no such kind."""
    try:
        document = schema(kind)
    except LookupError as error:
        raise PlanimeterError(str(error)) from None
    sys.stdout.write(document)
