"""Imports Prefect for the command line: without output, and with a clear message if it rejects its settings."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

from planimeter.flows.errors import PlanimeterError, Terminated, redacted

#: Environment variables that switch off telemetry and output, unless the user has set them. The first one is for
#: processes that end at once: the tracker of ``multiprocessing`` removes their semaphores, and would warn.
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
    """Set environment variables that silence Prefect, before this block imports it.

    Raises ``PlanimeterError`` if Prefect rejects the settings that it reads when it is imported.
    """
    for variable, value in SILENT.items():
        os.environ.setdefault(variable, value)
    # What is imported stays until the process ends; searching it for garbage takes a fifth of the time of the import.
    gc.disable()
    try:
        yield
    except ValueError as error:
        # Prefect reads its settings when it is imported. pydantic turns every error into a ValueError, also Ctrl-C.
        for stop in (KeyboardInterrupt, Terminated):
            if stop.__name__ in str(error):
                raise stop from None
        raise PlanimeterError(
            "Prefect refuses its settings; check the environment variables PREFECT_* and its profile: "
            f"{redacted(str(error))}"
        ) from error
    finally:
        gc.freeze()
        gc.enable()
