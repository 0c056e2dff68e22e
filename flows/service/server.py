"""Prefect's server for one command, if none is configured: a child process that ends with its parent.

Prefect's own temporary server outlives a ``kill -9`` of its parent. The child, that is ``python -m
planimeter.flows.service.server FD``, answers on the socket FD and ends when its standard input does.
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

#: Time limits in seconds: of a start (including the setup of an empty database), of storing the events of a run, and of
#: an end.
PATIENCE, FLUSHING, ENDING = 180.0, 5.0, 5.0

#: Nothing is sent elsewhere and nothing is printed. Nobody uses automations and pages of this server. States of task
#: runs are stored in batches, which halves the server's cost of each task.
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

#: Servers of a command that was stopped.
_LEFT: "list[subprocess.Popen[bytes]]" = []


@contextmanager
def child_server() -> Iterator[str]:
    """Yield the address of its API. Raises ``RuntimeError`` with the reason if it does not start."""
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
            # Prefect sends its last events when this process ends, and the child ends with it.
            _LEFT.append(child)
            raise
        else:
            _end(child, leaving)


def _end_with_server(child: "subprocess.Popen[bytes]", leaving: threading.Event) -> None:
    """End this process, as a kill would, when the server ends before it: Prefect would ask a dead one for minutes for
    each task. Workers end with this process.
    """
    child.wait()
    if not leaving.is_set():
        end_process(DIED)


def end_process(message: str) -> NoReturn:
    """End this process and its workers at once, as a kill would, with one line."""
    sys.stderr.write(f"planimeter: {message}\n")
    sys.stderr.flush()
    os._exit(1)


def _end(child: "subprocess.Popen[bytes]", leaving: threading.Event) -> None:
    leaving.set()
    # At its end, this block closes the standard input of the child, and waits for it (``_end_with_input``).
    with child:
        pass


def _answers(port: int) -> bool:
    """True if the server answers on ``port``: the request waits until it does, or ends before."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/api/health")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _end_with_input() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(ENDING)
    os._exit(1)


def main(descriptor: int) -> None:
    """Serve on the socket ``descriptor`` until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_input, daemon=True).start()
    import uvicorn
    from prefect.server.api.server import create_app

    config = uvicorn.Config(create_app(ephemeral=True), lifespan="on", log_level="critical", access_log=False)
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
