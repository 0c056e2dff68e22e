"""Prompt variants: the default is the row's own prompt, each other asks the same in other words and is read right."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from graded_rows import EXAMPLES, ROWS, with_ids
from hypothesis import given
from hypothesis import strategies as st

from planimeter import evals
from planimeter.evals.curves.grader import noised

places = pytest.mark.parametrize("place", sorted(ROWS), ids="-".join)
PATH = EXAMPLES["traversal", "base"]
OTHER_FORMAT = (0.0, "not the asked format")

#: What a perfect model replies to a variant; where none is named, the reply to the default.
PERFECT: dict[tuple[str, str], Callable[[dict[str, Any]], str]] = {
    ("traversal", "json_array"): lambda row: json.dumps(row["markers"], indent=1),
    ("traversal", "numbered_list"): lambda row: "\n".join(f"{n}. {m}" for n, m in enumerate(row["markers"], 1)),
}


def perfect(suite: str, row: dict[str, Any], variant: str) -> str:
    return PERFECT.get((suite, variant), lambda row: evals.suite(suite).render(row["answer"]))(row)


def strictly(row: dict[str, Any], reply: str, variant: str) -> tuple[float, str]:
    scores = evals.grade(row, reply, strict=True, variant=variant)
    return scores.value, scores.reason


@places
@given(data=st.data())
def test_a_perfect_reply_to_a_variant_scores_one(place, data):
    row = data.draw(with_ids(ROWS[place]))
    suite, config = place
    for variant in evals.variants(suite, config):
        for strict in (True, False):
            reply = perfect(suite, row, variant)
            scores = evals.grade(row, reply, suite=suite, config=config, strict=strict, variant=variant)
            assert (scores.value, scores.read) == (1.0, row["answer"]), (variant, strict)


@places
def test_every_variant_has_words_of_its_own(place):
    row = {"id": "row-1", **EXAMPLES[place]}
    suite, config = place
    prompts = [evals.prompt_of(row, variant, suite=suite, config=config) for variant in evals.variants(suite, config)]
    assert prompts[0] == evals.prompt_of(row, suite=suite, config=config) == (row["system_prompt"], row["prompt"])
    assert len(set(prompts)) == len(prompts) and all(evals.variants(suite, config).values())
    assert not any("{" in text for words in prompts[1:] for text in words), "a place that nothing fills"


@pytest.mark.parametrize("variant", evals.variants("traversal", "base"))
def test_strictly_only_the_format_asked_for_is_taken(variant):
    for other in ("json_array", "numbered_list"):
        reply = perfect("traversal", PATH, other)
        assert strictly(PATH, reply, variant) == ((1.0, "") if variant == other else OTHER_FORMAT)
        assert evals.grade(PATH, reply, variant=variant).value == 1.0


def test_what_does_not_keep_to_the_format_is_refused_strictly():
    for variant, reply in (
        ("json_array", "[" * 100_000),
        ("json_array", '["red tri", 3]'),
        ("json_array", '{"red tri": 1}'),
        ("json_array", '["red tri, blue star"'),
        ("json_array", '"red tri"'),
        ("numbered_list", "1. red tri\n3. blue star"),
        ("numbered_list", "red tri\nblue star"),
    ):
        assert strictly(PATH, reply, variant) == OTHER_FORMAT, reply[:30]


@given(st.integers(1, 150), st.integers(0, 2**63 - 1), st.text(max_size=9))
def test_a_noised_count_is_never_the_true_one(count, seed, name):
    said = noised(count, {"id": name, "seed": seed})
    assert said == noised(count, {"id": name, "seed": seed}) >= 1
    assert min(0.1 * count - 0.5, count) <= abs(said - count) <= max(1, 0.2 * count + 0.5)
    assert said != count


def test_a_hint_names_the_count_and_nothing_else_changes():
    row = {"id": "row-1", **EXAMPLES["curves", "easy"]}
    (_, given_), (_, noisy), (_, plain) = (evals.prompt_of(row, v) for v in ("count_given", "count_noised", "default"))
    assert given_.replace("Without the root there are 4 regions.\n\n", "") == plain
    assert noisy.replace(f"Without the root there are about {noised(4, row)} regions.\n\n", "") == plain
    _, text = evals.prompt_of(PATH, "no_count")
    assert not any(sign.isdigit() for sign in text) and "EXACTLY" not in text


def test_a_prompt_of_another_edition_is_not_reworded_blindly():
    row = {**EXAMPLES["curves", "easy"], "prompt": "What is nested in what?"}
    with pytest.raises(ValueError, match="must contain 'Answer inside <answer> tags' once, not 0 times"):
        evals.prompt_of({**row, "id": "a"}, "count_given")
    with pytest.raises(LookupError, match="geogram geogram has no prompt variant 'json_array'; it has: default"):
        evals.prompt_of(EXAMPLES["geogram", "geogram"], "json_array")
    with pytest.raises(LookupError, match="no config 'easier'"):
        evals.variants("curves", "easier")
