"""Figures in words: what the certificate reads in them, and one problem in all its forms."""

import json
from typing import Any

import pytest
from geogram_cases import NAMES, accepted
from small_datasets import Small

from planimeter.export.manifest import Manifest
from planimeter.export.strata import population
from planimeter.export.verify.checks.geogram import GeogramChecker
from planimeter.filters.certify.geogram.certificate import certify
from planimeter.filters.geogram import leakage
from planimeter.flows.shards import Item, Shard
from planimeter.flows.suites import suite_of
from planimeter.generators.geogram.propose import UNTOLD, templates, templates_of
from planimeter.items import FORMS, LEVELS, WORDS
from planimeter.recipes.geogram import SuiteRecipe
from planimeter.recipes.loading import load

RECIPE = load("geogram-paired")
assert isinstance(RECIPE, SuiteRecipe)
suite = suite_of(RECIPE)
#: One on each side of the rules: a template of triangles, and one whose statements mostly speak of a program.
SHARDS = [
    Shard(suite="geogram", config=FORMS[0], cell=("compositional", "paired"), first=3, count=2),
    Shard(suite="geogram", config=FORMS[0], cell=("abstract", "paired"), first=12, count=2),
]


def reading(words: str, facts: dict[str, object], asked: str, answer: str) -> str:
    """What the certificate finds: the answer, or why there is none."""
    givens = json.dumps({"given": [[measure, str(value)] for measure, value in facts.items()], "asked": asked})
    problem = " ".join(str(value) for value in facts.values())
    found = certify(problem, words, WORDS, givens, answer)
    return found.answer or found.reason


def test_the_answer_of_each_template_is_found_from_the_words_alone(subtests: pytest.Subtests) -> None:
    for name in sorted(set(NAMES) - UNTOLD):
        with subtests.test(name):
            item = accepted(name, "asymptote")
            assert certify(item.told, item.words, WORDS, item.givens, item.answer_latex).answer == item.answer_latex
            assert not set("0123456789") & set(item.words) or name in ("segment_spiral", "stacked_bricks")


TRIANGLE = "$ABC$ is a triangle. "
RIGHT = "is marked as a right angle."


@pytest.mark.parametrize(
    ("words", "facts", "asked", "found"),
    [
        (TRIANGLE + f"The angle $ABC$ {RIGHT}", {"dist(A,B)": 5, "dist(A,C)": 13}, "dist(B,C)", "12"),
        (TRIANGLE + f"The angle $BAC$ {RIGHT}", {"dist(A,B)": 5, "dist(A,C)": 12}, "dist(B,C)", "13"),
        ("$A$, $B$ and $C$ lie on a line, in this order.", {"dist(A,B)": 9, "dist(B,C)": 4}, "dist(A,C)", "13"),
        ("$A$, $C$ and $B$ lie on a line, in this order.", {"dist(A,B)": 9, "dist(B,C)": 4}, "dist(A,C)", "5"),
        *(
            (
                f"$A$, $B$ and $C$ lie on a circle with centre $O$, with $C$ on the {arc} arc $AB$.",
                {"angle(A,O,B)": 80}, "angle(A,C,B)", found,
            )
            for arc, found in (("longer", "40"), ("shorter", "140"))
        ),
        *(
            (
                "The circles with centres $A$ and $B$ touch the line $PQ$ at $P$ and $Q$. "
                f"They lie on {sides} of it.",
                {"dist(A,P)": 4, "dist(B,Q)": 2, "dist(A,B)": 10}, "dist(P,Q)", found,
            )
            for sides, found in (("the same side", r"4\sqrt{6}"), ("opposite sides", "8"))
        ),
        *(
            (
                f"$A$ and $B$ lie on a circle with centre $O$. The radii $OA$ and $OB$ divide the disc into sectors. "
                f"The {size} sector is shaded.",
                {"dist(O,A)": 6, "angle(A,O,B)": 60}, "shaded()", found,
            )
            for size, found in (("smaller", r"6\pi"), ("larger", r"30\pi"))
        ),
        (TRIANGLE + "Its inscribed circle is drawn, with centre $O$.",
         {"dist(A,B)": 6, "dist(B,C)": 8, "dist(C,A)": 10}, "dist(O,t)", "2"),
        (TRIANGLE + "Its circumscribed circle is drawn, with centre $O$.",
         {"dist(A,B)": 6, "dist(B,C)": 8, "dist(C,A)": 10}, "dist(O,t)", "5"),
        # Two sides and an angle that is not between them: two triangles.
        (TRIANGLE, {"dist(A,B)": 10, "dist(B,C)": 7, "angle(B,A,C)": 30}, "dist(A,C)",
         "the facts do not determine what is asked"),
        (TRIANGLE, {"dist(A,B)": 10, "dist(B,C)": 7}, "dist(A,C)", "the facts do not determine what is asked"),
        (TRIANGLE, {"dist(A,B)": 1, "dist(B,C)": 2, "dist(C,A)": 9}, "angle(A,B,C)",
         "no figure satisfies the words and the facts"),
        (TRIANGLE + "$D$ lies on side $BC$.", {"dist(B,C)": 5, "dist(B,D)": 8}, "dist(D,C)",
         "no figure is arranged as the words say"),
        ("$ABC$ is a nice triangle.", {"dist(A,B)": 1}, "dist(B,C)", "the program is not readable"),
        ("$D$ is the midpoint of $AB$.", {"dist(A,B)": 1}, "dist(A,D)", "the program is not readable"),
        (TRIANGLE + "$ABD$ is a triangle.", {"dist(A,B)": 1}, "dist(A,D)", "the program is not readable"),
        (TRIANGLE, {"dist(A,B)": 1}, "dist(A,K)", "the program is not readable"),
    ],
)  # fmt: skip
def test_words_mean_what_a_geometer_reads_in_them(words: str, facts: dict[str, object], asked: str, found: str) -> None:
    assert reading(words.strip(), facts, asked, found if found[0] in "123456789" else "1") == found


