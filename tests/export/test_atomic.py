"""A dataset folder appears whole or not at all."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import command_line
import pytest

from planimeter.export.atomic import ExportError, Staging


def test_nothing_appears_before_commit(tmp_path: Path) -> None:
    final = tmp_path / "d" / "1.0.0"
    with Staging(final) as staging:
        (staging.path / "file").write_text("content")
        assert not final.exists()
        assert staging.path.parent == final.parent  # a rename across file systems is not atomic
        assert staging.commit() == final
    assert (final / "file").read_text() == "content"
    assert [path.name for path in final.parent.iterdir()] == ["1.0.0"]


@pytest.mark.parametrize("empty", [True, False])
def test_an_existing_version_is_never_replaced(tmp_path: Path, empty: bool) -> None:
    final = tmp_path / "1.0.0"
    with pytest.raises(ExportError, match="never overwritten"), Staging(final) as staging:
        final.mkdir()  # appears while the build runs; rename alone would replace it if it is empty
        if not empty:
            (final / "precious").touch()
        staging.commit()
    assert final.is_dir()
    with pytest.raises(ExportError, match="give another version"), Staging(final):
        pytest.fail("a version that exists must stop the build at once")
    assert [path.name for path in tmp_path.iterdir()] == ["1.0.0"]


@pytest.mark.parametrize(
    "error, message",
    [
        (OSError(errno.ENOSPC, "No space left on device"), "no space left on the disk; free some"),
        (OSError("[Errno 28] Error writing bytes to file"), "no space left on the disk; free some"),
        (PermissionError(errno.EACCES, "Permission denied"), "no right to write there"),
        (OSError(errno.EIO, "Input/output error"), "cannot be written: .*Input/output"),
        (KeyboardInterrupt(), ""),
    ],
)
def test_what_breaks_a_build_off_leaves_no_half_folder(tmp_path: Path, error: BaseException, message: str) -> None:
    kind = ExportError if message else KeyboardInterrupt
    with pytest.raises(kind, match=message or None), Staging(tmp_path / "1.0.0") as staging:
        (staging.path / "half").touch()
        raise error
    assert list(tmp_path.iterdir()) == []


def test_a_file_too_large_for_the_system_stops_arrow_with_a_clear_error(tmp_path: Path) -> None:
    """A real failed write inside Arrow, as a full disk gives: the limit on the size of a file."""
    code = f"""
import resource, signal, sys
from pathlib import Path
from sample_folder import write_sample
from planimeter.export.atomic import ExportError, Staging
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    with Staging(Path({str(tmp_path / "1.0.0")!r})) as staging:
        staging.path.rmdir()
        write_sample(staging.path)
except ExportError as error:
    sys.exit(f"clear: {{error}}")
"""
    support = command_line.ROOT / "tests" / "support"
    environment = command_line.environment(tmp_path, PYTHONPATH=f"{command_line.ROOT}{os.pathsep}{support}")
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr[:7]) == (1, "clear: ")
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_left_does_not_get_in(tmp_path: Path) -> None:
    stale = tmp_path / ".1.0.0.staging"
    stale.mkdir()
    (stale / "old").touch()
    with Staging(tmp_path / "1.0.0") as staging:
        staging.commit()
    assert list((tmp_path / "1.0.0").iterdir()) == []


def test_a_parent_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "d").touch()
    with pytest.raises(ExportError, match="cannot be written"), Staging(tmp_path / "d" / "1.0.0"):
        pytest.fail("the folder cannot have been made")
