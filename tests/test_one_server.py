"""All builds of a collection share one embedded server, and a block of its own ends with it."""

import json
import subprocess
import sys
from pathlib import Path

import planimeter

SCRIPT = """
import json
import httpx
from prefect.settings import get_current_settings
from flows.embedded import server

url = lambda: get_current_settings().api.url
seen = []
with server():
    seen.append(url())
    for _ in range(2):
        with server():
            seen.append(url())
    seen.append(url())
    alive = httpx.get(f"{seen[0]}/health").status_code
try:
    httpx.get(f"{seen[0]}/health", timeout=5)
    ended = False
except httpx.HTTPError:
    ended = True
print(json.dumps({"urls": len(set(seen)), "alive": alive, "ended": ended, "left": url() is None}))
"""


def test_a_block_within_another_uses_its_server(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=planimeter.ROOT,
        env=planimeter.environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {"urls": 1, "alive": 200, "ended": True, "left": True}
