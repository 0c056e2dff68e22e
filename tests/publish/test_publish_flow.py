"""What the command and its flow say, the token that is never shown, what publishing adds to documents, and readers."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import command_line
import mlcroissant
import pytest
from command_line import digests
from huggingface_hub import CommitOperationAdd, hf_hub_download, metadata_load, snapshot_download
from small_datasets import probe
from stand_in_hub import REPO

from planimeter.evals.probes.results import probes_folder
from planimeter.evals.probes.tables import HEADING
from planimeter.export.hub.card import NOTHING, TASKS
from planimeter.export.hub.diff import CHANGELOG
from planimeter.export.hub.faults import PublishError
from planimeter.export.hub.files import added_files
from planimeter.export.hub.space import address_of
from planimeter.export.manifest import ADDED
from planimeter.export.pages.sections import section
from planimeter.export.verify.folder import verify
from planimeter.flows.probing import probe_folder
from planimeter.flows.service import hub as service


def test_a_folder_that_breaks_a_promise_ends_in_one_line(hub, folder):
    arguments = ("publish", str(folder), "--repo", REPO, "--dry-run")
    unprobed = command_line.here(*arguments)
    assert (unprobed.code, len(unprobed.lines)) == (1, 1) and f"run `planimeter probe {folder}`" in unprobed.err
    probe(folder)
    (folder / "croissant.json").unlink()
    broken = command_line.here(*arguments)
    assert (broken.code, len(broken.lines)) == (1, 1)
    assert "is not published: it has 1 problem (croissant.json: is missing" in broken.err
    assert hub.repos == {}


READER = """
import hashlib, json, sys, datasets, mlcroissant
from huggingface_hub import snapshot_download
repo, *configs = sys.argv[1:]
datasets.disable_progress_bars()
digest = lambda picture: hashlib.sha256(picture).hexdigest()
def plain(rows):
    bare = rows.cast_column("image", datasets.Image(decode=False))
    return [row | {"image": digest(row["image"]["bytes"])} for row in bare]
folder = snapshot_download(repo, repo_type="dataset", revision="v1.0.0")
found = {}
for config in configs:
    loaded = datasets.load_dataset(repo, config, split="test", revision="v1.0.0")
    found[config] = plain(loaded)
    records = list(mlcroissant.Dataset(jsonld=folder + "/croissant.json").records(config))
    for column in ("id", "prompt", "answer"):
        assert [r[f"{config}/{column}"].decode() for r in records] == [row[column] for row in found[config]]
    pictures = [r[f"{config}/image"].convert("RGB") for r in records]
    assert [p.tobytes() for p in pictures] == [row["image"].tobytes() for row in loaded]
