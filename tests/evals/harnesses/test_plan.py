"""`planimeter evaluate --plan`: what an evaluation would take and show, without a model."""

import command_line
from asked_folders import ROWS, write_small
from sample_folder import ROWS as SAMPLE_ROWS

from planimeter.evals import prompt_of
from planimeter.evals.harnesses.plan import CHARACTERS, plan
from planimeter.evals.power import TYPICAL, smallest_difference
from planimeter.export.built import Built


def test_a_plan_counts_questions_and_what_they_tell_apart(sample):
    table = plan(Built.at(sample), ["counting", "transformation"], "default").frame.set_index("config")
    assert table[["rows", "questions", "replies"]].to_numpy().tolist() == [[18, 2, 18], [8, 4, 8]]
    (counting, _) = table["difference_correlated"]
    assert counting == smallest_difference([9, 9], correlation=TYPICAL)
    texts = [prompt_of(row, suite="marvl_qa", config="counting") for row in SAMPLE_ROWS["counting"]]
    assert table["prompt_tokens"]["counting"] == sum(len(part) for text in texts for part in text) // CHARACTERS


def test_a_plan_has_the_samples_and_the_limit_of_the_paper(tmp_path):
    data = Built.at(write_small(tmp_path / "curves", "curves"))
    table = plan(data, ["easy"], "default").frame.set_index("config")
    assert table["samples"]["easy"] == 4
    assert table["replies"]["easy"] == 4 * ROWS
    assert table["most_reply_tokens"]["easy"] == 4 * ROWS * 8192


def test_a_plan_asks_nothing_and_writes_nothing(sample):
    before = command_line.digests(sample.parent)
    ended = command_line.here("evaluate", str(sample), "--plan", "--config", "counting")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[1].split()[:6] == ["counting", "test", "18", "2", "1", "18"]
    assert command_line.digests(sample.parent) == before
