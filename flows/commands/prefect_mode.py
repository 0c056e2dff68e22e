"""Prefect for the command line: silent, and one line if it refuses its settings."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from planimeter.flows.errors import PlanimeterError, Terminated, redacted

#: No telemetry and no output; the user's own settings win. A process that is ended at once leaves semaphores to the
#: tracker of ``multiprocessing``, which removes them.
SILENT = {
    "PYTHONWARNINGS": "ignore::UserWarning:multiprocessing.resource_tracker",
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
}


@contextmanager
def importing_prefect() -> Iterator[None]:
    """Import Prefect within this block. Raises ``PlanimeterError`` if Prefect refuses its settings."""
    for variable, value in SILENT.items():
        os.environ.setdefault(variable, value)
    try:
        yield
    except ValueError as error:
        # Prefect reads its settings while it is imported, and pydantic's complaint is a ValueError, even of a Ctrl-C.
        for stop in (KeyboardInterrupt, Terminated):
            if stop.__name__ in str(error):
                raise stop from None
        raise PlanimeterError(
            "Prefect refuses its settings; check the environment variables PREFECT_* and its profile: "
            f"{redacted(str(error))}"
        ) from error
