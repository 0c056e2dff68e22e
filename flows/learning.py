"""Whether the library is there that learns shortcuts."""

import importlib.util

from planimeter.flows.errors import PlanimeterError


def require_learning() -> None:
    """Raise ``PlanimeterError`` unless scikit-learn is installed."""
    if importlib.util.find_spec("sklearn") is None:
        raise PlanimeterError(
            'this command needs scikit-learn: pip install "planimeter[probe]", in a checkout make dev'
        )
