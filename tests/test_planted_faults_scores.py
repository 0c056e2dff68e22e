"""Faults that were planted in ``scores`` and that no other test found."""

import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from planimeter.scores.drawing import bars
from planimeter.scores.intervals import _bounds_of_equal
from planimeter.scores.page.evidence import evidence
from planimeter.scores.replies.verifiers import _reply


def test_one_right_marker_is_no_stretch_of_the_path() -> None:
    row = {
        "points": [[10.0, 10.0], [110.0, 10.0], [110.0, 110.0]],
        "markers": ["red star", "blue tri", "green plus"],
        "glyph_radius": 6.0,
    }
    one = evidence("traversal", "base", row, "red star, green plus", [True, False, False])
    assert [mark.kind for mark in one.marks] == ["path", "truth", "reply"]
    two = evidence("traversal", "base", row, "red star, blue tri", [True, True, False])
    assert [mark.kind for mark in two.marks] == ["path", "done", "truth"]


def test_bounds_of_equal_values_in_the_middle_are_as_far_on_both_sides() -> None:
    low, high = _bounds_of_equal(0.5, 8, 0.0)
    assert 0.0 < low < 0.5
    assert high - 0.5 == pytest.approx(0.5 - low)


@pytest.mark.parametrize(("low", "high", "whiskers"), [([0.4], [0.6], 1), ([0.4], None, 0), (None, [0.6], 0)])
def test_a_bar_has_whiskers_only_where_both_bounds_are_known(
    low: list[float] | None, high: list[float] | None, whiskers: int
) -> None:
    panel = Figure().subplots()
    bars(panel, ["model"], {"": ([0.5], low, high)})
    assert len([drawn for drawn in panel.containers if isinstance(drawn, ErrorbarContainer)]) == whiskers


@pytest.mark.parametrize("trace", [{"calls": [{"model": "m"}]}, {"agent": {"config": {"model": "m"}}}])
def test_the_model_of_an_episode_is_known_from_its_last_call_or_its_agent(trace: dict[str, object]) -> None:
    assert _reply(trace, "row", "default").model == "m"
