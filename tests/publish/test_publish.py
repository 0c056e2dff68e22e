"""Publishing as a user does it: versions, refusals, the token that is never seen, and what readers load back."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import command_line
import httpx2
import pytest
import stand_in_hub
from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError
from sample_folder import RECIPE, write_sample
from small_datasets import Small, probe
from stand_in_hub import Hub

from planimeter.export.hub import changelog
from planimeter.export.hub.addition import Addition
from planimeter.export.hub.faults import LONGEST_WAIT, TRIES, Patience, PublishError, read_fault, without_token
from planimeter.export.hub.files import added_files
from planimeter.export.hub.publish import Published, Target, publish
from planimeter.export.manifest import ADDED
from planimeter.export.measures import beside
from planimeter.export.pages.sections import section
from planimeter.export.verify.folder import verify
from planimeter.flows.service.measure import measure_folder
from planimeter.flows.service.probe import probe_folder
from planimeter.probes.tables import HEADING


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with stand_in_hub.started() as hub:
        yield hub


@pytest.fixture(autouse=True)
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch)


@pytest.fixture(scope="session")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("first") / "1.0.0")


@pytest.fixture(scope="session")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same rows in other files: four rows a file instead of twelve, another limit in the recipe."""
    curation = RECIPE["counting"]["curation"] | {"separation": 0.08}
    recipe = RECIPE | {
        "version": "1.1.0",
        "rows_per_file": 40,
        "counting": RECIPE["counting"] | {"curation": curation},
    }
    return write_sample(tmp_path_factory.mktemp("second") / "1.1.0", recipe=recipe)


def copied(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to / folder.name))


def put(hub: Hub, folder: Path, repo: str, *, private: bool = False, dry_run: bool = False) -> Published:
    target = Target(repo=repo, private=private)
    return publish(folder, target, api=HfApi(hub.url), sleep=lambda _: None, tell=str, dry_run=dry_run)


# --- versions


def test_a_new_version_removes_old_files_from_the_head_and_keeps_them_under_the_old_tag(
    hub: Hub, first: Path, second: Path, tmp_path: Path
) -> None:
    one, two = copied(first, tmp_path), copied(second, tmp_path)
    put(hub, one, "tester/versions")
    done = put(hub, two, "tester/versions")
    assert hub.files("tester/versions") == hub.files("tester/versions", "v1.1.0") == command_line.digests(two)
    assert hub.files("tester/versions", "v1.0.0") == command_line.digests(one)
    gone = set(command_line.digests(one)) - set(command_line.digests(two))
    assert "data/counting/test-00001-of-00002.parquet" in gone
    assert f"remove {len(gone)} file" in done.steps[0]
    assert verify(two) == []


def test_the_same_version_again_changes_nothing(hub: Hub, first: Path, second: Path, tmp_path: Path) -> None:
    one, two = copied(first, tmp_path), copied(second, tmp_path)
    for folder in (one, two):
        put(hub, folder, "tester/again")
    titles, before = hub.titles("tester/again"), command_line.digests(two)
    hub.reset()
    # The older one too: the head stays where it is.
    for folder in (two, one, copied(second, tmp_path / "built-anew")):
        assert put(hub, folder, "tester/again").steps == ()
    assert {request["method"] for request in hub.requests()} <= {"GET", "HEAD"}
    assert hub.titles("tester/again") == titles
    assert hub.files("tester/again") == before


def test_other_content_under_an_existing_tag_is_refused(hub: Hub, first: Path, tmp_path: Path) -> None:
    put(hub, first, "tester/other")
    other = copied(first, tmp_path)
    (other / "croissant.json").write_text("{}")
    with pytest.raises(PublishError, match=r"v1\.0\.0 with other content \(croissant.json\); a published version"):
        put(hub, other, "tester/other")
    assert hub.files("tester/other") == command_line.digests(first)


