"""Faults that were planted in ``flows`` and that no other test found."""

import itertools
import time
from dataclasses import replace

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings

from planimeter.flows.commands.list_datasets import PLANNED
from planimeter.flows.display.throughput import Throughput
from planimeter.flows.service import run as service_run
from planimeter.flows.shards import Block, ShardRecord, StoredTable
from planimeter.flows.suites import suite_of
from planimeter.flows.workers.processes import KEPT_MEMORY
from planimeter.recipes.loading import load


def test_no_dataset_is_listed_as_taking_more_than_a_second_a_row() -> None:
    slow = [(name, config) for name, parts in PLANNED.items() for config, part in parts.items() if part.row_seconds > 1]
    assert slow == []


def test_the_speed_is_that_since_the_first_shard_was_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    record = ShardRecord(
        shard="",
        split="test",
        tables=(StoredTable(config="config", path="", sha256="", blocks=(Block(0, 40, 0, 0, ""),)),),
        signatures=(),
        missing=0,
        funnel={},
        rejects_path="",
        rejects_sha256="",
    )
    clock = itertools.chain([100.0], itertools.repeat(110.0))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    tally = Throughput()
    tally.begin("key")
    assert tally.speed is None
    tally.add("key", record)
    assert tally.speed == 4.0


def test_the_options_of_memory_are_those_that_glibc_numbers_so() -> None:
    """M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD of <malloc.h>; glibc takes any other number without a word."""
    assert sorted(KEPT_MEMORY) == [-3, -2, -1]


def test_a_configured_server_is_greeted_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    greetings: list[str] = []
    monkeypatch.setattr(service_run, "greet", greetings.append)
    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}), service_run.server():
        assert len(greetings) == 1


def test_a_shard_of_paths_whose_pictures_are_read_back_is_not_empty() -> None:
    recipe = load("traversal")
    suite = suite_of(recipe)
    shard = replace(next(iter(suite.plan(recipe))), first=0, count=1)
    assert len(suite.make(recipe, shard).items) == 1
