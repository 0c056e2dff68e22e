"""Prefect as the command line needs it: embedded, silent, and in one line where it refuses its settings."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

from planimeter.flows.errors import PlanimeterError, Terminated, redacted

#: Prefect in embedded mode, without telemetry and with nothing to say here; what the user has set holds.
EMBEDDED = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
}


@contextmanager
def importing_prefect() -> Iterator[None]:
    """Import Prefect within this block, or start its server. ``PlanimeterError`` if Prefect refuses its settings."""
    for variable, value in EMBEDDED.items():
        os.environ.setdefault(variable, value)
    # A million objects that stay: to search them for garbage, now and later, takes an eighth of the time.
    gc.disable()
    try:
        yield
    except ValueError as error:
        # Prefect reads its settings while it is imported, and pydantic's complaint is a ValueError, even of a Ctrl-C.
        for stop in (KeyboardInterrupt, Terminated):
            if stop.__name__ in str(error):
                raise stop from None
        raise PlanimeterError(
            "Prefect refuses its settings; look at the variables that begin with PREFECT_, and at its profile: "
            f"{redacted(str(error))}"
        ) from error
    finally:
        gc.freeze()
        gc.enable()


def has_server() -> bool:
    """Return whether a Prefect server is configured, in whatever way Prefect knows; ``PlanimeterError`` as above."""
    with importing_prefect():
        from prefect.settings import get_current_settings

        return bool(get_current_settings().api.url)
