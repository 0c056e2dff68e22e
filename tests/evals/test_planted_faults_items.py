"""Faults that were planted in ``items`` and that no other test found."""

import pytest

from planimeter.items.hub import Repository, repository


@pytest.mark.parametrize("place", ["./rows", "~/rows", "outputs/curves/1.0.0", "rows"])
def test_what_begins_like_a_path_or_has_as_many_parts_as_one_is_no_repository(place: str) -> None:
    assert repository(place) is None
    assert repository("planimeter/curves@v1.0.0") == Repository("planimeter/curves", "v1.0.0")