def test_every_level_has_enough_templates_in_words() -> None:
    told = [template.name for level in LEVELS for template in templates_of(level, told=True)]
    assert sorted([*told, *UNTOLD]) == [template.name for template in templates()]


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return [item for shard in SHARDS for item in suite.make(RECIPE, shard).items]


def test_a_problem_has_one_answer_in_all_forms(items: list[Item]) -> None:
    checker = GeogramChecker(RECIPE.model_copy(update={"scale": 0.1}).model_dump())
    assert len(items) == 4
    for item in items:
        rows = {form: row for form, (row,) in item.items()}
        assert list(rows) == list(FORMS)
        first = rows[FORMS[0]]
        assert len({row["id"] for row in rows.values()}) == len({row["seed"] for row in rows.values()}) == len(FORMS)
        for form, row in rows.items():
            assert row["pair_id"] == first["id"] and row["answer"] == first["answer"] and row["language"] == form
            assert list(checker.row(form, row)) == []
            assert "[asy]" not in row["prompt"] or form == "asymptote"
        assert rows["matplotlib"]["problem"] == first["problem"]
        assert all(sentence in first["problem"] for sentence in rows[WORDS]["problem"].split(". "))
    assert list(checker.whole()) == []


@pytest.mark.parametrize(
    ("form", "change", "told"),
    [
        (WORDS, {"answer": "17", "answer_latex": "17", "answer_value": 17.0}, "must agree on answer"),
        (WORDS, {"pair_id": "another"}, "must have one row in each"),
        (WORDS, {"language": "asymptote"}, "its own language"),
        (WORDS, {"code": "The area is {answer}."}, "a number of its statement"),
        ("matplotlib", {"givens": '{"asked": "1", "given": []}'}, "must agree on"),
    ],
    ids=str,
)
def test_a_form_that_breaks_the_pair_is_noticed(
    form: str, change: dict[str, Any], told: str, items: list[Item]
) -> None:
    item = items[0]
    checker, faults = GeogramChecker(RECIPE.model_copy(update={"scale": 0.1}).model_dump()), []
    for config, (row,) in item.items():
        changed = {name: str(value).format(**row) if name == "code" else value for name, value in change.items()}
        faults += checker.row(config, {**row, **changed} if config == form else row)
    faults += [line for _, line in checker.whole()]
    assert any(told in fault for fault in faults), faults


def test_words_give_no_answer_and_speak_of_no_program() -> None:
    assert leakage.told("Find $AB$.", "The polygon has seven sides.", 7.0).reason.startswith("the answer is a number")
    assert leakage.told("Let the loop go on.", "", 7.0).reason == "the statement speaks of a program"
    assert leakage.told("Find $AB$.", "The polygon has seven sides.", 8.0).kept


def test_the_forms_of_a_problem_are_sampled_together(small: Any) -> None:
    found: Small = small("geogram-paired")
    manifest = Manifest.read(found.folder)
    drawn = population(found.folder, manifest, list(FORMS), ["level"])
    assert drawn.labels == tuple(("+".join(FORMS), level) for level in ("compositional", "primitive"))
    assert drawn.sizes == (len(FORMS),) * 2 and drawn.counts == (2, 2)
