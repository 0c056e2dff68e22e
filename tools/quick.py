"""Runs the quick tests of what was changed since main: ``python -m tools.quick`` or ``make quick``."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Packages whose tests do not lie in the folder of their name alone; what suites share is held to their laws too.
MIRRORS = {
    "evals/baselines": ("evals/probes",),
    "evals/report": ("evals/scores",),
    "flows/commands": ("cli", "flows"),
    "generators/seeding.py": ("generators", "suites"),
    "items": ("suites",),
    "distributions/evals/planimeter_env": ("evals/harnesses",),
    "suites": ("suites",),
}
ASKED = (("diff", "--name-only", "main"), ("ls-files", "--others", "--exclude-standard"))


def mirror(path: str) -> str:
    """Return the longest folder of ``path`` that tests/ has too, else the first of its folders."""
    folders = [str(folder) for folder in Path(path).parents][:-1]
    return next((folder for folder in folders if (ROOT / "tests" / folder).is_dir()), path.split("/")[0])


def mirrors(path: str) -> tuple[str, ...]:
    """Return the folders of tests/ that test the file at ``path``, relative to the project."""
    return next((MIRRORS[key] for key in MIRRORS if path.startswith(key)), (mirror(path),))


def selected(changed: list[str]) -> list[str]:
    """Return the files and folders of tests for the files that were ``changed``, relative to the project."""
    chosen: set[str] = set()
    for path in changed:
        if path.startswith("tests/support/"):
            tests = (test for test in (ROOT / "tests").rglob("test_*.py") if f" {Path(path).stem}" in test.read_text())
            chosen.update(str(test.relative_to(ROOT)) for test in tests)
        elif path.startswith("tests/"):
            chosen.update([path] if Path(path).name.startswith("test_") and (ROOT / path).exists() else [])
        else:
            chosen.update(
                f"tests/{name if (ROOT / 'tests' / name).is_dir() else 'packaging'}" for name in mirrors(path)
            )
    return sorted(path for path in chosen if str(Path(path).parent) not in chosen)


if __name__ == "__main__":
    if subprocess.call(["git", "rev-parse", "--quiet", "--verify", "main"], cwd=ROOT, stdout=subprocess.DEVNULL):  # noqa: S607
        sys.exit("make quick: there is no branch main to compare with; `git branch main origin/main` makes it")
    listed = "".join(subprocess.check_output(["git", *words], cwd=ROOT, text=True) for words in ASKED)  # noqa: S607
    command = (sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "-m", "not slow and not process")
    sys.exit(subprocess.call([*command, *found], cwd=ROOT) if (found := selected(listed.splitlines())) else 0)
