"""The address of a published dataset in its croissant.json."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import command_line
import pytest
import stand_in_hub
from huggingface_hub import HfApi
from stand_in_hub import Hub

from planimeter.export.hub.publish import Published, Target, publish
from planimeter.export.verify.folder import verify


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with stand_in_hub.started() as hub:
        yield hub


@pytest.fixture(autouse=True)
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch)


def put(hub: Hub, folder: Path, repo: str) -> Published:
    return publish(folder, Target(repo=repo), api=HfApi(hub.url), sleep=lambda _: None, tell=str)


def address(folder: Path) -> str | None:
    found: str | None = json.loads((folder / "croissant.json").read_text()).get("url")
    return found


def mlcroissant_says(folder: Path) -> str:
    """What the real command says, but for the line that tells that it is done."""
    command = [Path(sys.executable).with_name("mlcroissant"), "validate", "--jsonld", folder / "croissant.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return "\n".join(line for line in (done.stdout + done.stderr).splitlines() if not line.endswith("] Done."))


def test_the_address_is_in_croissant_once_it_is_published_and_mlcroissant_has_nothing_to_say(
    hub: Hub, folder: Path, sample: Path, tmp_path: Path
) -> None:
    assert address(folder) is None and mlcroissant_says(folder) == ""
    before = json.loads((folder / "croissant.json").read_text())
    put(hub, folder, "tester/located")
    assert address(folder) == f"{hub.url}/datasets/tester/located" and mlcroissant_says(folder) == ""
    assert json.loads((folder / "croissant.json").read_text()) == before | {"url": address(folder)}
    assert verify(folder) == []
    assert hub.files("tester/located", "v1.0.0") == command_line.digests(folder)
    built_anew = Path(shutil.copytree(sample, tmp_path / "built-anew" / "1.0.0"))
    for again in (folder, built_anew):
        assert put(hub, again, "tester/located").steps == ()
        assert command_line.digests(again) == command_line.digests(folder)
    put(hub, folder, "tester/elsewhere")
    assert address(folder) == f"{hub.url}/datasets/tester/elsewhere" and verify(folder) == []


def test_a_version_that_was_published_without_its_address_stays_as_it_is(
    hub: Hub, folder: Path, sample: Path, tmp_path: Path
) -> None:
    put(hub, folder, "tester/addressless")
    api, repo = HfApi(hub.url), {"repo_id": "tester/addressless", "repo_type": "dataset"}
    api.delete_tag(**repo, tag="v1.0.0")
    api.upload_file(**repo, path_or_fileobj=sample / "croissant.json", path_in_repo="croissant.json")
    api.create_tag(**repo, tag="v1.0.0")
    assert put(hub, folder, "tester/addressless").steps == ()
    assert address(folder) is None and hub.files("tester/addressless") == command_line.digests(folder)
