"""`planimeter`, which stops before it makes a shard, or writes or checks a file, while so many of them are finished.

PLANIMETER_GATE names the function, the folder of its notes and the number. A disturbance of a build that waits there
needs no precise timing. Workers, which import this file, stop as well.
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

from planimeter.export.verify import part  # noqa: E402 - after what keeps it silent
from planimeter.flows import parts, work  # noqa: E402

#: Seconds after which a test that has failed leaves nothing behind.
PATIENCE = 600

name, notes, number = os.environ["PLANIMETER_GATE"].split("|")
module: Any = {"make_shard": work, "write_part": parts, "check": part}[name]
plain = getattr(module, name)


@functools.wraps(plain)
def gated(*arguments: Any) -> Any:
    deadline = time.monotonic() + PATIENCE
    while len(list(Path(notes).glob("?" * 64))) >= int(number) and time.monotonic() < deadline:
        time.sleep(0.02)
    return plain(*arguments)


setattr(module, name, gated)

if __name__ == "__main__":
    main()
