"""Where a build on many workers saturates: what a shard costs the parent, measured, and a cluster of that, simulated.

    python -m benchmarks.bench_scale_out [--cost MS] [--shards 200] [--work 2600] [--workers 16 64 256 1000]

Measured, in CPU ms a shard: shards without work, through the tasks of Prefect with the server of a build in the same
process, handed to no pool, to our pool and to Dask. Simulated: ``--work`` CPU seconds, those of a million rows of
marvl-qa, in shards of so many seconds on average; each costs the parent ``--cost`` (that of Dask, if it is not given),
half before it is handed out and half when it is back, one after the other. How long shards take is log-normal, as
measured in two datasets. The tail is the time after the last shard was handed out.
"""

import argparse
import heapq
import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
from prefect import flow

from planimeter.flows import tasks
from planimeter.flows.display.bars import bars
from planimeter.flows.service.run import server
from planimeter.flows.steps import Steps
from planimeter.flows.store.place import Place
from planimeter.flows.store.remote_place import place_of
from planimeter.flows.tasks import Mapped
from planimeter.flows.workers.dask_cluster import THREADS, DaskPool
from planimeter.flows.workers.processes import WorkerPool, Workers
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

#: The standard deviation of the logarithm of a shard's seconds.
SPREAD = 0.9

#: Seconds of an average shard.
SECONDS = (0.5, 2.0, 8.0, 30.0)

#: What a worker returns of a shard: some 4 kB.
RECORD = tuple(os.urandom(16).hex() for _ in range(100))


@contextmanager
def _place() -> Iterator[Place]:
    """Yield where shards would be kept, while a server runs."""
    recipe = load("marvl-qa-mini")
    if not isinstance(recipe, Recipe):
        raise TypeError("marvl-qa-mini is no recipe")
    with tempfile.TemporaryDirectory() as folder, server():
        place = place_of(recipe, folder)
        place.prepare()
        yield place


def costs(shards: int) -> dict[str, float]:
    """Return CPU ms a shard of this process, the server's in it, by who takes the shards."""
    by_pool = {}
    with _place() as place, WorkerPool(2) as own, bars() as shown, DaskPool(place, 2, None) as dask:
        pools: dict[str, Workers | None] = {"no pool": None, "our pool": own, "Dask": dask}
        for name, pool in pools.items():
            steps = Steps(place, pool or own, own, shown)
            work = partial(pool.run, tuple, RECORD) if pool else lambda: RECORD
            work()
            before = time.process_time()
            _build(steps, [work] * shards, pool or own)
            _settle()
            by_pool[name] = 1000 * (time.process_time() - before) / shards
    return by_pool


def _build(steps: Steps, work: Sequence[Callable[[], object]], workers: Workers) -> None:
    jobs = [(f"shard {number}", Mapped(lambda: None, do)) for number, do in enumerate(work)]

    def make() -> list[object]:
        return list(steps._map(tasks.make_shard, jobs, lambda *_: None))

    flow(name="build")(lambda: steps._fold(tasks.make_shards, "make", make, workers))()


def _settle() -> None:
    """Wait until the server has recorded all events, half a minute at the most."""
    for _ in range(15):
        before = time.process_time()
        time.sleep(2)
        if time.process_time() - before < 0.2:
            return


def _lengths(shards: int, work: float) -> np.ndarray:
    """Return the seconds of each shard, ``work`` in sum."""
    lengths = np.random.default_rng(0).lognormal(0, SPREAD, shards)
    return lengths * (work / lengths.sum())


def simulate(workers: int, lengths: np.ndarray, cost: float) -> tuple[float, float]:
    """Return seconds of all shards, of ``lengths``, and of the tail; ``cost`` is the parent's, seconds a shard."""
    free, back, waiting = [0.0] * workers, list[float](), deque(lengths.tolist())
    now = last = 0.0
    while waiting or back:
        if waiting and len(back) < max(THREADS, 2 * workers) and not (back and back[0] <= now):
            now += cost / 2
            end = max(now, free[0]) + waiting.popleft()
            heapq.heapreplace(free, end)
            heapq.heappush(back, end)
            last = now
        else:
            now = max(now, heapq.heappop(back)) + cost / 2
    return now, now - last


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cost", type=float, help="CPU ms a shard; measured if not given")
    parser.add_argument("--shards", type=int, default=200)
    parser.add_argument("--work", type=float, default=2600.0)
    parser.add_argument("--workers", type=int, nargs="*", default=[16, 64, 256, 1000])
    args = parser.parse_args()
    cost = args.cost
    if cost is None:
        costs_ms = costs(args.shards)
        cost = costs_ms["Dask"]
        print(
            f"CPU ms a shard, {args.shards} shards: " + ", ".join(f"{name} {ms:.1f}" for name, ms in costs_ms.items())
        )
    print(f"{args.work:,.0f} CPU s of work, {cost:.1f} ms of the parent a shard; seconds, of these tail, workers busy")
    print(f"{'workers':>8}" + "".join(f"{f'{seconds:g} s a shard':>24}" for seconds in SECONDS))
    for workers in args.workers:
        line = f"{workers:>8}"
        for seconds in SECONDS:
            shards = max(1, round(args.work / seconds))
            took, tail = simulate(workers, _lengths(shards, args.work), cost / 1000)
            line += f"{took:>10.0f}{tail:>7.0f}{args.work / took / workers:>7.0%}"
        print(line)


if __name__ == "__main__":
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    main()