def test_a_tag_that_somebody_put_on_another_commit_is_refused(hub: Hub, first: Path) -> None:
    api = HfApi(hub.url)
    api.create_repo("tester/mistagged", repo_type="dataset")
    api.create_tag("tester/mistagged", tag="v1.0.0", repo_type="dataset")
    with pytest.raises(PublishError, match=r"has v1\.0\.0 with other content"):
        put(hub, first, "tester/mistagged")
    assert hub.titles("tester/mistagged") == []


def test_somebody_elses_dataset_is_not_covered(hub: Hub, first: Path) -> None:
    api = HfApi(hub.url)
    api.create_repo("tester/foreign", repo_type="dataset")
    api.upload_file(path_or_fileobj=b"a,b", path_in_repo="x.csv", repo_id="tester/foreign", repo_type="dataset")
    with pytest.raises(PublishError, match="holds something else than marvl-qa-mini; give another --repo"):
        put(hub, first, "tester/foreign")
    assert set(hub.files("tester/foreign")) == {"x.csv"}


def test_an_older_version_does_not_cover_a_newer_one(hub: Hub, first: Path, second: Path, tmp_path: Path) -> None:
    put(hub, copied(second, tmp_path), "tester/newer")
    with pytest.raises(PublishError, match=r"already holds marvl-qa-mini 1\.1\.0, which is newer than 1\.0\.0"):
        put(hub, first, "tester/newer")


def test_a_version_without_its_tag_is_not_covered(hub: Hub, first: Path, second: Path, tmp_path: Path) -> None:
    put(hub, first, "tester/untagged")
    HfApi(hub.url).delete_tag("tester/untagged", tag="v1.0.0", repo_type="dataset")
    with pytest.raises(PublishError, match=r"holds marvl-qa-mini 1\.0\.0 without its tag: publish 1\.0\.0 again"):
        put(hub, copied(second, tmp_path), "tester/untagged")


def test_private_never_goes_to_a_public_repository(hub: Hub, first: Path) -> None:
    put(hub, first, "tester/secret", private=True)
    found = hub.repo("tester/secret")
    assert found and found.private
    HfApi(hub.url).create_repo("tester/open", repo_type="dataset")
    with pytest.raises(PublishError, match="exists and is public"):
        put(hub, first, "tester/open", private=True)
    assert hub.titles("tester/open") == []


def test_a_dry_run_says_all_and_changes_nothing(hub: Hub, first: Path, second: Path, tmp_path: Path) -> None:
    hub.reset()
    assert [step.split()[0] for step in put(hub, first, "tester/dry", dry_run=True).steps] == [
        "create", "commit:", "tag",
    ]  # fmt: skip
    put(hub, first, "tester/dry2")
    two = copied(second, tmp_path)
    before = command_line.digests(two)
    planned = put(hub, two, "tester/dry2", dry_run=True)
    steps = planned.steps
    assert steps[0].startswith("commit: add ") and "remove" in steps[0]
    left = planned.changes
    assert "data/counting/test-00000-of-00001.parquet" in left.added
    assert "data/counting/test-00001-of-00002.parquet" in left.removed
    assert "README.md" in left.changed
    assert command_line.digests(two) == before
    assert hub.repo("tester/dry") is None
    assert hub.titles("tester/dry2") == ["marvl-qa-mini 1.0.0"]


# --- changelog and diff


def test_the_card_tells_what_changed_since_the_version_before(
    hub: Hub, first: Path, second: Path, tmp_path: Path
) -> None:
    one, two = copied(first, tmp_path), copied(second, tmp_path)
    put(hub, one, "tester/log")
    put(hub, two, "tester/log")
    told = section((two / "README.md").read_text(), changelog.HEADING)
    assert told.index("### 1.1.0 (2026-11-20)\n\nSince 1.0.0:") < told.index("### 1.0.0 (2026-11-20)\n\n26 rows.")
    assert "- recipe: counting.curation.separation 0.07 → 0.08" in told
    assert "- rows of counting: 0 added, 0 removed, 0 changed, 18 as before; 18 pictures in both" in told


# --- faults that are not of the net


