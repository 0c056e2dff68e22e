"""Plants faults in the code, and reports which tests find them: ``python -m tools.mutants`` or ``make mutants``.

``mutants.json`` keeps 148 faults that a seeded draw took from all packages in proportion to their lines
(`tools.planted`), each with the test that finds it. A fault is planted in a copy of the working tree, with a
separate environment in which child processes import the copy too. It is looked for by the test that is recorded,
wherever that is today, then by the tests of its package. ``--measure`` records; that needs to know which tests reach
which fault, which one run of all tests with probes finds (``--reach FILE``, a quarter of an hour or more).
"""

import argparse
import concurrent.futures
import dataclasses
import json
import queue
import resource
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tools.copies import ROOT, Copy
from tools.planted import Fault, draw, fault_at, find, planted, sites, sources
from tools.quick import mirrors
from tools.reached import NAME, Probes

KEPT: Final = ROOT / "tools" / "mutants.json"
FAULTS: Final = 148
#: Seconds that the tests of a fault took together without it, at most; what comes later is left out.
BUDGET: Final = 45
#: Tests that are run at first, before all others that reach the fault.
FIRST: Final = 10
FOUND: Final = ("test", "slow")


def read() -> list[Fault]:
    """Return the faults that are kept."""
    return [Fault(**entry) for entry in json.loads(KEPT.read_text())["faults"]]


def write(faults: Sequence[Fault]) -> None:
    """Keep ``faults``."""
    plain = [{name: value for name, value in vars(fault).items() if name != "why" or value} for fault in faults]
    entries = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in plain)
    KEPT.write_text(f'{{"faults": [\n{entries}\n]}}\n')


def today(node: str, root: Path) -> list[str]:
    """Return what the recorded test is named in the tree at ``root``: in its file or another, then with any case."""
    path, _, name = node.partition("::")
    function, bracket, case = name.rsplit("::", 1)[-1].partition("[")
    files = [root / path, *sorted((root / "tests").rglob("test_*.py"))]
    for file in files:
        if function and file.exists() and f"def {function}(" in file.read_text():
            moved = f"{file.relative_to(root).as_posix()}::{name.partition('[')[0]}"
            return [f"{moved}{bracket}{case}", moved] if bracket else [moved]
    return [] if function or not (root / path).exists() else [path]


def beside(fault: Fault, path: str, root: Path) -> list[str]:
    """Return where else to look for a test of ``fault``: the recorded test's file, and the tests of the package."""
    files = [today(node, root)[0].partition("::")[0] for node in fault.tests if today(node, root)]
    folders = [folder for folder in (f"tests/{name}" for name in mirrors(path)) if (root / folder).is_dir()]
    return [*dict.fromkeys([*files, *folders])]


class Reach:
    """Which tests reach the place of which fault, and how long they took, of the file that `tools.reached` writes."""

    def __init__(self, log: Path) -> None:
        self.hits, self.took = defaultdict[int, set[str]](set), Counter[str]()
        self.shares, self.breadth = defaultdict[str, set[str]](set), Counter[str]()
        for kind, first, test, *_ in (line.split("\t") for line in log.read_text().splitlines()):
            if kind == "hit":
                self.hits[int(first)].add(test)
                self.breadth[test] += 1
            elif kind == "took":
                self.took[test] += float(first)
            else:
                self.shares[first].add(test)

    def batches(self, fault: Fault) -> list[list[str]]:
        """Return the tests that reach ``fault``: one case of each function before others, the cheap and narrow first.

        Last come those that share a dataset, made once a session, with a test that does.
        """
        reaching = self.hits[fault.id]
        sharing = {test for tests in self.shares.values() if tests & reaching for test in tests} - reaching
        cases, ordered, spent = Counter[str](), list[tuple[bool, int, float, str]](), 0.0
        cost = {test: self.took[test] + 0.02 * self.breadth[test] for test in reaching | sharing if test in self.took}
        for test in sorted(cost, key=lambda test: (cost[test], test)):
            function = test.partition("[")[0]
            ordered.append((test in sharing, cases[function], cost[test], test))
            cases[function] += 1
        chosen = []
        for *_, test in sorted(ordered):
            spent += self.took[test]
            chosen += [test] if spent < BUDGET or not chosen else []
        return [batch for batch in (chosen[:FIRST], chosen[FIRST:]) if batch]


