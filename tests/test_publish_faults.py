"""Every fault at every request of an upload: after at most one rerun the remote is the folder, one tag, one commit.

The folder is the smallest that has a file of each kind (small, large, picture), so that each request is hit in seconds.
"""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import planimeter
import pytest
import stand_in_hub
from huggingface_hub import HfApi, constants, set_client_factory
from huggingface_hub.utils import disable_progress_bars, logging
from sample_folder import counting_rows, png, tables
from stand_in_hub import Hub

from export.hub import Target, publish
from export.hub_faults import PublishError
from export.parquet import write_split
from export.schema import schema_of

pytestmark = pytest.mark.skipif(bool(stand_in_hub.absent()), reason=stand_in_hub.absent() or "present")

#: What the Hub or the net may do to a request. "lost" is carried out, and the answer is lost.
PASSING = ("500", "503", "429", "409", "412", "404", "drop", "lost", "cut", "short", "slow:1.0")
LASTING = ("401", "403", "400")
CARD = "---\nlicense: cc-by-4.0\n---\n\n# Tiny\n\n## Changelog\n\n### {version} (2026-11-20)\n\n2 rows.\n\n## Licence\n"


def tiny(folder: Path, version: str, rows: int) -> Path:
    """A dataset of ``rows`` rows as publishing sees it: a manifest, a card, data, a picture that its version names."""
    (folder / "report").mkdir(parents=True)
    schema = schema_of("marvl_qa", "counting")
    records = write_split(folder, "counting", "test", tables(list(counting_rows())[:rows], schema, 9), schema, 99)
    manifest = {
        "dataset": "tiny",
        "version": version,
        "seed": 1,
        "recipe": {"release_date": "2026-11-20", "version": version},
        "configs": {"counting": {"test": rows}},
        "files": [record.as_dict() for record in records],
        "funnel": {},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "croissant.json").write_text("{}")
    (folder / "README.md").write_text(CARD.format(version=version))
    (folder / "report" / "index.html").write_text(version)
    (folder / "report" / f"{version}.png").write_bytes(png(rows))
    return folder


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    with stand_in_hub.started(tmp_path_factory.mktemp("hub")) as hub:
        yield hub


@pytest.fixture(autouse=True)
def quick_client(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The real client without its waits, with a time limit that `slow` exceeds, and a cache of its own."""
    hub.reset()
    monkeypatch.setenv("HF_TOKEN", stand_in_hub.TOKEN)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    logging.set_verbosity(logging.CRITICAL)
    disable_progress_bars()
    # A connection for each request: on a kept one the stand-in's two writes an answer cost 40 ms (delayed ACK).
    limits = httpx2.Limits(max_keepalive_connections=0)
    set_client_factory(lambda: httpx2.Client(follow_redirects=True, timeout=httpx2.Timeout(0.6), limits=limits))
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
    local = planimeter.digests(folder)
    assert hub.files(repo) == local
    assert hub.files(repo, f"v{json.loads((folder / 'manifest.json').read_text())['version']}") == local
    assert hub.titles(repo) == titles
    found = hub.repo(repo)
    assert found and len(found["tags"]) == len(titles)


def matrix(hub: Hub, kinds: tuple[str, ...], prepare: Callable[[str], tuple[Path, list[str]]], name: str) -> list[str]:
    """Publish to a new repository for each fault and request; return the lines of the matrix. Asserts as it goes."""
    folder, titles = prepare(f"tester/{name}-plain")
    hub.reset()
    assert run(hub, folder, f"tester/{name}-plain") == ""
    requests = hub.requests()
    cells: dict[str, str] = {}
    for kind in kinds:
        for number in range(1, len(requests) + 1):
            repo = f"tester/{name}-{kind.replace(':', '').replace('.', '')}-{number}"
            folder, titles = prepare(repo)
            hub.reset()
            hub.fault(f"* .*={kind}@{number}")
            line = run(hub, folder, repo)
            hub.reset()
            assert "\n" not in line
            assert stand_in_hub.TOKEN not in line
            again = run(hub, folder, repo)
            assert again == "", f"{kind} at request {number}: the rerun said {again!r} after {line!r}"
            whole(hub, folder, repo, titles)
            cells[kind] = cells.get(kind, "") + ("r" if line else ".")
    lines = [f"{number:3d} {r['method']} {r['path'].split('?')[0][:70]}" for number, r in enumerate(requests, 1)]
    return lines + [f"{kind:>9} {row}  (. recovered, r after one rerun)" for kind, row in cells.items()]


def test_every_fault_at_every_request_of_a_first_publication(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tiny(tmp_path / "1.0.0", "1.0.0", 2)
    lines = matrix(hub, PASSING + LASTING, lambda _: (folder, ["tiny 1.0.0"]), "first")
    with capsys.disabled():
        print("\n" + "\n".join(lines))
    assert all("r" not in line.split()[1] for line in lines if line.split()[0] in PASSING)


@pytest.mark.slow
def test_every_fault_at_every_request_of_a_second_version(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = tiny(tmp_path / "1.0.0", "1.0.0", 2)
    number = iter(range(1000))

    def prepare(repo: str) -> tuple[Path, list[str]]:
        second = tiny(tmp_path / f"second-{next(number)}", "1.1.0", 3)
        hub.reset()
        assert run(hub, first, repo) == ""
        return second, ["tiny 1.1.0", "tiny 1.0.0"]

    lines = matrix(hub, ("503", "429", "412", "drop", "lost", "cut", "short", "403"), prepare, "second")
    with capsys.disabled():
        print("\n" + "\n".join(lines))
