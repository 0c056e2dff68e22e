"""Faults of the net and of the Hub: whatever becomes of a request, after at most one rerun the remote is the folder."""

import json
import shutil
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx2
import pytest
import stand_in_hub
from command_line import digests
from hub_repos import Repo
from huggingface_hub import HfApi, constants, set_client_factory
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.utils import logging
from huggingface_hub.utils._http import default_client_factory
from sample_folder import counting_rows, png, tables
from stand_in_hub import REPO

from planimeter.export.hub.faults import LONGEST_WAIT, TRIES, Patience, PublishError, read_fault, without_token
from planimeter.export.hub.publish import Published, Target, publish
from planimeter.export.parquet import write_split
from planimeter.export.schema import schema_of

Put = Callable[..., Published]

#: What the Hub or the net may do to a request. "lost" is carried out, and the answer is lost.
PASSING = ("503", "429", "412", "404", "drop", "lost", "cut", "short", "slow:1.0")
#: 409 on the request to create means that the name is taken.
LASTING = ("409", "401", "403")
KINDS = PASSING + LASTING
CARD = "---\nlicense: cc-by-4.0\n---\n\n# Tiny\n\n## Changelog\n\n### {version} (2026-11-20)\n\n2 rows.\n\n## Licence\n"


@pytest.fixture(autouse=True)
def quick_client(monkeypatch):
    """The real client without its waits and warnings."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    logging.set_verbosity(logging.CRITICAL)
    yield
    set_client_factory(default_client_factory)


# --- every fault at every request


def tiny(folder, version, rows):
    """The smallest dataset that has a file of each kind (small, large, picture), so that each request is soon sent."""
    (folder / "report").mkdir(parents=True)
    schema = schema_of("marvl_qa", "counting")
    records = write_split(folder, "counting", "test", tables(list(counting_rows())[:rows], schema, 9), schema, 99)
    named = {"dataset": "tiny", "version": version, "seed": 1, "funnel": {}, "configs": {"counting": {"test": rows}}}
    recipe = {"suite": "marvl_qa", "release_date": "2026-11-20", "version": version}
    manifest = {**named, "recipe": recipe, "files": [asdict(record) for record in records]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "croissant.json").write_text("{}")
    (folder / "README.md").write_text(CARD.format(version=version))
    (folder / "report" / "index.html").write_text(version)
    (folder / "report" / f"{version}.png").write_bytes(png(rows))
    return folder


def outcome(hub, folder):
    """Publish, and return the error's line or an empty string."""
    try:
        publish(folder, Target(repo=REPO), api=HfApi(hub.url), sleep=lambda _: None, log=str)
    except PublishError as error:
        return str(error)
    return ""


@dataclass(frozen=True)
class Upload:
    """What is published, the remote before, and how many requests an undisturbed run sends."""

    folder: Path
    version: str
    repos: dict[str, Repo]
    stored: dict[str, bytes]
    before: dict[str, str]
    titles: list[str]
    requests: int

    def struck(self, kind, number, place):
        """Let ``kind`` strike one request, publish again, and check what is there after each."""
        folder = Path(shutil.copytree(self.folder, place / f"{kind}-{number}"))
        # What was downloaded before would not be asked for again.
        shutil.rmtree(constants.HF_HUB_CACHE, ignore_errors=True)
        # Only what is late needs a limit, which a busy machine could exceed by chance.
        limit = 0.5 if kind.startswith("slow") else None
        set_client_factory(lambda: httpx2.Client(follow_redirects=True, timeout=limit))
        with stand_in_hub.started() as hub:
            hub.repos, hub.stored = deepcopy(self.repos), dict(self.stored)
            hub.fault(kind, at=number)
            line = outcome(hub, folder)
            assert any(request["fault"] for request in hub.requests()), f"{kind} did not strike request {number}"
            assert kind in LASTING or line == "", f"{kind} at request {number} was not mended: {line}"
            assert "\n" not in line and stand_in_hub.TOKEN not in line
            # However it ended, no reader sees half a version.
            if repo := hub.repos.get(REPO):
                seen = [hub.files(revision=revision) for revision in ("main", *repo.tags)]
                assert all(files in (self.before, digests(folder)) for files in seen)
            hub.reset()
            assert outcome(hub, folder) == "", f"{kind} at request {number}: {line!r}, and again on a rerun"
            assert hub.files() == hub.files(revision=f"v{self.version}") == digests(folder)
            assert hub.titles() == self.titles and len(hub.repos[REPO].tags) == len(self.titles)


def undisturbed(folder, version, place, earlier):
    """Publish a copy of ``folder`` behind what ``earlier`` has; return the upload, and the Hub that has it then."""
    with stand_in_hub.started() as hub:
        hub.repos, hub.stored = deepcopy(earlier.repos), dict(earlier.stored)
        before = hub.files() if hub.repos else {}
        assert outcome(hub, Path(shutil.copytree(folder, place))) == ""
    return Upload(folder, version, earlier.repos, earlier.stored, before, hub.titles(), len(hub.log)), hub


