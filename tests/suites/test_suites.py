"""A suite is registered in one place, and scoring decides no byte."""

import sys
from pathlib import Path
from types import ModuleType

import command_line
import pytest

from planimeter import evals
from planimeter.export.atomic import ExportError
from planimeter.export.columns import STRING, Column
from planimeter.export.schema import COLUMNS, schema_of
from planimeter.export.texts import text_of
from planimeter.export.verify.checks import checker
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store import sources
from planimeter.flows.store.remote_place import place_of
from planimeter.flows.suites import suite_of
from planimeter.items import suites
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import RecipeError, available, load, parse

BUILT = [recipe for name in available() if isinstance(recipe := load(name), Recipe)]
IDENTITY = {
    "dataset": "rings", "version": "1.0.0", "suite": "rings", "title": "Rings", "summary": "", "license": "CC-BY-4.0",
    "release_date": "2026-01-31", "seed": 1,
}  # fmt: skip
#: What each package brings of a suite.
PARTS: dict[str, dict[str, object]] = {
    "recipes.rings": {"SuiteRecipe": Recipe},
    "flows.suites.rings": {"SUITE": "driver"},
    "evals.rings": {},
    "evals.rings.protocol": {"parse": "parser"},
    "export.rows.rings": {"COLUMNS": {"ring": (Column("holes", STRING, "Holes."),)}},
    "export.texts.rings": {"TEXT": "prose"},
    "export.verify.checks.rings": {"checker": lambda recipe: ("checker of", recipe)},
}


def test_a_suite_that_is_registered_is_found_by_every_package_or_the_part_that_it_lacks_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(suites, "SUITES", (*suites.SUITES, "rings"))
    for error, part, find in (
        (LookupError, "evals", lambda: evals.suite("rings")),
        (LookupError, "export.rows", lambda: schema_of("rings", "ring")),
        (ExportError, "export.texts", lambda: text_of("rings")),
        (LookupError, "export.verify.checks", lambda: checker("rings", {})),
        (PlanimeterError, "flows.suites", lambda: suite_of(Recipe(**IDENTITY))),
    ):
        with pytest.raises(error, match=f"the suite rings lacks its part planimeter.{part}.rings"):
            find()
    with pytest.raises(RecipeError, match=r"suite: need one of marvl_qa, .* got 'rings'"):
        parse(IDENTITY, source="rings.toml")
    for name, content in PARTS.items():
        module = ModuleType(f"planimeter.{name}")
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    assert suite_of(parse(IDENTITY, source="rings.toml")) == "driver"  # type: ignore[arg-type,comparison-overlap]
    assert evals.suite("rings").parse == "parser"
    assert "rings" in COLUMNS
    assert [c.name for c in schema_of("rings", "ring").columns][-2:] == ["certified_by", "holes"]
    assert text_of("rings") == "prose"  # type: ignore[comparison-overlap]
    assert checker("rings", {}) == ("checker of", {})  # type: ignore[comparison-overlap]


def test_what_a_part_cannot_import_is_not_taken_for_a_part_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "planimeter.export.texts.geogram", raising=False)
    monkeypatch.setitem(sys.modules, "planimeter.export.stated", None)
    with pytest.raises(ModuleNotFoundError, match=r"planimeter\.export\.stated"):
        text_of("geogram")


@pytest.mark.parametrize("suite", suites.SUITES)
def test_every_suite_has_its_part_of_each_package(suite: str) -> None:
    assert set(text_of(suite).configs) == set(COLUMNS[suite])
    assert checker(suite, {}).arrays is not None
    assert evals.suite(suite).HEADLINE in evals.suite(suite).METRICS


@pytest.mark.parametrize("suite", suites.SUITES)
def test_scoring_decides_no_byte(suite: str) -> None:
    """Of the evaluation, shards and the manifest's digest of the code depend on the words of the questions alone."""
    words = f"planimeter.evals.{suite}.prompt"
    for recipe in (recipe for recipe in BUILT if recipe.suite == suite):
        modules = place_of(recipe, "outputs").modules()
        assert set(suite_of(recipe).sources) <= set(modules)
        read = sources.closure(modules)
        assert words in read
        assert {name for name in read if name.startswith("planimeter.evals")} <= {words, words.removesuffix(".prompt")}
        assert suites.__name__ not in read, "another suite would make every shard again"
        assert "prefect" not in "".join(sources._path(name).read_text() for name in read)  # type: ignore[union-attr]


def test_wording_a_question_loads_no_scoring_and_evals_load_nothing_but_a_list(tmp_path: Path) -> None:
    script = (
        "import sys, planimeter.evals\n"
        "assert not {'numpy', 'pydantic', 'pyarrow', 'numba'} & set(sys.modules), 'evals'\n"
        "for suite in planimeter.evals.SUITES[:-1]: __import__(f'planimeter.evals.{suite}.prompt')\n"
        "read = [name for name in sys.modules if name.endswith(('.protocol', '.answers', '.scoring', '.numbers'))]\n"
        "assert not [name for name in read if name.startswith('planimeter')], read\n"
    )
    ended = command_line.python(script, tmp_path)
    assert ended.code == 0, ended.err
