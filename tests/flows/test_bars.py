"""What a build says of itself while it makes shards is true: also where it goes on from the shards of another one."""

from rich.progress import Progress

from planimeter.flows.display.bars import Stage


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
