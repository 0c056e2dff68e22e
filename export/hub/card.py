"""The card that goes to the Hub: that of the folder, with its address there and a changelog against what is there."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from huggingface_hub import HfApi
from huggingface_hub.errors import RepositoryNotFoundError

from planimeter.export.hub import changelog
from planimeter.export.hub.diff import diff
from planimeter.export.hub.versions import Folder, NoDatasetError, Persist, Revision
from planimeter.export.pages import loading
from planimeter.export.pages.sections import adopted

_TAG = re.compile(r"v(\d+)\.(\d+)\.(\d+)")


def card_for(folder: Path, api: HfApi, repo: str, persist: Persist, tell: Callable[[str], object]) -> bytes:
    """Return README.md of ``folder`` as it is published to ``repo``; only reads, each request through ``persist``.

    It says how to load the dataset from there. A version that is published already keeps what it was published with.
    """
    new = Folder(folder)
    card = changelog.alone((folder / "README.md").read_text(encoding="utf-8"), new.manifest)
    card = loading.addressed(card, new.manifest, repo)
    tags = persist(lambda: _tags(api, repo))
    version = new.manifest["version"]
    before = f"v{version}" if f"v{version}" in tags else earlier(tags, version)
    if before is None:
        return card.encode()
    try:
        old = Revision(api, repo, tags[before], persist)
        published = old.text("README.md")
    except NoDatasetError:
        # Not one of ours; what is compared next will refuse it.
        return card.encode()
    if before == f"v{version}":
        for heading in (changelog.HEADING, loading.HEADING):
            card = adopted(card, heading, published)
        return card.encode()
    if old.manifest["dataset"] != new.manifest["dataset"]:
        return card.encode()
    tell(f"comparing with {before} on the Hub, for the changelog")
    entry = changelog.entry(diff(old, new), version, new.manifest["recipe"]["release_date"])
    return changelog.amended(card, entry, published).encode()


def _tags(api: HfApi, repo: str) -> dict[str, str]:
    try:
        return {ref.name: ref.target_commit for ref in api.list_repo_refs(repo, repo_type="dataset").tags}
    except RepositoryNotFoundError:
        return {}


def earlier(tags: Mapping[str, str], version: str) -> str | None:
    """Return the tag of the newest version before ``version``, or None."""
    numbers = {tuple(map(int, found.groups())): tag for tag in tags if (found := _TAG.fullmatch(tag))}
    own = tuple(map(int, version.split(".")))
    older = [number for number in numbers if number < own]
    return numbers[max(older)] if older else None
