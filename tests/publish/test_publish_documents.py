"""What publishing adds to documents: the changelog, the address in croissant.json, and the report as a static Space."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mlcroissant
import pytest
from command_line import digests
from huggingface_hub import CommitOperationAdd, HfApi, hf_hub_download, metadata_load
from stand_in_hub import REPO, Hub

from planimeter.export.hub import changelog
from planimeter.export.hub.addition import NOTHING, Addition
from planimeter.export.hub.faults import PublishError
from planimeter.export.hub.publish import Published
from planimeter.export.hub.space import address_of
from planimeter.export.manifest import Manifest
from planimeter.export.pages.sections import section
from planimeter.export.verify.folder import verify

Put = Callable[..., Published]
REPORT = replace(NOTHING, space=True)
SPACE = {"repo_id": REPO, "repo_type": "space"}


def changelog_of(folder: Path) -> str:
    return section((folder / "README.md").read_text(), changelog.HEADING)


def address(folder: Path) -> str | None:
    url: str | None = json.loads((folder / "croissant.json").read_text()).get("url")
    return url


def is_sound(folder: Path) -> bool:
    """Whether neither our verifier nor mlcroissant has a remark."""
    issues = mlcroissant.Dataset(jsonld=str(folder / "croissant.json")).metadata.ctx.issues
    return not issues.errors and not issues.warnings and verify(folder) == []


def test_the_card_says_what_changed_since_the_version_before(put: Put, folder: Path, second: Path) -> None:
    put(folder)
    put(second)
    text = changelog_of(second)
    assert text.index("### 1.1.0 (2026-11-20)\n\nSince 1.0.0:") < text.index("### 1.0.0 (2026-11-20)\n\n26 rows.")
    assert "- recipe: counting.curation.separation 0.07 → 0.08" in text
    assert "- rows of counting: 0 added, 0 removed, 0 changed, 18 as before; 18 pictures in both" in text
    # A repository that lacks the earlier version learns nothing of it.
    put(second, "tester/final")
    assert changelog_of(second) == "## Changelog\n\n### 1.1.0 (2026-11-20)\n\n26 rows.\n\n"


def test_the_changelog_of_a_first_version_is_that_of_its_build(sample: Path) -> None:
    card = (sample / "README.md").read_text()
    assert changelog.alone(card, Manifest.read(sample)) == card
    assert changelog.alone("# No such section\n", Manifest.read(sample)) == "# No such section\n"


def test_the_address_is_in_croissant_once_it_is_published(
    hub: Hub, put: Put, folder: Path, sample: Path, tmp_path: Path
) -> None:
    assert address(folder) is None and is_sound(folder)
    before = json.loads((folder / "croissant.json").read_text())
    put(folder)
    assert address(folder) == f"{hub.url}/datasets/{REPO}" and is_sound(folder)
    assert json.loads((folder / "croissant.json").read_text()) == before | {"url": address(folder)}
    assert hub.files(revision="v1.0.0") == digests(folder)
    for again in (folder, Path(shutil.copytree(sample, tmp_path / "built anew" / "1.0.0"))):
        assert put(again).steps == ()
        assert digests(again) == digests(folder)
    put(folder, "tester/elsewhere")
    assert address(folder) == f"{hub.url}/datasets/tester/elsewhere" and verify(folder) == []


def test_a_version_that_was_published_without_its_address_or_report_stays_as_it_is(
    hub: Hub, api: HfApi, put: Put, folder: Path, sample: Path
) -> None:
    put(folder)
    dataset = {"repo_id": REPO, "repo_type": "dataset"}
    api.delete_tag(**dataset, tag="v1.0.0")
    api.upload_file(**dataset, path_or_fileobj=sample / "croissant.json", path_in_repo="croissant.json")
    api.create_tag(**dataset, tag="v1.0.0")
    assert "](report/index.html)" in (folder / "README.md").read_text()
    for addition in (NOTHING, REPORT):
        assert put(folder, addition=addition).steps == ()
        assert address(folder) is None and hub.files() == digests(folder)
    assert not api.repo_exists(**SPACE)


def test_a_version_without_measures_says_that_it_removes_those_of_the_one_before(
    put: Put, folder: Path, second: Path
) -> None:
    measures = {f"measures/counting/test-0000{k}-of-00002.parquet": b"measured" for k in range(2)}
    put(folder, addition=Addition(files=measures))
    said: list[str] = []
    done = put(second, tell=said.append)
    assert "with the measures of the version before, for this one has none" in done.steps[0] in said


# --- the report as a Space


def shown(hub: Hub, repo: str = REPO) -> bytes:
    path = hf_hub_download(repo, "index.html", repo_type="space", endpoint=hub.url, force_download=True)
    return Path(path).read_bytes()


def report(folder: Path) -> bytes:
    return (folder / "report" / "index.html").read_bytes()


def test_the_card_links_to_the_report_that_a_static_space_shows(hub: Hub, put: Put, folder: Path) -> None:
    steps = put(folder, addition=REPORT).steps
    assert steps[:2] == (f"create the Space {REPO} for the report", f"put the report into the Space {REPO}")
    assert shown(hub) == report(folder)
    front = metadata_load(hf_hub_download(REPO, "README.md", repo_type="space", endpoint=hub.url))
    assert (front["sdk"], front["app_file"], front["datasets"]) == ("static", "index.html", [REPO])
    card = (folder / "README.md").read_text()
    assert f"The [report]({address_of(REPO)}) shows" in card and "](report/index.html)" not in card
    assert verify(folder) == []
    hub.reset()
    assert put(folder, addition=REPORT).steps == ()
    assert hub.writes() == []


def test_a_dry_run_and_a_dataset_that_is_refused_make_no_space(hub: Hub, put: Put, folder: Path) -> None:
    put(folder, addition=REPORT, dry_run=True)
    with pytest.raises(PublishError, match="not probed"):
        put(folder, addition=replace(REPORT, refused="not probed"))
    assert hub.repos == {}


def test_a_space_with_something_else_is_never_covered(api: HfApi, put: Put, folder: Path) -> None:
    api.create_repo(**SPACE, space_sdk="static")
    api.create_commit(**SPACE, operations=[CommitOperationAdd("app.js", b"theirs")], commit_message="an app")
    with pytest.raises(PublishError, match=r"holds something else than the report.*--no-space"):
        put(folder, addition=REPORT)
    assert not api.repo_exists(REPO, repo_type="dataset")


def test_an_older_version_does_not_take_the_place_of_the_report_of_a_newer_one(
    hub: Hub, put: Put, folder: Path, second: Path
) -> None:
    put(folder, addition=REPORT)
    put(second, addition=REPORT)
    assert shown(hub) == report(second) != report(folder)
    assert put(folder, addition=REPORT).steps == ()
    assert shown(hub) == report(second)


@pytest.mark.parametrize(
    "kind", ["503", "lost", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("drop", "412"))]
)
def test_a_fault_at_any_request_for_the_space_is_mended_by_looking_again(
    kind: str, hub: Hub, put: Put, sample: Path, tmp_path: Path
) -> None:
    requests = ("/api/repos/create", "/api/spaces/.*/preupload", "/api/spaces/.*/commit", "/api/spaces")
    for number, path in enumerate(requests):
        folder = Path(shutil.copytree(sample, tmp_path / str(number)))
        hub.reset()
        hub.fault(kind, path=path)
        put(folder, f"tester/faulty-{number}", addition=REPORT, sleep=str)
        assert [request["fault"] for request in hub.requests() if request["fault"]] == [kind]
        assert shown(hub, f"tester/faulty-{number}") == report(folder)
        assert hub.files(f"tester/faulty-{number}", "v1.0.0") == digests(folder)
