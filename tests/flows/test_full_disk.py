"""A disk that runs full while a dataset is written: one line, nothing half-written, and the rerun finishes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import command_line
import full_disk
import pytest

ROOM = "no space left on the disk; free some and run the same command again"


def attempts(kind: str, disk: Path, *more: str) -> Iterator[dict[str, Any]]:
    """Yield what ``full_disk`` tells of each of its attempts."""
    disk.mkdir()
    if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", str(disk)], capture_output=True).returncode:
        pytest.skip("needs the right to mount a tmpfs in a namespace of its own")
    path = f"{command_line.ROOT / 'tests' / 'support'}{os.pathsep}{command_line.ROOT}"
    command = ["unshare", "-rm", sys.executable, full_disk.__file__, kind, str(disk), *more]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=600)
    # Arrow's abort is -6.
    assert done.returncode == 0, done.stderr
    yield from map(json.loads, done.stdout.splitlines())


@pytest.mark.parametrize(
    ("picture", "step"),
    # Small pictures fill less than a page of Parquet; of large ones Arrow writes pages in the middle of a column.
    [(1_500, full_disk.PAGE), (45_000, 16 * full_disk.PAGE)],
    ids=["small pictures", "large pictures"],
)
def test_a_full_disk_is_told_wherever_it_strikes_and_with_enough_room_the_bytes_are_the_same(
    tmp_path: Path, picture: int, step: int
) -> None:
    assert full_disk.write(tmp_path / "whole", full_disk.table(picture)) == ""
    *short, last = attempts("parquet", tmp_path / "disk", str(picture), str(step))
    assert {attempt["told"].partition(": ")[2] for attempt in short} == {ROOM}
    assert last["told"] == "" and last["files"] == command_line.digests(tmp_path / "whole")
    size = sum(path.stat().st_size for path in (tmp_path / "whole").rglob("*.parquet"))
    assert len(short) >= size // step > 50


@pytest.mark.parametrize("limit", [0, 1, 4, 1_000, 100_000, 200_000])
def test_a_file_that_may_not_grow_is_told_where_nothing_can_be_mounted(tmp_path: Path, limit: int) -> None:
    """The limit of a process on the size of its files, for machines where the test above is skipped."""
    code = (
        "import resource, signal, sys; from pathlib import Path; import full_disk\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        f"sys.exit(full_disk.write(Path({str(tmp_path / 'd')!r}), full_disk.table(1_500)))"
    )
    path = f"{command_line.ROOT / 'tests' / 'support'}{os.pathsep}{command_line.ROOT}"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert "cannot be written: [Errno 27]" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_build_on_a_full_disk_is_one_line_and_the_rerun_makes_the_same_bytes(built: Path, tmp_path: Path) -> None:
    *short, last = attempts("build", tmp_path / "disk", str(built))
    assert len(short) == len(full_disk.LEVELS)
    for attempt in short:
        assert attempt["code"] == 1 and attempt["files"] == {}
        assert len([line for line in attempt["lines"] if "no space left on" in line.lower()]) == 1, attempt
        assert "no space left on" in attempt["lines"][-1].lower() and "free some" in attempt["lines"][-1]
        assert not any("Traceback" in line or "Check failed" in line for line in attempt["lines"])
    assert last["code"] == 0, last["lines"]
    assert last["files"] == command_line.digests(built / "marvl-qa-mini")
