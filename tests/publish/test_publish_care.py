"""What publishing must not touch: work of others on the Hub, and the folder of one who is refused."""

import hashlib
import logging
import os
import shutil
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any, cast

import command_line
import pytest
import stand_in_hub
from huggingface_hub import HfApi, constants
from prefect.states import State
from sample_folder import edit_manifest
from stand_in_hub import Hub

from planimeter.export.hub import changelog
from planimeter.export.hub.faults import PublishError
from planimeter.export.hub.files import Changes
from planimeter.export.hub.publish import Published, Target, publish
from planimeter.export.manifest import ADDED, Manifest
from planimeter.export.measures import beside
from planimeter.export.pages.sections import section
from planimeter.export.verify.folder import verify
from planimeter.flows.service import publish as flow
from planimeter.flows.service.probe import probe_folder

KIND = {"repo_type": "dataset"}


@pytest.fixture(scope="module", params=stand_in_hub.KINDS)
def hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    with stand_in_hub.either(request.param, tmp_path_factory.mktemp("hub")) as hub:
        yield hub


@pytest.fixture(autouse=True)
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch)


@pytest.fixture
def later(folder: Path) -> Path:
    """The next version of ``folder``, with the same rows."""
    copy = Path(shutil.copytree(folder, folder.with_name("1.1.0")))
    edit_manifest(copy, lambda m: (m.update(version="1.1.0"), m["recipe"].update(version="1.1.0")))
    return copy


def put(hub: Hub, folder: Path, repo: str) -> None:
    slept: list[float] = []
    try:
        publish(folder, Target(repo=repo), api=HfApi(hub.url), sleep=slept.append, tell=str)
    finally:
        assert slept == []


def upload(hub: Hub, repo: str, path: str, content: bytes) -> None:
    HfApi(hub.url).upload_file(path_or_fileobj=content, path_in_repo=path, repo_id=repo, **KIND)


def test_what_others_did_since_the_last_tag_is_not_undone(hub: Hub, folder: Path, later: Path) -> None:
    put(hub, folder, "tester/edited")
    upload(hub, "tester/edited", "LICENSE", b"CC BY 4.0")
    upload(hub, "tester/edited", "README.md", b"---\nlicense: cc-by-4.0\n---\n\nA correction.\n")
    before = hub.files("tester/edited")
    with pytest.raises(PublishError, match=r"changes made after v1\.0\.0 \(README\.md, LICENSE\), which 1\.1\.0 would"):
        put(hub, later, "tester/edited")
    assert hub.files("tester/edited") == before
    HfApi(hub.url).create_tag("tester/edited", tag="corrected", **KIND)
    put(hub, later, "tester/edited")
    assert hub.files("tester/edited") == hub.files("tester/edited", "v1.1.0") == command_line.digests(later)
    assert hub.files("tester/edited", "corrected") == before


