"""`planimeter`, with a line in the file PLANIMETER_TRACE whenever a worker begins or ends a shard: nothing else shows
from outside which work a kill cost. Workers, forked or spawned, trace as the parent.
"""

import functools
import os
import sys
import time
from pathlib import Path
from typing import Any

# A script's own folder comes first on the path; the project is found from its root.
sys.path[0] = str(Path(__file__).resolve().parents[2])

from planimeter.flows.__main__ import exit_quietly_on_ctrl_c, main  # noqa: E402 - after the path

if __name__ == "__main__":
    exit_quietly_on_ctrl_c()

from planimeter.flows import work  # noqa: E402 - after what keeps it silent

plain = work.make_shard


def note(what: str, shard: object) -> None:
    descriptor = os.open(os.environ["PLANIMETER_TRACE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{what} {time.monotonic()} {shard}\n".encode())
    os.close(descriptor)


@functools.wraps(plain)
def traced(recipe: Any, shard: Any, store: str) -> Any:
    note("begin", shard)
    record = plain(recipe, shard, store)
    note("end", shard)
    return record


work.make_shard = traced

if __name__ == "__main__":
    main()
