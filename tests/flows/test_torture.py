"""A build cannot be killed: whatever strikes it, and whenever, the same command leads to the same bytes."""

import sys
from contextlib import nullcontext

import command_line
import ordeal
import pytest
from torture import Reference

from planimeter.recipes.loading import load

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes and their environment are read from /proc")


@pytest.mark.slow
def test_a_build_cannot_be_killed(tmp_path, capsys):
    name, out, home = ordeal.DATASET[0], tmp_path / "out", tmp_path / "home"
    command = ("build", *ordeal.DATASET, "--workers", str(ordeal.WORKERS), "--out", str(out))
    ended = command_line.run(*command, home=home)
    assert ended.code == 0, ended.err
    (tmp_path / "tortured").mkdir()
    # The table of the long form is to be read while it grows.
    with capsys.disabled() if ordeal.KILLS > 5 else nullcontext():
        ordeal.torture(Reference.of(out / name / load(name).version, home), tmp_path / "tortured")
