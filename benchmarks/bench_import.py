"""Imports a corpus of many lines, and reports how much memory each process held at most.

python -m benchmarks.bench_import                                  # 90,000 lines, one in a hundred with drawing code
python -m benchmarks.bench_import --lines 900000 --workers 2 --folder /tmp/import
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import typer

from benchmarks.bench_scale import OURS, watch

#: One line in so many brings drawing code, as in the corpora of GeoGramBench (section 4.2).
WITH_CODE = 100

WORDS = [f"{a}{b}{c}" for a in ("ba", "ke", "li", "mo", "nu") for b in "bdfgklmnprst" for c in ("an", "er", "is", "on")]


def made(count: int) -> Iterator[str]:
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


def main(lines: int = 90_000, workers: int = 2, folder: Path = Path("/tmp/planimeter-import")) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    corpus = folder / f"made-{lines}.jsonl"
    if not corpus.exists():
        with corpus.open("w") as file:
            file.writelines(f"{line}\n" for line in made(lines))
    command = ["import", "geogram", str(corpus), "--out", str(folder / "out"), "--workers", str(workers)]
    began = time.monotonic()
    processes = watch([*OURS, *command], folder)
    print(f"{lines:,} lines, {corpus.stat().st_size / 2**20:,.0f} MiB: {time.monotonic() - began:.0f} s")
    for usage in processes.values():
        print(f"{usage.role}: at most {usage.peak:,.0f} MiB, {usage.cpu:.0f} CPU s")


if __name__ == "__main__":
    typer.run(main)
