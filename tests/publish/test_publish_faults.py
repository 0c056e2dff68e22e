"""Every fault at every request of an upload: after at most one rerun the remote is the folder, one tag, one commit.

The folder is the smallest that has a file of each kind (small, large, picture), so that each request is hit in seconds.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import command_line
import httpx2
import pytest
import stand_in_hub
from huggingface_hub import HfApi, set_client_factory
from huggingface_hub.utils import logging
from sample_folder import counting_rows, png, tables
from stand_in_hub import Hub

from planimeter.export.hub.faults import PublishError
from planimeter.export.hub.publish import Target, publish
from planimeter.export.parquet import write_split
from planimeter.export.schema import schema_of

#: What the Hub or the net may do to a request. "lost" is carried out, and the answer is lost.
PASSING = ("503", "429", "412", "404", "drop", "lost", "cut", "short", "slow:0.6")
#: 409 on the request to create means that the name is taken.
LASTING = ("409", "401", "403")
CARD = "---\nlicense: cc-by-4.0\n---\n\n# Tiny\n\n## Changelog\n\n### {version} (2026-11-20)\n\n2 rows.\n\n## Licence\n"


def tiny(folder: Path, version: str, rows: int, mark: str) -> Path:
    """A dataset of ``rows`` rows as publishing sees it. ``mark`` makes every file's content new to the Hub, which keeps
    what it has once seen and would not be sent it again.
    """
    (folder / "report").mkdir(parents=True)
    schema = schema_of("marvl_qa", "counting")
    marked = [row | {"prompt": f"{row['prompt']} {mark}"} for row in list(counting_rows())[:rows]]
    records = write_split(folder, "counting", "test", tables(marked, schema, 9), schema, 99)
    manifest = {
        "dataset": "tiny",
        "version": version,
        "seed": 1,
        "recipe": {"suite": "marvl_qa", "release_date": "2026-11-20", "version": version},
        "configs": {"counting": {"test": rows}},
        "files": [asdict(record) for record in records],
        "funnel": {},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "croissant.json").write_text("{}")
    (folder / "README.md").write_text(CARD.format(version=version))
    (folder / "report" / "index.html").write_text(mark)
    (folder / "report" / f"{version}.png").write_bytes(png(rows) + mark.encode())
    return folder


@pytest.fixture
def hub(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hub]:
    # One for each kind of fault: that of ../shared writes all its state at every commit.
    with stand_in_hub.either(request.param, tmp_path / "hub") as hub:
        yield hub


@pytest.fixture(autouse=True)
def quick_client(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The real client without its waits, with a time limit that `slow` exceeds, and a cache of its own."""
    hub.reset()
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    logging.set_verbosity(logging.CRITICAL)
    # A connection for each request: on a kept one the two writes an answer of ../shared's cost 40 ms (delayed ACK).
    limits = httpx2.Limits(max_keepalive_connections=0)
    set_client_factory(lambda: httpx2.Client(follow_redirects=True, timeout=httpx2.Timeout(0.4), limits=limits))
    yield
    hub.reset()


def run(hub: Hub, folder: Path, repo: str, tell: Callable[[str], object] = str) -> str:
    """Publish, and return the error's line or an empty string."""
    try:
        publish(folder, Target(repo=repo), api=HfApi(hub.url), sleep=lambda _: None, tell=tell)
    except PublishError as error:
        return str(error)
    return ""


def whole(hub: Hub, folder: Path, repo: str, titles: list[str]) -> None:
    """Folder, head and tag agree; there is one commit and one tag for each version."""
    local = command_line.digests(folder)
    assert hub.files(repo) == local
    assert hub.files(repo, f"v{json.loads((folder / 'manifest.json').read_text())['version']}") == local
    assert hub.titles(repo) == titles
    found = hub.repo(repo)
    assert found and len(found.tags) == len(titles)


def whole_or_untouched(hub: Hub, folder: Path, repo: str, before: dict[str, str]) -> None:
    """However the first run ended, no reader sees half a version: the head is old or new, a tag is never wrong."""
    found, local = hub.repo(repo), command_line.digests(folder)
    if found:
        assert hub.files(repo) in (before, local)
        assert all(hub.files(repo, tag) in (before, local) for tag in found.tags)


Prepared = tuple[Path, dict[str, str], list[str]]


def outcomes(hub: Hub, kind: str, prepare: Callable[[str], Prepared], name: str) -> str:
    """Publish to a new repository for each request that is hit; print and return what came of each."""
    folder, before, titles = prepare(f"tester/{name}-plain")
    hub.reset()
    assert run(hub, folder, f"tester/{name}-plain") == ""
    requests = hub.requests()
    if kind == "lost":
        for number, request in enumerate(requests, 1):
            print(f"{number:3d} {request['method']:4} {request['path'].split('?')[0][:80]}")
    cells = ""
    for number in range(1, len(requests) + 1):
        repo = f"tester/{name}-{number}"
        folder, before, titles = prepare(repo)
        hub.reset()
        hub.fault(kind, at=number)
        line = run(hub, folder, repo)
        assert any(request["fault"] for request in hub.requests()), f"{kind} at request {number} did not strike"
        hub.reset()
        assert "\n" not in line
        assert stand_in_hub.TOKEN not in line
        whole_or_untouched(hub, folder, repo, before)
        again = run(hub, folder, repo)
        assert again == "", f"{kind} at request {number}: the rerun said {again!r} after {line!r}"
        whole(hub, folder, repo, titles)
        cells += "r" if line else "."
    print(f"{name:>7} {kind:>9} {cells}  (. recovered, r after one rerun)")
    return cells


@pytest.mark.parametrize(
    ("hub", "kind"),
    [*(("own", kind) for kind in PASSING + LASTING), *((hub, "lost") for hub in stand_in_hub.KINDS[1:])],
    indirect=["hub"],
)
def test_a_fault_at_every_request_of_a_first_publication(
    kind: str, hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def prepare(repo: str) -> Prepared:
        mark = repo.split("/")[1]
        return tiny(tmp_path / mark, "1.0.0", 2, mark), {}, ["tiny 1.0.0"]

    with capsys.disabled():
        cells = outcomes(hub, kind, prepare, "first")
    assert kind in LASTING or set(cells) == {"."}


@pytest.mark.parametrize(
    ("hub", "kind"),
    [*(("own", kind) for kind in ("lost", "412", "short", "403")), *((hub, "412") for hub in stand_in_hub.KINDS[1:])],
    indirect=["hub"],
)
def test_a_fault_at_every_request_of_a_second_version(
    kind: str, hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = tiny(tmp_path / "1.0.0", "1.0.0", 2, "old")

    def prepare(repo: str) -> Prepared:
        mark = repo.split("/")[1]
        hub.reset()
        assert run(hub, first, repo) == ""
        return tiny(tmp_path / mark, "1.1.0", 3, mark), command_line.digests(first), ["tiny 1.1.0", "tiny 1.0.0"]

    with capsys.disabled():
        cells = outcomes(hub, kind, prepare, "second")
    assert kind in LASTING or set(cells) == {"."}
