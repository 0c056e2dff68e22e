import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import command_line
import pytest
from filelock import FileLock
from sample_folder import write_sample

if TYPE_CHECKING:
    from small_datasets import Small

DATASET = Path("marvl-qa-mini") / "1.2.1"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small marvl-qa-mini, built undisturbed with two workers; the folder that holds the dataset and the store.

    The first process of pytest-xdist that needs it builds it, and each has a copy, which its tests build into again.
    """
    folder = tmp_path_factory.getbasetemp()
    shared = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "built-once"
    with FileLock(f"{shared}.lock"):
        if not (shared / DATASET).exists():
            command = ("build", *command_line.TINY, "--workers", "2", "--out", str(shared))
            ended = command_line.run(*command, home=shared / "home")
            assert ended.code == 0, ended.err
    return Path(shutil.copytree(shared, folder / "built"))


@pytest.fixture(scope="session")
def dataset(built: Path) -> Path:
    return built / DATASET


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small hand-made dataset, to be read only."""
    return write_sample(tmp_path_factory.mktemp("sample") / "1.0.0")


@pytest.fixture
def folder(sample: Path, tmp_path: Path) -> Path:
    """A copy of the small hand-made dataset, to be damaged."""
    return Path(shutil.copytree(sample, tmp_path / "1.0.0"))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> "Callable[[str], Small]":
    """Gives the small edition of a dataset by its name, to be read only."""
    made: dict[str, Small] = {}

    def of(name: str) -> "Small":
        # Seconds that tests without it need not wait.
        from small_datasets import make

        if name not in made:
            made[name] = make(name, tmp_path_factory.mktemp(name))
        return made[name]

    return of


@pytest.fixture
def certified(small: "Callable[[str], Small]", tmp_path: Path) -> Path:
    """A small marvl-qa-mini with every document, whose pictures its certifier reads, to be changed."""
    from small_datasets import whole

    given = small("marvl-qa-mini")
    return whole(tmp_path / "1.0.0", given, given.rows)


@pytest.fixture(scope="session")
def s3_server() -> Iterator[dict[str, str]]:
    """The environment that leads to an S3 server with the bucket `shelf`."""
    # Seconds that tests without a bucket need not wait.
    import loopback_s3

    with loopback_s3.started() as environment:
        yield environment


@pytest.fixture
def s3(s3_server: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A plain client of the server, which this process reaches too."""
    import loopback_s3
    from s3fs import S3FileSystem

    for name, value in s3_server.items():
        monkeypatch.setenv(name, value)
    S3FileSystem.clear_instance_cache()
    yield loopback_s3.client(s3_server)
    S3FileSystem.clear_instance_cache()


@pytest.fixture
def url(s3: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An address of the test's own in the bucket, and a place of its own for desks."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    return f"s3://shelf/{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:12]}"
