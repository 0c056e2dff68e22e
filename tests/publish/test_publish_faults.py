"""Faults of the net and of the Hub: whatever becomes of a request, after at most one rerun the remote is the folder."""

import json
import shutil
import ssl
import time
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx2
import pytest
import stand_in_hub
from command_line import digests
from hub_repos import Repo, built
from huggingface_hub import HfApi, constants, set_client_factory
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.utils import logging
from huggingface_hub.utils._http import default_client_factory
from prefect.client.schemas import State
from sample_folder import counting_rows, png, tables
from stand_in_hub import REPO

from planimeter.export.hub.faults import HubError, PublishError, explain_hub_errors
from planimeter.export.hub.publish import Target, publish
from planimeter.export.parquet import write_split
from planimeter.export.schema import schema_of
from planimeter.flows.service import publish as flow

#: What the Hub or the net may do to a request. "lost" is carried out, and the answer is lost; "late" is carried out
#: before the rerun and once more after it, "overtaken" after it alone.
KINDS = ("503", "429", "412", "404", "drop", "lost", "cut", "short", "late", "overtaken", "409", "401", "403")
CARD = "---\nlicense: cc-by-4.0\n---\n\n# Tiny\n\n## Changelog\n\n### {version} (2026-11-20)\n\n2 rows.\n\n## Licence\n"


@pytest.fixture(autouse=True)
def quick_client(monkeypatch):
    """The real client without its waits, warnings and limits of time."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    logging.set_verbosity(logging.CRITICAL)
    # No request is encrypted; a client's own context reads all certificates of the machine.
    plain = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    set_client_factory(lambda: httpx2.Client(follow_redirects=True, timeout=None, verify=plain))
    yield
    set_client_factory(default_client_factory)


# --- every fault at every request


def tiny(folder, version, rows):
    """The smallest dataset that has a file of each kind (small, large, picture), so that each request is soon sent."""
    (folder / "report").mkdir(parents=True)
    schema = schema_of("marvl_qa", "counting")
    records = write_split(folder, "counting", "test", tables(list(counting_rows())[:rows], schema, 9), schema, 99)
    named = {"dataset": "tiny", "version": version, "seed": 1, "funnel": {}, "configs": {"counting": {"test": rows}}}
    recipe = {"suite": "marvl_qa", "release_date": "2026-11-20", "version": version, "title": "T", "summary": "S"}
    manifest = {**named, "recipe": recipe, "files": [asdict(record) for record in records]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "croissant.json").write_text("{}")
    (folder / "README.md").write_text(CARD.format(version=version))
    (folder / "report" / "index.html").write_text(version)
    (folder / "report" / "counting.png").write_bytes(png(rows))
    return folder


def outcome(hub, folder):
    """Publish, and return the error's line or an empty string."""
    try:
        publish(folder, Target(repo=REPO), api=HfApi(hub.url), log=str)
    except PublishError as error:
        return str(error)
    return ""


def on_hub(hub, revision="main"):
    """The files of a revision, but for the one that names the address of the Hub."""
    files = hub.files(revision=revision)
    return {path: digest for path, digest in files.items() if path != "croissant.json"}, "croissant.json" in files


