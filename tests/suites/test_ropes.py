"""The example of a suite of one's own: installed as its readers do, it passes its tests and goes the whole way."""

import shutil
import sys
from pathlib import Path

import command_line
import pytest

EXAMPLE = command_line.ROOT / "examples/ropes"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip has put the example, which it builds in a copy."""
    folder = tmp_path_factory.mktemp("ropes")
    return installed(Path(shutil.copytree(EXAMPLE, folder / "ropes")), folder / "site")


def installed(source: Path, site: Path) -> Path:
    pip = "-m pip install --quiet --no-input --disable-pip-version-check --no-deps --no-build-isolation"
    ended = command_line.child(sys.executable, *pip.split(), "--target", str(site), str(source), env=environment(site))
    assert ended.code == 0, ended.err
    return site


def environment(site: Path) -> dict[str, str]:
    return command_line.environment(site.parent / "prefect", PYTHONPATH=f"{site}:{command_line.ROOT}")


def passes(tests: Path, site: Path) -> None:
    """Run the tests of a distribution in ``site`` in a process of their own."""
    pytest_of_its_own = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tests), "-c", "/dev/null")
    ended = command_line.child(sys.executable, *pytest_of_its_own, str(tests), env=environment(site))
    assert ended.code == 0, ended.out


@pytest.mark.slow
def test_its_tests_pass_where_it_is_installed(site: Path) -> None:
    passes(EXAMPLE / "tests", site)


@pytest.mark.slow
def test_it_is_built_in_equal_bytes_by_one_worker_and_by_two_and_published_nowhere_without_its_certificate(
    site: Path, tmp_path: Path
) -> None:
    shell = {"PYTHONPATH": f"{site}:{command_line.ROOT}"}
    digests = []
    for workers in ("1", "2"):
        asked = ("build", "ropes", "--scale", "0.025", "--workers", workers, "--out", str(tmp_path / workers))
        ended = command_line.run(*asked, home=tmp_path / "prefect", **shell)
        assert ended.code == 0, ended.err
        digests.append(command_line.digests(tmp_path / workers / "ropes/1.0.0"))
    assert digests[0] == digests[1]
    ended = command_line.run("verify", str(tmp_path / "1/ropes/1.0.0"), "--certify", home=tmp_path / "prefect", **shell)
    assert "recovers the answers of all 50 rows" in ended.out, ended.err
