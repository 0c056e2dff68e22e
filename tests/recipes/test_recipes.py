import importlib
import tomllib
from pathlib import Path

import pytest

from planimeter.flows.deployments import build_all
from planimeter.recipes.loading import Collection, RecipeError, available, load, parse
from planimeter.recipes.marvl_qa import SuiteRecipe

MINI = Path("recipes/marvl-qa-mini.toml")


def mini() -> dict[str, object]:
    return tomllib.loads(MINI.read_text())


def test_every_recipe_that_comes_along_can_be_read() -> None:
    assert "marvl-qa-mini" in available()
    for name in available():
        load(name)


def test_mini_has_the_papers_scale() -> None:
    recipe = load("marvl-qa-mini")
    assert isinstance(recipe, SuiteRecipe)
    assert sum(recipe.counting.questions) * 9 == 1548
    assert recipe.transformation.pairs * 2 == 1200


def test_the_smoke_collection_names_every_dataset() -> None:
    smoke = load("smoke")
    assert isinstance(smoke, Collection)
    assert set(smoke.datasets) == {name for name in available() if not isinstance(load(name), Collection)}


def test_seed_and_version_reach_the_datasets_of_a_collection() -> None:
    smoke = load("smoke", seed=5, version="2.0.0")
    assert isinstance(smoke, Collection)
    assert (smoke.seed, smoke.version) == (5, "2.0.0")
    with pytest.raises(RecipeError, match="seed: Input should be greater than or equal to 0"):
        load("smoke", seed=-1)


def test_all_faults_are_told_at_once_each_with_its_path() -> None:
    values = mini()
    values["seed"] = -1
    values["release_date"] = "yesterday"
    values["counting"]["curation"]["ring"] = 0.5  # type: ignore[index]
    values["transformation"]["pairs"] = 0  # type: ignore[index]
    values["transformation"]["colour"] = "red"  # type: ignore[index]
    with pytest.raises(RecipeError) as caught:
        parse(values, source="mine.toml")
    told = "\n".join(caught.value.faults)
    for path in ("seed", "release_date", "counting.curation", "transformation.pairs", "transformation.colour"):
        assert any(fault.startswith(f"{path}:") for fault in caught.value.faults), told
    assert "2 * ring <= separation" in told


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/b", "UPPER", "a..b", "", "a-"])
def test_no_dataset_name_can_leave_outputs(name: str) -> None:
    with pytest.raises(RecipeError, match="dataset"):
        parse({**mini(), "dataset": name}, source="mine.toml")


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "1.0.0/..", "..", "1.0.0 ", "01.0.0"])
def test_no_version_can_leave_the_dataset(version: str) -> None:
    with pytest.raises(RecipeError, match="version"):
        parse({**mini(), "version": version}, source="mine.toml")


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), 1001])
def test_a_scale_that_means_nothing_is_refused(scale: float) -> None:
    with pytest.raises(RecipeError, match="scale"):
        load("marvl-qa-mini", scale=scale)


def test_an_unknown_dataset_lists_those_that_exist() -> None:
    with pytest.raises(RecipeError, match="marvl-qa-mini"):
        load("marvl")


def test_an_unknown_suite_lists_those_that_exist() -> None:
    with pytest.raises(RecipeError, match="marvl_qa"):
        parse({**mini(), "suite": "os"}, source="mine.toml")


def test_what_is_not_toml_or_not_there_is_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("dataset = ")
    with pytest.raises(RecipeError, match="not TOML"):
        load(str(broken))
    broken.write_bytes(b"\xff\xfe")
    with pytest.raises(RecipeError, match="cannot be read"):
        load(str(broken))
    with pytest.raises(RecipeError, match="cannot be read"):
        load(str(tmp_path / "missing.toml"))


def test_overlapping_bins_are_refused() -> None:
    values = mini()
    values["counting"]["count_bins"] = [[1, 5], [5, 10], [11, 15], [16, 20]]  # type: ignore[index]
    with pytest.raises(RecipeError, match="overlap"):
        parse(values, source="mine.toml")


def test_a_collection_that_cannot_be_read_is_refused_before_any_of_its_datasets_is_built() -> None:
    state = build_all.fn(version="1.0")
    told = "all.toml: 1 fault\n  version: need a version such as 1.0.0, got '1.0'"
    assert (state.name, state.message) == ("Refused", told)
    with pytest.raises(AttributeError, match="no attribute 'build_nothing'"):
        importlib.import_module("planimeter.flows.deployments").build_nothing  # noqa: B018


def test_all_builds_every_dataset_of_the_papers_and_claims_no_more() -> None:
    collection = load("all")
    assert isinstance(collection, Collection)
    assert set(collection.datasets) == {"marvl-qa-mini", "marvl-qa", "traversal", "curves", "geogram"}
    # The deployment takes the description of the flow.
    for told in (collection.summary, build_all.description or ""):
        assert "datasets of the papers" in told
