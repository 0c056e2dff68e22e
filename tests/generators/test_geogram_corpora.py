"""Programs in the manner of the corpora: their answers are recovered, and another reader draws their scenes."""

import json
from collections import Counter
from functools import cache

import pytest

from planimeter.filters.certify.geogram.certificate import certify, measure
from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.printers.corpora import _Corpora
from planimeter.generators.geogram.propose import propose, templates
from planimeter.generators.geogram.run import run
from planimeter.generators.geogram.scene import Let, Scene, triple, var
from planimeter.generators.geogram.template import Template
from planimeter.generators.seeding import rng_of
from planimeter.items import LEVELS, GeogramItem
from planimeter.suites.geogram.recipe import SuiteRecipe
from planimeter.suites.loading import RecipeError, load, parse
from planimeter.suites.pipeline import suite_of

RECIPE = load("geogram-programs")
assert isinstance(RECIPE, SuiteRecipe)
TEMPLATES = templates(corpora=True)


@cache
def candidates(template: Template, count: int) -> list[GeogramItem]:
    found: list[GeogramItem] = []
    for seed in range(0, 256 * 99, 256):
        try:
            found.append(propose(template, "asymptote", rng_of(seed), seed, corpora=True))
        except ValueError:
            continue
        if len(found) == count:
            return found
    raise LookupError(f"{template.name} proposes too little")


@pytest.mark.parametrize("level", LEVELS)
def test_the_certificate_never_finds_another_answer(level: str, subtests: pytest.Subtests) -> None:
    for template in (template for template in TEMPLATES if template.level == level):
        with subtests.test(template.name):
            found = 0
            for item in candidates(template, 3):
                reading = certify(item.problem, item.code, "asymptote", item.givens, item.answer_latex)
                assert reading.answer in (None, item.answer_latex)
                assert reading.reason != "the program is not readable"
                found += reading.answer is not None
            assert found
            wrong = certify(item.problem, item.code, "asymptote", item.givens, f"{item.answer_latex}+1")
            assert wrong.answer != f"{item.answer_latex}+1"


@pytest.mark.parametrize(
    ("code", "asked", "value"),
    [
        ("pair A = (1, 0), B = (5, 2), C = midpoint(A--B);", "dist(A,C)", 5**0.5),
        ("pair A = (1, 0), B = rotate(90, (1, 1))*A;", "dist(A,B)", 2**0.5),
        ("pair A = (0, 0), B = (4, 0), C = intersectionpoint(A--(2, 2), B--(0, 2));", "dist(A,C)", 32**0.5 / 3),
        ("import olympiad; pair A = (0, 0), B = (4, 0), C = waypoint(A--B, 0.25);", "dist(A,C)", 1),
        ("pair A = (0, 0), B = (4, 0), C = foot((1, 7), A, B), D = incenter(A, B, (0, 3));", "dist(C,D)", 1),
        ("real a = 3; real f(real x) { return 2x*(a - x); } fill(graph(f, 0, a)--cycle, gray(0.8));", "shaded()", 9),
        ("filldraw((0, 0)--(2, 0)--(2, 3)--cycle, gray(0.8), black);", "shaded()", 3),
        (
            "pair go(pair u, pair v, int k) { if (k == 0) return v; return go(v, (u + v)/2, k - 1); } "
            "pair A = (0, 0), B = (8, 0), P = go(A, B, 3);",
            "dist(A,P)",
            5,
        ),
    ],
)
def test_what_modules_bring_has_its_meaning(code: str, asked: str, value: float) -> None:
    found = measure(code, "asymptote", json.dumps({"given": [], "asked": asked}))
    assert found.asked == pytest.approx(value, rel=1e-6)


def test_space_is_shown_as_asymptote_shows_it() -> None:
    """Numbers of `project` in Asymptote 2.85."""
    view = con.orthographic(4, 6, 3)
    axes = [Let(name=n, expr=view(triple(*at))) for n, at in (("a", (1, 0, 0)), ("b", (0, 1, 0)), ("c", (0, 0, 1)))]
    values = run(Scene(helpers=(view,), statements=tuple(axes))).values
    expected = {"a": 0.832050 - 0.213066j, "b": 0.554700 + 0.319599j, "c": 0.923287j}
    assert all(abs(values[name] - z) < 1e-4 for name, z in expected.items())
    assert view.written == "orthographic(4, -6, 3)"


def test_all_rows_are_asymptote_and_no_form_excludes_another() -> None:
    planned = Counter(shard.cell for shard in suite_of(RECIPE).plan(RECIPE) for _ in range(shard.count))
    assert planned == {(level, "corpora"): n for level, n in zip(LEVELS, (102, 279, 119), strict=True)}
    with pytest.raises(RecipeError, match="only one of the two"):
        values = RECIPE.model_dump(mode="json")
        values["geogram"]["paired"] = True
        parse(values, source="mine.toml")


def test_segments_that_only_reach_each_other_do_not_cross() -> None:
    writer = object.__new__(_Corpora)
    writer.places = {"A": 0j, "B": 4 + 0j, "C": 1 - 1j, "D": 1 + 1j, "E": 1 + 3j}
    crossing = [writer.cross([var(name, "pair") for name in ends]) for ends in ("ABCD", "ABDE", "DEAB")]
    assert crossing == [True, False, False]
