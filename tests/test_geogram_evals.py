"""The protocol: what a model may write for an answer, and what it must not."""

import time

import pytest
from geogram_cases import NAMES, accepted

pytest.importorskip("math_verify")

from planimeter.evals import gold_score
from planimeter.evals.geogram import protocol as geogram


def row(answer: str, level: str = "primitive") -> dict[str, object]:
    return {"answer": answer, "level": level, "code": "draw((0,0)--(1,0));"}


def accuracy(gold: str, reply: str) -> float:
    return geogram.score("geogram", row(gold), geogram.parse("geogram", reply))["accuracy"]


@pytest.mark.parametrize("name", NAMES)
def test_every_gold_answer_scores_one(name: str) -> None:
    assert gold_score("geogram", "geogram", row(accepted(name, "asymptote").answer_latex)) == 1.0


@pytest.mark.parametrize(
    ("gold", "boxed"),
    [
        ("\\frac{209}{2}", "104.5"),
        ("\\frac{209}{2}", "104\\frac{1}{2}"),
        ("8\\pi+27", "27 + 8\\pi"),
        ("8\\pi+27", "8π+27"),
        ("134", "134^\\circ"),
        ("134", "134°"),
        ("1512", "1,512"),
        ("2\\sqrt{29}", "\\sqrt{116}"),
        ("2\\sqrt{29}", "2\\sqrt29"),
        ("2\\sqrt{29}", "2√29"),
        ("25", "KG = 25"),
        ("25", "x = 25"),
        ("12\\pi", "12\\pi\\text{ cm}^2"),
        ("\\frac{3\\sqrt{2}}{2}", "\\frac{3}{\\sqrt{2}}"),
        ("15", "15 \\text{ square units}"),
    ],
)
def test_the_same_number_counts_in_any_spelling(gold: str, boxed: str) -> None:
    assert accuracy(gold, f"So the answer is \\boxed{{{boxed}}}.") == 1.0


@pytest.mark.parametrize(
    ("gold", "boxed"),
    [
        ("2", "2\\sqrt{3}"),
        ("8\\pi+27", "52.13"),
        ("5", "5, 6"),
        ("5", "5 \\text{ or } 6"),
        ("2\\sqrt{29}", "2\\sqrt{28}"),
        ("12", "12\\pi"),
        ("134", "46"),
        ("\\frac{1}{3}", "0.33"),
    ],
)
def test_another_number_does_not_count(gold: str, boxed: str) -> None:
    assert accuracy(gold, f"\\boxed{{{boxed}}}") == 0.0


def test_an_answer_that_is_only_thought_of_is_not_given() -> None:
    parsed = geogram.parse("geogram", "<think>maybe \\boxed{5}</think> I do not know.")
    assert parsed.value is None and parsed.reason == "no boxed answer"


@pytest.mark.parametrize(
    ("reply", "keeps"),
    [
        ("The answer is $\\boxed{5}$.", True),
        ("\\boxed{5\\text{ cm}}", False),
        ("\\boxed{x = 5}", False),
        ("First \\boxed{3}, then \\boxed{5}", False),
        ("\\boxed{5} it is", False),
    ],
)
def test_the_strict_reading_wants_one_bare_number_at_the_end(reply: str, keeps: bool) -> None:
    lenient, strict = (geogram.read("geogram", row("5"), reply, strict=strict) for strict in (False, True))
    assert (lenient.value, strict.value) == ("5", "5" if keeps else None)


def test_the_last_box_wins() -> None:
    assert accuracy("7", "\\boxed{5} is wrong; it is \\boxed{7}") == 1.0


@pytest.mark.parametrize(
    "boxed",
    [
        "9^{9^{9^{9}}}",
        "9^{9^9}",
        "9^9^9",
        "9**9**9",
        "(9^{99})^{9^{9}}",
        "2^{99999}",
        "2^{(99999999999)}",
        "2^{+99999999999}",
        "2^{9 9 9 9 9 9}",
        "2^\n{99999999999}",
        "2^{\\left(99999999999\\right)}",
        "2 ^ { 1{,}000{,}000{,}000 }",
        "10^{-\\frac{9999999999}{1}}",
        "2^\\frac{9999999999}{1}",
        "\\sqrt[0.0000000001]{9}",
        "9e9999999999",
        "100000!",
        "(99999999)_{9999}",
        "\\dbinom{99999999}{9999}",
        "{99999999 \\choose 9999}",
        "\\Gamma(99999999)",
        "\\exp(\\exp(\\exp(99)))",
        "\\operatorname{eye}(99999999)",
        "\\sum_{k=1}^{10^9} k",
        "1" * 200,
    ],
)
def test_what_could_compute_for_ever_is_refused(boxed: str) -> None:
    parsed = geogram.parse("geogram", f"\\boxed{{{boxed}}}")
    assert parsed.value is None and parsed.reason in ("no closed number", "too long for an answer")


@pytest.mark.parametrize(
    ("gold", "boxed"),
    [
        ("1024", "2^{10}"),
        ("1024", "2^10"),
        ("1024", "(2^5)^{2}"),
        ("\\frac{1}{8}", "2^{-3}"),
        ("\\frac{1}{8}", "2^-3"),
        ("\\sqrt{2}", "2^{1/2}"),
        ("\\sqrt{2}", "2^{\\frac{1}{2}}"),
        ("\\sqrt[3]{2}", "2^{\\frac13}"),
        ("8", "2^(3)"),
    ],
)
def test_powers_that_an_answer_needs_are_read(gold: str, boxed: str) -> None:
    assert accuracy(gold, f"\\boxed{{{boxed}}}") == 1.0


def test_the_largest_power_that_is_read_is_compared_soon() -> None:
    start = time.process_time()
    assert accuracy("3", "\\boxed{(999999999999999^{99})^{99}}") == 0.0
    assert time.process_time() - start < 20


def test_prompts_carry_the_tags_of_their_language() -> None:
    for language, opening in (("asymptote", "[asy]"), ("matplotlib", "```python")):
        item = accepted("rhombus", language)
        text = geogram.prompt(item.problem, item.code, item.language)
        assert opening in text and item.problem in text and item.code in text and "\\boxed{}" in text
