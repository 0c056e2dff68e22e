"""The states in which our runs end, where that is neither Prefect's `Completed` nor a fault of ours."""

import logging
from collections.abc import Callable
from typing import TypeVar

from prefect.exceptions import FailedRun
from prefect.states import Cancelled, Failed, State

from planimeter.flows.errors import PlanimeterError, StoppedError

#: The name of the state of a run that ended in a message to the user.
REFUSED = "Refused"

#: The name of the state of a build that found its dataset built and sound.
UNCHANGED = "Unchanged"

Result = TypeVar("Result")


def refused(error: Exception) -> State[object]:
    """Return the state of a run that a user's mistake ended; ``error`` is the whole message.

    Prefect logs the failure of a deployment's run with a stack trace of Prefect's frames; that message replaces it.
    """
    logging.getLogger("prefect.flow_runs").addFilter(_only_message)
    return Failed(name=REFUSED, message=str(error))


def settled(function: Callable[[], Result]) -> Result | State[object]:
    """Return ``function()``, or the state of a step that it cannot finish: no fault of ours, so without a stack trace.

    The result of that state is the exception.
    """
    try:
        return function()
    except StoppedError as error:
        return Cancelled(message=str(error), data=error)
    except PlanimeterError as error:
        return Failed(name=REFUSED, message=str(error), data=error)


def _only_message(record: logging.LogRecord) -> bool:
    if record.exc_info and isinstance(record.exc_info[1], FailedRun):
        record.msg, record.args, record.exc_info = str(record.exc_info[1]), (), None
    return True
