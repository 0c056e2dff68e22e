"""The report of a published dataset can be opened on the Hub: a static Space, made before the card links to it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import stand_in_hub
from huggingface_hub import CommitOperationAdd, HfApi, hf_hub_download, metadata_load
from sample_folder import RECIPE, write_sample
from stand_in_hub import Hub
from test_publish import copied

from planimeter.export.hub.addition import NOTHING
from planimeter.export.hub.faults import PublishError
from planimeter.export.hub.publish import Published, Target, publish
from planimeter.export.hub.space import address_of
from planimeter.export.verify.folder import verify

REPORT = replace(NOTHING, space=True)


@pytest.fixture
def hub() -> Iterator[Hub]:
    with stand_in_hub.started() as hub:
        yield hub


@pytest.fixture(autouse=True)
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("built") / "1.0.0")


def put(hub: Hub, folder: Path, repo: str = "tester/shown", **options: bool) -> Published:
    api = HfApi(hub.url)
    return publish(folder, Target(repo=repo), api=api, sleep=lambda _: None, tell=str, addition=REPORT, **options)


def shown(hub: Hub, repo: str = "tester/shown") -> bytes:
    path = hf_hub_download(repo, "index.html", repo_type="space", endpoint=hub.url, force_download=True)
    return Path(path).read_bytes()


def test_the_card_links_to_the_report_that_a_static_space_shows(hub: Hub, built: Path, tmp_path: Path) -> None:
    folder = copied(built, tmp_path)
    done = put(hub, folder)
    assert done.steps[:2] == (
        "create the Space tester/shown for the report",
        "put the report into the Space tester/shown",
    )
    assert shown(hub) == (folder / "report" / "index.html").read_bytes()
    readme = hf_hub_download("tester/shown", "README.md", repo_type="space", endpoint=hub.url)
    front = metadata_load(readme)
    assert (front["sdk"], front["app_file"], front["datasets"]) == ("static", "index.html", ["tester/shown"])
    card = (folder / "README.md").read_text()
    assert f"The [report]({address_of('tester/shown')}) shows" in card and "](report/index.html)" not in card
    assert verify(folder) == []
    hub.reset()
    assert put(hub, folder).steps == ()
    assert [request["method"] for request in hub.requests() if request["method"] not in ("GET", "HEAD")] == []


def test_a_dry_run_and_a_dataset_that_is_refused_make_no_space(hub: Hub, built: Path, tmp_path: Path) -> None:
    put(hub, copied(built, tmp_path), dry_run=True)
    refused = replace(REPORT, refused="not probed")
    with pytest.raises(PublishError, match="not probed"):
        publish(
            copied(built, tmp_path / "again"), Target(repo="tester/shown"), api=HfApi(hub.url), sleep=lambda _: None,
            tell=str, addition=refused,
        )  # fmt: skip
    assert not HfApi(hub.url).repo_exists("tester/shown", repo_type="space")


def test_a_space_with_something_else_is_never_covered(hub: Hub, built: Path, tmp_path: Path) -> None:
    api = HfApi(hub.url)
    api.create_repo("tester/shown", repo_type="space", space_sdk="static")
    theirs = CommitOperationAdd("app.js", b"theirs")
    api.create_commit("tester/shown", repo_type="space", operations=[theirs], commit_message="an app")
    with pytest.raises(PublishError, match=r"holds something else than the report.*--no-space"):
        put(hub, copied(built, tmp_path))
    assert not api.repo_exists("tester/shown", repo_type="dataset")


def test_an_older_version_does_not_take_the_place_of_the_report_of_a_newer_one(
    hub: Hub, built: Path, tmp_path: Path
) -> None:
    first, second = copied(built, tmp_path), write_sample(tmp_path / "1.1.0", recipe=RECIPE | {"version": "1.1.0"})
    put(hub, first)
    put(hub, second)
    newest = (second / "report" / "index.html").read_bytes()
    assert shown(hub) == newest != (first / "report" / "index.html").read_bytes()
    assert put(hub, first).steps == ()
    assert shown(hub) == newest


def test_a_version_that_was_published_without_the_report_stays_without(hub: Hub, built: Path, tmp_path: Path) -> None:
    folder = copied(built, tmp_path)
    publish(folder, Target(repo="tester/plain"), api=HfApi(hub.url), sleep=lambda _: None, tell=str)
    assert "](report/index.html)" in (folder / "README.md").read_text()
    assert put(hub, folder, "tester/plain").steps == ()
    assert not HfApi(hub.url).repo_exists("tester/plain", repo_type="space")


@pytest.mark.parametrize("kind", ["503", "drop", "lost", "412"])
def test_a_fault_at_any_request_for_the_space_is_mended_by_looking_again(
    kind: str, hub: Hub, built: Path, tmp_path: Path
) -> None:
    for at, path in enumerate(
        ("/api/repos/create", "/api/spaces/.*/preupload", "/api/spaces/.*/commit", "/api/spaces")
    ):
        folder, repo = copied(built, tmp_path / str(at)), f"tester/faulty-{at}"
        hub.fault(kind, path=path)
        put(hub, folder, repo)
        assert shown(hub, repo) == (folder / "report" / "index.html").read_bytes()
        assert verify(folder) == []
        hub.reset()
