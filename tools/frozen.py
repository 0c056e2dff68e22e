"""Compares the bytes that the code makes with those that were frozen: ``python -m tools.frozen`` or ``make frozen``.

All datasets are built at one scale, and the first rows of every level of each stream are made. Frozen is the SHA-256 of
each file of ``data/``, and of each column of each split, so that a difference names what differs: the pictures, a word
of the prompts, a number, or only the order. A row that changes on purpose is named in the datasets' changelog, and
``--renew`` freezes it in the same commit.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from planimeter.streams import LADDERS, levels, stream
from tools.collection import write_collection

ROOT: Final = Path(__file__).resolve().parent.parent
KEPT: Final = ROOT / "tools" / "frozen"
#: What all streams are called among the names of datasets.
STREAMS: Final = "streams"
#: Rows of each level of a stream at full scale.
STREAMED: Final = 200
#: Hexadecimal digits of a digest: 64 bits.
DIGITS: Final = 16

Frozen = dict[str, dict[str, str]]


def _digest(parts: Iterable[bytes]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big"))
        whole.update(part)
    return whole.hexdigest()[:DIGITS]


def _bytes(value: object) -> bytes:
    """Return ``value`` as bytes that differ wherever two values do; of a picture its PNG."""
    if isinstance(value, Mapping) and isinstance(value.get("bytes"), bytes):
        return bytes(value["bytes"])
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str).encode()


def of_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the number of ``rows``, a digest of each of their columns, and one of the ids whatever their order."""
    columns = {
        name: _digest(_bytes(row[name]) for row in rows) for name in sorted({name for row in rows for name in row})
    }
    return {"rows": str(len(rows)), "ids in any order": _digest(sorted(_bytes(row["id"]) for row in rows)), **columns}


def of_dataset(folder: Path) -> Frozen:
    """Return the digests of the dataset in ``folder``: of each file of ``data/``, and of the rows of each split."""
    files = sorted((folder / "data").rglob("*.parquet"))
    frozen = {"files": {str(path.relative_to(folder)): _digest([path.read_bytes()]) for path in files}}
    splits: dict[str, list[Path]] = {}
    for path in files:
        splits.setdefault(f"{path.parent.name}/{path.name.split('-')[0]}", []).append(path)
    for name, paths in splits.items():
        frozen[name] = of_rows([row for path in paths for row in pq.read_table(path).to_pylist()])
    return frozen


def of_streams(count: int) -> dict[str, Frozen]:
    """Return the digests of the first ``count`` rows of every level of every stream."""
    return {
        f"stream {ladder}": {
            f"level {level}": of_rows(list(islice(stream(ladder, level=level, seed=0), count)))
            for level in range(1, levels(ladder) + 1)
        }
        for ladder in LADDERS
    }


def differences(frozen: Mapping[str, Frozen], made: Mapping[str, Frozen]) -> Iterator[str]:
    """Yield what differs, a line each: which dataset or stream, which split or level, and which columns or files."""
    for name in sorted(frozen.keys() | made.keys()):
        before, after = frozen.get(name), made.get(name)
        if before is None or after is None:
            yield f"{name}: {'new' if before is None else 'gone'}"
            continue
        for part in sorted(before.keys() | after.keys()):
            old, new = before.get(part, {}), after.get(part, {})
            unlike = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
            if not unlike:
                continue
            moved = part != "files" and "rows" not in unlike and "ids in any order" not in unlike and "id" in unlike
            yield f"{name}, {part}: {'the order of the rows' if moved else ', '.join(unlike)}"


def _built(names: Sequence[str], scale: float) -> dict[str, Frozen]:
    with tempfile.TemporaryDirectory(prefix="planimeter-") as temporary:
        collection = Path(temporary, "frozen.toml")
        write_collection(collection, names, scale)
        out = Path(temporary, "out")
        command = [sys.executable, "-m", "planimeter.flows", "build", str(collection), "--out", str(out)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}; its messages stand above")
        return {name: of_dataset(next((out / name).glob("*/manifest.json")).parent) for name in names}


def main() -> int:
    """Compare, or renew; the exit code is 1 where something differs."""
    every = [*tomllib.loads((ROOT / "suites" / "smoke.toml").read_text())["datasets"], STREAMS]
    parser = argparse.ArgumentParser(prog="python -m tools.frozen", description=__doc__)
    parser.add_argument("--scale", type=float, default=0.02, help="share of every quota (default: 0.02)")
    parser.add_argument("--datasets", nargs="*", default=every, metavar="NAME", help=f"default: all, and {STREAMS}")
    parser.add_argument("--renew", action="store_true", help="freeze what today's code makes of these datasets")
    args = parser.parse_args()
    kept = KEPT / f"{args.scale:g}.json"
    if not kept.exists() and not args.renew:
        print(f"nothing is frozen at this scale: {kept} is missing; --renew writes it", file=sys.stderr)
        return 2
    datasets = [name for name in args.datasets if name != STREAMS]
    made = _built(datasets, args.scale) if datasets else {}
    if STREAMS in args.datasets:
        made |= of_streams(max(1, round(STREAMED * args.scale)))
    frozen = json.loads(kept.read_text()) if kept.exists() else {}
    unlike = list(differences({name: frozen[name] for name in frozen if args.datasets == every or name in made}, made))
    print("\n".join(unlike or [f"{len(made)} datasets and streams are as frozen in {kept.relative_to(ROOT)}"]))
    if args.renew:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps(frozen | made, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
        return 0
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main())