def test_a_commit_that_others_make_between_the_look_and_ours_is_not_covered(
    hub: Hub, folder: Path, later: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(hub, folder, "tester/overtaken")
    plain = HfApi.create_commit

    def overtaken(*given: object, **more: object) -> object:
        monkeypatch.setattr(HfApi, "create_commit", plain)
        upload(hub, "tester/overtaken", "LICENSE", b"CC BY 4.0")
        return plain(*given, **more)

    monkeypatch.setattr(HfApi, "create_commit", overtaken)
    with pytest.raises(PublishError, match=r"changes made after v1\.0\.0 \(LICENSE\)"):
        publish(later, Target(repo="tester/overtaken"), api=HfApi(hub.url), sleep=lambda _: None, tell=str)
    assert hub.files("tester/overtaken") == command_line.digests(folder) | {
        "LICENSE": hashlib.sha256(b"CC BY 4.0").hexdigest()
    }


def test_another_build_of_the_same_version_that_has_no_tag_yet_is_not_covered(
    hub: Hub, folder: Path, tmp_path: Path
) -> None:
    put(hub, folder, "tester/both")
    HfApi(hub.url).delete_tag("tester/both", tag="v1.0.0", **KIND)
    other = Path(shutil.copytree(folder, tmp_path / "other" / "1.0.0"))
    (other / "croissant.json").write_text("{}")
    with pytest.raises(PublishError, match=r"1\.0\.0 with other content and no tag yet \(croissant\.json\)"):
        put(hub, other, "tester/both")
    put(hub, folder, "tester/both")
    assert hub.files("tester/both", "v1.0.0") == command_line.digests(folder)


def test_a_part_of_the_same_version_is_completed(hub: Hub, folder: Path) -> None:
    put(hub, folder, "tester/part")
    api = HfApi(hub.url)
    api.delete_tag("tester/part", tag="v1.0.0", **KIND)
    api.delete_file("croissant.json", repo_id="tester/part", **KIND)
    put(hub, folder, "tester/part")
    assert hub.files("tester/part", "v1.0.0") == command_line.digests(folder)


@pytest.mark.parametrize("tag", ["", "v0.9.0"])
def test_a_strange_manifest_is_somebody_elses_and_no_fault_of_the_net(hub: Hub, folder: Path, tag: str) -> None:
    repo = f"tester/strange{tag}"
    HfApi(hub.url).create_repo(repo, **KIND)
    upload(hub, repo, "manifest.json", b"\xff\xfe no JSON")
    if tag:
        HfApi(hub.url).create_tag(repo, tag=tag, **KIND)
    with pytest.raises(PublishError, match="holds something else than marvl-qa-mini; give another --repo"):
        put(hub, folder, repo)


def test_a_repository_that_lacks_the_earlier_version_is_told_nothing_of_it(hub: Hub, folder: Path, later: Path) -> None:
    put(hub, folder, "tester/staging")
    put(hub, later, "tester/staging")
    assert "Since 1.0.0" in (later / "README.md").read_text()
    put(hub, later, "tester/final")
    told = section((later / "README.md").read_text(), changelog.HEADING)
    assert told == "## Changelog\n\n### 1.1.0 (2026-11-20)\n\n26 rows.\n\n"


def test_the_changelog_of_a_first_version_is_that_of_its_build(sample: Path) -> None:
    card = (sample / "README.md").read_text()
    assert changelog.alone(card, Manifest.read(sample)) == card
    assert changelog.alone("# No such section\n", Manifest.read(sample)) == "# No such section\n"


@pytest.mark.parametrize("repo", ["somebody/dataset", "tester/taken"])
def test_a_repository_that_was_refused_leaves_no_trace_in_the_card(hub: Hub, folder: Path, repo: str) -> None:
    if repo == "tester/taken":
        HfApi(hub.url).create_repo(repo, **KIND)
        upload(hub, repo, "x.csv", b"a,b")
    before = command_line.digests(folder)
    with pytest.raises(PublishError):
        put(hub, folder, repo)
    assert command_line.digests(folder) == before
    put(hub, folder, f"tester/right-{repo.split('/')[1]}")
    assert f"tester/right-{repo.split('/')[1]}" in (folder / "README.md").read_text()


def test_a_folder_that_the_card_cannot_go_to_is_named_before_anything_is_published(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root, as whom tests may run, is refused nothing.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(PublishError, match=rf"^{folder}/README\.md: no right to write there.* publish a copy"):
        put(hub, folder, "tester/readonly")
    assert hub.repo("tester/readonly") is None


def test_a_card_that_cannot_be_written_after_all_is_one_line_and_a_rerun_writes_it(hub: Hub, folder: Path) -> None:
    stands_in_the_way = folder / ".README.md.tmp"
    stands_in_the_way.mkdir()
    with pytest.raises(PublishError, match=rf"^{folder}/README\.md cannot be written .*run the same command again"):
        put(hub, folder, "tester/unwritten")
    stands_in_the_way.rmdir()
    put(hub, folder, "tester/unwritten")
    assert hub.files("tester/unwritten", "v1.0.0") == command_line.digests(folder)
    assert hub.titles("tester/unwritten") == ["marvl-qa-mini 1.0.0"]


def test_what_macos_leaves_in_folders_is_no_fault_and_is_not_published(hub: Hub, folder: Path) -> None:
    for place in (".", "data", "data/counting", "report"):
        (folder / place / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    assert verify(folder) == []
    put(hub, folder, "tester/mac")
    assert [path for path in hub.files("tester/mac") if path.endswith(".DS_Store")] == []


def test_a_dry_run_of_the_flow_tells_every_step_and_file_and_shows_no_address(
    hub: Hub, certified: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(flow, "get_run_logger", lambda: logging.getLogger(__name__))
    probe_folder(certified, beside(certified))
    shown: list[str] = []
    monkeypatch.setattr(flow, "create_link_artifact", lambda link, **_: shown.append(link))
    lines: list[str] = []
    context = copy_context()
    context.run(flow.LISTENER.set, lines.append)
    context.run(flow.publish_dataset.fn, folder=str(certified), repo="tester/dry", dry_run=True)
    assert "would do: create the public repository tester/dry" in lines
    assert {line.removeprefix("  add ") for line in lines if line.startswith("  add ")} == {
        *command_line.digests(certified),
        *ADDED,
    }
    assert shown == []
    assert hub.repo("tester/dry") is None
    flow.publish_dataset.fn(folder=str(certified), repo="tester/dry")
    assert shown == [f"{hub.url}/datasets/tester/dry/tree/v1.0.0"]


@pytest.mark.parametrize(
    ("steps", "name", "message"),
    [(("commit",), "Completed", "published o/n v1.0.0, at A"), ((), "Unchanged", "found published: o/n v1.0.0, at A")],
)
def test_a_run_says_where_it_published_and_is_unchanged_where_nothing_was_to_do(
    steps: tuple[str, ...], name: str, message: str, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = Published(
        address="A", loader="L", tag="v1.0.0", steps=steps, changes=Changes(added=(), changed=(), removed=())
    )
    monkeypatch.setattr(flow, "_as_asset", lambda *_: done)
    for silenced in ("get_run_logger", "create_link_artifact"):
        monkeypatch.setattr(flow, silenced, lambda **_: logging.getLogger())
    monkeypatch.setattr(flow.events, "emit", lambda *_: None)
    state = cast("State[Any]", flow.publish_dataset.fn(folder=str(sample), repo="o/n"))
    assert (state.name, state.message) == (name, message)
