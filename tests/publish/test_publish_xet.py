"""Xet, by which the client sends large files where it can: against the stand-in Hub of ../shared, which speaks it."""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import command_line
import pytest
import stand_in_hub
from command_line import digests
from hub_repos import built
from huggingface_hub import HfApi, constants, snapshot_download
from stand_in_hub import REPO

from planimeter.export.hub.faults import HubError
from planimeter.export.hub.publish import Target, publish

#: Beside the project, and beside a worktree's main folder.
SHARED = Path(os.environ.get("PLANIMETER_SHARED") or command_line.ROOT.parent / "shared") / "tools" / "local_hub.py"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SHARED.is_file(), reason=f"no Hub with Xet: {SHARED} is missing"),
]

TOKEN, DATA, LAST = "GET .*/xet-write-token/", "POST .*/_xet/v1/xorbs/", "POST .*/_xet/v1/shards"


@pytest.fixture(autouse=True)
def client(tmp_path, monkeypatch):
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch, xet=True)
    # What Xet keeps of a Hub goes by its address, and another test's Hub may have had this one's port.
    monkeypatch.setattr(constants, "HF_XET_CACHE", str(tmp_path / "xet"))
    monkeypatch.setenv("HF_XET_CACHE", str(tmp_path / "xet"))


@contextmanager
def started(root, port=0):
    """The address of a Hub that speaks Xet."""
    process = subprocess.Popen(
        [sys.executable, "-B", str(SHARED), "--port", str(port), "--root", str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HF_XET_CACHE": str(root / "xet")},
        text=True,
    )
    assert process.stdout
    try:
        yield process.stdout.readline().split()[3]
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def url(tmp_path):
    with started(tmp_path / "hub") as url:
        yield url


def ask(url, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/_hub/{path}", data)) as answer:
        return json.load(answer)


def put(url, folder):
    return publish(folder, Target(repo=REPO), api=HfApi(url), log=str)


def is_whole(url, folder, place):
    read = {"repo_type": "dataset", "endpoint": url}
    there = snapshot_download(REPO, revision="v1.0.0", local_dir=place, ignore_patterns=".gitattributes", **read)
    shutil.rmtree(place / ".cache")
    (repo,) = ask(url, "state")["repos"].values()
    # The first commit is the Hub's own.
    return built(digests(Path(there))) == built(digests(folder)) and len(repo["commits"]) == 2


FAULTS = [(TOKEN, "503"), *((step, kind) for step in (DATA, LAST) for kind in ("503", "drop", "lost", "cut"))]


@pytest.mark.parametrize("step, kind", FAULTS)
def test_a_fault_on_the_way_of_xets_data_passes(url, folder, step, kind, tmp_path):
    ask(url, "faults", {"rule": f"{step}={kind}@1x1"})
    with suppress(HubError):
        put(url, folder)
    put(url, folder)
    log = ask(url, "log")
    assert [line["fault"] for line in log if line.get("fault")] == [kind]
    assert any("/_xet/" in line["path"] for line in log)
    assert is_whole(url, folder, tmp_path / "read")
