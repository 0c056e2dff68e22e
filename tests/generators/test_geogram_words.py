"""Figures in words: what the certificate reads in them, and one problem in all its forms."""

import json
from typing import Any

import pytest
from geogram_cases import NAMES, accepted

from planimeter.export.manifest import Manifest
from planimeter.export.strata import population
from planimeter.export.verify.checks.geogram import GeogramChecker
from planimeter.filters.certify.geogram.certificate import certify
from planimeter.filters.geogram import leakage
from planimeter.flows.shards import Item, Shard
from planimeter.flows.suites import suite_of
from planimeter.generators.geogram.propose import UNTOLD, templates, templates_of
from planimeter.items import FORMS, LEVELS, WORDS
from planimeter.recipes.loading import load

RECIPE = load("geogram-paired")
suite = suite_of(RECIPE)
PART = RECIPE.model_copy(update={"scale": 0.1}).model_dump()
#: One on each side of the rules: a template of triangles, and one whose statements mostly speak of a program.
SHARDS = [
    Shard(suite="geogram", config=FORMS[0], cell=(level, "paired"), first=first, count=1)
    for level, first in (("compositional", 3), ("abstract", 12))
]


def test_the_answer_of_each_template_is_found_from_the_words_alone(subtests: pytest.Subtests) -> None:
    for name in sorted(set(NAMES) - UNTOLD):
        with subtests.test(name):
            item = accepted(name, "asymptote")
            assert certify(item.told, item.words, WORDS, item.givens, item.answer_latex).answer == item.answer_latex
            assert not set("0123456789") & set(item.words) or name in ("segment_spiral", "stacked_bricks")


TRIANGLE, RIGHT = "$ABC$ is a triangle. ", "is marked as a right angle."
LINE = "lie on a line, in this order."
ARC = "$A$, $B$ and $C$ lie on a circle with centre $O$, with $C$ on the {} arc $AB$."
TOUCHING = "The circles with centres $A$ and $B$ touch the line $PQ$ at $P$ and $Q$. They lie on {} of it."
SECTORS = "$A$ and $B$ lie on a circle with centre $O$. The radii $OA$ and $OB$ divide the disc into sectors. "
CIRCLE = TRIANGLE + "Its {}scribed circle is drawn, with centre $O$."
TANGENT = {"dist(A,P)": 4, "dist(B,Q)": 2, "dist(A,B)": 10}
SIXTH, RIGHT_SIDES = {"dist(O,A)": 6, "angle(A,O,B)": 60}, {"dist(A,B)": 6, "dist(B,C)": 8, "dist(C,A)": 10}
OPEN, UNREADABLE = "the facts do not determine what is asked", "the program is not readable"
NO_FIGURE, OTHERWISE = "no figure satisfies the words and the facts", "no figure is arranged as the words say"
TWO_SIDES = {"dist(A,B)": 10, "dist(B,C)": 7}


@pytest.mark.parametrize(
    ("words", "facts", "asked", "found"),
    [
        (TRIANGLE + f"The angle $ABC$ {RIGHT}", {"dist(A,B)": 5, "dist(A,C)": 13}, "dist(B,C)", "12"),
        (TRIANGLE + f"The angle $BAC$ {RIGHT}", {"dist(A,B)": 5, "dist(A,C)": 12}, "dist(B,C)", "13"),
        (f"$A$, $B$ and $C$ {LINE}", {"dist(A,B)": 9, "dist(B,C)": 4}, "dist(A,C)", "13"),
        (f"$A$, $C$ and $B$ {LINE}", {"dist(A,B)": 9, "dist(B,C)": 4}, "dist(A,C)", "5"),
        (ARC.format("longer"), {"angle(A,O,B)": 80}, "angle(A,C,B)", "40"),
        (ARC.format("shorter"), {"angle(A,O,B)": 80}, "angle(A,C,B)", "140"),
        (TOUCHING.format("the same side"), TANGENT, "dist(P,Q)", r"4\sqrt{6}"),
        (TOUCHING.format("opposite sides"), TANGENT, "dist(P,Q)", "8"),
        (f"{SECTORS}The smaller sector is shaded.", SIXTH, "shaded()", r"6\pi"),
        (f"{SECTORS}The larger sector is shaded.", SIXTH, "shaded()", r"30\pi"),
        (CIRCLE.format("in"), RIGHT_SIDES, "dist(O,t)", "2"),
        (CIRCLE.format("circum"), RIGHT_SIDES, "dist(O,t)", "5"),
        # Two sides and an angle that is not between them: two triangles.
        (TRIANGLE, {**TWO_SIDES, "angle(B,A,C)": 30}, "dist(A,C)", OPEN),
        (TRIANGLE, TWO_SIDES, "dist(A,C)", OPEN),
        (TRIANGLE, {"dist(A,B)": 1, "dist(B,C)": 2, "dist(C,A)": 9}, "angle(A,B,C)", NO_FIGURE),
        (TRIANGLE + "$D$ lies on side $BC$.", {"dist(B,C)": 5, "dist(B,D)": 8}, "dist(D,C)", OTHERWISE),
        ("$ABC$ is a nice triangle.", {"dist(A,B)": 1}, "dist(B,C)", UNREADABLE),
        ("$D$ is the midpoint of $AB$.", {"dist(A,B)": 1}, "dist(A,D)", UNREADABLE),
        (TRIANGLE + "$ABD$ is a triangle.", {"dist(A,B)": 1}, "dist(A,D)", UNREADABLE),
        (TRIANGLE, {"dist(A,B)": 1}, "dist(A,K)", UNREADABLE),
    ],
)
def test_words_mean_what_a_geometer_reads_in_them(words: str, facts: dict[str, int], asked: str, found: str) -> None:
    givens = json.dumps({"given": [[measure, str(value)] for measure, value in facts.items()], "asked": asked})
    problem, answer = " ".join(map(str, facts.values())), found if found[0] in "123456789" else "1"
    reading = certify(problem, words.strip(), WORDS, givens, answer)
    assert (reading.answer or reading.reason) == found


