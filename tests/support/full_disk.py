"""Runs inside a separate mount namespace: writes to a disk of memory that is too small, again and again.

    unshare -rm python full_disk.py parquet FOLDER PICTURE STEP
    unshare -rm python full_disk.py build FOLDER BUILT

FOLDER becomes the disk. Each line on standard output is one attempt as JSON: how much room it had and what came of it.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import command_line
import numpy as np
import pyarrow as pa
from sample_folder import COUNTING, ROWS

from planimeter.export.atomic import ExportError, explain_os_errors
from planimeter.export.parquet import row_table, write_split

PAGE = os.sysconf("SC_PAGE_SIZE")

#: Bytes of disks without room for the shards.
FRESH = (64 << 10, 2 << 20)

#: Of a disk with room for the whole build but for the dataset: what share of the dataset still fits.
LEVELS = (0.0, 0.3, 0.6, 0.9)


def mount(disk: Path, size: int) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(disk)], check=True)


def leave(disk: Path, room: int) -> None:
    """Fill the disk but for ``room`` bytes."""
    (disk / "ballast").unlink(missing_ok=True)
    with (disk / "ballast").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, shutil.disk_usage(disk).free - room))


def table(picture: int) -> pa.Table:
    """Rows whose pictures take ``picture`` bytes and a little more."""
    noise = np.random.default_rng(0)
    rows = [ROWS["counting"][i % 18] | {"id": f"row-{i}", "image": noise.bytes(picture + i)} for i in range(150)]
    return row_table(rows, COUNTING)


def write(folder: Path, rows: pa.Table) -> str:
    """Write two files, of two row groups and of one; return what went wrong."""
    try:
        with explain_os_errors(folder):
            write_split(folder, "counting", "test", [rows], COUNTING, 120)
    except ExportError as error:
        return str(error)
    return ""


def parquet(disk: Path, picture: int, step: int) -> Iterator[dict[str, object]]:
    """Write with no room, ``step`` bytes more, and so on until it succeeds."""
    mount(disk, 32 << 20)
    room, message, rows = 0, "not tried", table(picture)
    while message:
        leave(disk, room)
        message = write(disk / "d", rows)
        yield {"room": room, "message": message, "files": command_line.digests(disk / "d")}
        shutil.rmtree(disk / "d", ignore_errors=True)
        room += step


def build(disk: Path, built: Path) -> Iterator[dict[str, object]]:
    """Build from nothing where not even the shards fit; from the finished shards of ``built`` where the dataset does
    not fit; and at last where it does.
    """
    name = command_line.TINY[0]

    def attempt(room: object) -> dict[str, object]:
        command = ("build", *command_line.TINY, "--workers", "1", "--out", str(disk))
        ended = command_line.run(*command, home=disk.parent / "home")
        files = command_line.digests(disk / name)
        return {"room": room, "code": ended.code, "lines": ended.lines, "files": files}

    for size in FRESH:
        mount(disk, size)
        yield attempt(size)
        assert not list(disk.rglob(".tmp-*")), "half a file is left"
    size = sum(path.stat().st_size for path in (built / name).rglob("*") if path.is_file())
    mount(disk, 64 << 20)
    shutil.copytree(built / ".planimeter", disk / ".planimeter")
    for share in (*LEVELS, 4.0):
        # What an attempt has written of the dataset stays for the next, which would need less room.
        shutil.rmtree(disk / ".planimeter" / "parts", ignore_errors=True)
        leave(disk, int(size * share))
        yield attempt(share)


if __name__ == "__main__":
    kind, disk, *more = sys.argv[1:]
    attempts = build(Path(disk), Path(more[0])) if kind == "build" else parquet(Path(disk), *map(int, more))
    for attempt in attempts:
        sys.stdout.write(f"{json.dumps(attempt)}\n")