@pytest.mark.parametrize(
    ("token", "said"),
    [
        (stand_in_hub.READ_TOKEN, "the token has no right to write there"),
        ("hf_wrong", "the Hub does not accept the token"),
    ],
)
def test_a_token_without_rights_is_one_line(
    hub: Hub, first: Path, token: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(PublishError, match=said) as caught:
        put(hub, first, "tester/rights")
    assert token not in str(caught.value)
    assert hub.repo("tester/rights") is None


def test_a_name_of_somebody_else_is_one_line(hub: Hub, first: Path) -> None:
    with pytest.raises(PublishError, match="no right to write there"):
        put(hub, first, "somebody/dataset")


@pytest.mark.parametrize("name", ["noslash", "a/b/c", "-a/b", "a/..", "a/b c", ""])
def test_a_name_that_the_hub_refuses_is_refused_at_once(name: str) -> None:
    with pytest.raises(PublishError, match="need a repository as owner/name"):
        Target(repo=name)


def answer(status: int, **headers: str) -> HfHubHTTPError:
    request = httpx2.Request("POST", "https://hub.test/api?X-Signature=secret")
    return HfHubHTTPError("?", response=httpx2.Response(status, headers=headers, request=request))


def test_the_wait_that_the_hub_asks_for_is_kept_but_not_without_end() -> None:
    slept: list[float] = []
    patience = Patience(slept.append, str)
    patience.after(answer(429, **{"Retry-After": "7"}))
    patience.after(answer(429, ratelimit='"api";r=0;t=55'))
    patience.after(answer(503))
    assert slept == [7, 55, 4]
    with pytest.raises(PublishError, match="asks to wait 9000 s"):
        patience.after(answer(429, **{"Retry-After": "9000"}))
    assert max(slept) <= LONGEST_WAIT


def test_a_fault_that_stays_ends_after_a_bounded_number_of_tries() -> None:
    slept: list[float] = []
    patience = Patience(slept.append, str)
    with pytest.raises(PublishError, match=f"given up after {TRIES} tries"):
        for _ in range(100):
            patience.after(httpx2.ConnectError("refused"))
    assert len(slept) == TRIES - 1


def test_no_line_contains_a_token_or_a_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "unusual-token-shape")
    assert "unusual" not in without_token("sent unusual-token-shape and hf_abcDEF and Bearer abc")
    assert "abc" not in without_token("hf_abcDEF, bearer abc")
    for error in (
        RuntimeError("PUT https://bucket.test/x?X-Amz-Signature=secret failed for hf_abcDEF"),
        answer(500, **{"X-Error-Message": "token hf_abcDEF is odd"}),
        ValueError("Bearer hf_abcDEF"),
    ):
        line = read_fault(error).line
        assert "secret" not in line
        assert "hf_abcDEF" not in line


# --- the command line, in processes of its own


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
    streamed = datasets.load_dataset(repo, config, split="test", revision="v1.0.0", streaming=True)
    assert plain(streamed) == found[config]
    assert next(iter(streamed))["image"].tobytes() == loaded[0]["image"].tobytes()
    records = list(mlcroissant.Dataset(jsonld=folder + "/croissant.json").records(config))
    for column in ("id", "prompt", "answer"):
        assert [r[f"{config}/{column}"].decode() for r in records] == [row[column] for row in found[config]]
    pictures = [r[f"{config}/image"].convert("RGB") for r in records]
    assert [p.tobytes() for p in pictures] == [row["image"].tobytes() for row in loaded]
    measured = datasets.load_dataset(repo, f"{config}_measures", split="test", revision="v1.0.0")
    assert measured.features["readable_at"].dtype == "int32"
    assert measured["id"] == loaded["id"]
    sizes = dict(zip(measured["id"], measured["readable_at"]))
    assert all(0 < size <= max(row["image"].size) for row in loaded for size in [sizes[row["id"]]])
