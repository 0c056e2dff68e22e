"""torch's DataLoader over a stream's dataset: each row once, whatever the workers and nodes, and from a state.

torch comes from a trainer's environment, behind the packages of this one.
"""

import json
import sys
from pathlib import Path

import pytest
from trainer_environments import SCRIPTS, python_of, run


@pytest.mark.slow
def test_workers_and_nodes_share_the_rows_and_a_state_goes_on(tmp_path: Path) -> None:
    (torch,) = python_of("trl").parent.parent.glob("lib/python3*/site-packages")
    calls, result = tmp_path / "calls.json", tmp_path / "result.json"
    calls.write_text('[["everywhere", {}]]')
    run(sys.executable, SCRIPTS / "calling.py", "in_dataloader", calls, result, torch, home=tmp_path)
    (loaded,) = json.loads(result.read_text())
    node, whole = loaded.pop("a node"), loaded["0 workers"]
    assert [address for address, _ in whole] == [f"curves/1/11/{k}" for k in range(48)]
    for rows in loaded.values():
        assert sorted(rows) == sorted(whole)
    assert loaded["resumed"] == whole
    assert len(node) == 24
