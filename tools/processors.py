"""Builds datasets as other x86-64 processors would, and compares their bytes: ``python -m tools.processors``.

The libraries choose their code by what the processor can do; their own variables switch those choices off, so that one
machine plays an older one. Each setting builds with a separate Prefect home and output folder; numba's cache
distinguishes processors by itself. The exit code is 1 where a byte of ``data/``, ``croissant.json`` or
``manifest.json`` differs, 2 where a build fails.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.collection import write_collection

ROOT = Path(__file__).resolve().parent.parent

_NO_AVX512 = "-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD"
_NUMBA_512 = "-avx512f,-avx512vl,-avx512bw,-avx512dq,-avx512cd"

#: numpy, OpenBLAS, OpenCV, numba and the C library each have such a variable. What it names must be known to its
#: library: an unknown name is ignored with a line on standard error.
SETTINGS: dict[str, dict[str, str]] = {
    "plain": {},
    "no-avx512": {
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Haswell",
        "OPENBLAS_NUM_THREADS": "1",
        "OPENCV_CPU_DISABLE": "AVX512-SKX",
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": _NUMBA_512,
        "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={_NO_AVX512}",
    },
    "baseline": {
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Nehalem",
        "OPENBLAS_NUM_THREADS": "4",
        "OPENCV_CPU_DISABLE": "AVX512-SKX,AVX2,FP16,AVX,SSE4.2,SSE4.1",
        "NUMBA_CPU_NAME": "nehalem",
        "NUMBA_CPU_FEATURES": f"{_NUMBA_512},-avx2,-avx,-fma,-bmi,-bmi2",
        "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={_NO_AVX512},-AVX2,-AVX,-FMA,-FMA4,-BMI2",
    },
}

#: Prints what one process computes with each library, so that a setting that changes nothing is noticed.
PROBE = """
import hashlib, json, math
import cv2, numba, numpy as np
x = np.linspace(0.01, 0.99, 50_001)
digest = lambda values: hashlib.sha256(np.asarray(values).tobytes()).hexdigest()[:8]
cpu = numba.core.codegen.JITCPUCodegen("probe").magic_tuple()
print(json.dumps({
    "C library": digest([math.sin(v) + math.exp(v) for v in x.tolist()]),
    "numpy": digest([np.exp(x), np.log(x), np.cbrt(x)]),
    "BLAS": digest(x[:50_000].reshape(100, 500) @ x[:50_000].reshape(500, 100)),
    "OpenCV": digest(cv2.GaussianBlur(x[:50_000].reshape(100, 500).astype(np.float32), (0, 0), 1.3)),
    "numba": digest(list("".join(map(str, cpu)).encode())),
}))
"""


def _environment(setting: str, home: Path) -> dict[str, str]:
    variables = {name for values in SETTINGS.values() for name in values}
    kept = {name: value for name, value in os.environ.items() if name not in variables}
    kept = {name: value for name, value in kept.items() if not name.startswith("PREFECT_")}
    folders = {"PREFECT_HOME": str(home / "prefect"), "PYTHONPATH": str(ROOT)}
    return {**kept, **SETTINGS[setting], **folders}


def _probed(setting: str, home: Path) -> dict[str, str]:
    command = [sys.executable, "-c", PROBE]
    done = subprocess.run(command, env=_environment(setting, home), cwd=ROOT, capture_output=True, text=True)
    if done.returncode or "unknown CPU feature" in done.stderr:
        raise SystemExit(f"the setting {setting!r} does not run here: {done.stderr.strip()}")
    versions: dict[str, str] = json.loads(done.stdout)
    return versions


def _build(setting: str, collection: Path, home: Path, workers: int) -> subprocess.Popen[bytes]:
    arguments = ["build", str(collection), "--workers", str(workers), "--out", str(home / "out")]
    with (home / "log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "planimeter.flows", *arguments],
            cwd=ROOT,
            env=_environment(setting, home),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def _finished(setting: str, build: subprocess.Popen[bytes], home: Path) -> None:
    if build.wait():
        print((home / "log").read_text(errors="replace")[-3000:], file=sys.stderr)
        print(f"the build of {setting} failed; its log ends above", file=sys.stderr)
        raise SystemExit(2)


def digests(out: Path, dataset: str) -> dict[str, str]:
    """The digest of each file of ``dataset`` that is promised to be the same everywhere, by its name in the folder."""
    by_name = {}
    for path in sorted((out / dataset).rglob("*")):
        name = path.relative_to(out / dataset).parts[1:]
        if path.is_file() and (name[:1] == ("data",) or name in (("croissant.json",), ("manifest.json",))):
            by_name["/".join(name)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return by_name


def table(by_setting: Mapping[str, Mapping[str, Mapping[str, str]]], datasets: Sequence[str]) -> tuple[list[str], bool]:
    """Lines of a table dataset x setting against the first setting, and whether all are equal."""
    first, *others = by_setting
    lines = [f"{'dataset':<16}" + "".join(f"{setting:>12}" for setting in others) + f"   (each against {first})"]
    alike = True
    for dataset in datasets:
        wanted, cells, names = by_setting[first][dataset], [], []
        for setting in others:
            made = by_setting[setting][dataset]
            unlike = sorted(name for name in wanted.keys() | made.keys() if wanted.get(name) != made.get(name))
            # A dataset without a file is no proof of anything.
            same = bool(wanted) and not unlike
            alike = alike and same
            cells.append(f"{'equal' if same else 'DIFFERS':>12}")
            names += [f"    {setting}: {name}" for name in unlike]
        lines += [f"{dataset:<16}" + "".join(cells), *names]
    return lines, alike


def main(arguments: Sequence[str] | None = None) -> int:
    everything = tomllib.loads((ROOT / "suites" / "smoke.toml").read_text())["datasets"]
    parser = argparse.ArgumentParser(prog="python -m tools.processors", description=__doc__)
    parser.add_argument("--scale", type=float, default=0.02, help="share of every quota (default: 0.02)")
    parser.add_argument("--datasets", nargs="+", default=everything, metavar="NAME", help="default: all")
    parser.add_argument("--settings", nargs="+", default=["plain", "baseline"], choices=sorted(SETTINGS))
    parser.add_argument("--workers", type=int, default=1, help="worker processes of each build (default: 1)")
    parser.add_argument("--in-turn", action="store_true", help="one build after the other, not side by side")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="build below DIR and leave the datasets there")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="planimeter-") as temporary:
        root = (args.keep or Path(temporary)).resolve()
        homes = {setting: root / setting for setting in args.settings}
        for home in homes.values():
            home.mkdir(parents=True, exist_ok=True)
        probed = {setting: _probed(setting, home) for setting, home in homes.items()}
        first, *others = args.settings
        for setting in others:
            changed = [library for library, digest in probed[setting].items() if digest != probed[first][library]]
            print(f"{setting} computes otherwise than {first} in: {', '.join(changed) or 'nothing'}")
        collection = root / "processors.toml"
        write_collection(collection, args.datasets, args.scale)
        running = {}
        for setting, home in homes.items():
            running[setting] = _build(setting, collection, home, args.workers)
            if args.in_turn:
                _finished(setting, running[setting], home)
        for setting, home in homes.items():
            _finished(setting, running[setting], home)
        built = {s: {name: digests(h / "out", name) for name in args.datasets} for s, h in homes.items()}
    lines, alike = table(built, args.datasets)
    print("\n".join(lines))
    return 0 if alike else 1


if __name__ == "__main__":
    sys.exit(main())
