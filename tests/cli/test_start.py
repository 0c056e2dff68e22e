"""What only looks loads only what it needs; the version and the shell's completion."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import command_line
import pytest
from command_line import run

from planimeter.recipes.loading import available

#: What takes a tenth of a second and more to load, or comes with what does.
HEAVY = ("prefect", "pandas", "numba", "matplotlib", "numpy", "pyarrow", "scipy", "sympy", "cv2")


def loaded(arguments: list[str], home: Path) -> list[str]:
    """The heavy libraries that the command line has loaded at its end."""
    code = f"""
import sys
from planimeter.flows.commands import cli
try:
    cli.main()
except SystemExit as end:
    assert not end.code, end.code
print(*[name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=command_line.ROOT,
        env=command_line.environment(home),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()[-1].split()


@pytest.mark.parametrize(
    "arguments",
    [["list"], ["--version"], ["--help"], ["build", "--help"], ["verify", "--help"], ["score", "--help"]],
    ids=" ".join,
)
def test_a_command_that_only_looks_loads_no_heavy_library(arguments: list[str], tmp_path: Path) -> None:
    assert loaded(arguments, tmp_path) == []


def test_show_and_status_load_what_reads_a_manifest_alone(dataset: Path, tmp_path: Path) -> None:
    for arguments in (["show", str(dataset)], ["status", "--out", str(dataset.parent.parent)]):
        assert set(loaded(arguments, tmp_path)) <= {"numpy", "pyarrow"}


def test_the_version_of_the_package_is_printed_and_that_of_a_dataset_stays_an_option(tmp_path: Path) -> None:
    assert run("--version", home=tmp_path).out == f"planimeter {metadata.version('planimeter')}\n"
    wrong = run("build", "marvl-qa-mini", "--version", "../x", home=tmp_path)
    assert "need a version such as 1.0.0" in wrong.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_completes_commands_and_names_of_datasets(shell: str, tmp_path: Path) -> None:
    def completed(line: str) -> str:
        words = line.split(" ")
        asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        asked |= {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
        # The name by which the program is found on the PATH.
        code = "import sys; sys.argv[0] = 'planimeter'; from planimeter.flows.commands.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=command_line.environment(tmp_path, _PLANIMETER_COMPLETE=f"complete_{shell}", **asked),
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "leaderboard" in completed("planimeter lea")
    named = completed("planimeter build marvl")
    assert {name for name in available() if name in named.replace('"', " ").split()} == {
        "marvl-qa",
        "marvl-qa-mini",
        "marvl-qa-train",
    }
