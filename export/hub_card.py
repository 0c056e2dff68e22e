"""The card that goes to the Hub: that of the folder, with a changelog against the versions which are there already."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi
from huggingface_hub.errors import RemoteEntryNotFoundError, RepositoryNotFoundError

from export import changelog
from export.diff import diff

_TAG = re.compile(r"v(\d+)\.(\d+)\.(\d+)")


def card_for(folder: Path, manifest: Mapping[str, Any], api: HfApi, repo: str) -> bytes:
    """Return README.md of ``folder`` as it is published to ``repo``; only reads, and may raise what the client does.

    A version that is published already keeps the changelog it was published with.
    """
    card = (folder / "README.md").read_text(encoding="utf-8")
    try:
        tags = {ref.name: ref.target_commit for ref in api.list_repo_refs(repo, repo_type="dataset").tags}
    except RepositoryNotFoundError:
        return card.encode()
    version = manifest["version"]
    if f"v{version}" in tags:
        try:
            published = api.hf_hub_download(repo, "README.md", repo_type="dataset", revision=tags[f"v{version}"])
        except RemoteEntryNotFoundError:
            # Not one of ours; the comparison with the tag will refuse it.
            return card.encode()
        return changelog.adopted(card, Path(published).read_text(encoding="utf-8")).encode()
    before = earlier(tags, version)
    if before is None:
        return card.encode()
    old = download(api, repo, tags[before])
    entry = changelog.entry(diff(old, folder), version, manifest["recipe"]["release_date"])
    return changelog.amended(card, entry, (old / "README.md").read_text(encoding="utf-8")).encode()


def earlier(tags: Mapping[str, str], version: str) -> str | None:
    """Return the tag of the newest version before ``version``, or None."""
    numbers = {tuple(map(int, found.groups())): tag for tag in tags if (found := _TAG.fullmatch(tag))}
    own = tuple(map(int, version.split(".")))
    older = [number for number in numbers if number < own]
    return numbers[max(older)] if older else None


def download(api: HfApi, repo: str, revision: str) -> Path:
    """Return a folder with card, manifest and data of a revision, in the client's own cache."""
    return Path(
        api.snapshot_download(
            repo,
            repo_type="dataset",
            revision=revision,
            allow_patterns=["README.md", "manifest.json", "data/*"],
        )
    )
