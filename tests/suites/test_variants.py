"""Prompt variants: the default is the row's own prompt, each other asks the same in other words and is read right."""

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from graded_rows import EXAMPLES, ROWS, with_ids
from hypothesis import given
from hypothesis import strategies as st

from planimeter import evals
from planimeter.evals.curves.variants import noised
from planimeter.flows.store import sources
from planimeter.flows.suites import suite_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import available, load

PLACES = sorted(ROWS)
places = pytest.mark.parametrize("place", PLACES, ids="-".join)


def listed(markers: Sequence[str]) -> str:
    return "\n".join(f"{number}. {marker}" for number, marker in enumerate(markers, 1))


#: What a perfect model replies to a variant; where none is named, the reply to the default.
PERFECT: dict[tuple[str, str], Callable[[dict[str, Any]], str]] = {
    ("marvl_qa", "reasoned"): lambda row: f"Let me count: 3 and 4.\n\n<final_answer>{row['answer']}</final_answer>",
    ("traversal", "reasoned"): lambda row: f"It goes from red tri to blue star.\n\nAnswer: {row['answer']}",
    ("traversal", "json_array"): lambda row: json.dumps(row["markers"], indent=1),
    ("traversal", "numbered_list"): lambda row: listed(row["markers"]),
    ("curves", "reasoned"): lambda row: f"One holds 2 others.\n<answer>\n{row['answer']}\n</answer>",
    ("curves_maps", "reasoned"): lambda row: f"I see 3 faces.\n<answer>\n{row['answer']}\n</answer>",
}


def perfect(place: tuple[str, str], row: dict[str, Any], variant: str) -> str:
    return PERFECT.get((place[0], variant), lambda row: evals.suite(place[0]).render(row["answer"]))(row)


@places
@given(data=st.data())
def test_a_perfect_reply_in_the_format_of_a_variant_scores_one_in_both_readings(place, data):
    row = data.draw(with_ids(ROWS[place]))
    suite, config = place
    for variant in evals.variants(suite, config):
        reply = perfect(place, row, variant)
        for strict in (True, False):
            scores = evals.grade(row, reply, suite=suite, config=config, strict=strict, variant=variant)
            assert (scores.value, scores.read) == (1.0, row["answer"]), (variant, strict)


@places
def test_every_variant_has_words_of_its_own_and_the_default_those_of_the_row(place):
    row = {"id": "row-1", **EXAMPLES[place]}
    suite, config = place
    prompts = [evals.prompt_of(row, variant, suite=suite, config=config) for variant in evals.variants(suite, config)]
    assert prompts[0] == evals.prompt_of(row, suite=suite, config=config) == (row["system_prompt"], row["prompt"])
    assert len(set(prompts)) == len(prompts)
    assert all(evals.variants(suite, config).values())
    for words in prompts[1:]:
        assert not any("{" in text for text in words), "a place that nothing fills"


@pytest.mark.parametrize(
    ("variant", "other"), [(v, o) for v in evals.variants("traversal", "base") for o in ("json_array", "numbered_list")]
)
def test_strictly_only_the_format_asked_for_is_taken(variant, other):
    row = EXAMPLES["traversal", "base"]
    scores = evals.grade(row, perfect(("traversal", "base"), row, other), strict=True, variant=variant)
    assert (scores.value, scores.reason) == ((1.0, "") if variant == other else (0.0, "not the asked format"))
    assert evals.grade(row, perfect(("traversal", "base"), row, other), variant=variant).value == 1.0


@pytest.mark.parametrize(
    ("variant", "reply"),
    [
        ("json_array", "[" * 100_000),
        ("json_array", '["red tri", 3]'),
        ("json_array", '{"red tri": 1}'),
        ("json_array", '["red tri, blue star"'),
        ("json_array", '"red tri"'),
        ("numbered_list", "1. red tri\n3. blue star"),
        ("numbered_list", "red tri\nblue star"),
        ("reasoned", "red tri, blue star"),
        ("reasoned", "Answer: red tri\nor maybe not"),
    ],
)
def test_what_does_not_keep_to_the_format_is_refused_strictly(variant, reply):
    scores = evals.grade(EXAMPLES["traversal", "base"], reply, strict=True, variant=variant)
    assert (scores.value, scores.reason) == (0.0, "not the asked format")


@pytest.mark.parametrize(
    "reply",
    ["<final_answer>6</final_answer>\nNo.\n<final_answer>7</final_answer>", "<final_answer>7</final_answer> I think"],
)
def test_reasoning_stands_before_the_one_line_of_the_answer(reply):
    row = EXAMPLES["marvl_qa", "counting"]
    assert evals.grade(row, reply).value == 1.0
    assert evals.grade(row, reply, strict=True, variant="reasoned").reason == "not the asked format"


@given(st.integers(1, 150), st.integers(0, 2**63 - 1), st.text(max_size=9))
def test_a_noised_count_is_never_the_true_one_and_depends_on_the_row_alone(count, seed, name):
    row = {"id": name, "seed": seed}
    said = noised(count, row)
    assert said == noised(count, dict(row)) >= 1
    assert said != count
    assert abs(said - count) <= max(1, 0.2 * count + 0.5)
    assert abs(said - count) >= min(0.1 * count - 0.5, count)


def test_noise_goes_both_ways_and_fills_its_range():
    found = [noised(100, {"id": f"r{number}", "seed": number}) for number in range(2000)]
    assert {*found} == {*range(80, 91), *range(110, 121)}
    assert 900 < sum(said > 100 for said in found) < 1100


def test_a_hint_names_the_count_and_nothing_else_changes():
    row = {"id": "row-1", **EXAMPLES["curves", "easy"]}
    (_, given_), (_, noisy), (_, plain) = (evals.prompt_of(row, v) for v in ("count_given", "count_noised", "default"))
    assert given_.replace("Without the root there are 4 regions.\n\n", "") == plain
    assert noisy.replace(f"Without the root there are about {noised(4, row)} regions.\n\n", "") == plain


def test_no_count_says_no_number():
    _, text = evals.prompt_of(EXAMPLES["traversal", "base"], "no_count")
    assert not any(sign.isdigit() for sign in text)
    assert "EXACTLY" not in text


def test_a_prompt_of_another_edition_is_not_reworded_blindly():
    row = {**EXAMPLES["curves", "easy"], "prompt": "What is nested in what?"}
    with pytest.raises(ValueError, match="does not say 'Answer inside <answer> tags' once"):
        evals.prompt_of(row, "reasoned")
    with pytest.raises(LookupError, match="geogram geogram has no prompt variant 'reasoned'; it has: default"):
        evals.prompt_of(EXAMPLES["geogram", "geogram"], "reasoned")
    with pytest.raises(LookupError, match="no config 'easier'"):
        evals.variants("curves", "easier")


def test_no_shard_depends_on_a_variant():
    recipes = [recipe for name in available() if isinstance(recipe := load(name), Recipe)]
    found = sources.closure([name for recipe in recipes for name in suite_of(recipe).sources])
    assert "planimeter.evals.traversal.prompt" in found
    assert not [name for name in found if "variants" in name]


def test_the_formats_of_all_variants_are_told_apart_by_their_words():
    row = EXAMPLES["traversal", "base"]
    words = [evals.prompt_of(row, variant)[1] for variant in evals.variants("traversal", "base")]
    assert all(one not in other for one, other in pairwise(words))
