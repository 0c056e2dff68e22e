"""Folders of replies: links and pipes are refused."""

import os

import pytest
from reply_files import lines

from planimeter.evals.scores.replies.reading import files_in, read
from planimeter.evals.scores.replies.records import RepliesError
from planimeter.items.errors import PlanimeterError


def test_a_link_or_pipe_among_replies_is_refused(tmp_path):
    lines(tmp_path / "x.jsonl", [{"id": "a", "reply": "3"}])
    (tmp_path / "round").symlink_to(tmp_path)
    assert files_in(tmp_path) == [tmp_path / "x.jsonl"]
    (tmp_path / "y.jsonl").symlink_to(tmp_path / "x.jsonl")
    with pytest.raises(RepliesError, match=r"y.jsonl: is a link"):
        files_in(tmp_path)
    (tmp_path / "y.jsonl").unlink()
    os.mkfifo(tmp_path / "y.jsonl")
    with pytest.raises(RepliesError, match=r"y.jsonl: is neither"):
        files_in(tmp_path)
    with pytest.raises(PlanimeterError, match="a pipe or device"):
        list(read(tmp_path / "y.jsonl"))
