"""GeoGramBench: what the plan deals, which templates take turns, and what the verifier says of quotas and copies."""

import tomllib
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.export.suites.geogram_checks import GeogramChecker
from planimeter.filters.geogram import leakage
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.selection import Selector
from planimeter.flows.shards import Shard, ShardRecord
from planimeter.flows.suites import suite_of
from planimeter.generators.geogram.plan import turn
from planimeter.generators.geogram.propose import propose, templates, templates_of
from planimeter.generators.seeding import rng_of
from planimeter.items import LANGUAGES, LEVELS
from planimeter.recipes.geogram import SuiteRecipe
from planimeter.recipes.loading import RecipeError, load, parse

RECIPE = load("geogram")
assert isinstance(RECIPE, SuiteRecipe)
suite = suite_of(RECIPE)

SHARD = Shard(suite="geogram", config="geogram", cell=("primitive", "matplotlib"), first=3, count=2)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [row for item in suite.make(RECIPE, SHARD).items for row in item["geogram"]]


def test_at_full_scale_the_levels_are_the_papers_and_the_languages_even() -> None:
    shares = suite.quotas(RECIPE)
    assert [sum(shares[level, language] for language in LANGUAGES) for level in LEVELS] == [102, 279, 119]
    assert Counter(language for (_, language), n in shares.items() for _ in range(n)) == dict.fromkeys(LANGUAGES, 250)


@given(st.floats(0.001, 50))
def test_both_languages_share_each_level(scale: float) -> None:
    recipe = RECIPE.model_copy(update={"scale": scale})
    reached = Counter(shard.cell for shard in suite.plan(recipe) for _ in range(shard.count))
    assert reached == suite.quotas(recipe)
    for level in LEVELS:
        asymptote, matplotlib = (reached[level, language] for language in LANGUAGES)
        assert min(asymptote, matplotlib) >= 1 and abs(asymptote - matplotlib) <= 1
        assert asymptote + matplotlib == max(2, int(getattr(RECIPE.geogram.levels, level) * scale + 0.5))


def test_the_templates_of_a_level_take_turns() -> None:
    for level in LEVELS:
        own = templates_of(level)
        for language in LANGUAGES:
            turns = [turn(own, language, index).name for index in range(2 * len(own))]
            assert set(Counter(turns).values()) == {2}
            assert turns[: len(own)] == turns[len(own) :]


def test_quotas_that_are_not_kept_are_noticed(rows: list[dict[str, Any]]) -> None:
    row, _ = rows
    checker = GeogramChecker(RECIPE.model_dump())
    assert list(checker.row("geogram", row)) == []
    said = "\n".join(line for _, line in checker.whole())
    assert (
        "51 rows of level primitive, language matplotlib, found" in said and "no template may make more than 8%" in said
    )
    (fault,) = checker.row("geogram", {**row, "id": "another"})
    assert fault.startswith(f"id must be '{row['id']}' for this problem and code"), "equal problems have equal ids"


def test_rows_of_two_files_that_are_alike_are_noticed(rows: list[dict[str, Any]]) -> None:
    files = [GeogramChecker(RECIPE.model_dump()) for _ in range(2)]
    for checker, row in zip(files, rows, strict=False):
        assert list(checker.row("geogram", row)) == []
    alike = {**rows[0], "id": "another", "problem": rows[0]["problem"] + " So it is.", "prompt": ""}
    list(files[1].row("geogram", alike))
    files[0].merge(files[1])
    said = [line for _, line in files[0].whole() if " is like an earlier one" in line]
    assert len(said) == 1 and said[0].startswith("another: the statement is like an earlier one by ")


def record(shard: Shard, texts: list[tuple[str, str, str]]) -> ShardRecord:
    signatures = tuple(zlib.compress("\0".join(text).encode()).hex() for text in texts)
    return ShardRecord(
        shard=str(shard), split="test", tables=(), signatures=signatures, missing=0, funnel={}, rejects_path="",
        rejects_sha256="",
    )  # fmt: skip


