import hashlib
import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The processes of pytest-xdist share the cores already. Libraries read it when they are loaded, here and in children.
for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import pytest  # noqa: E402
from filelock import FileLock  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

from planimeter.flows.store import sources  # noqa: E402
from planimeter.suites.loading import load  # noqa: E402

if TYPE_CHECKING:
    from small_datasets import Small

# The same examples each time: a run that fails by chance proves nothing.
PATIENT = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.register_profile("dev", PATIENT, max_examples=15)
settings.register_profile("full", PATIENT, max_examples=100)
settings.load_profile("dev")

Kept = Callable[[str, Callable[[Path], None]], Path]

DATASET = Path("marvl-qa-mini") / load("marvl-qa-mini").version


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the properties that hypothesis looks at, and begin with the files that take longest.

    Those are the ones that start processes, then those whose names come last; a worker is never left alone with one.
    """
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("law")
    items.sort(key=lambda item: item.path, reverse=True)
    items.sort(key=lambda item: item.get_closest_marker("process") is None)


@pytest.fixture(scope="session")
def built(kept: Kept, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small marvl-qa-mini, built undisturbed, and the store of its shards; tests may build into it."""
    return Path(shutil.copytree(kept("built", partial(build, 0.02)), tmp_path_factory.mktemp("session") / "built"))


@pytest.fixture(scope="session")
def little(kept: Kept) -> Path:
    """A folder with the smallest marvl-qa-mini, of two shards, and their store; to be read only."""
    return kept("little", partial(build, 0.001))


def build(scale: float, outputs: Path) -> None:
    # A second that tests without it need not wait.
    import plain

    plain.build("marvl-qa-mini", outputs, scale=scale)


@pytest.fixture(scope="session")
def dataset(built: Path) -> Path:
    return built / DATASET


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small hand-made dataset, to be read only."""
    # As elsewhere here: seconds that the process in front of the workers need not wait.
    from sample_folder import write_sample

    return write_sample(tmp_path_factory.mktemp("sample") / "1.0.0")


@pytest.fixture
def folder(sample: Path, tmp_path: Path) -> Path:
    """A copy of the small hand-made dataset, to be damaged."""
    return Path(shutil.copytree(sample, tmp_path / "1.0.0"))


@pytest.fixture(scope="session")
def kept(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Gives the folder of a name beside pytest's cache, which its maker has filled; to be read only.

    It is kept by a digest of the sources, and made by the first process that needs it.
    """
    makers = (Path(__file__).parent / "support" / f"{name}.py" for name in ("plain", "small_datasets", "suite_items"))
    read = (*makers, *sorted((sources.ROOT / "suites").rglob("*.*")), sources.ROOT / "requirements.lock")
    decisive = b"".join(path.read_bytes() for path in read if path.suffix in (".py", ".toml", ".lock"))
    made_by = hashlib.sha256(
        decisive + sources.code_digest("marvl_qa", "evals", "export", "flows").encode()
    ).hexdigest()
    cached = pytestconfig.pluginmanager.has_plugin("cacheprovider")
    folder_of_all = pytestconfig.cache.mkdir("planimeter") if cached else tmp_path_factory.mktemp("kept")
    for outdated in folder_of_all.iterdir():
        if made_by not in outdated.name:
            shutil.rmtree(outdated, ignore_errors=True)

    def of(name: str, make: Callable[[Path], None]) -> Path:
        folder = folder_of_all / made_by / name
        folder.parent.mkdir(exist_ok=True)
        with FileLock(f"{folder}.lock"):
            if not Path(f"{folder}.made").exists():
                shutil.rmtree(folder, ignore_errors=True)
                make(folder)
                Path(f"{folder}.made").touch()
        return folder

    return of


@pytest.fixture(scope="session")
def small(kept: Kept) -> "Callable[[str], Small]":
    """Gives the small edition of a dataset by its name, to be read only."""
    # A second that tests without it need not wait.
    import small_datasets

    @cache
    def of(name: str) -> "Small":
        def make(folder: Path) -> None:
            (folder / "rows").write_bytes(pickle.dumps(small_datasets.make(name, folder)))

        rows: Small = pickle.loads((kept(name, make) / "rows").read_bytes())
        return rows

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
    """An address of the test's own in the bucket, and a folder of its own for what is put together on this machine."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    return f"s3://shelf/{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:12]}"
