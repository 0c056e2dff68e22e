"""The examples of suites of one's own: installed as their readers do, they pass their tests and go the whole way."""

import shutil
import sys
from pathlib import Path

import command_line
import pyarrow.parquet as pq
import pytest

EXAMPLES = command_line.ROOT / "examples"
#: The most lines of the modules, words and recipes of the example with two kinds of question.
LONGEST = 400

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip has put the examples, which it builds in a copy."""
    copy = Path(shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("examples") / "examples"))
    pip = "-m pip install --quiet --no-input --disable-pip-version-check --no-deps --no-build-isolation --target"
    given = (*pip.split(), str(copy / "site"), str(copy / "ropes"), str(copy / "tiles"))
    ended = command_line.child(sys.executable, *given, env=command_line.environment(copy / "prefect"))
    assert ended.code == 0, ended.err
    return copy / "site"


def ran(site: Path, home: Path, *arguments: object) -> command_line.Ended:
    shell = {"PYTHONPATH": f"{site}:{command_line.ROOT}"}
    ended = command_line.run(*map(str, arguments), home=home / "prefect", **shell)
    assert ended.code == 0, ended.err
    return ended


@pytest.mark.parametrize("name", ["ropes", "tiles"])
def test_its_tests_pass_where_it_is_installed(name: str, site: Path) -> None:
    tests = str(EXAMPLES / name / "tests")
    pytest_of_its_own = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tests, "-c", "/dev/null", tests)
    shell = {"PYTHONPATH": f"{site}:{command_line.ROOT}"}
    ended = command_line.child(
        sys.executable, *pytest_of_its_own, env=command_line.environment(site.parent / "prefect", **shell)
    )
    assert ended.code == 0, ended.out


def test_datasets_to_test_and_to_train_are_built_and_scored(site: Path, tmp_path: Path) -> None:
    files = [path for path in (EXAMPLES / "tiles/tiles").iterdir() if path.suffix in (".py", ".yaml", ".toml")]
    assert sum(path.read_text().count("\n") for path in files) <= LONGEST
    for dataset in ("tiles", "tiles-train"):
        said = ran(site, tmp_path, "build", dataset, "--scale", 0.2, "--out", tmp_path).err
        assert ("export" if dataset == "tiles-train" else "planimeter build tiles-train") in said.splitlines()[-1]
        ran(site, tmp_path, "verify", tmp_path / dataset / "1.0.0", "--certify")
    tests = tmp_path / "tiles/1.0.0"
    assert "the distribution `planimeter-tiles`" in (tests / "README.md").read_text()
    ran(site, tmp_path, "solve", tests, "--by", "certifier,upper-half", "--out", tmp_path / "replies.jsonl")
    ran(site, tmp_path, "score", tests, tmp_path / "replies.jsonl", "--out", tmp_path / "scores")
    scores = pq.read_table(tmp_path / "scores/scores.parquet").to_pandas()
    assert (scores[scores["model"] == "certifier"]["accuracy"] == 1.0).all()
    assert {*scores[scores["model"] == "upper-half"]["config"]} == {"mirror"}
    ran(site, tmp_path, "try", "tiles", "--cell", "mirror", "--count", 2, "--out", tmp_path / "try.html")
    assert (tmp_path / "try.html").read_text().count("<figure") == 24
