"""`planimeter new` writes a distribution that works at once, and nothing anywhere else."""

import re
import sys
from contextlib import chdir
from pathlib import Path

import command_line
import pytest
from typer.testing import CliRunner

from planimeter.flows.commands.cli import app
from planimeter.flows.commands.new import TEMPLATE

#: The most lines of a distribution that somebody is to read before changing it.
LONGEST = 310


def new(name: str, folder: Path) -> str:
    """Run the command in ``folder``, and return what is wrong; empty if nothing is."""
    with chdir(folder):
        result = CliRunner().invoke(app, ["new", name])
    return str(result.exception or "")


def test_a_new_suite_is_short_and_has_no_placeholder(tmp_path: Path) -> None:
    assert new("open-rings", tmp_path) == ""
    files = {path.relative_to(tmp_path / "open-rings"): path for path in tmp_path.rglob("*") if path.is_file()}
    assert {Path("open_rings/open-rings.toml"), Path("tests/test_open_rings.py")} <= files.keys()
    assert len(files) == len([*TEMPLATE.rglob("*.txt")])
    texts = [path.read_text() for path in files.values()]
    assert sum(text.count("\n") for text in texts) <= LONGEST
    assert not re.search(r"@(suite|dataset)@", "".join(texts))
    for path in files.values():
        if path.suffix == ".py":
            compile(path.read_text(), str(path), "exec")
            assert max(map(len, path.read_text().splitlines()), default=0) <= 120


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../rings", "need lower-case words joined by hyphens"),
        ("Rings", "need lower-case words"),
        ("rings\n", "need lower-case words"),
        ("rings-", "need lower-case words"),
        ("lambda", "lambda is a Python keyword"),
        ("json", "json is a Python keyword"),
        ("curves", "there is a suite or dataset curves already"),
        ("numpy", "a module numpy is installed already"),
    ],
)
def test_an_invalid_name_writes_nothing(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "here").mkdir()
    assert said in new(name, tmp_path / "here")
    assert [*tmp_path.rglob("*")] == [tmp_path / "here"]


def test_an_existing_entry_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("file", "link"):
        assert f"{name}: already exists" in new(name, tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "link"]


@pytest.mark.slow
def test_a_new_suite_builds_certifies_and_passes_its_tests(tmp_path: Path) -> None:
    assert new("open-rings", tmp_path) == ""
    site, written = tmp_path / "site", tmp_path / "open-rings"
    pip = "-m pip install --quiet --no-input --disable-pip-version-check --no-deps --no-build-isolation"
    env = command_line.environment(tmp_path / "prefect", PYTHONPATH=f"{site}:{command_line.ROOT}")
    ended = command_line.child(sys.executable, *pip.split(), "--target", str(site), str(written), env=env)
    assert ended.code == 0, ended.err
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", str(written / "tests"))
    ended = command_line.child(sys.executable, *tests, env=env)
    assert ended.code == 0 and "4 passed" in ended.out, ended.out
