"""Imports a corpus of many lines, and reports how much memory each process held at most.

python -m benchmarks.bench_import                                  # 90,000 lines, one in a hundred with drawing code
python -m benchmarks.bench_import --lines 900000 --workers 2 --folder /tmp/import
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

#: One line in so many brings drawing code, as in the corpora of GeoGramBench (section 4.2).
WITH_CODE = 100

WORDS = [f"{a}{b}{c}" for a in ("ba", "ke", "li", "mo", "nu") for b in "bdfgklmnprst" for c in ("an", "er", "is", "on")]


def lines(count: int) -> Iterator[str]:
    """Yield ``count`` problems of about 1.2 kB; every third of those with code repeats an earlier statement."""
    rng = np.random.default_rng(0)
    for number in range(count):
        words = " ".join(WORDS[i] for i in rng.integers(len(WORDS), size=40))
        row = {"problem": f"How many {words}?", "answer": str(number % 97), "source": "made", "solution": words * 3}
        if number % WITH_CODE == 0:
            case = f"case {number // WITH_CODE % 3 and number}"
            x, y = rng.integers(2, 90, size=2)
            code = f'[asy]\ndraw((0,0)--({x}.5,1.25)--(3,{y}.75)--cycle);\nlabel("$A$", (0,0), SW);\n[/asy]'
            stated = " ".join(f"{case} {word}" for word in WORDS[:20])
            row["problem"] = f"What is the area of the triangle with one side and an angle, {stated}? {code}"
        yield json.dumps(row)


def memory(process: subprocess.Popen[bytes]) -> dict[str, int]:
    """Return the most memory (VmHWM, kB) that each process of the import has held until now, by its role."""
    by_role: dict[str, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "status").read_text()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        status = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        is_parent = folder.name == str(process.pid)
        if is_parent or (status["PPid"].strip() == str(process.pid) and b"spawn_main" in command):
            by_role["parent" if is_parent else f"worker {folder.name}"] = int(status.get("VmHWM", "0 kB").split()[0])
    return by_role


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=90_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/planimeter-import"))
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    corpus = args.folder / f"made-{args.lines}.jsonl"
    if not corpus.exists():
        with corpus.open("w") as file:
            file.writelines(f"{line}\n" for line in lines(args.lines))
    command = ["import", "geogram", str(corpus), "--out", str(args.folder / "out"), "--workers", str(args.workers)]
    began, most = time.monotonic(), dict[str, int]()
    with subprocess.Popen([sys.executable, "-m", "planimeter.flows", *command]) as process:
        while process.poll() is None:
            for name, held in memory(process).items():
                most[name] = max(most.get(name, 0), held)
            time.sleep(0.5)
    print(f"{args.lines:,} lines, {corpus.stat().st_size / 2**20:,.0f} MiB: {time.monotonic() - began:.0f} s")
    for name, held in sorted(most.items()):
        print(f"{name}: at most {held / 1024:,.0f} MiB")


if __name__ == "__main__":
    main()
