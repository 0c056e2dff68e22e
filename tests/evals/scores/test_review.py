"""A person judges doubtful replies: verdicts decide the score, are never lost, and show how the reader errs."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import command_line
import pandas as pd
import pytest
import sample_folder
from reply_files import lines
from simulated import Row, simulate

from planimeter.evals.scores import review
from planimeter.evals.scores.forms import Scored
from planimeter.evals.scores.replies.records import RepliesError

ROWS = [{"id": f"c{number}", "answer": "6", "feature": "maxima", "count": 6} for number in range(8)]
REPLIES = {
    "c0": "<final_answer>6</final_answer>",
    "c1": "I see six of them. <final_answer>6</final_answer>",  # not the asked format
    "c2": "It is in the attachment, señor",  # not read
    "c3": "I cannot say",
    "c4": "I see it.\n<final_answer>5</final_answer>",
    "c5": "",
    "c6": "=cmd()",
    "c7": "<final_answer>5</final_answer>",
}


def asked(reply_to: Callable[[Row], str]) -> Scored:
    return simulate("marvl_qa", {"counting": ROWS}, {"m": lambda config, row, rng: reply_to(row)})


@pytest.fixture
def scored() -> Scored:
    return asked(lambda row: REPLIES[row["id"]])


def table(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {line["id"]: line for line in csv.DictReader(file)}


def judge(path: Path, verdicts: dict[str, str]) -> None:
    """Fill the column in, as a spreadsheet that speaks German writes it."""
    judged = {name: line | {"verdict": verdicts.get(name, "")} for name, line in table(path).items()}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, review.COLUMNS, delimiter=";")
        writer.writeheader()
        writer.writerows(judged.values())


def test_plain_and_empty_replies_are_not_given_to_a_person(scored, tmp_path):
    line = review.write(scored, tmp_path)
    assert line == f"review: {tmp_path / 'review.csv'}, 3 replies refused, 2 doubtful, 0 judged"
    found = table(tmp_path / "review.csv")
    assert set(found) == {"c1", "c2", "c3", "c4", "c6"}
    assert list(found)[3:] in (["c1", "c4"], ["c4", "c1"]), "what was refused comes first"
    assert found["c4"]["read"] == "5" and found["c4"]["reason"] == "read leniently only: not the asked format"
    assert found["c2"]["reply"] == REPLIES["c2"] and found["c2"]["reason"] and not found["c2"]["verdict"]
    assert found["c6"]["reply"] == "'=cmd()", "no formula"


def test_the_score_is_by_the_verdicts_and_the_reader_is_judged(scored, tmp_path):
    review.write(scored, tmp_path)
    judge(tmp_path / "review.csv", {"c1": "wrong", "c2": "right", "c3": "none", "c4": "wrong", "c6": "5"})
    reviewed = review.apply(scored, review.read(tmp_path / "review.csv"))
    frame = reviewed.scored.frame.set_index("id")
    assert frame["accuracy"].to_dict() == {"c0": 1, "c1": 0, "c2": 1, "c3": 0, "c4": 0, "c5": 0, "c6": 0, "c7": 0}
    assert frame.loc["c2", ["read", "reason", "answered", "verdict"]].tolist() == ["6", "", True, "right"]
    assert frame.loc["c3", ["reason", "answered"]].tolist() == ["no answer, as a person judged", False]
    assert frame.loc["c6", ["read", "signed_error", "relaxed_20"]].tolist() == ["5", -1.0, 1.0]
    assert frame.loc["c4", "read"] == "5" and frame.loc["c4", "signed_error"] == -1.0, "what was read stays wrong"
    assert (frame["strict_accuracy"] == scored.frame.set_index("id")["strict_accuracy"]).all()
    assert (scored.frame["verdict"] == "").all(), "what was given is not changed"
    assert review.rates(reviewed.judged) == [
        "the reader on 5 judged replies of counting: false refusals 1 of 1 right (100.0%), false acceptances 1 of 4 "
        "not right (25.0%)"
    ]
    (line,) = review.table(reviewed.judged).frame.to_dict("records")
    assert (line["judged"], line["false_refusal_rate"], line["false_acceptance_rate"]) == (5, 1.0, 0.25)


def test_a_verdict_that_is_no_answer_is_refused_and_one_counts_for_the_very_reply_alone(scored, tmp_path):
    review.write(scored, tmp_path)
    judge(tmp_path / "review.csv", {"c2": "yes"})
    with pytest.raises(RepliesError, match="'yes' on c2 is neither right, wrong, none nor an answer"):
        review.apply(scored, review.read(tmp_path / "review.csv"))
    (tmp_path / "review.csv").unlink()
    review.write(scored, tmp_path)
    judge(tmp_path / "review.csv", {"c2": "right", "c3": "right"})
    other = asked(lambda row: REPLIES[row["id"]] + " now" * (row["id"] == "c2"))
    reviewed = review.apply(other, review.read(tmp_path / "review.csv"))
    assert (len(reviewed.judged), reviewed.unknown) == (1, 1)


def test_scoring_again_never_overwrites_a_persons_verdicts(scored, tmp_path):
    path = tmp_path / "review.csv"
    review.write(scored, tmp_path)
    judge(path, {"c2": "right", "c3": "none"})
    before = path.read_bytes()
    assert review.write(scored, tmp_path).startswith(f"{path} was left as it is: it has verdicts that these scores")
    assert path.read_bytes() == before
    reviewed = review.apply(scored, review.read(path))
    assert review.write(reviewed.scored, tmp_path).endswith("1 replies refused, 2 doubtful, 2 judged")
    verdicts = {name: line["verdict"] for name, line in table(path).items() if line["verdict"]}
    assert verdicts == {"c2": "right", "c3": "none"}
    again = review.apply(scored, review.read(path))
    pd.testing.assert_frame_equal(again.scored.frame, reviewed.scored.frame)


def test_a_table_is_no_longer_than_a_person_can_judge_and_keeps_what_was_judged(scored, tmp_path, monkeypatch):
    path = tmp_path / "review.csv"
    review.write(scored, tmp_path)
    judge(path, dict.fromkeys(("c2", "c3"), "none"))
    monkeypatch.setattr(review, "MOST", 1)
    line = review.write(review.apply(scored, review.read(path)).scored, tmp_path)
    assert line.endswith("1 replies refused, 2 doubtful (the first 1 of each), 2 judged")
    assert len(table(path)) == 4 and {"c2", "c3", "c6"} < set(table(path))


def test_without_a_doubt_there_is_no_table_and_a_long_reply_fits_into_a_cell(tmp_path):
    plain = asked(lambda row: REPLIES["c0"])
    (tmp_path / "review.csv").write_text("key,verdict\n")
    assert review.write(plain, tmp_path) == "" and not list(tmp_path.iterdir())
    # The key is that of all of the reply.
    review.write(asked(lambda row: "word " * 8_000 + row["id"]), tmp_path)
    found = table(tmp_path / "review.csv")
    assert len({line["key"] for line in found.values()}) == len(ROWS)
    assert max(len(line["reply"]) for line in found.values()) < 32_767


def test_what_is_no_table_of_verdicts_is_one_line(sample, tmp_path):
    path = tmp_path / "v.csv"
    records = lines(tmp_path / "r.jsonl", [{"id": "c00", "reply": "3"}])
    for content in (None, "id,reply\na,b\n", ""):
        if content is not None:
            path.write_text(content)
        ended = command_line.here("score", str(sample), str(records), "--verdicts", str(path))
        assert ended.code == 1 and len(ended.lines) == 1 and f"planimeter: {path} " in ended.lines[0]


def test_the_command_takes_verdicts_back_and_prints_the_readers_rates(sample, tmp_path, undrawn):
    rows = sample_folder.ROWS["counting"]
    said: list[dict[str, Any]] = [{"id": row["id"], "reply": "It is in the attachment."} for row in rows]
    path, home = lines(tmp_path / "r.jsonl", said), tmp_path / "r.scores"
    asked = ("score", str(sample), str(path), "--config", "counting")
    first = command_line.here(*asked)
    assert first.code == 0, first.err
    assert f"review: {home / 'review.csv'}, {len(rows)} replies refused, 0 doubtful, 0 judged" in first.out
    judge(home / "review.csv", {row["id"]: "right" if place % 2 else "none" for place, row in enumerate(rows)})
    second = command_line.here(*asked, "--verdicts", str(home / "review.csv"))
    assert second.code == 0, second.err
    half = len(rows) // 2
    rates = f"false refusals {half} of {half} right (100.0%), false acceptances 0 of {half} not right (0.0%)"
    assert rates in second.out
    assert pd.read_parquet(home / "scores.parquet")["accuracy"].mean() == 0.5
    assert pd.read_csv(home / "tables" / "reader.csv")["false_refusals"].tolist() == [half]
    assert "The reader on judged replies" in (home / "report.html").read_text()