@dataclass(frozen=True)
class Upload:
    """What is published, the remote before and after, and how many requests an undisturbed run sends."""

    folder: Path
    version: str
    repos: dict[str, Repo]
    stored: dict[str, bytes]
    before: tuple[dict[str, str], bool]
    after: tuple[dict[str, str], bool]
    titles: list[str]
    requests: int

    def struck(self, kind, number):
        """Let ``kind`` strike one request, publish again, and check what is there after each."""
        # What was downloaded before would not be asked for again.
        shutil.rmtree(constants.HF_HUB_CACHE, ignore_errors=True)
        with stand_in_hub.started() as hub:
            hub.repos, hub.stored = deepcopy(self.repos), dict(self.stored)
            hub.fault("late" if kind == "overtaken" else kind, at=number)
            line = outcome(hub, self.folder)
            assert any(request["fault"] for request in hub.log), f"{kind} did not strike request {number}"
            assert "\n" not in line and stand_in_hub.TOKEN not in line
            # However it ended, no reader sees half a version.
            if repo := hub.repos.get(REPO):
                seen = [on_hub(hub, revision) for revision in ("main", *repo.tags)]
                assert all(files in (self.before, self.after, ({}, False)) for files in seen)
            hub.reset()
            for request in hub.late if kind == "late" else ():
                request.carried_out()
            assert outcome(hub, self.folder) == "", f"{kind} at request {number}: {line!r}, and again on a rerun"
            for request in hub.late:
                request.carried_out()
            assert on_hub(hub) == on_hub(hub, f"v{self.version}") == self.after
            assert hub.titles() == self.titles and len(hub.repos[REPO].tags) == len(self.titles)


def undisturbed(folder, version, earlier):
    """Publish ``folder`` behind what ``earlier`` has; return the upload, and the Hub that has it then."""
    with stand_in_hub.started() as hub:
        hub.repos, hub.stored = deepcopy(earlier.repos), dict(earlier.stored)
        before, sent = on_hub(hub) if hub.repos else ({}, False), digests(folder)
        assert outcome(hub, folder) == ""
        assert built(hub.files()) == built(sent) == built(digests(folder)) and digests(folder) == sent
    named = {"repos": earlier.repos, "stored": earlier.stored, "before": before, "after": on_hub(hub)}
    return Upload(folder, version, titles=hub.titles(), requests=len(hub.log), **named), hub


@pytest.fixture
def upload(request, hub, tmp_path):
    """The first publication of a dataset, or that of its second version."""
    first, hub = undisturbed(tiny(tmp_path / "1.0.0", "1.0.0", 2), "1.0.0", hub)
    if request.param == "first":
        return first
    return undisturbed(tiny(tmp_path / "1.1.0", "1.1.0", 3), "1.1.0", hub)[0]


@pytest.mark.parametrize("kind", ["each in turn", *(pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS)])
@pytest.mark.parametrize("upload", ["first", "second"], indirect=True)
def test_a_rerun_mends_a_fault_at_any_request(upload, kind):
    assert upload.requests >= 10
    for number in range(1, upload.requests + 1):
        upload.struck(kind if kind in KINDS else KINDS[number % len(KINDS)], number)


# --- what is said of one


def answer(status, **headers):
    request = httpx2.Request("POST", "https://hub.test/api?X-Signature=secret")
    return HfHubHTTPError("?", response=httpx2.Response(status, headers=headers, request=request))


def test_a_fault_is_one_line_without_token_or_signature(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "unusual-token-shape")
    faults = {
        HubError: (
            answer(500, **{"X-Error-Message": "token hf_abcDEF is odd"}),
            RuntimeError("PUT https://bucket.test/x?X-Amz-Signature=secret failed for hf_abcDEF\nand more"),
            ValueError("sent unusual-token-shape and Bearer hf_abcDEF, bearer abc"),
            httpx2.ReadTimeout("timed out"),
        ),
        PublishError: (answer(403), answer(401), FileNotFoundError(2, "No such file", "croissant.json")),
    }
    for kind, errors in faults.items():
        for error in errors:
            with pytest.raises(PublishError) as caught, explain_hub_errors():
                raise error
            line = str(caught.value)
            assert caught.type is kind
            assert line.endswith("run the same command again") == (kind is HubError)
            assert not any(secret in line for secret in ("secret", "abc", "unusual", "\n"))


def test_prefect_repeats_only_faults_of_the_hub():
    for error, repeated in ((HubError("503"), True), (PublishError("foreign"), False), (None, False)):
        assert flow.is_fault_of_hub(None, None, State(type="FAILED", data=error)) is repeated
