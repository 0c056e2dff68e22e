"""What only the wire shows: a Hub that asks to wait, and faults on the way that Xet's data take."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import command_line
import pytest
import stand_in_hub
from huggingface_hub import HfApi, constants
from huggingface_hub.utils import logging
from stand_in_hub import Hub

from planimeter.export.hub.faults import TRIES, Patience, PublishError
from planimeter.export.hub.publish import Published, Target, publish


@pytest.fixture
def hub() -> Iterator[Hub]:
    with stand_in_hub.started() as hub:
        yield hub


@pytest.fixture
def xet_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    with stand_in_hub.started_shared(tmp_path / "hub") as hub:
        yield hub


@pytest.fixture(autouse=True)
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
    logging.set_verbosity(logging.CRITICAL)


def put(url: str, folder: Path, slept: list[float]) -> Published:
    return publish(folder, Target(repo="tester/wire"), api=HfApi(url), sleep=slept.append, tell=str)


def whole(hub: Hub, folder: Path) -> None:
    assert hub.files("tester/wire") == hub.files("tester/wire", "v1.0.0") == command_line.digests(folder)
    assert hub.titles("tester/wire") == ["marvl-qa-mini 1.0.0"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/datasets/tester/wire/refs"),
        ("POST", "/api/repos/create"),
        ("POST", "/commit/main"),
        ("POST", "/tag/"),
    ],
)
def test_the_wait_that_a_busy_hub_asks_for_is_kept(hub: Hub, folder: Path, method: str, path: str) -> None:
    hub.fault("429:7", method, path)
    slept: list[float] = []
    put(hub.url, folder, slept)
    assert slept == [7]
    whole(hub, folder)


def test_a_hub_that_asks_for_too_long_a_wait_ends_the_run_and_another_goes_on(hub: Hub, folder: Path) -> None:
    hub.fault("429:3600", "POST", "/commit/main")
    slept: list[float] = []
    with pytest.raises(PublishError, match="the Hub asks to wait 3600 s; run the same command again then"):
        put(hub.url, folder, slept)
    put(hub.url, folder, slept)
    assert slept == []
    whole(hub, folder)


TOKEN, DATA, LAST = ("GET", "/xet-write-token/"), ("POST", "/_xet/v1/xorbs/"), ("POST", "/_xet/v1/shards")


@stand_in_hub.needs_shared
@pytest.mark.parametrize(
    ("route", "kind"),
    [(TOKEN, "503"), *((route, kind) for route in (DATA, LAST) for kind in ("503", "drop", "lost", "cut"))],
)
def test_a_fault_on_the_way_of_xets_data_passes(xet_hub: Hub, folder: Path, route: tuple[str, str], kind: str) -> None:
    xet_hub.fault(kind, *route)
    put(xet_hub.url, folder, [])
    assert [request["fault"] for request in xet_hub.requests() if request["fault"]] == [kind]
    assert any("/_xet/" in request["path"] for request in xet_hub.requests())
    whole(xet_hub, folder)


@stand_in_hub.needs_shared
def test_a_xet_cache_that_knows_more_than_the_hub_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    cache = tmp_path / "xet"
    monkeypatch.setattr(constants, "HF_XET_CACHE", str(cache))
    with stand_in_hub.started_shared(tmp_path / "first", xet=cache) as first:
        put(first.url, folder, [])
    slept: list[float] = []
    with stand_in_hub.started_shared(
        tmp_path / "emptied", port=int(first.url.rpartition(":")[2]), xet=cache
    ) as emptied:
        with pytest.raises(PublishError, match=rf"delete {re.escape(str(cache))}, then run the same"):
            put(emptied.url, folder, slept)
        assert slept == []
        shutil.rmtree(cache)
        put(emptied.url, folder, slept)
        whole(emptied, folder)


#: hf_xet goes on for minutes before it gives up, unless told otherwise when its process starts.
STAYS = """
import sys
from pathlib import Path
from huggingface_hub import HfApi
from planimeter.export.hub.publish import Target, publish
from planimeter.export.hub.faults import PublishError

slept = []
try:
    publish(Path(sys.argv[1]), Target(repo="tester/wire"), api=HfApi(sys.argv[2]), sleep=slept.append, tell=str)
except PublishError as error:
    print(slept, error)
"""


@stand_in_hub.needs_shared
def test_a_fault_of_xet_that_stays_is_one_line_and_a_rerun_finishes(xet_hub: Hub, folder: Path, tmp_path: Path) -> None:
    xet_hub.fault("403", *DATA, times=999)
    more = xet_hub.environment(tmp_path) | {"HF_XET_CLIENT_RETRY_MAX_ATTEMPTS": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", STAYS, str(folder), xet_hub.url],
        cwd=command_line.ROOT,
        env=command_line.environment(tmp_path, **more),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    assert re.fullmatch(rf"\[1.0, 2.0, 4.0, 8.0, 16.0\] .* failed \(.*; given up after {TRIES} tries, .*\n", ran.stdout)
    xet_hub.reset()
    put(xet_hub.url, folder, [])
    whole(xet_hub, folder)


@pytest.mark.parametrize("path", ["/commit/main", "/tag/", "/repos/create"])
def test_a_step_that_always_fails_ends_although_every_look_at_the_hub_succeeds(
    hub: Hub, folder: Path, path: str
) -> None:
    hub.fault("503", "POST", path, times=999)
    slept: list[float] = []
    with pytest.raises(PublishError, match=rf"the Hub answered 503 .*given up after {TRIES} tries"):
        put(hub.url, folder, slept)
    assert slept == [1, 2, 4, 8, 16]
    hub.reset()
    put(hub.url, folder, [])
    whole(hub, folder)


def test_waits_grow_and_end_after_as_many_faults_as_are_borne() -> None:
    waits: list[float] = []
    patience = Patience(waits.append, lambda _: None)
    for _ in range(TRIES - 1):
        patience.after(TimeoutError())
    assert waits == [2.0**fault for fault in range(TRIES - 1)]
    with pytest.raises(PublishError, match=f"given up after {TRIES} tries"):
        patience.after(TimeoutError())
    patience.progress()
    patience.after(TimeoutError())
    assert waits[-1] == 1.0
