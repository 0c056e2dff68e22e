"""Nothing is taken from outside at run time: not by a build, not by the readers of what was built."""

import subprocess
import sys
from pathlib import Path

import command_line
import pytest

#: For `sitecustomize`, which Python runs when it starts, in every child too. UDP is left alone: Dask asks such a socket
#: which address this machine has, and nothing is sent.
GUARD = """
import socket, sys
HERE = {{"localhost", "127.0.0.1", "::1", "0.0.0.0", "::", "", socket.gethostname()}}

def watch(event, details):
    if event == "socket.getaddrinfo":
        host = details[0] or ""
    elif event == "socket.connect" and details[0].type == socket.SOCK_STREAM and isinstance(details[1], tuple):
        host = details[1][0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host not in HERE:
        with open({asked!r}, "a") as notes:
            print(host, *sys.argv[:1], file=notes)
        raise OSError(101, "the test has cut the network off")

sys.addaudithook(watch)
"""

READERS = """
import datasets, mlcroissant, os, sys
from huggingface_hub import DatasetCard
folder, cache = sys.argv[1:]
assert DatasetCard.load(folder + "/README.md").data.license
for config in ("counting", "transformation"):
    assert len(datasets.load_dataset(folder, config, split="test", cache_dir=cache))
    assert list(mlcroissant.Dataset(jsonld=folder + "/croissant.json").records(config))
# Once in many runs on a busy machine a thread of these libraries aborts Python's own end.
os._exit(0)
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Child processes have a fresh home, no time zones and no network; the file that names what they asked for."""
    asked, guard = tmp_path / "asked", tmp_path / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(GUARD.format(asked=str(asked)))
    monkeypatch.setenv("PYTHONPATH", f"{guard}:{command_line.ROOT}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONTZPATH", "")  # as in a slim container, which has no time zones
    for name in ("HF_HOME", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "MPLCONFIGDIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return asked


def failure(*command: str) -> str:
    ended = subprocess.run([sys.executable, *command], cwd=command_line.ROOT, capture_output=True, text=True)
    return ended.stderr if ended.returncode else ""


def test_the_guard_sees_a_connection(outside: Path) -> None:
    hosts = ["192.0.2.1", "planimeter.invalid"]
    for host in hosts:
        assert "cut the network off" in failure("-c", f"import socket; socket.create_connection(({host!r}, 80), 1)")
    assert [line.split()[0] for line in outside.read_text().splitlines()] == hosts


@pytest.mark.slow
def test_a_first_build_and_its_verification_ask_nobody(outside: Path, tmp_path: Path) -> None:
    command = ("build", *command_line.TINY, "--workers", "2", "--out", str(tmp_path / "out"))
    path = f"{tmp_path / 'guard'}:{command_line.ROOT}"
    ended = command_line.run(*command, home=tmp_path / "home" / ".prefect", PYTHONPATH=path)
    assert ended.code == 0, ended.err
    assert not outside.exists(), outside.read_text()


def test_what_reads_a_dataset_asks_nobody(outside: Path, sample: Path, tmp_path: Path) -> None:
    assert failure("-c", READERS, str(sample), str(tmp_path / "cache")) == ""
    assert not outside.exists(), outside.read_text()
