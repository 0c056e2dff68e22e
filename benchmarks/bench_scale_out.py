"""Where a build on many workers saturates: what a shard costs the parent, measured, and a cluster of that, simulated.

    python -m benchmarks.bench_scale_out [--cost MS] [--shards 200] [--work 2600] [--workers 16 --workers 64 ...]

Measured, in CPU ms a shard: shards without work, through the tasks of Prefect with the server of a build in the same
process, handed to no pool, to our pool and to Dask. Simulated: ``--work`` CPU seconds, those of a million rows of
marvl-qa, in shards of so many seconds on average; each costs the parent ``--cost`` (that of Dask, if it is not given),
half before it is handed out and half when it is back, one after the other. How long shards take is log-normal, as
measured in two datasets. The tail is the time after the last shard was handed out.
"""

import heapq
import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

import numpy as np
import typer
from prefect import flow

from planimeter.flows import tasks
from planimeter.flows.display.bars import bars
from planimeter.flows.service.run import server
from planimeter.flows.steps import Steps
from planimeter.flows.store.place import place_of
from planimeter.flows.tasks import Mapped
from planimeter.flows.workers.dask_cluster import THREADS, DaskPool
from planimeter.flows.workers.processes import WorkerPool, Workers
from planimeter.recipes.loading import load

#: The standard deviation of the logarithm of a shard's seconds.
SPREAD = 0.9

#: Seconds of an average shard.
SECONDS = (0.5, 2.0, 8.0, 30.0)

#: What a worker returns of a shard: some 4 kB.
RECORD = tuple(os.urandom(16).hex() for _ in range(100))


def costs(shards: int) -> dict[str, float]:
    """Return CPU ms a shard of this process, the server's in it, by who takes the shards."""
    by_pool = {}
    with tempfile.TemporaryDirectory() as folder, server():
        place = place_of(load("marvl-qa-mini"), folder)
        place.prepare()
        with WorkerPool(2) as own, bars() as shown, DaskPool(place, 2, None) as dask:
            for name, pool in {"no pool": None, "our pool": own, "Dask": dask}.items():
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


def main(
    cost: Annotated[float | None, typer.Option(help="CPU ms a shard; measured if not given")] = None,
    shards: int = 200,
    work: float = 2600.0,
    workers: list[int] = [16, 64, 256, 1000],
) -> None:
    """Print both tables."""
    if cost is None:
        by_pool = costs(shards)
        cost = by_pool["Dask"]
        print(f"CPU ms a shard, {shards} shards: " + ", ".join(f"{name} {ms:.1f}" for name, ms in by_pool.items()))
    print(f"{work:,.0f} CPU s of work, {cost:.1f} ms of the parent a shard; seconds, of these tail, workers busy")
    print(f"{'workers':>8}" + "".join(f"{f'{seconds:g} s a shard':>24}" for seconds in SECONDS))
    for number in workers:
        line = f"{number:>8}"
        for seconds in SECONDS:
            took, tail = simulate(number, _lengths(max(1, round(work / seconds)), work), cost / 1000)
            line += f"{took:>10.0f}{tail:>7.0f}{work / took / number:>7.0%}"
        print(line)


if __name__ == "__main__":
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    typer.run(main)