def test_what_a_template_cannot_fill_goes_to_the_next_one() -> None:
    """The refill stands at the next indices, whose turn is another template's; what was judged stays judged."""
    shard = Shard(suite="geogram", config="geogram", cell=("primitive", "asymptote"), first=0, count=3)
    words = [" ".join(f"{letter}{i}" for i in range(30)) for letter in "abcd"]
    alike = words[0].replace("a29", "z")
    first = record(shard, [("t", words[0], words[1]), ("t", alike, words[2]), ("t", words[2], words[3])])
    selector = Selector(RECIPE, [shard])
    (refill,) = selector.judge(shard, first)
    assert selector.selection().kept == ((True, False, True),)
    assert (refill.first, refill.count, refill.refill) == (3, 1, True)
    own = templates_of("primitive")
    assert turn(own, "asymptote", refill.first) != turn(own, "asymptote", 0)
    second = record(refill, [("u", words[3], words[0])])
    assert selector.judge(refill, second) == ()
    selection = selector.selection()
    assert selection.kept == ((True, False, True), (True,))
    assert selection.funnel.table()["geogram"]["distinct"]["seen"] == 4


def test_no_template_outgrows_its_share() -> None:
    tiny = RECIPE.model_copy(update={"scale": 0.02})
    judge = suite.distinct(tiny)
    shard = suite.plan(tiny)[0]
    verdicts = []
    for i in range(5):
        text = ("t", *(" ".join(f"{i}{letter}{j}" for j in range(20)) for letter in "ab"))
        verdicts += judge(shard, [zlib.compress("\0".join(text).encode()).hex()])
    assert [verdict.kept for verdict in verdicts] == [True, True, False, False, False]
    assert verdicts[-1].reason == "its template fills its share of the rows"


def test_levels_that_templates_cannot_share_are_refused() -> None:
    levels = RECIPE.geogram.levels.model_copy(update={"primitive": 500, "compositional": 0, "abstract": 0})
    problems = RECIPE.geogram.model_copy(update={"levels": levels, "template_share": 0.05})
    with pytest.raises(PlanimeterError, match=f"primitive: 500 rows from {len(templates_of('primitive'))} templates"):
        suite.plan(RECIPE.model_copy(update={"geogram": problems}))


def test_contradictory_limits_are_refused_with_both_numbers() -> None:
    values = tomllib.loads(Path("recipes/geogram.toml").read_text())
    values["geogram"]["leakage"]["coincidence"] = 0.2
    values["geogram"]["similarity"] = 1.5
    values["geogram"]["levels"] = {"primitive": 0, "compositional": 0, "abstract": -1}
    with pytest.raises(RecipeError) as caught:
        parse(values, source="mine.toml")
    said = "\n".join(caught.value.faults)
    assert "0.2 and 0.05" in said and "geogram.similarity" in said and "geogram.levels.abstract" in said


def test_answers_are_as_far_from_trivial_computations_as_other_rows_answers() -> None:
    """Within 2%, over one candidate of each template: no more hits than shuffled answers have, and a few to spare."""
    values, answers = [], []
    for number, template in enumerate(templates()):
        shard = Shard(suite="geogram", config="geogram", cell=(template.level, "asymptote"), first=0, count=1)
        maker = suite.maker(RECIPE, shard)
        for seed in maker.seeds(number):
            if maker.problem(template, "asymptote", seed) is not None:
                item = propose(template, "asymptote", rng_of(seed), seed)
                assert item.drawing is not None and item.answer_value is not None
                values.append(leakage.trivial(item.drawing))
                answers.append(item.answer_value)
                break
    assert len(answers) == len(templates())
    hits, expected = leakage.rate(values, answers, 0.02)
    assert hits <= expected + 3 * expected**0.5
