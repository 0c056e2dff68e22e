"""How a script tells the test that runs it what it found: its own output is the trainer's."""

import json
import os
from pathlib import Path


def tell(found: object) -> None:
    Path(os.environ["TOLD"]).write_text(json.dumps(found))
