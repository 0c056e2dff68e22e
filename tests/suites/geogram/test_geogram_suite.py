"""GeoGramBench: what the plan deals, what the verifier says of quotas and copies; figures in words, in all forms."""

import json
import tomllib
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from geogram_cases import NAMES, accepted

from planimeter.export.manifest import Manifest
from planimeter.export.strata import population
from planimeter.filters.certify.geogram.certificate import certify
from planimeter.filters.certify.geogram.words import read as read_words
from planimeter.filters.geogram import leakage
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Item, Shard
from planimeter.generators.geogram.plan import turn
from planimeter.generators.geogram.propose import NOT_IN_WORDS, propose, templates, templates_of
from planimeter.generators.seeding import rng_of
from planimeter.items import FORMS, LANGUAGES, LEVELS, WORDS
from planimeter.suites.geogram.checks import GeogramChecker
from planimeter.suites.loading import RecipeError, load, parse
from planimeter.suites.pipeline import suite_of

RECIPE = load("geogram")
suite = suite_of(RECIPE)
Rows = list[dict[str, Any]]


def shard_of(first: int, count: int, *cell: str) -> Shard:
    return Shard(suite="geogram", config="geogram", cell=cell, first=first, count=count)


@pytest.fixture(scope="module")
def rows() -> Rows:
    made = suite.make(RECIPE, shard_of(3, 2, "primitive", "matplotlib"))
    return [row for item in made.items for row in item["geogram"]]


def whole(checker: GeogramChecker) -> str:
    return "\n".join(line for _, line in checker.whole())


def test_at_full_scale_the_levels_are_the_papers() -> None:
    shares = suite.quotas(RECIPE)
    assert [sum(shares[level, language] for language in LANGUAGES) for level in LEVELS] == [102, 279, 119]
    assert Counter(language for (_, language), n in shares.items() for _ in range(n)) == dict.fromkeys(LANGUAGES, 250)
    for own, language in ((templates_of(level), language) for level in LEVELS for language in LANGUAGES):
        turns = [turn(own, language, index).name for index in range(2 * len(own))]
        assert set(Counter(turns).values()) == {2} and turns[: len(own)] == turns[len(own) :]


def test_quotas_not_kept_and_copies_in_two_files_are_noticed(rows: Rows) -> None:
    checker, other = (GeogramChecker(RECIPE.model_dump()) for _ in range(2))
    assert list(checker.row("geogram", rows[0])) == []
    said = whole(checker)
    assert "51 rows of level primitive, language matplotlib, found" in said and "at most 8% of the" in said
    assert list(other.row("geogram", rows[1])) == []
    alike = {**rows[0], "id": "another", "problem": rows[0]["problem"] + " So it is.", "prompt": ""}
    list(other.row("geogram", alike))
    checker.recall(other.memory())
    (line,) = (line for line in whole(checker).split("\n") if " is like an earlier one" in line)
    assert line.startswith("another: duplicates: the statement is like an earlier one: ")
    (fault,) = GeogramChecker(RECIPE.model_dump()).row("geogram", {**rows[0], "id": "another"})
    assert fault.startswith(f"id must be '{rows[0]['id']}' for this problem and code"), "equal problems have equal ids"


def packed(*texts: str) -> str:
    return zlib.compress("\0".join(texts).encode()).hex()


def test_no_template_outgrows_its_share() -> None:
    tiny = RECIPE.model_copy(update={"scale": 0.02})
    judge, shard = suite.distinct(tiny), suite.plan(tiny)[0]
    texts = [[" ".join(f"{i}{letter}{j}" for j in range(20)) for letter in "ab"] for i in range(5)]
    verdicts = [verdict for text in texts for verdict in judge(shard, [packed("t", *text)])]
    assert [verdict.kept for verdict in verdicts] == [True, True, False, False, False]
    assert verdicts[-1].reason == "its template fills its share of the rows"


def test_levels_that_templates_cannot_share_are_refused() -> None:
    levels = RECIPE.geogram.levels.model_copy(update={"primitive": 500, "compositional": 0, "abstract": 0})
    problems = RECIPE.geogram.model_copy(update={"levels": levels, "template_share": 0.05})
    with pytest.raises(PlanimeterError, match=f"primitive: 500 rows from {len(templates_of('primitive'))} templates"):
        suite.plan(RECIPE.model_copy(update={"geogram": problems}))
    values = tomllib.loads(Path("suites/geogram/geogram.toml").read_text())
    values["geogram"]["leakage"]["coincidence"] = 0.2
    values["geogram"] |= {"similarity": 1.5, "levels": {"primitive": 0, "compositional": 0, "abstract": -1}}
    with pytest.raises(RecipeError) as caught:
        parse(values, source="mine.toml")
    said = "\n".join(caught.value.faults)
    assert "0.2 and 0.05" in said and "geogram.similarity" in said and "geogram.levels.abstract" in said


def test_answers_are_no_nearer_to_trivial_numbers_than_others() -> None:
    """Within 2%, over one candidate of each template: no more hits than shuffled answers have, and a few to spare."""
    values, answers = [], []
    for number, template in enumerate(templates()):
        maker = suite.maker(RECIPE, shard_of(0, 1, template.level, "asymptote"))
        seeds = (seed for seed in maker.seeds(number) if maker.problem(template, "asymptote", seed) is not None)
        seed = next(seeds)
        item = propose(template, "asymptote", rng_of(seed), seed)
        assert item.drawing is not None and item.answer_value is not None
        values.append(leakage.trivial_measures(item.drawing))
        answers.append(item.answer_value)
    hits, expected = leakage.rate(values, answers, 0.02)
    assert hits <= expected + 3 * expected**0.5


# --- figures in words, and one problem in all its forms

PAIRED = load("geogram-paired")
PART = PAIRED.model_copy(update={"scale": 0.1}).model_dump()
#: One on each side of the rules: a template of triangles, and one whose statements mostly speak of a program.
SHARDS = [
    Shard(suite="geogram", config=FORMS[0], cell=(level, "paired"), first=first, count=1)
    for level, first in (("compositional", 3), ("abstract", 12))
]


def test_answers_are_found_from_the_words_alone(subtests: pytest.Subtests) -> None:
    for name in sorted(set(NAMES) - NOT_IN_WORDS):
        with subtests.test(name):
            item = accepted(name, "asymptote")
            read_words(item.words)  # Its error names the sentence that has no meaning.
            assert certify(item.stated, item.words, WORDS, item.givens, item.answer_latex).answer == item.answer_latex
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
    worded = [template.name for level in LEVELS for template in templates_of(level, in_words=True)]
    assert sorted([*worded, *NOT_IN_WORDS]) == [template.name for template in templates()]


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return [item for shard in SHARDS for item in suite.make(PAIRED, shard).items]


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
        (WORDS, {"pair_id": "another"}, "rows in 2 forms; need 3"),
        (WORDS, {"language": "asymptote"}, "language must be one of words"),
        (WORDS, {"code": "The area is {answer}."}, "the answer is a number of the statement"),
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


def test_the_forms_of_a_problem_are_sampled_together(small: Any) -> None:
    folder = small("geogram-paired").folder
    drawn = population(folder, Manifest.read(folder), list(FORMS), ["level"])
    assert drawn.labels == tuple(("+".join(FORMS), level) for level in ("compositional", "primitive"))
    assert drawn.sizes == (len(FORMS),) * 2 and drawn.counts == (2, 2)