@pytest.fixture
def upload(request, hub, tmp_path):
    """The first publication of a dataset, or that of its second version."""
    first, hub = undisturbed(tiny(tmp_path / "1.0.0", "1.0.0", 2), "1.0.0", tmp_path / "first", hub)
    if request.param == "first":
        return first
    return undisturbed(tiny(tmp_path / "1.1.0", "1.1.0", 3), "1.1.0", tmp_path / "second", hub)[0]


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("upload", ["first", "second"], indirect=True)
def test_a_fault_at_any_request_is_mended_by_one_rerun_at_most(upload, part, tmp_path):
    """Each request meets one kind of fault."""
    assert upload.requests >= 10
    for number in range(part + 1, upload.requests + 1, 3):
        upload.struck(KINDS[number % len(KINDS)], number, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("upload", ["first", "second"], indirect=True)
def test_every_fault_at_every_request_is_mended_by_one_rerun_at_most(upload, kind, tmp_path):
    for number in range(1, upload.requests + 1):
        upload.struck(kind, number, tmp_path)


# --- waits


def is_whole(hub, folder):
    same = hub.files() == hub.files(revision="v1.0.0") == digests(folder)
    return same and hub.titles() == ["marvl-qa-mini 1.0.0"]


LOOK, CREATE = ("GET", "/api/datasets/tester/data/refs"), ("POST", "/api/repos/create")
COMMIT, TAG = ("POST", "/commit/main"), ("POST", "/tag/")


def test_the_wait_that_a_busy_hub_asks_for_is_kept_at_any_step_but_not_without_end(hub, put, folder):
    slept = []
    for wait, step in enumerate((LOOK, CREATE, COMMIT, TAG), 7):
        hub.fault(f"429:{wait}", *step)
    put(folder, sleep=slept.append)
    assert slept == [7, 8, 9, 10]
    assert is_whole(hub, folder)
    hub.repos.clear()
    hub.fault("429:3600", *COMMIT)
    with pytest.raises(PublishError, match="the Hub asks to wait 3600 s; run the same command again then"):
        put(folder)
    put(folder)
    assert is_whole(hub, folder)


@pytest.mark.parametrize("step", [CREATE, COMMIT, TAG])
def test_a_step_that_always_fails_ends_although_every_look_at_the_hub_succeeds(step, hub, put, folder):
    hub.fault("503", *step, times=999)
    slept = []
    with pytest.raises(PublishError, match=rf"the Hub answered 503 .*given up after {TRIES} tries"):
        put(folder, sleep=slept.append)
    assert slept == [1, 2, 4, 8, 16]
    hub.reset()
    put(folder)
    assert is_whole(hub, folder)


def answer(status, **headers):
    request = httpx2.Request("POST", "https://hub.test/api?X-Signature=secret")
    return HfHubHTTPError("?", response=httpx2.Response(status, headers=headers, request=request))


def test_waits_grow_and_end_after_as_many_faults_in_a_row_as_are_borne():
    slept = []
    patience = Patience(slept.append, str)
    patience.after(answer(429, **{"Retry-After": "7"}))
    patience.after(answer(429, ratelimit='"api";r=0;t=55'))
    patience.after(answer(503))
    patience.after(answer(429, **{"Retry-After": f"{LONGEST_WAIT:.0f}"}))
    assert slept == [7, 55, 4, LONGEST_WAIT]
    with pytest.raises(PublishError, match="asks to wait 9000 s"):
        patience.after(answer(429, **{"Retry-After": "9000"}))
    for fault in (httpx2.ConnectError("refused"), TimeoutError(), RuntimeError("Xet's data")):
        slept.clear()
        patience = Patience(slept.append, str)
        for _ in range(TRIES - 1):
            patience.after(fault)
        assert slept == [2.0**number for number in range(TRIES - 1)]
        with pytest.raises(PublishError, match=f"given up after {TRIES} tries"):
            patience.after(fault)
        patience.progress()
        patience.after(fault)
        assert slept[-1] == 1.0


def test_a_xet_cache_that_knows_more_than_the_hub_is_named_and_no_line_contains_a_token(monkeypatch):
    fault = read_fault(RuntimeError("HTTP status client error (400 Bad Request) for url (https://cas/v1/shards)"))
    assert not fault.passing and "Xet cache says it has; delete " in fault.line
    assert read_fault(RuntimeError("error (500) for url (https://cas/v1/shards)")).passing
    monkeypatch.setenv("HF_TOKEN", "unusual-token-shape")
    assert "unusual" not in without_token("sent unusual-token-shape and hf_abcDEF and Bearer abc")
    assert "abc" not in without_token("hf_abcDEF, bearer abc")
    signed = RuntimeError("PUT https://bucket.test/x?X-Amz-Signature=secret failed for hf_abcDEF")
    odd = answer(500, **{"X-Error-Message": "token hf_abcDEF is odd"})
    for error in (signed, odd, ValueError("Bearer hf_abcDEF")):
        line = read_fault(error).line
        assert "secret" not in line and "hf_abcDEF" not in line
