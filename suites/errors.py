"""The error of a faulty recipe; in a separate module, because the models take a while to load."""

from planimeter.items.errors import PlanimeterError


class RecipeError(PlanimeterError):
    """A recipe that cannot be read or is invalid; the message has one line for each of ``faults``."""

    def __init__(self, source: str, faults: list[str]) -> None:
        self.source = source
        self.faults = tuple(faults)
        listed = "".join(f"\n  {fault}" for fault in faults)
        super().__init__(f"{source}: {len(faults)} fault{'s' if len(faults) > 1 else ''}{listed}")