print(json.dumps(found))
"""


@pytest.mark.slow
def test_every_reader_loads_the_published_dataset(hub, small, certified, fetched, tmp_path):
    probe_folder(certified, probes_folder(certified))
    assert len(added := added_files(probes_folder(certified))) == len(ADDED)
    there = {*digests(certified)}
    service.publication(certified, REPO, private=False, dry_run=False, log=str, space=False)()
    assert set(hub.files()) == {*there, *added, TASKS}
    published = fetched()
    assert section((published / "README.md").read_text(), HEADING)
    assert verify(published) == []
    rows = small("marvl-qa-mini").rows
    read = command_line.python(READER, tmp_path, REPO, *rows, **hub.environment(tmp_path))
    assert read.code == 0, read.err
    for config, loaded in json.loads(read.out).items():
        assert loaded == [row | {"image": hashlib.sha256(row["image"]["bytes"]).hexdigest()} for row in rows[config]]


REPORT = replace(NOTHING, space=True)
SPACE = {"repo_id": REPO, "repo_type": "space"}


@pytest.fixture
def fetched(hub, tmp_path):
    """Downloads what the head of a repository holds."""

    def fetch(repo=REPO):
        place = tmp_path / "fetched" / repo / str(len(hub.log))
        snapshot_download(repo, repo_type="dataset", endpoint=hub.url, local_dir=place)
        return place

    return fetch


def changelog_of(folder):
    return section((folder / "README.md").read_text(), CHANGELOG)


def croissant_of(folder):
    return json.loads((folder / "croissant.json").read_text())


def is_sound(folder):
    """Whether neither our verifier nor mlcroissant has a remark."""
    issues = mlcroissant.Dataset(jsonld=str(folder / "croissant.json")).metadata.ctx.issues
    return not issues.errors and not issues.warnings and verify(folder) == []


def test_the_changelog_lists_changes_since_the_version_before(put, folder, second, fetched):
    put(folder)
    put(second)
    text = changelog_of(fetched())
    assert text.index("### 1.1.0 (2026-11-20)\n\nSince 1.0.0:") < text.index("### 1.0.0 (2026-11-20)\n\n26 rows.")
    assert "- recipe: counting.curation.separation 0.07 → 0.08" in text
    assert "- rows of counting: 0 added, 0 removed, 0 changed, 18 as before; 18 pictures in both" in text
    # A repository that lacks the earlier version learns nothing of it.
    put(second, "tester/final")
    alone = changelog_of(fetched("tester/final"))
    assert alone == changelog_of(second) == "## Changelog\n\n### 1.1.0 (2026-11-20)\n\n26 rows.\n\n"


def test_a_published_dataset_contains_its_address(hub, put, folder, fetched):
    before = digests(folder)
    assert "url" not in croissant_of(folder) and is_sound(folder)
    for repo in (REPO, "tester/elsewhere"):
        put(folder, repo)
        there = fetched(repo)
        publisher = {"@type": "sc:Organization", "name": "tester", "url": f"{hub.url}/tester"}
        known = {"url": f"{hub.url}/datasets/{repo}", "publisher": publisher}
        assert croissant_of(there) == croissant_of(folder) | known and is_sound(there)
        assert put(there, repo).steps == () == put(folder, repo, addition=REPORT).steps
    assert digests(folder) == before and not hub.repos.get(f"{REPO}.space")


# --- the report as a Space


def shown(hub, repo=REPO):
    path = hf_hub_download(repo, "index.html", repo_type="space", endpoint=hub.url, force_download=True)
    return Path(path).read_bytes()


def report(folder):
    return (folder / "report" / "index.html").read_bytes()


def test_the_card_links_to_the_report_in_a_space(hub, put, folder, second, fetched):
    put(folder, addition=REPORT, dry_run=True)
    before = digests(folder)
    with pytest.raises(PublishError, match="not probed"):
        put(folder, addition=replace(REPORT, refused="not probed"))
    assert hub.repos == {}
    steps = put(folder, addition=REPORT).steps
    assert steps[:2] == (f"create the Space {REPO} for the report", f"put the report into the Space {REPO}")
    assert shown(hub) == report(folder)
    front = metadata_load(hf_hub_download(REPO, "README.md", repo_type="space", endpoint=hub.url))
    assert (front["sdk"], front["app_file"], front["datasets"]) == ("static", "index.html", [REPO])
    card = (fetched() / "README.md").read_text()
    assert f"The [report]({address_of(REPO)}) shows" in card and "](report/index.html)" not in card
    assert verify(fetched()) == [] and digests(folder) == before
    hub.reset()
    assert put(folder, addition=REPORT).steps == ()
    assert hub.writes() == []
    put(second, addition=REPORT)
    assert shown(hub) == report(second) != report(folder)
    assert put(folder, addition=REPORT).steps == ()
    assert shown(hub) == report(second)


def test_a_space_with_something_else_is_never_covered(api, put, folder):
    api.create_repo(**SPACE, space_sdk="static")
    api.create_commit(**SPACE, operations=[CommitOperationAdd("app.js", b"theirs")], commit_message="an app")
    with pytest.raises(PublishError, match=r"contains something other than the report.*--no-space"):
        put(folder, addition=REPORT)
    assert not api.repo_exists(REPO, repo_type="dataset")
