"""Rewards are scores, whichever trainer asks and however its columns arrive."""

import json
from typing import Any

import numpy as np
import pytest
from graded_rows import EXAMPLES, ROWS, Row
from hypothesis import given
from hypothesis import strategies as st

from planimeter import evals
from planimeter.evals.curves.grader import COMMONEST
from planimeter.evals.curves.metrics import canonical, tree_of
from planimeter.evals.curves.prompt import answer as written
from planimeter.evals.rewards import compute_score, compute_score_batch, packed, reward, reward_of
from planimeter.generators.curves.curriculum import LEVELS

places = pytest.mark.parametrize("place", sorted(ROWS), ids="-".join)
TREE = EXAMPLES["curves", "easy"]
MARKERS = EXAMPLES["traversal", "base"]


def gold(row: Row, place: tuple[str, str]) -> str:
    reply: str = evals.suite(place[0]).render(row["answer"])
    return reply


def columns_of(row: Row, count: int) -> dict[str, list[Any]]:
    return {name: [value] * count for name, value in row.items()}


def rewards_of(row: Row, reply: str, place: tuple[str, str], of: str = "headline") -> list[float | None]:
    """The reward by each signature: plain and conversational TRL, ms-swift, verl, EasyR1."""
    source, truth = "/".join(place), packed(row, suite=place[0], config=place[1])
    said = [{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "text", "text": reply}]}]
    shown = [
        {"role": "system", "content": row["system_prompt"]},
        {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": row["prompt"]}]},
    ]
    mapped = {name: [value] for name, value in row.items() if name not in ("prompt", "system_prompt")}
    batch = [{"response": reply, "response_length": 1, "ground_truth": truth}]
    return [
        *reward([reply], of=of, **columns_of(row, 1)),
        *reward([said], of=of, data_source=[source], prompts=[shown], trainer_state=object(), **mapped),
        *reward([reply], of=of, solution=[row["answer"]], row=[truth], options=[["a", "b"]], label=[True]),
        compute_score(source, reply, row["answer"], {"row": truth, "split": "train", "index": 3}, of=of)["score"],
        compute_score_batch(batch, of=of)[0]["overall"],
    ]


@places
@given(data=st.data())
def test_every_signature_gives_the_headline_score(place, data):
    row, other = data.draw(ROWS[place]), data.draw(ROWS[place])
    right, wrong = gold(row, place), gold(other, place)
    # Right, another row's answer, quoted prompt, nothing, and an answer weighed only.
    for reply in (right, wrong, f"{row['prompt']}\n{right}", row["prompt"], "", f"<think>{right}", "I see 3."):
        score = evals.grade(row, reply, suite=place[0], config=place[1])
        assert rewards_of(row, reply, place) == [score.value] * 5
        scored = compute_score("/".join(place), reply, row["answer"], {"row": packed(row)})
        assert scored == {"score": score.value, "acc": score.value, "answered": float(score.answered)}
    for of in ("headline", "dense", "paper"):
        rewarded = reward([right, "", wrong], of=of, **columns_of(row, 3))
        if rewarded[0] is None:  # the relaxed accuracies are those of counts
            assert place[0] == "marvl_qa" and "transformation" in place[1]
            continue
        assert rewarded[:2] == [1.0, 0.0]
        assert 0.0 <= rewarded[2] <= 1.0
        assert len({*rewards_of(row, wrong, place, of)}) == 1


def test_rewards_of_the_paper_and_of_parts_are_theirs():
    trees = ["<answer>\n4\n1 0\n2 0\n3 0\n4 0\n</answer>", "<answer>\n1\n1 0\n</answer>"]
    assert reward(trees, of="paper", **columns_of(TREE, 2)) == [0.3, 0.0]
    assert reward(trees, of="tree_accuracy", **columns_of(TREE, 2)) == [0.0, 0.0]
    assert reward(trees[:1], of="paper", **columns_of(MARKERS, 1)) == [0.0]
    names = MARKERS["markers"]
    swapped = ", ".join([names[1], names[0], *names[2:]])
    columns = columns_of(MARKERS, 1)
    assert reward([swapped], of="dense", **columns) == reward([swapped], of="token_accuracy", **columns) == [7 / 9]
    assert reward([swapped], **columns) == [0.0]


@pytest.mark.parametrize("group", COMMONEST)
def test_the_commonest_tree_is_worth_nothing_unless_it_is_right(group):
    kind = {"level": int(group.split()[1])} if group.startswith("level") else {"category": group}
    guess = tree_of(COMMONEST[group])
    assert canonical(guess) == COMMONEST[group]
    true, near = (*guess, 0, 0, 0), (*guess, 0, 0)
    row = {**TREE, "answer": written(true), **kind}
    said = [f"<answer>\n{written(tree)}\n</answer>" for tree in (guess, near, true)]
    dense, plain = (reward(said, of=of, **columns_of(row, 3)) for of in ("dense", "parent_f1"))
    assert (dense[0], dense[2]) == (0.0, 1.0) and 0.0 < dense[1] < plain[1]
    assert dense[1] == pytest.approx((plain[1] - plain[0]) / (1 - plain[0]))
    # Where it is the truth it is right, and what is near it no better than it would be elsewhere.
    assert reward(said[:2], of="dense", **columns_of({**row, "answer": written(guess)}, 2)) == [1.0, 0.0]


def test_there_is_a_commonest_tree_of_every_category_and_level():
    levels = {f"level {number}" for number in range(1, len(LEVELS) + 1)}
    assert {*COMMONEST} == levels | {*evals.suite("curves").CONFIGS} - {"curriculum"}
    with pytest.raises(LookupError, match=r"most common answer is known for 'curriculum'.*level 1"):
        compute_score("curves/curriculum", "<answer>\n1\n1 0\n</answer>", "1\n1 0", of="dense")


def test_in_a_mixture_each_row_has_the_rewards_of_its_suite():
    """Datasets that are joined have None where a column is another's."""
    pair = EXAMPLES["marvl_qa", "transformation"]
    rows = [TREE, MARKERS, pair, {"answer": None}, {"answer": "4", "data_source": "gsm8k"}]
    names = sorted({name for row in rows for name in row})
    columns = {name: [row.get(name) for row in rows] for name in names}
    replies = [gold(TREE, ("curves", "easy")), MARKERS["answer"], "2", "4", "4"]
    for rewarding in (reward, reward_of("paper"), reward_of("dense")):
        assert rewarding(replies, **columns) == [1.0, 1.0, 1.0, None, None]
    assert reward_of("token_accuracy")(replies, **columns) == [None, 1.0, None, None, None]
    assert reward_of("token_accuracy").__name__ == "reward_token_accuracy"


def test_options_of_a_trainer_are_no_options_of_ours():
    ignored = {"reward_router_address": None, "reward_model_tokenizer": None}
    assert compute_score("marvl_qa/counting", "7", "7", None, **ignored)["score"] == 1.0
    columns = {"answer": ["7"], "options": [["yes", "no"]], "feature": ["maxima"], "count": [7], "label": [False]}
    assert reward(["7"], **columns) == [1.0]
    with pytest.raises(LookupError, match="marvl_qa/transformation needs the column options"):
        reward(["7"], data_source=["marvl_qa/transformation"], **columns)


def test_arrays_are_columns_and_messages_say_their_text():
    spoken = [[{"role": "assistant", "content": content}] for content in ("7", None)]
    assert reward([*spoken, []], **columns_of(EXAMPLES["marvl_qa", "counting"], 3)) == [1.0, 0.0, 0.0]
    row = {**EXAMPLES["marvl_qa", "transformation"]}
    row["options"] = np.array(row["options"])
    assert reward(["Answer: Rotation by 180 degrees"], **columns_of(row, 1)) == [1.0]
    assert json.loads(packed(row))["options"] == list(row["options"])
    assert json.loads(packed(row))["data_source"] == "marvl_qa/transformation"


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: reward(["x"], ["y"], of="treee"), ValueError, "there is no reward 'treee'; there are: accuracy, "),
        (lambda: reward_of("edit_distance"), ValueError, "there is no reward 'edit_distance'"),
        (lambda: reward(["x"], ["y"]), LookupError, "no suite has rows with only the columns answer"),
        (lambda: reward(["x"], ["y"], data_source=["curves/hard"]), LookupError, "unknown data_source 'curves/hard'"),
        (lambda: compute_score("chess/easy", "x", "y"), LookupError, "there is no suite 'chess'; there are: marvl_qa,"),
        (lambda: compute_score("curves", "x", "y"), LookupError, "unknown data_source 'curves'"),
        (lambda: compute_score("curves/easy", "x", "1\n1 0", {}, off="paper"), TypeError, "unknown option 'off'"),
        (lambda: compute_score("curves/easy", "x", "1\n1 0", of="exact"), ValueError, "has no reward 'exact'"),
        (lambda: compute_score("traversal/base", "x", "red star"), LookupError, "needs the column markers"),
        (lambda: compute_score("curves/easy", "x", "1"), ValueError, "the row's own answer cannot be read"),
    ],
)  # fmt: skip
def test_a_wrong_call_says_what_is_wrong(call, error, said):
    with pytest.raises(error, match=said):
        call()
