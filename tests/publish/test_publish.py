"""Publishing: versions, what is never covered, tokens, and the folder of one who is refused."""

import hashlib
import shutil
from pathlib import Path

import pytest
import stand_in_hub
from command_line import digests
from hub_repos import built
from huggingface_hub import HfApi
from stand_in_hub import REPO

from planimeter.export.hub.faults import HubError, PublishError
from planimeter.export.hub.publish import Target
from planimeter.export.verify.folder import verify

DATASET = {"repo_id": REPO, "repo_type": "dataset"}


def upload(api, path, content):
    api.upload_file(path_or_fileobj=content, path_in_repo=path, **DATASET)


def test_a_new_version_keeps_old_files_under_the_old_tag(hub, put, folder, second, second_sample, tmp_path):
    # A dry run says all and changes nothing.
    assert [step.split()[0] for step in put(folder, dry_run=True).steps] == ["create", "commit:", "tag"]
    assert hub.repos == {}
    put(folder)
    before, planned = digests(second), put(second, dry_run=True)
    changes = planned.changes
    assert planned.steps[0].startswith("commit: add ") and "remove" in planned.steps[0]
    assert "data/counting/test-00000-of-00001.parquet" in changes.added and "README.md" in changes.changed
    assert "data/counting/test-00001-of-00002.parquet" in changes.removed
    assert (digests(second), hub.titles()) == (before, ["marvl-qa-mini 1.0.0"])
    steps = put(second).steps
    assert hub.files() == hub.files(revision="v1.1.0") and digests(second) == before
    assert built(hub.files()) == built(before)
    assert built(hub.files(revision="v1.0.0")) == built(digests(folder))
    gone = set(digests(folder)) - set(digests(second))
    assert "data/counting/test-00001-of-00002.parquet" in gone
    assert f"remove {len(gone)} file" in steps[0]
    assert verify(second) == []
    # The same version again changes nothing; the older one too: the head stays where it is.
    titles, files = hub.titles(), hub.files()
    hub.reset()
    for again in (second, folder, Path(shutil.copytree(second_sample, tmp_path / "anew" / "1.1.0"))):
        assert put(again).steps == ()
    assert (hub.writes(), hub.titles(), hub.files()) == ([], titles, files)


@pytest.fixture
def acts(api, put, folder, second):
    """What may happen to a repository, and to the folder."""
    manifest = folder / "manifest.json"
    return {
        "publish 1.0.0": lambda: put(folder),
        "publish 1.0.0 privately": lambda: put(folder, private=True),
        "publish 1.1.0": lambda: put(second),
        "build 1.0.0 differently": lambda: manifest.write_bytes(manifest.read_bytes() + b"\n"),
        "create": lambda: api.create_repo(**DATASET),
        "tag v1.0.0": lambda: api.create_tag(**DATASET, tag="v1.0.0"),
        "tag v0.9.0": lambda: api.create_tag(**DATASET, tag="v0.9.0"),
        "untag v1.0.0": lambda: api.delete_tag(**DATASET, tag="v1.0.0"),
        "upload x.csv": lambda: upload(api, "x.csv", b"a,b"),
        "upload a manifest": lambda: upload(api, "manifest.json", b"\xff\xfe no JSON"),
    }


OTHER = r"v1\.0\.0 with other content \(manifest.json\); a published version"
UNTAGGED = r"has untagged changes that 1\.0\.0 would overwrite \(manifest\.json\)"
FOREIGN = "contains something other than marvl-qa-mini; give another --repo"
COVERED = [
    ("publish 1.0.0, build 1.0.0 differently", "publish 1.0.0", OTHER),
    ("publish 1.0.0, untag v1.0.0, build 1.0.0 differently", "publish 1.0.0", UNTAGGED),
    ("create, tag v1.0.0", "publish 1.0.0", r"has v1\.0\.0 with other content"),
    ("publish 1.1.0", "publish 1.0.0", r"already has marvl-qa-mini 1\.1\.0, which is newer than 1\.0\.0"),
    ("publish 1.0.0, untag v1.0.0", "publish 1.1.0", r"untagged changes that 1\.1\.0 .* hf repos tag create"),
    ("create", "publish 1.0.0 privately", "exists and is public"),
    ("create, upload x.csv", "publish 1.0.0", FOREIGN),
    ("create, upload a manifest", "publish 1.0.0", FOREIGN),
    ("create, upload a manifest, tag v0.9.0", "publish 1.0.0", FOREIGN),
]


