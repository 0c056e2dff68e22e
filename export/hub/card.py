"""What publishing changes in a dataset: its card and croissant.json get their address on the Hub, the card a changelog
against what is there, and what is added to the build: a section and files. All else is published as it was built.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from huggingface_hub import HfApi

from planimeter.export import croissant
from planimeter.export.hub import changelog
from planimeter.export.hub.addition import NOTHING, Addition
from planimeter.export.hub.diff import diff
from planimeter.export.hub.files import tags_of
from planimeter.export.hub.space import address_of, spaced
from planimeter.export.hub.versions import Folder, Persist, Revision
from planimeter.export.manifest import NoDatasetError
from planimeter.export.pages import loading
from planimeter.export.pages.sections import adopted

_TAG = re.compile(r"v\d+\.\d+\.\d+")


def documents_for(
    folder: Path, api: HfApi, repo: str, persist: Persist, log: Callable[[str], object], addition: Addition = NOTHING
) -> dict[str, bytes]:
    """Return README.md and croissant.json of ``folder`` as they are published to ``repo``, and what is added, by name.

    Only reads, each request through ``persist``. A version that is published already keeps what it was published with.
    """
    new = Folder(folder)
    version = new.manifest.version
    card = changelog.alone((folder / "README.md").read_text(encoding="utf-8"), new.manifest)
    card = loading.addressed(card, new.manifest, repo)
    url = f"{api.endpoint}/datasets/{repo}"
    tags = persist(lambda: tags_of(api, repo))
    tag = f"v{version}" if f"v{version}" in tags else earlier(tags, version)
    try:
        old = Revision(api, repo, tags[tag], persist) if tag else None
        published = old.text("README.md") if old else ""
        if old and tag == f"v{version}":
            addition = addition.as_published(old.names)
        card = addition.in_card(card)
        if addition.space and (tag != f"v{version}" or address_of(repo) in published):
            card = spaced(card, repo)
        if old and tag == f"v{version}":
            for heading in (changelog.HEADING, loading.HEADING, addition.heading):
                card = adopted(card, heading, published)
            url = croissant.url_of(old.text("croissant.json"))
    except NoDatasetError:
        # Not one of ours; what is compared next will refuse it.
        old = None
    if old and tag != f"v{version}" and old.manifest.dataset == new.manifest.dataset:
        log(f"comparing with {tag} on the Hub, for the changelog")
        entry = changelog.entry(diff(old, new), version, new.manifest.recipe["release_date"])
        card = changelog.amended(card, entry, published)
    described = (folder / "croissant.json").read_bytes()
    return {"README.md": card.encode(), "croissant.json": croissant.located(described, url), **addition.files}


def earlier(tags: Iterable[str], version: str) -> str | None:
    """Return the tag of the newest version before ``version``, or None."""
    numbers = {number_of(tag[1:]): tag for tag in tags if _TAG.fullmatch(tag)}
    return numbers.get(max((number for number in numbers if number < number_of(version)), default=()))


def is_newest(tags: Iterable[str], version: str) -> bool:
    """Return whether none of ``tags`` is that of a version newer than ``version``."""
    return all(number_of(tag[1:]) <= number_of(version) for tag in tags if _TAG.fullmatch(tag))


def number_of(version: str) -> tuple[int, ...]:
    """Return by what versions are ordered."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())
