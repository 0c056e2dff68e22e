"""The example with two kinds of question: installed as its readers do, it passes its tests and goes the whole way."""

import shutil
from pathlib import Path

import command_line
import pyarrow.parquet as pq
import pytest
from test_ropes import installed, passes

EXAMPLE = command_line.ROOT / "examples/tiles"

#: The most lines of its modules, words and recipes.
LONGEST = 400


def test_it_is_short() -> None:
    files = [path for path in (EXAMPLE / "tiles").iterdir() if path.suffix in (".py", ".yaml", ".toml")]
    assert sum(path.read_text().count("\n") for path in files) <= LONGEST


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiles")
    return installed(Path(shutil.copytree(EXAMPLE, folder / "tiles")), folder / "site")


@pytest.mark.slow
def test_its_tests_pass_where_it_is_installed(site: Path) -> None:
    passes(EXAMPLE / "tests", site)


@pytest.mark.slow
def test_both_datasets_are_built_and_scored(site: Path, tmp_path: Path) -> None:
    shell = {"PYTHONPATH": f"{site}:{command_line.ROOT}"}

    def ran(*arguments: object) -> command_line.Ended:
        ended = command_line.run(*map(str, arguments), home=tmp_path / "prefect", **shell)
        assert ended.code == 0, ended.err
        return ended

    for dataset in ("tiles", "tiles-train"):
        said = ran("build", dataset, "--scale", 0.2, "--out", tmp_path).err
        assert ("export" if dataset == "tiles-train" else "planimeter build tiles-train") in said.splitlines()[-1]
        ran("verify", tmp_path / dataset / "1.0.0", "--certify")
    tests = tmp_path / "tiles/1.0.0"
    card = (tests / "README.md").read_text()
    assert "By The authors of Planimeter." in card and "the distribution `planimeter-tiles`" in card
    ran("solve", tests, "--by", "certifier,upper-half", "--out", tmp_path / "replies.jsonl")
    ran("score", tests, tmp_path / "replies.jsonl", "--out", tmp_path / "scores")
    scores = pq.read_table(tmp_path / "scores/scores.parquet").to_pandas()
    assert (scores[scores["model"] == "certifier"]["accuracy"] == 1.0).all()
    assert {*scores[scores["model"] == "upper-half"]["config"]} == {"mirror"}
    assert "How many black areas are there?" in (tmp_path / "scores/report.html").read_text()
    assert ran("try", "tiles", "--cell", "mirror", "--count", 2, "--out", tmp_path / "try.html").code == 0
    page = (tmp_path / "try.html").read_text()
    assert page.count("<figure") == 24 and "Is it its own mirror image" in page