def search(fault: Fault, copy: Copy, reach: Reach | None = None, tests: Sequence[str] = ()) -> Fault:
    """Return ``fault`` with its tier and test of today; the tier is `gone` where its place exists no longer."""
    place = find(fault, copy.modules)
    if place is None:
        return dataclasses.replace(fault, tier="gone")
    if fault.tier == "equivalent":
        return fault
    recorded = [[name] for node in fault.tests for name in today(node, copy.root)]
    chosen = [[name] for name in tests] or (reach.batches(fault) if reach else [])
    others = [] if chosen or reach else [[name] for name in beside(fault, place[0], copy.root)]
    with copy.planted(place[0], planted(fault, copy.modules[place[0]], place[1])):
        for batch in [*recorded, *chosen, *others]:
            for tier, options in (("test", ("-m", "not slow")), ("slow", ("-m", "slow"))):
                outcome, node = copy.run(batch, "-x", *options)
                # A few tests that take so long hang; a folder of tests may just be long.
                if outcome == "found" or (outcome == "late" and batch in (*recorded, *chosen)):
                    return dataclasses.replace(fault, tier=tier, tests=[node])
                if outcome == "passed" or reach:
                    break
    return dataclasses.replace(fault, tier="none", tests=[])


def reach(faults: Sequence[Fault], log: Path, folder: Path) -> None:
    """Run the tests of ``make test`` in a copy with probes, and write to ``log`` which reach which of ``faults``."""
    copy, modules = Copy(folder / "copy"), sources(ROOT)
    probes = Probes(modules)
    for fault in faults:
        places = sites(modules[fault.path])
        probes.put(
            fault, next(site for site in places if alike(fault, fault_at(0, fault.path, modules[fault.path], site)))
        )
    probes.write(copy.root)
    shutil.copy(ROOT / "tools" / "reached.py", copy.packages / f"{NAME}.py")
    copy.run(["tests"], "-m", "not slow", "-p", NAME, limit=(10**6, 10**6))
    shutil.copy(copy.packages / f"{NAME}.log", log)


def alike(fault: Fault, other: Fault) -> bool:
    """Return whether both are the same change of the same line."""
    return (fault.where, fault.planted, fault.nth) == (other.where, other.planted, other.nth)


def _measured(faults: Sequence[Fault], jobs: int, reached: Reach | None, tests: Sequence[str]) -> Iterator[Fault]:
    """Yield ``faults`` as they are found today, in copies of the tree, as many at once as ``jobs``."""
    with tempfile.TemporaryDirectory(prefix="planimeter-mutants-") as folder:
        copies = queue.SimpleQueue[Copy]()
        every = [Copy(Path(folder, str(job), "copy")) for job in range(jobs)]
        for copy in every:
            copies.put(copy)

        def measure(fault: Fault) -> Fault:
            copy = copies.get()
            try:
                return search(fault, copy, reached, tests)
            finally:
                copies.put(copy)

        with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
            yield from threads.map(measure, faults)
        for copy in every:
            copy.server.communicate()


def table(before: Sequence[Fault], after: Sequence[Fault]) -> tuple[list[str], bool]:
    """Return how many faults each tier finds, before and ``after``, and what changed; and whether one is lost."""
    tiers = ("test", "slow", "none", "equivalent", "gone", "")
    counts = [Counter(fault.tier for fault in faults) for faults in (before, after)]
    lines = [f"{'':12}{'recorded':>9}{'today':>7}"]
    lines += [f"{tier or 'unmeasured':12}{counts[0][tier]:9}{counts[1][tier]:7}" for tier in tiers]
    lost = False
    for old, new in zip(before, after, strict=True):
        if old.tier and old.tier != new.tier:
            lost |= old.tier in FOUND and new.tier == "none"
            lines.append(f"{old.id}: {old.tier} -> {new.tier}: {old.path} {old.where}: {old.planted}")
    return lines, lost


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--draw", action="store_true", help=f"draw {FAULTS} faults anew; forgets what was measured")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="each N-th fault from the K-th (default: all)")
    parser.add_argument("--ids", type=int, nargs="+", help="only these faults")
    parser.add_argument("--jobs", type=int, default=1, help="copies that are searched at once (default: 1)")
    parser.add_argument("--measure", action="store_true", help="record what is found")
    parser.add_argument("--reach", type=Path, metavar="FILE", help="which tests reach which fault; written if missing")
    parser.add_argument("--tests", nargs="+", default=(), help="tests, files or folders to run after the recorded ones")
    return parser.parse_args()


def main() -> int:
    """Draw, or look for the faults; the exit code is 1 where one that was found is found no longer."""
    args = _parsed()
    if args.draw:
        write(draw(sources(ROOT), FAULTS))
        return 0
    every = read()
    first, step = map(int, args.part.split("/"))
    chosen = [fault for fault in every[first - 1 :: step] if not args.ids or fault.id in args.ids]
    if args.reach and not args.reach.exists():
        with tempfile.TemporaryDirectory(prefix="planimeter-reach-") as folder:
            reach(every, args.reach, Path(folder))
    after = list[Fault]()
    for fault in _measured(chosen, args.jobs, args.reach and Reach(args.reach), args.tests):
        after.append(fault)
        print(f"{fault.id:4} {fault.tier:10} {' '.join(fault.tests)}", flush=True)
        if args.measure and fault.tier != "gone":
            every[fault.id] = fault
            write(every)
    lines, lost = table(chosen, after)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("\n".join(lines), f"{spent.ru_utime + spent.ru_stime:.0f} CPU seconds", sep="\n")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
