"""Runs beside a trainer: calls functions of a module here, and writes what they return; the output is the trainer's.

python calling.py MODULE CALLS RESULT [PATH...]: CALLS is a JSON list of (function, its arguments by name). Packages of
PATH lie behind those of this Python.
"""

import importlib
import json
import sys
from pathlib import Path

if __name__ == "__main__":
    name, calls, result, *more = sys.argv[1:]
    sys.path.extend(more)
    module = importlib.import_module(name)
    returned = [getattr(module, function)(**given) for function, given in json.loads(Path(calls).read_text())]
    Path(result).write_text(json.dumps(returned))
