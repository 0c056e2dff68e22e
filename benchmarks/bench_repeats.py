"""Repeats: an endless stream whose items are seeded by seed + index, as reasoning-gym's are, beside one of ours.

python -m benchmarks.bench_repeats [--reasoning-gym VENV/bin/python]    # of an environment with reasoning-gym==0.1.25
python -m benchmarks.bench_repeats --alike 5000 10000 20000    # the search for drawings and paths that look alike

Searching so many takes drawings and paths faster than they are made: drawings are patched together from nine pieces of
easy ones, each turned and mirrored, and paths are generated ones with each point moved at random by some 40 px. Both
are as unlike each other as generated ones: drawings by 0.08 in the middle and 0.2 at most but for one pair in 100.
"""

import argparse
import json
import subprocess
import time
from collections.abc import Iterator
from itertools import islice
from resource import RUSAGE_SELF, getrusage

import numpy as np

from planimeter.filters.curves.likeness import alike_pairs
from planimeter.filters.traversal.duplicates import DistinctPaths
from planimeter.generators.curves.signatures import SIDE, pack, signature, unpacked, views_of
from planimeter.streams import stream

#: Items of the endless stream, and of a chunk, after which reasoning-gym goes on with the next seed.
ROWS, CHUNK = 1500, 500

#: Generated drawings and paths that others are made from, pieces of a drawing to a side, and what moves points, px.
_MADE, _PIECES, _MOVED = 300, 3, 40.0

#: Runs where reasoning-gym is: its questions, and those of two seeds.
_THEIRS = f"""
import json
from itertools import islice
import reasoning_gym
from reasoning_gym.dataset import ReseedingDataset

def made(seed):
    return reasoning_gym.create_dataset("leg_counting", size={CHUNK}, seed=seed)

endless = islice(ReseedingDataset(made(42), chunk_size={CHUNK}), {ROWS})
print(json.dumps([[item["question"] for item in items] for items in (endless, made(42), made(43))]))
"""


def ours(seed: int, rows: int) -> list[str]:
    """Return the problems, each with its program, of the addresses of a stream."""
    source = stream("geogram", level=1, seed=seed)
    made = filter(None, map(source.item, range(rows)))
    return [f"{item.row['problem']}\n{item.row['code']}" for item in made]


def print_repeats(name: str, endless: list[str], one: list[str], other: list[str]) -> None:
    """Print how many differ, and how many items of a seed are items of the next one."""
    both = len(set(one) & set(other))
    print(
        f"{name}: {len(set(endless))} of {len(endless)} differ; {both} of {len(other)} of a seed are of the one before"
    )


def drawings(number: int) -> Iterator[bytes]:
    """Yield packed drawings."""
    rng, made = np.random.default_rng(0), map(stream("curves", level=1, seed=0).item, range(_MADE))
    curves = [[np.array(curve) for curve in item.row["curves"]] for item in made if item]
    views = np.stack([views_of(unpacked(pack(signature(one)))[0]) for one in curves]).reshape(-1, SIDE, SIDE)
    # Pieces pass into each other over a third of their side.
    away = np.abs((np.arange(SIDE) + 0.5) / SIDE * _PIECES - np.arange(_PIECES)[:, None] - 0.5)
    window = np.clip(2 - 3 * away, 0, 1)
    windows = np.einsum("iy,jx->ijyx", window, window).reshape(-1, SIDE, SIDE).astype(np.float32)
    for _ in range(number):
        grid = (windows * views[rng.integers(len(views), size=len(windows))]).sum(axis=0)
        grid -= grid.mean()
        yield pack((grid / np.sqrt((grid * grid).sum())).reshape(1, -1))


def paths(number: int) -> Iterator[list[tuple[float, float]]]:
    """Yield the points of paths, px."""
    rng, made = np.random.default_rng(0), map(stream("traversal", level=1, seed=0).item, range(_MADE))
    held = [np.array(item.row["points"]) for item in made if item]
    for _ in range(number):
        path = held[rng.integers(len(held))]
        yield [(x, y) for x, y in (path + rng.normal(0, _MOVED, path.shape)).tolist()]


def search(sizes: list[int]) -> None:
    """Print how long searching takes, in CPU time, and what it holds, all in one pool."""
    for size in sizes:
        start = time.process_time()
        held = list(drawings(size))
        made = time.process_time()
        pairs = alike_pairs(held, [0.6] * size)
        spent = time.process_time() - made
        print_size("drawings", size, len(pairs), spent, f" after {made - start:.1f} s to make them")
    for size in sizes:
        judge, spent, alike = DistinctPaths(24.0, 672 * 0.88), 0.0, 0
        for path in paths(size):
            start = time.process_time()
            alike += not judge.judge("all", path).kept
            spent += time.process_time() - start
        print_size("paths", size, alike, spent)


def print_size(what: str, size: int, alike: int, seconds: float, more: str = "") -> None:
    """Print a line of the table; the peak of memory is that of all lines so far."""
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    print(f"{size} {what}: {seconds:.1f} CPU s{more}, {alike} alike, peak {peak:.0f} MiB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--reasoning-gym", metavar="PYTHON")
    parser.add_argument("--alike", metavar="ROWS", type=int, nargs="+")
    args = parser.parse_args()
    if args.alike:
        search(args.alike)
        return
    python = args.reasoning_gym
    if python:
        completed = subprocess.run([python, "-W", "ignore", "-c", _THEIRS], check=True, capture_output=True, text=True)
        print_repeats("reasoning-gym, leg_counting", *json.loads(completed.stdout))
    endless = ours(42, ROWS)
    print_repeats("planimeter, geogram level 1", endless, list(islice(endless, CHUNK)), ours(43, CHUNK))


if __name__ == "__main__":
    main()
