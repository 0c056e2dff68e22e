"""A language model reads unmarked replies: what it says is graded like a marked answer, kept, and never asked twice."""

import json
import os

import command_line
import loopback_openai
import pandas as pd
import pytest
from reply_files import lines
from sample_folder import ROWS
from simulated import tag

from planimeter.evals.scores import reader
from planimeter.evals.scores.replies.records import RepliesError

COUNTING = ROWS["counting"]
PROSE = "Looking at the plot I can make out {} of them."

pytest.importorskip("inspect_ai")


class Reader(loopback_openai.Model):
    """Says what its ``words`` say about a reply: a text, or a kind of failure."""

    def __init__(self, words):
        super().__init__()
        self.words, self.asked = words, []

    def reply(self, model, text, picture):
        self.asked.append(text)
        assert not picture
        said = text.split("<reply>\n")[1].split("\n</reply>")[0]
        return said, self.words(said)


@pytest.fixture
def asked(sample, tmp_path, monkeypatch, undrawn):
    """Score ``replies`` with a reader that says ``words``; return how it ended, the reader and the folder."""

    def run(replies, words, *options, refused=()):
        path = lines(tmp_path / "r.jsonl", [{"id": name, "reply": reply} for name, reply in replies.items()])
        server = Reader(words)
        server.refused = set(refused)
        with loopback_openai.running(server):
            monkeypatch.setenv("LOOPBACK_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
            monkeypatch.setenv("LOOPBACK_API_KEY", "none")
            model = ("--reader-model", "openai-api/loopback/m")
            ended = command_line.here("score", str(sample), str(path), "--asked-only", *model, *options)
        assert ended.code == 0, ended.err
        return ended, server, path.with_name("r.scores")

    return run


def scores(home):
    return pd.read_parquet(home / "scores.parquet").set_index("id")


def readings(home):
    return [json.loads(line) for line in (home / reader.FILE).read_text().splitlines()]


def prose(words="many"):
    return {row["id"]: PROSE.format(words) for row in COUNTING}


def test_both_scores_are_printed_and_the_cost_before(asked):
    ended, _, home = asked(prose("three"), lambda said: "3")
    frame = scores(home)
    threes = [row["id"] for row in COUNTING if row["answer"] == "3"]
    assert (frame["accuracy"] == 0).all() and (frame["reason"] == "unmarked").all()
    assert set(frame.index[frame["with_reader"] == 1]) == set(threes)
    first, *rest = ended.out.splitlines()
    assert first.startswith(f"openai-api/loopback/m reads {len(COUNTING)} unmarked replies, and 0 marked")
    assert any("with reader" in line and "unmarked" in line for line in rest)


def test_it_sees_the_question_and_the_reply_alone(asked):
    """The reply has a word in its mark, which the parser does not read."""
    row = COUNTING[0]
    _, server, home = asked({row["id"]: tag("three")}, lambda said: row["answer"])
    (text,) = server.asked
    assert row["prompt"] in text and row["system_prompt"] in text and tag("three") in text
    assert row["family"] not in text and row["id"] not in text
    assert scores(home)["with_reader"].tolist() == [1]


def test_readings_are_reused_and_a_person_may_edit_them(asked):
    replies = prose("three")
    *_, home = asked(replies, lambda said: "4")
    kept = [{**line, "reading": "3", "reader": "Ada"} for line in readings(home)]
    lines(home / reader.FILE, kept)
    _, second, home = asked(replies, lambda said: "9")
    assert not second.asked
    assert set(scores(home)["reader"]) == {"Ada"} and scores(home)["with_reader"].max() == 1
    assert readings(home) == kept


@pytest.mark.parametrize("said", ["**None.**", "It might be 3 or 4", "at least 3", "\ud7ff", "3." * 9000])
def test_what_is_no_answer_scores_nothing(asked, said):
    _, _, home = asked(prose("three"), lambda reply: said)
    assert (scores(home)["with_reader"] == 0).all()


def test_a_reader_that_says_nothing_or_fails_is_asked_again(asked):
    replies = prose("some") | {COUNTING[0]["id"]: "broken"}
    ended, _, home = asked(replies, lambda said: "" if said == PROSE.format("some") else "3", refused=["broken"])
    assert f"has not read {len(COUNTING)} replies; run the same command again" in " ".join(ended.out.split())
    assert [line["reading"] for line in readings(home)] == [""] * len(COUNTING)
    _, again, home = asked(replies, lambda said: "3")
    assert len(again.asked) == len(COUNTING)


def test_a_reader_that_lies_changes_no_marked_reply(asked):
    first = COUNTING[0]["id"]
    replies = {row["id"]: tag(row["answer"]) for row in COUNTING} | {first: PROSE.format("few")}
    _, _, home = asked(replies, lambda said: "99")
    frame = scores(home)
    assert frame["with_reader"].to_dict() == {name: float(name != first) for name in replies}
    (line,) = pd.read_csv(home / "tables" / "readers.csv").to_dict("records")
    assert (line["marked"], line["agree"], line["unmarked"], line["read"], line["right"]) == (17, 0, 1, 1, 0)


def test_without_a_model_unmarked_replies_wait_for_a_person(sample, tmp_path, undrawn):
    path = lines(tmp_path / "r.jsonl", [{"id": row["id"], "reply": PROSE.format("three")} for row in COUNTING])
    score = ("score", str(sample), str(path), "--asked-only")
    assert command_line.here(*score).code == 0
    home = path.with_name("r.scores")
    assert scores(home)["with_reader"].isna().all()
    filled = [{**line, "reading": "3", "reader": "Ada"} for line in readings(home)]
    lines(home / reader.FILE, filled)
    assert command_line.here(*score).code == 0
    assert scores(home)["with_reader"].max() == 1 and readings(home) == filled


def test_a_line_that_is_no_reading_is_named(tmp_path):
    path = tmp_path / reader.FILE
    for line in ("{", "[]", '{"id": "a"}', '{"id": 7, "config": "c", "model": "m", "reply_sha256": "0"}', "[" * 10_000):
        path.write_text(f"\n{line}\n")
        with pytest.raises(RepliesError, match=f"{os.fspath(path)}:2: not a reading"):
            reader.load(path)
