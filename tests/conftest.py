import hashlib
import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The processes of pytest-xdist share the cores already. Libraries read it when they are loaded, here and in children.
for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import command_line  # noqa: E402
import pytest  # noqa: E402
from filelock import FileLock  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402
from sample_folder import write_sample  # noqa: E402

from planimeter.flows.store import sources  # noqa: E402
from planimeter.recipes.loading import load  # noqa: E402

if TYPE_CHECKING:
    from small_datasets import Small

pytest_plugins = ["cpu_budget"]

# The same examples each time: a run that fails by chance proves nothing.
PATIENT = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.register_profile("dev", PATIENT, max_examples=15)
settings.register_profile("full", PATIENT, max_examples=100)
settings.load_profile("dev")

DATASET = Path("marvl-qa-mini") / load("marvl-qa-mini").version


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the properties that hypothesis looks at, and begin with the tests that take longest."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("law")
    items.sort(key=lambda item: item.get_closest_marker("process") is None)


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
def small(pytestconfig: pytest.Config) -> "Callable[[str], Small]":
    """Gives the small edition of a dataset by its name, to be read only.

    It is kept beside pytest's cache by a digest of the sources, and made by the first process that needs it.
    """
    # A second that tests without it need not wait.
    import small_datasets

    made_by = hashlib.sha256(Path(small_datasets.__file__).read_bytes() + sources.files_digest().encode()).hexdigest()
    kept = pytestconfig.cache.mkdir("planimeter")
    for outdated in kept.iterdir():
        if made_by not in outdated.name:
            shutil.rmtree(outdated, ignore_errors=True)
    made: dict[str, Small] = {}

    def of(name: str) -> "Small":
        if name not in made:
            folder = kept / made_by / name
            folder.parent.mkdir(exist_ok=True)
            with FileLock(f"{folder}.lock"):
                if not (folder / "rows").exists():
                    shutil.rmtree(folder, ignore_errors=True)
                    rows = small_datasets.make(name, folder)
                    (folder / "rows").write_bytes(pickle.dumps(rows))
            made[name] = pickle.loads((folder / "rows").read_bytes())
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
