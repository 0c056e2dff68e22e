"""The command `solve`: the same bytes however it runs, and one clear line where it cannot."""

import command_line
import pytest
from small_datasets import solved, written

from planimeter.export.manifest import Manifest
from planimeter.items.suites import SUITES


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_bytes_depend_on_the_seed_alone(small, tmp_path, workers):
    given, models = small("geogram"), "certifier,random,copy"
    for name, options in (("a", {}), ("b", {"workers": workers}), ("c", {"seed": 1})):
        solved(given, models, tmp_path / name, **options)
    first, again, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == again != other
    # One model's replies do not depend on which others are asked.
    solved(given, "copy", tmp_path / "d")
    assert first.endswith((tmp_path / "d").read_bytes())
    assert sorted(path.name for path in tmp_path.iterdir()) == list("abcd")


def test_configs_come_in_the_order_of_the_dataset(small, tmp_path):
    given = small("traversal")
    replies = solved(given, "nearest, majority,nearest", tmp_path / "r", config="reading_order,base")
    asked = [row["id"] for config in ("base", "reading_order") for row in given.rows[config]]
    assert [reply["id"] for reply in replies] == asked * 2
    assert [reply["model"] for reply in replies] == ["nearest"] * len(asked) + ["majority"] * len(asked)


def test_training_rows_are_answered_on_request_only(small, tmp_path):
    made = small("geogram")
    recipe = Manifest.read(made.folder).recipe
    given = written(tmp_path / "1.0.0", recipe, made.rows, ("train", "test"))
    tests, trained = made.rows["geogram"][1::2], made.rows["geogram"][::2]
    asked = solved(given, "majority", tmp_path / "asked")
    assert [reply["id"] for reply in asked] == [row["id"] for row in tests]
    # It is the commonest answer of the very rows that are asked.
    assert {reply["reply"] for reply in asked} <= {f"\\boxed{{{row['answer']}}}" for row in tests}
    every = solved(given, "majority", tmp_path / "every", all_splits=True)
    assert {reply["id"] for reply in every} == {row["id"] for row in [*tests, *trained]}


def test_the_models_are_listed(sample):
    listed = command_line.here("solve", "--list")
    assert (listed.code, listed.err) == (0, "")
    assert all(suite in listed.out.splitlines() for suite in SUITES)
    assert "thumbnail-24" in listed.out and "left-to-right" in listed.out
    listed = command_line.here("solve", str(sample), "--list")
    assert listed.out.splitlines()[0] == "marvl_qa" and "left-to-right" not in listed.out
