"""`planimeter show --open` opens the report, in whatever browser the user has."""

import shutil
from pathlib import Path

import command_line
import pytest


@pytest.fixture
def awkward(sample: Path, tmp_path: Path) -> Path:
    """The sample in a folder whose name a careless address would not survive."""
    return Path(shutil.copytree(sample, tmp_path / "my data #1 äö" / "1.0.0"))


def browser(folder: Path, ends_with: int = 0) -> tuple[Path, Path]:
    """A program that notes what it is asked to show."""
    noted = folder / "asked"
    program = folder / "browser"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{noted}"\nexit {ends_with}\n')
    program.chmod(0o755)
    return program, noted


def test_the_users_browser_is_given_the_report(awkward: Path, tmp_path: Path) -> None:
    program, noted = browser(tmp_path)
    told = command_line.run("show", str(awkward), "--open", home=tmp_path, BROWSER=str(program))
    assert told.code == 0, told.err
    assert noted.read_text() == (awkward / "report" / "index.html").as_uri() + "\n"
    assert "rows" in told.out


def test_without_open_no_browser_is_started(awkward: Path, tmp_path: Path) -> None:
    program, noted = browser(tmp_path)
    assert command_line.run("show", str(awkward), home=tmp_path, BROWSER=str(program)).code == 0
    assert not noted.exists()


def test_without_a_browser_the_address_is_told(awkward: Path, tmp_path: Path) -> None:
    program, noted = browser(tmp_path, ends_with=1)
    told = command_line.run(
        "show", str(awkward), "--open", home=tmp_path, BROWSER=str(program), PATH=str(tmp_path / "no")
    )
    assert told.code == 1
    assert noted.exists()
    assert told.lines == [f"planimeter: no browser was found; open {awkward / 'report' / 'index.html'} yourself"]


def test_a_report_that_is_missing_is_one_line(awkward: Path, tmp_path: Path) -> None:
    program, noted = browser(tmp_path)
    (awkward / "report" / "index.html").unlink()
    told = command_line.run("show", str(awkward), "--open", home=tmp_path, BROWSER=str(program))
    assert (told.code, len(told.lines)) == (1, 1)
    assert "index.html is missing" in told.err
    assert not noted.exists()