def test_every_level_has_enough_templates_in_words() -> None:
    told = [template.name for level in LEVELS for template in templates_of(level, told=True)]
    assert sorted([*told, *UNTOLD]) == [template.name for template in templates()]


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return [item for shard in SHARDS for item in suite.make(RECIPE, shard).items]


def test_a_problem_has_one_answer_in_all_forms(items: list[Item]) -> None:
    checker = GeogramChecker(PART)
    assert len(items) == 2
    for item in items:
        rows = {form: row for form, (row,) in item.items()}
        assert list(rows) == list(FORMS)
        first = rows[FORMS[0]]
        assert len({row["id"] for row in rows.values()}) == len({row["seed"] for row in rows.values()}) == len(FORMS)
        for form, row in rows.items():
            assert (row["pair_id"], row["answer"], row["language"]) == (first["id"], first["answer"], form)
            assert list(checker.row(form, row)) == []
            assert "[asy]" not in row["prompt"] or form == "asymptote"
        assert rows["matplotlib"]["problem"] == first["problem"]
        assert all(sentence in first["problem"] for sentence in rows[WORDS]["problem"].split(". "))
    assert list(checker.whole()) == []


@pytest.mark.parametrize(
    ("form", "change", "said"),
    [
        (WORDS, {"answer": "17", "answer_latex": "17", "answer_value": 17.0}, "must agree on answer"),
        (WORDS, {"pair_id": "another"}, "must have one row in each"),
        (WORDS, {"language": "asymptote"}, "its own language"),
        (WORDS, {"code": "The area is {answer}."}, "a number of its statement"),
        ("matplotlib", {"givens": '{"asked": "1", "given": []}'}, "must agree on"),
    ],
)
def test_a_form_that_breaks_the_pair_is_noticed(
    form: str, change: dict[str, Any], said: str, items: list[Item]
) -> None:
    checker, faults = GeogramChecker(PART), []
    for config, (row,) in items[0].items():
        changed = {name: str(value).format(**row) if name == "code" else value for name, value in change.items()}
        faults += checker.row(config, {**row, **changed} if config == form else row)
    faults += [line for _, line in checker.whole()]
    assert any(said in fault for fault in faults), faults


def test_words_give_no_answer_and_speak_of_no_program() -> None:
    for statement, words, answer, reason in (
        ("Find $AB$.", "The polygon has seven sides.", 7.0, "the answer is a number"),
        ("Let the loop go on.", "", 7.0, "the statement speaks of a program"),
        ("Find $AB$.", "The polygon has seven sides.", 8.0, ""),
    ):
        verdict = leakage.told(statement, words, answer)
        assert verdict.kept == (not reason) and verdict.reason.startswith(reason)


def test_the_forms_of_a_problem_are_sampled_together(small: Any) -> None:
    folder = small("geogram-paired").folder
    drawn = population(folder, Manifest.read(folder), list(FORMS), ["level"])
    assert drawn.labels == tuple(("+".join(FORMS), level) for level in ("compositional", "primitive"))
    assert drawn.sizes == (len(FORMS),) * 2 and drawn.counts == (2, 2)
