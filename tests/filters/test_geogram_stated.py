"""No answer is a number of its statement: the filter, the verifier's own reading, and the table of the report."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from geogram_cases import candidates
from hypothesis import given
from hypothesis import strategies as st
from sample_folder import any_row

from planimeter.evals.geogram import protocol
from planimeter.export import stated
from planimeter.export.dataset import write_dataset
from planimeter.export.parquet import row_table
from planimeter.export.rows.geogram import geogram_row
from planimeter.export.schema import schema_of
from planimeter.export.verify.checks.geogram import GeogramChecker
from planimeter.filters.certify.geogram.certificate import certify
from planimeter.filters.geogram import leakage
from planimeter.flows.suites import suite_of
from planimeter.items import GeogramItem
from planimeter.recipes.geogram import SuiteRecipe
from planimeter.recipes.loading import load

RECIPE = load("geogram")
assert isinstance(RECIPE, SuiteRecipe)
suite = suite_of(RECIPE)

SAME = [
    ("In triangle $ABC$, $\\angle BAC = 60^\\circ$. Find $\\angle ABC$.", "60"),
    ("If $CD = 17$ and $DF = 11.0$, find $FB$.", "11"),
    ("Each side is $\\frac{1}{2}$ of the one before.", "0.5"),
    ("Each side is $0.5$ times as long.", "\\frac{1}{2}"),
    ("$\\frac{6}{8}$ of the area is grey.", "\\frac{3}{4}"),
    ("$QM = \\sqrt{299}$", "\\sqrt{299}"),
    ("a circle of radius $4 \\sqrt{10}$", "4\\sqrt{10}"),
    ("$MK = \\frac{\\sqrt{461}}{2}$", "\\frac{\\sqrt{461}}{2}"),
    ("The circumference is $12\\pi$.", "12\\pi"),
    ("$XZ : ZY = 1 : 4$", "4"),
    ("Three circles touch each other.", "3"),
    ("the double of its height", "2"),
    ("Its height is halved.", "\\frac{1}{2}"),
    ("with sides $\\frac{3}{7}$ as long", "7"),
    ("$XU = \\sqrt{166}$", "166"),
]
OTHER = [
    ("$\\angle BAC = 60^\\circ$", "6"),
    ("$DF = 11.5$", "11"),
    ("a circle of radius $4 \\sqrt{10}$", "\\sqrt{10}"),
    ("$\\frac{1}{2}$ of it", "\\frac{1}{3}"),
    ("Someone is alone, and the third circle often tens", "10"),
    ("$BC = 7$", "7\\sqrt{2}"),
    ("Find $AB$.", "1"),
]


def problem(statement: str, answer: str) -> dict[str, Any]:
    return {"problem": statement, "answer": answer, "answer_value": protocol.value(answer)}


@pytest.mark.parametrize(("statement", "answer"), [*SAME, *OTHER])
def test_an_answer_that_the_statement_gives_is_found_by_filter_and_verifier_and_none_that_resembles_it(
    statement: str, answer: str
) -> None:
    row, same = problem(statement, answer), (statement, answer) in SAME
    verdict = leakage.copied(statement, row["answer_value"])
    assert (verdict.kept, stated.copied(row), verdict.measured > verdict.limit == 0) == (not same, same, same)
    assert not same or (verdict.check, verdict.reason) == ("leakage", "the answer is a number of the statement")


NUMBERS = st.one_of(
    st.integers(1, 400).map(str),
    st.decimals(0, 90, places=2).map(str),
    st.builds("\\frac{{{}}}{{{}}}".format, st.integers(1, 40), st.integers(2, 40)),
    st.builds("{} \\sqrt{{{}}}".format, st.integers(2, 9), st.integers(2, 500)),
    st.builds("\\frac{{\\sqrt{{{}}}}}{{{}}}".format, st.integers(2, 500), st.integers(2, 9)),
    st.builds("{}\\pi".format, st.integers(2, 60)),
)


@given(st.lists(NUMBERS, min_size=1, max_size=4), st.data())
def test_both_readers_find_every_number_of_a_statement(texts: list[str], data: st.DataObject) -> None:
    statement = "With " + ", ".join(f"$AB = {text}$" for text in texts) + " find $CD$."
    answer = protocol.value(data.draw(st.sampled_from(texts)))
    assert answer is not None
    assert not leakage.copied(statement, answer).kept
    assert stated.copied({"problem": statement, "answer_value": answer})
    # As numbers, and nothing else: the figures inside of fractions and roots are not read apart here.
    assert stated.numbers(statement) == pytest.approx([protocol.value(text) for text in texts])


def copies(name: str) -> Iterator[GeogramItem]:
    """Yield candidates of a template whose answer their statement gives."""
    for item in candidates(name, "asymptote"):
        if any(abs(item.answer_value - given) < 1e-9 for given in stated.numbers(item.problem)):
            yield item


@pytest.mark.parametrize("name", ["equal_marks", "two_reflections", "tangential_quadrilateral"])
def test_a_candidate_whose_answer_is_given_is_rejected_and_would_not_be_verified(name: str) -> None:
    item = next(copies(name))
    verdict = leakage.judge(item, RECIPE.geogram.leakage.coincidence, RECIPE.geogram.leakage.measured)
    assert (verdict.check, verdict.reason) == ("leakage", "the answer is a number of the statement")
    reading = certify(item.problem, item.code, item.language, item.givens, item.answer_latex)
    row = geogram_row(item, b"", reading, protocol.prompt(item.problem, item.code, item.language))
    (fault,) = GeogramChecker(RECIPE.model_dump()).row("geogram", row)
    assert "copying scores" in fault


def test_report_and_card_tell_by_template_what_the_numbers_of_statements_make(tmp_path: Path) -> None:
    schema = schema_of("geogram", "geogram")
    given = ("exterior_angle", "52 69", "121"), ("exterior_angle", "55 91", "36"), ("sector", "18 135", "7")
    common = {"level": "primitive", "language": "asymptote"}
    rows = [
        any_row(schema, i)
        | problem("${}$ and ${}^\\circ$".format(*numbers.split()), answer)
        | common
        | {"template": name}
        for i, (name, numbers, answer) in enumerate(given)
    ]
    stand = {"dataset": "geogram", "version": RECIPE.version, "seed": RECIPE.seed, "code_digest": "0" * 64}
    configs = {"geogram": {"test": [row_table(rows, schema)]}}
    write_dataset(tmp_path, recipe=RECIPE.model_dump(mode="json"), **stand, configs=configs, funnel={})
    card = (tmp_path / "README.md").read_text()
    assert "Numbers of the statement: one of them is the answer in 0 of 3 rows (0.0%), the sum of two" in card
    assert "the difference of two is the answer in 1 of 3 rows (33.3%)" in card
    table = (tmp_path / "report" / "index.html").read_text().partition("<h3>Numbers of the statement</h3>")[2]
    cells = [re.findall(r">([^<>]+)</t[dh]>", line) for line in table.partition("</table>")[0].splitlines()]
    assert [line for line in cells if line] == [
        ["Template", "rows", "one of them", "the sum of two", "the difference of two", "the product of two"],
        ["all", "3", "0", "1 (33.3%)", "1 (33.3%)", "0"],
        ["primitive: exterior angle", "2", "0", "1 (50.0%)", "1 (50.0%)", "0"],
        ["primitive: sector", "1", "0", "0", "0", "0"],
    ]


def test_pairs_are_added_subtracted_and_multiplied() -> None:
    names = {"9": "one of them"} | dict.fromkeys(("13", "6"), "the sum of two")
    names |= dict.fromkeys(("5", "7"), "the difference of two") | dict.fromkeys(("36", "8", "18"), "the product of two")
    for answer in (*names, "72", "15", "-5"):
        row = problem("$a = 9$, $b = 4$, $c = 2$", answer)
        assert [name for name, rule in stated.RULES.items() if rule(row)] == [*filter(None, [names.get(answer)])]
