"""A build cannot be killed: whatever strikes it, and whenever, the same command leads to the same bytes.

Run by tests/flows/test_torture.py: five disturbances with `make slow`; `make torture` strikes fifty times
(PLANIMETER_KILLS) and prints what each cost, on the dataset that PLANIMETER_TORTURED names ("marvl-qa --scale 0.03").
The moments are drawn over a measured, undisturbed build: by phase, and by the share of finished shards. Several
disturbances strike one build, the later ones a build that has gone on; a finished dataset is compared, and the next
build begins from nothing.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import command_line
import disturbances
import numpy as np
from disturbances import Disturbance, Scene
from torture import Blow, Build, Moment, Phase, Reference, leftovers, made_again, read_trace, shards_kept, where

KILLS = int(os.environ.get("PLANIMETER_KILLS", "5"))
WORKERS = 2

#: The dataset and its scale: shards enough to be struck among, made in seconds.
SHORT = command_line.TINY
LONG = ("marvl-qa-mini", "--scale", "0.05")
DATASET = tuple(os.environ.get("PLANIMETER_TORTURED", "").split()) or (SHORT if KILLS <= 5 else LONG)

#: Of the moments; a build of this size mostly starts, and one of full size mostly makes shards.
WEIGHTS: dict[Phase, float] = {"start": 0.12, "generate": 0.55, "write": 0.16, "verify": 0.12, "finish": 0.05}

#: What strikes in the short form: each family of disturbances once.
FIVE = (
    "SIGKILL parent and workers",
    "SIGKILL a worker",
    "a flipped bit in a shard, running",
    "full disk",
    "SIGTERM all",
)

#: Disturbances of one dataset before the next begins from nothing.
AT_A_TIME = 10

#: Seconds that a stopped process stands still.
STOPPED = float(os.environ.get("PLANIMETER_STOPPED", "3" if KILLS <= 5 else "60"))

SEED = int(os.environ.get("PLANIMETER_SEED", "6"))


#: All that may be printed before a SIGKILL: what the build needs, and twice a minute how far it is. And after it, by
#: Python itself: a worker that was just being started misses its parent, and the process that counts semaphores writes
#: last.
NEED = r"[\d,]+ rows, about .* are free"
PROGRESS = r"(?:generate|write|verify) [\d,]+ of .*"
ORPHAN = r"Traceback .*\n  File \"<string>\", line 1, in <module>\n(?:  .*spawn.*\n(?:    .*\n)+)+EOFError: .*"
TRACKER = r"\S+resource_tracker.py:\d+: UserWarning: resource_tracker: There appear .* at shutdown\n  warnings.warn.*"


@dataclass
class Strike:
    """A disturbance, when it is due, and what was seen of it."""

    number: int
    what: Disturbance
    when: Moment
    seen: str = ""
    ended: bool = False
    faults: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    spoilt: frozenset[str] = frozenset()
    going_on: float = 0.0

    @property
    def line(self) -> str:
        shown = f"{len(self.lost)}" + (f" ({len(self.spoilt)} spoilt)" if self.spoilt else "")
        then = "; ".join(self.faults) or ("resumed" if self.ended else "went on")
        return f"{self.number:3}  {self.what.name:34} {self.seen:24} {shown:13} {self.going_on:6.1f}  {then}"


def drawn(kills: int, available: list[Disturbance], rng: np.random.Generator) -> list[Strike]:
    """Deal each disturbance equally often, at moments drawn over the phases."""
    order = [available[i] for _ in range(-(-kills // len(available))) for i in rng.permutation(len(available))]
    # Every phase gets its share, whatever the seed: one draw for all, then evenly spaced.
    positions = rng.permutation((np.arange(kills) + rng.random()) / kills)
    phases, ends = list(WEIGHTS), np.cumsum(list(WEIGHTS.values()))
    strikes = []
    for number, (what, position) in enumerate(zip(order, positions, strict=False), 1):
        phase = "generate" if what.needs_workers else phases[int(np.searchsorted(ends, position))]
        strikes.append(Strike(number, what, Moment(phase, float(rng.random()))))
    return strikes


def in_order(strikes: list[Strike], rng: np.random.Generator) -> list[Strike]:
    """Order ``strikes`` as a build comes by; those at its start go where the one before ends a build."""
    phases = list(WEIGHTS)
    line = sorted(
        (strike for strike in strikes if strike.when.phase != "start"),
        key=lambda strike: (phases.index(strike.when.phase), strike.when.share),
    )
    for strike in strikes:
        if strike.when.phase == "start":
            after = [i + 1 for i, earlier in enumerate(line) if earlier.what.ends]
            line.insert(int(rng.choice(after)) if after else 0, strike)
    return line


class Ordeal:
    """Builds one dataset from nothing to its end, through the strikes it is given."""

    def __init__(self, command: tuple[str, ...], reference: Reference, folder: Path, rng: np.random.Generator) -> None:
        self.command = (*command, "--workers", str(WORKERS))
        self.reference, self.folder, self.rng = reference, folder, rng
        self.disk, self.clock = folder / "disk", folder / "clock"
        # On one disk, as most people have them.
        self.outputs, self.home = self.disk / "out", self.disk / "home"
        folder.mkdir()
        self.more = disturbances.clock(self.clock)
        self.mounted = disturbances.mount(self.disk)
        self.blows: list[Blow] = []
        self.struck: list[Strike] = []
        self.build: Build | None = None

    def close(self) -> None:
        if self.build is not None:
            self.build.end()
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.disk)], check=False)
        shutil.rmtree(self.folder / "disk", ignore_errors=True)

    def through(self, strikes: list[Strike]) -> list[Strike]:
        """Strike, resume, and compare what comes out in the end; return the strikes that came too late."""
        late: list[Strike] = []
        waiting = in_order(strikes, self.rng)
        while waiting:
            build = self.running()
            if build.until(waiting[0].when, self.reference):
                self.strike(waiting.pop(0), build)
            elif build.code == 0:
                late, waiting = waiting, []
            else:
                # Not by this one: the message of the one before arrived only now.
                self.judge(self.struck[-1], build)
                assert len(self.struck[-1].faults) < 3, f"it does not go on: {build.stderr}"
        self.finish()
        trace = read_trace(self.folder / "trace")
        marks = sorted([*(begun.when for begun in trace), *(blow.when for blow in self.blows), time.monotonic()])
        for strike, blow, lost in zip(self.struck, self.blows, made_again(trace, self.blows), strict=True):
            strike.lost = lost
            strike.going_on = min(mark for mark in marks if mark > blow.when) - blow.when
            allowed = len(strike.spoilt) + (WORKERS if strike.what.costs_shards or strike.ended else 0)
            if len(lost) > allowed and not strike.what.dooms:
                strike.faults.append(f"{len(lost)} shards made again: {', '.join(lost)}")
        return late

    def running(self) -> Build:
        """The build under way, or the same command again."""
        if self.build is not None and self.build.code is None:
            return self.build
        if self.build is not None:
            self.build.end()
        self.build = Build(self.command, self.outputs, self.home, self.folder, **self.more)
        return self.build

    def strike(self, strike: Strike, build: Build) -> None:
        scene = Scene(build, self.rng, self.disk, self.clock, STOPPED)
        strike.seen = f"{where(self.outputs)}, {len(shards_kept(self.outputs))}/{self.reference.shards}"
        began = time.monotonic()
        strike.what.strike(scene)
        if strike.what.ends:
            build.wait()
        if build.code is not None:
            self.judge(strike, build)
        self.struck.append(strike)
        strike.spoilt = frozenset(scene.damaged)
        kept = set(shards_kept(self.outputs)) - scene.damaged
        if strike.what.costs_shards and build.code is None:
            # What a worker has just kept it may not have reported when it was killed.
            begun = [begun.shard for begun in read_trace(self.folder / "trace") if begun.when < began]
            kept -= set(begun[-WORKERS:])
        self.blows.append(Blow(began, time.monotonic(), frozenset(kept), strike.what.costs_shards or strike.ended))

    def judge(self, strike: Strike, build: Build) -> None:
        """An end is silent (a kill), clean (just finished), or one line that says what happened."""
        strike.ended = True
        strike.faults += [f"left alive: {orphan}" for orphan in build.orphans()]
        if build.code == 0 or (
            build.code < 0 and re.sub(f"{NEED}|{PROGRESS}|{ORPHAN}|{TRACKER}", "", build.stderr).strip() == ""
        ):
            return
        if build.code < 0 or not strike.what.says or not disturbances.is_one_message(build.stderr, strike.what.says):
            strike.faults.append(f"exit {build.code}, printed {build.stderr[:600]!r}")

    def finish(self) -> None:
        """Go on with the same command until the dataset stands; a blow to a running build may end it, late."""
        for _ in range(3):
            build = self.running()
            code = build.wait()
            if code == 0:
                break
            assert self.struck, f"undisturbed, and ended with {code}: {build.stderr}"
            self.judge(self.struck[-1], build)
        unfinished = under_way(self.home)
        wrong = {
            f"the last build ended with {code}: {build.stderr}": code != 0,
            "other bytes": code == 0 and command_line.digests(build.dataset) != self.reference.digests,
            f"left alive: {build.orphans()}": build.orphans(),
            f"left lying: {leftovers(self.outputs, self.home)}": leftovers(self.outputs, self.home),
            "the journal says that it is unfinished": any((self.outputs / ".planimeter" / "builds").iterdir()),
            f"under way for ever: {unfinished}; {build.stderr}": unfinished,
        }
        faults = [fault for fault, holds in wrong.items() if holds]
        assert self.struck or not faults, f"undisturbed: {faults}"
        if self.struck:
            self.struck[-1].faults += faults


def under_way(home: Path) -> list[tuple[str, ...]]:
    """The runs of the last build that have not ended, read from the database of the embedded server.

    Those of a build that was killed before it stay as they are: nothing was left that could report them.
    """
    ended = "'COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED'"
    with sqlite3.connect(f"file:{home / 'prefect.db'}?mode=ro", uri=True) as database:
        return [
            (table, *map(str, row))
            for table in ("flow_run", "task_run")
            for row in database.execute(
                f"SELECT name, state_type, start_time FROM {table} WHERE state_type NOT IN ({ended}) AND start_time >= "
                "(SELECT max(start_time) FROM flow_run WHERE parent_task_run_id IS NULL)"
            )
        ]


def torture(reference: Reference, folder: Path) -> None:
    """Strike ``KILLS`` times; raises ``AssertionError`` with what went wrong."""
    rng = np.random.default_rng(SEED)
    probe = folder / "probe"
    mounted = disturbances.mount(probe)
    if mounted:
        subprocess.run(["umount", str(probe)], check=True)
    available = disturbances.all_of(disk=mounted, compiler="LD_PRELOAD" in disturbances.clock(folder / "clock"))
    if KILLS <= 5:
        available = [disturbance for disturbance in available if disturbance.name in FIVE]
    waiting = drawn(KILLS, available, rng)
    print(f"\n{reference.shards} shards, start {reference.start:.1f} s, verify {reference.verify:.1f} s, seed {SEED}")
    print(f"{'no':>3}  {'what':34} {'when':24} {'shards lost':13} {'s':>6}  then", flush=True)
    done: list[Strike] = []
    round_number = 0
    while waiting and round_number < 3 + KILLS // 4:
        ordeal = Ordeal(("build", *DATASET), reference, folder / f"round-{round_number}", rng)
        try:
            late = ordeal.through(waiting[:AT_A_TIME])
        finally:
            ordeal.close()
            for strike in ordeal.struck:
                print(strike.line, flush=True)
        done += ordeal.struck
        # Of those that came too late, each strikes another build, which begins from nothing.
        waiting = late + waiting[AT_A_TIME:]
        round_number += 1
    faults = [strike.line for strike in done if strike.faults]
    print(f"{len(done) - len(faults)} of {KILLS}, equal bytes")
    assert not faults, "\n".join(faults)
    assert len(done) == KILLS
