"""A temporary Prefect server for one command: a child process that ends with its parent.

Prefect's own temporary server outlives a ``kill -9`` of its parent. This one, ``python -m
planimeter.flows.service.server FD``, serves on the listening socket with the file descriptor FD, and ends when its
standard input is closed.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from typing import NoReturn

from planimeter.flows.service.prefect_mode import importing_prefect

#: Time limits in seconds: of the start, including the creation of a database; of storing the last events; of the end.
PATIENCE, FLUSHING, ENDING = 180.0, 5.0, 5.0

#: Settings of the server: it prints nothing, sends no analytics, and has no UI and automations, which nobody uses.
#: States of task runs are stored in batches, which halves the CPU time of the server for each task.
SETTINGS = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_API_BLOCKS_REGISTER_ON_START": "false",
    "PREFECT_SERVER_EVENTS_STREAM_OUT_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "2",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    "PREFECT_SERVER_UI_ENABLED": "false",
}

DIED = "Prefect's server was ended (out of memory?); finished work is kept, run the same command again"

#: The servers of a command that was stopped, kept so that their standard input stays open until this process ends.
_LEFT: "list[subprocess.Popen[bytes]]" = []


@contextmanager
def child_server() -> Iterator[str]:
    """Start a server, and yield the URL of its API; end it after the block.

    Raises ``RuntimeError`` with the last line that the server printed if it does not start. If the server ends before
    the block, this process ends.
    """
    with tempfile.TemporaryFile() as log:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port: int = listener.getsockname()[1]
            child = subprocess.Popen(
                [sys.executable, "-m", "planimeter.flows.service.server", str(listener.fileno())],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                pass_fds=[listener.fileno()],
                start_new_session=True,
                env={**os.environ, **SETTINGS},
            )
        leaving = threading.Event()
        try:
            if not _answers(port):
                log.seek(0)
                lines = log.read().decode(errors="replace").strip().splitlines()
                raise RuntimeError(lines[-1] if lines else "it did not answer")
            threading.Thread(target=_end_with_server, args=(child, leaving), daemon=True).start()
            yield f"http://127.0.0.1:{port}/api"
        except Exception:
            _end(child, leaving)
            raise
        except BaseException:
            # After Ctrl-C or SIGTERM, Prefect sends its last events when this process ends; then the child ends, too.
            _LEFT.append(child)
            raise
        else:
            _end(child, leaving)


def _end_with_server(child: "subprocess.Popen[bytes]", leaving: threading.Event) -> None:
    """Wait for the end of the server ``child``; then end this process, unless ``leaving`` is set.

    Prefect's client would repeat the requests of each task for minutes.
    """
    child.wait()
    if not leaving.is_set():
        end_process(DIED)


def end_process(message: str) -> NoReturn:
    """Print ``message``, and end this process at once, like a kill; its workers end with it."""
    sys.stderr.write(f"planimeter: {message}\n")
    sys.stderr.flush()
    os._exit(1)


def _end(child: "subprocess.Popen[bytes]", leaving: threading.Event) -> None:
    """Set ``leaving``, end the server ``child`` and wait for its end."""
    leaving.set()
    # At its end, this block closes the standard input of the child, and waits for it (``_end_with_input``).
    with child:
        pass


def _answers(port: int) -> bool:
    """Wait until the server answers a request on ``port``; False if it ends before, or after ``PATIENCE`` seconds."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/api/health")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _end_with_input() -> None:
    """Wait until standard input is closed; then end this process, at the latest after ``ENDING`` seconds."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(ENDING)
    os._exit(1)


def main(descriptor: int) -> None:
    """Serve on the listening socket ``descriptor`` until standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_input, daemon=True).start()
    with importing_prefect():
        import uvicorn
        from prefect.server.api.server import create_app

        app = create_app(ephemeral=True)
    config = uvicorn.Config(app, lifespan="on", log_level="critical", access_log=False)
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