print(json.dumps(found))
"""


@pytest.mark.slow
def test_the_command_publishes_what_every_reader_loads_back_and_never_shows_the_token(
    hub: Hub, small: Callable[[str], Small], certified: Path, tmp_path: Path
) -> None:
    folder = certified
    probe_folder(folder, beside(folder))
    measure_folder(folder, 1)
    home = tmp_path / "prefect"
    env = hub.environment(tmp_path) | {"PREFECT_LOGGING_LEVEL": "DEBUG"}
    arguments = ("publish", str(folder), "--repo", "tester/command")
    planned = command_line.run(*arguments, "--dry-run", home=home, **env)
    assert planned.code == 0, planned.err
    assert "would do: create the public repository tester/command" in planned.out
    listed = [line.removeprefix("  add ") for line in planned.out.splitlines() if line.startswith("  add ")]
    assert sorted(listed) == sorted([*command_line.digests(folder), *added_files(beside(folder))])
    assert len(added_files(beside(folder))) == len(ADDED) + 2
    done = command_line.run(*arguments, home=home, **env)
    assert done.code == 0, done.err
    assert f"{hub.url}/datasets/tester/command/tree/v1.0.0" in done.out
    assert 'load_dataset("tester/command", "counting", revision="v1.0.0")' in done.out
    assert hub.files("tester/command", "v1.0.0") == command_line.digests(folder)
    assert section((folder / "README.md").read_text(), HEADING)
    assert verify(folder) == []
    rows = small("marvl-qa-mini").rows
    read = subprocess.run(
        [sys.executable, "-c", READER, "tester/command", *rows],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
    )
    assert read.returncode == 0, read.stderr
    for config, loaded in json.loads(read.stdout).items():
        assert loaded == [row | {"image": hashlib.sha256(row["image"]["bytes"]).hexdigest()} for row in rows[config]]
    again = command_line.run(*arguments, "--dry-run", home=home, **env)
    assert again.code == 0
    assert "nothing: tester/command has v1.0.0 with this content" in again.out
    assert hub.titles("tester/command") == ["marvl-qa-mini 1.0.0"]
    shown = (planned.out, planned.err, done.out, done.err, again.out, again.err)
    assert not any("hf_local" in text for text in shown)
    # Prefect's database, its logs, its results; the folder; the client's cache.
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size < 50_000_000]
    assert any(path.name == "prefect.db" for path in written)
    assert [str(path) for path in written if b"hf_local" in path.read_bytes()] == []


def test_a_version_without_measures_says_that_it_removes_those_of_the_one_before(
    hub: Hub, first: Path, second: Path, tmp_path: Path
) -> None:
    old, new = copied(first, tmp_path), copied(second, tmp_path)
    measures = {f"measures/counting/test-0000{k}-of-00002.parquet": b"measured" for k in range(2)}
    target, given = Target(repo="tester/measured"), {"api": HfApi(hub.url), "sleep": lambda _: None}
    publish(old, target, **given, tell=str, addition=Addition(files=measures))
    done = publish(new, target, **given, tell=(said := []).append)
    assert "with the measures of the version before, for this one has none" in done.steps[0] in said


def test_a_folder_that_breaks_a_promise_or_a_missing_token_ends_in_one_line(
    hub: Hub, first: Path, tmp_path: Path
) -> None:
    arguments = ("publish", str(folder := copied(first, tmp_path)), "--repo", "tester/broken", "--dry-run")
    unprobed = command_line.run(*arguments, home=tmp_path, **hub.environment(tmp_path))
    assert (unprobed.code, len(unprobed.lines)) == (1, 1)
    assert f"run `planimeter probe {folder}`" in unprobed.err
    probe(folder)
    (folder / "croissant.json").unlink()
    broken = command_line.run(*arguments, home=tmp_path, **hub.environment(tmp_path))
    assert (broken.code, len(broken.lines)) == (1, 1)
    assert "is not published, it breaks 1 promise (croissant.json: is missing" in broken.err
    told = command_line.here("diff", str(folder), str(tmp_path / "none"))
    assert (told.code, len(told.lines)) == (1, 1)
    without = hub.environment(tmp_path) | {"HF_TOKEN": ""}
    lacking = command_line.run("publish", str(first), "--repo", "tester/broken", home=tmp_path, **without)
    assert lacking.code == 1 and "there is no token: set HF_TOKEN" in lacking.err
    assert "Traceback" not in lacking.err
