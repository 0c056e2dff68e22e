"""The error for a faulty recipe; in a separate module, because importing the models of recipes takes a while."""

from planimeter.items.errors import PlanimeterError


class RecipeError(PlanimeterError):
    """An error for a recipe that cannot be read or is invalid; the message has one line for each of ``faults``."""

    def __init__(self, source: str, faults: list[str]) -> None:
        self.source = source
        self.faults = tuple(faults)
        listed = "".join(f"\n  {fault}" for fault in faults)
        super().__init__(f"{source}: {len(faults)} fault{'s' if len(faults) > 1 else ''}{listed}")
