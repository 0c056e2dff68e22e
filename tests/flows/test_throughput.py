"""What a build says of itself while it makes shards is true: also where it goes on from the shards of another one."""

import time

from rich.progress import Progress

from planimeter.flows.display.bars import Stage
from planimeter.flows.display.throughput import Throughput
from planimeter.flows.shards import Block, ShardRecord, StoredTable


def record(rows_of_items, *checks):
    counts = {f"check {i}": {"seen": seen, "kept": kept} for i, (seen, kept) in enumerate(checks)}
    blocks = tuple(Block(0, rows, 0, 0, "") for rows in rows_of_items)
    empty = dict.fromkeys(("shard", "rejects_path", "rejects_sha256"), "")
    tables = (StoredTable(config="config", path="", sha256="", blocks=blocks),)
    funnel = {"config": counts} if counts else {}
    return ShardRecord(split="test", tables=tables, signatures=(), missing=0, funnel=funnel, **empty)


def test_checks_that_reject_little_do_not_hide_one_that_rejects_half_and_none_counts_twice():
    tally = Throughput()
    tally.add(record((1,) * 50, (100, 50), (50, 50), (50, 50), (50, 50), (50, 50)), is_made=False)
    assert str(tally) == "50 rows, 50% rejected"
    # A check that judges 81 pictures of an item.
    tally = Throughput()
    tally.add(record((81,) * 4, (8, 5), (5 * 81, 4 * 81)), is_made=False)
    assert str(tally) == "324 rows, 50% rejected"
    # An item without rows in a config is none of its items.
    tally = Throughput()
    tally.add(record((2, 0, 2), (2, 2), (4, 4)), is_made=False)
    tally.add(record(()), is_made=False)
    assert str(tally) == "4 rows, 0% rejected"


def test_rows_that_were_there_before_are_no_measure_of_the_speed(monkeypatch):
    now = 50.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    tally = Throughput()
    now = 100.0
    tally.add(record((1000,)), is_made=False)
    assert str(tally) == "1,000 rows, 0% rejected"
    now = 102.0
    tally.add(record((10,)), is_made=True)
    assert str(tally) == "1,010 rows, 5/s, 0% rejected"


def test_shards_that_were_there_before_do_not_shorten_the_time_that_is_left():
    now = 0.0
    stage = Stage(Progress(disable=True, get_time=lambda: now), "generate", 110, str)
    (task,) = stage._progress.tasks
    for _ in range(100):
        now += 0.01
        stage.advance(worked=False)
    assert (task.completed, task.time_remaining) == (100, None)
    for _ in range(5):
        now += 2
        stage.advance()
    assert (task.completed, task.time_remaining) == (105, 10)
    for _ in range(5):
        stage.advance(worked=False)
    assert task.finished


def test_a_line_of_progress_holds_no_empty_part(monkeypatch):
    monkeypatch.setattr("planimeter.flows.display.bars.EVERY", 0.0)
    lines = []
    stage = Stage(Progress(disable=True, get_time=lambda: 0.0), "verify", 3, lines.append)
    stage.advance()
    stage.advance(note="counting")
    assert lines == ["verify 1 of 3", "verify 2 of 3, counting"]
