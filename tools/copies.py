"""Copies of the working tree in which a fault is planted, and tests are run, with environments of their own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tools.planted import sources

ROOT: Final = Path(__file__).resolve().parent.parent
#: CPU seconds of the process of pytest, and seconds in all, that the tests of one fault may take; a fault that takes
#: more is one that hangs, which no run of the suite survives either.
LIMIT: Final = (120, 600)


class Copy:
    """A copy of the working tree with an environment that borrows the libraries of this one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        clone = ["git", "clone", "--quiet", "--shared", str(ROOT), str(root)]
        subprocess.run(clone, check=True)
        git = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]:
            (root / name).unlink(missing_ok=True)
            if os.path.lexists(ROOT / name):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, root / name, follow_symlinks=False)
        self.modules = sources(root)
        for module in self.modules:
            # What Numba and Python have compiled already; it is valid as long as the times of files are the same.
            compiled = Path(module).parent / "__pycache__"
            if (ROOT / compiled).exists() and not (root / compiled).exists():
                shutil.copytree(ROOT / compiled, root / compiled)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", root / ".venv"], check=True)
        for script in Path(sys.executable).parent.iterdir():
            copied, content = root / ".venv" / "bin" / script.name, script.read_bytes() if script.is_file() else b""
            if content.startswith(b"#!") and not copied.exists():
                copied.write_bytes(content.replace(bytes(script.parent), bytes(copied.parent)))
                copied.chmod(script.stat().st_mode)
        libraries = [path for path in sys.path if "site-packages" in path]
        paths = [str(root / "src"), str(root / "distributions" / "evals" / "src"), *libraries]
        self.packages = next((root / ".venv" / "lib").glob("python*/site-packages"))
        (self.packages / "libraries.pth").write_text("\n".join(paths) + "\n")

        variables = {"PREFECT_HOME": str(root / ".venv" / "prefect"), "PLANIMETER_SHARED": str(ROOT.parent / "shared")}
        self.server = subprocess.Popen(
            [root / ".venv" / "bin" / "python", "-m", "tools.forked"],
            cwd=root,
            env={**variables, **os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "400", "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, tests: Sequence[str], *options: str, limit: tuple[int, int] = LIMIT) -> tuple[str, str]:
        """Run ``tests``; return `found`, `late`, `passed` or `missing`, and the first test that fails, or is late."""
        arguments, report = self.root / ".venv" / "tests", self.root / ".venv" / "report"
        arguments.write_text("\n".join(tests))
        folder = f"--basetemp={self.root / '.venv' / 'basetemp'}"
        command = ["-vv", "-p", "no:cacheprovider", folder, *options, f"@{arguments}"]
        print(json.dumps([command, str(report), *limit]), file=self.server.stdin, flush=True)
        code = int(self.server.stdout.readline()) if self.server.stdout else 0
        output = report.read_text(errors="replace")
        if code in (0, 5) or (code == 4 and "ERROR: not found" in output):
            return "missing" if code else "passed", ""
        started = [line for line in output.splitlines() if re.match(r"tests/\S+::", line)]
        failing = [line for line in started if re.search(r" (FAILED|ERROR)\b", line)] or started[-1:] or [tests[0]]
        outcome = "late" if code in (-signal.SIGKILL, -signal.SIGXCPU) else "found"
        return outcome, re.split(r" +(?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b", failing[0])[0].strip()

    @contextmanager
    def planted(self, path: str, source: str) -> Iterator[None]:
        """Write ``source``, and hide what is compiled of the module and, of what Numba compiles, of its users."""
        kernels = {name: module.source for name, module in self.modules.items() if "njit" in module.source}
        changed = {path}
        while path in kernels:
            stems = re.compile("|".join(rf"\b{Path(name).stem}\b" for name in changed))
            users = {name for name, text in kernels.items() if stems.search(text)} | changed
            if users == changed:
                break
            changed = users
        patterns = [self.root / Path(name).parent / "__pycache__" / f"{Path(name).stem}.*" for name in sorted(changed)]

        def compiled() -> list[Path]:
            return [file for pattern in patterns for file in pattern.parent.glob(pattern.name)]

        file = self.root / path
        before, times = file.read_text(), (file.stat().st_atime_ns, file.stat().st_mtime_ns)
        hidden = [old.rename(old.with_name(f"hidden-{old.name}")) for old in compiled()]
        file.write_text(source)
        try:
            yield
        finally:
            file.write_text(before)
            os.utime(file, ns=times)
            for new in compiled():
                new.unlink()
            for old in hidden:
                old.rename(old.with_name(old.name.removeprefix("hidden-")))