@pytest.mark.parametrize("before, refused, message", COVERED)
def test_publishing_replaces_no_foreign_content(before, refused, message, acts, hub, folder, second):
    for name in before.split(", "):
        acts[name]()
    there = hub.files(), hub.titles(), digests(folder), digests(second)
    with pytest.raises(PublishError, match=message):
        acts[refused]()
    assert (hub.files(), hub.titles(), digests(folder), digests(second)) == there


def test_a_commit_undoes_no_later_work_of_others(hub, api, put, folder, second):
    put(folder)
    upload(api, "LICENSE", b"CC BY 4.0")
    upload(api, "README.md", b"---\nlicense: cc-by-4.0\n---\n\nA correction.\n")
    theirs = hub.files()
    with pytest.raises(
        PublishError, match=r"has untagged changes that 1\.1\.0 would overwrite \(README\.md, LICENSE\)"
    ):
        put(second)
    assert hub.files() == theirs
    api.create_tag(**DATASET, tag="corrected")
    put(second)
    assert built(hub.files()) == built(hub.files(revision="v1.1.0")) == built(digests(second))
    assert hub.files(revision="corrected") == theirs


def test_a_commit_of_others_just_before_ours_is_not_covered(hub, api, put, folder, second, monkeypatch):
    put(folder)
    create_commit = HfApi.create_commit

    def overtaken(*given, **more):
        monkeypatch.setattr(HfApi, "create_commit", create_commit)
        upload(api, "LICENSE", b"CC BY 4.0")
        return create_commit(*given, **more)

    monkeypatch.setattr(HfApi, "create_commit", overtaken)
    theirs = hub.files() | {"LICENSE": hashlib.sha256(b"CC BY 4.0").hexdigest()}
    with pytest.raises(HubError, match=r"answered 412 .*; run the same command again"):
        put(second)
    with pytest.raises(PublishError, match=r"has untagged changes that 1\.1\.0 would overwrite \(LICENSE\)"):
        put(second)
    assert hub.files() == theirs


def test_a_part_of_the_same_version_is_completed(hub, api, put, folder):
    put(folder, private=True)
    api.delete_tag(**DATASET, tag="v1.0.0")
    files = hub.files()
    api.delete_file("croissant.json", **DATASET)
    put(folder, private=True)
    assert hub.files(revision="v1.0.0") == files
    put(folder, "tester/open")
    assert [hub.repos[name].private for name in (REPO, "tester/open")] == [True, False]


def test_a_token_without_rights_changes_nothing(hub, put, folder, monkeypatch):
    before = digests(folder)
    for token, repo, message in (
        (stand_in_hub.READ_TOKEN, REPO, "the token has no right to write there"),
        ("hf_wrong", REPO, "the Hub does not accept the token"),
        (stand_in_hub.TOKEN, "somebody/dataset", "no right to write there"),
        ("", REPO, "there is no token: set HF_TOKEN"),
    ):
        monkeypatch.setenv("HF_TOKEN", token)
        with pytest.raises(PublishError, match=message) as caught:
            put(folder, repo)
        assert not token or token not in str(caught.value)
    for name in ("noslash", "a/b/c", "-a/b", "a/..", "a/b c", ""):
        with pytest.raises(PublishError, match="need a repository as owner/name"):
            Target(repo=name)
    assert (hub.repos, digests(folder)) == ({}, before)


def test_publishing_ignores_files_of_macos(hub, put, folder):
    for place in (".", "data", "data/counting", "report"):
        (folder / place / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    assert verify(folder) == []
    put(folder)
    assert [path for path in hub.files() if path.endswith(".DS_Store")] == []
