"""torch's DataLoader over a stream's dataset: each row once, whatever the workers and nodes, and from a state.

torch comes from a trainer's environment, behind the packages of this one.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from trainer_environments import SCRIPTS, python_of


@pytest.mark.slow
def test_workers_and_nodes_share_the_rows_and_a_state_goes_on(tmp_path: Path) -> None:
    (torch,) = python_of("trl").parent.parent.glob("lib/python3*/site-packages")
    told = tmp_path / "told.json"
    environment = {**os.environ, "TOLD": str(told), "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    ended = subprocess.run(
        [sys.executable, SCRIPTS / "in_dataloader.py", torch], env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    found = json.loads(told.read_text())
    node, whole = found.pop("a node"), found["0 workers"]
    assert [address for address, _ in whole] == [f"curves/1/11/{k}" for k in range(48)]
    for rows in found.values():
        assert sorted(rows) == sorted(whole)
    assert found["resumed"] == whole
    assert len(node) == 24
