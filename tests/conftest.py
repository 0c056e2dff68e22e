import shutil
from pathlib import Path

import planimeter
import pytest
from sample_folder import write_sample


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small marvl-qa-mini, built undisturbed with two workers; the folder that holds the dataset and the store."""
    folder = tmp_path_factory.mktemp("built")
    ended = planimeter.run("build", *planimeter.TINY, "--workers", "2", "--out", str(folder), home=folder / "home")
    assert ended.code == 0, ended.err
    return folder


@pytest.fixture(scope="session")
def dataset(built: Path) -> Path:
    return built / "marvl-qa-mini" / "1.0.0"


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small hand-made dataset, to be read only."""
    return write_sample(tmp_path_factory.mktemp("sample") / "1.0.0")


@pytest.fixture
def folder(sample: Path, tmp_path: Path) -> Path:
    """A copy of the small hand-made dataset, to be damaged."""
    return Path(shutil.copytree(sample, tmp_path / "1.0.0"))
