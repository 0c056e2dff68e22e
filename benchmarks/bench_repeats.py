"""Repeats: an endless stream whose items are seeded by seed + index, as reasoning-gym's are, beside one of ours.

python -m benchmarks.bench_repeats [--reasoning-gym VENV/bin/python]    # of an environment with reasoning-gym==0.1.25
"""

import argparse
import json
import subprocess
from itertools import islice

from planimeter.streams import stream

#: Items of the endless stream, and of a chunk, after which reasoning-gym goes on with the next seed.
ROWS, CHUNK = 1500, 500

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


def told(name: str, endless: list[str], one: list[str], other: list[str]) -> None:
    """Print how many differ, and how many items of a seed are items of the next one."""
    both = len(set(one) & set(other))
    print(
        f"{name}: {len(set(endless))} of {len(endless)} differ; {both} of {len(other)} of a seed are of the one before"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--reasoning-gym", metavar="PYTHON")
    python = parser.parse_args().reasoning_gym
    if python:
        ended = subprocess.run([python, "-W", "ignore", "-c", _THEIRS], check=True, capture_output=True, text=True)
        told("reasoning-gym, leg_counting", *json.loads(ended.stdout))
    endless = ours(42, ROWS)
    told("planimeter, geogram level 1", endless, list(islice(endless, CHUNK)), ours(43, CHUNK))


if __name__ == "__main__":
    main()
