"""What publishing changes in a dataset's documents: the card and croissant.json that it sends get their address on the
Hub, the card a changelog against what is there, and what is added to the build: a section and files.

The folder stays as it was built. All that is sent is a function of it, of the versions that are published, and of what
is added, so that a second run makes the same.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from huggingface_hub import HfApi

from planimeter.export import croissant, measures
from planimeter.export.hub import changelog
from planimeter.export.hub.diff import diff
from planimeter.export.hub.space import spaced
from planimeter.export.hub.versions import Folder, Revision
from planimeter.export.manifest import Manifest, NoDatasetError
from planimeter.export.pages import loading
from planimeter.export.pages.sections import put

#: The section of a card that an added one is put before: what a score is worth comes right after the first pictures.
BEFORE = "Load"

_TAG = re.compile(r"v\d+\.\d+\.\d+")


@dataclass(frozen=True, kw_only=True)
class Addition:
    """A ``section`` of the card ("## ..." and its text) and ``files`` by name; empty where nothing is added.

    ``space``: whether the report is published as a Space, too. ``refused``: why this version is not to be published,
    if so; what is published already stays.
    """

    section: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: str = ""
    space: bool = False

    def in_card(self, card: str) -> str:
        """Return ``card`` with the section, and the configs of measures in its front matter."""
        listed = measures.listed(card, self.files)
        return put(listed, self.section, BEFORE) if self.section else listed


NOTHING = Addition()


def documents(
    folder: Path, api: HfApi, repo: str, tags: Mapping[str, str], addition: Addition, log: Callable[[str], object]
) -> dict[str, bytes]:
    """Return README.md and croissant.json of ``folder`` as they are published to ``repo``, and what is added, by name.

    ``tags`` are the commits of what is published there.
    """
    manifest = Manifest.read(folder)
    built = (folder / "README.md").read_text(encoding="utf-8")
    card = addition.in_card(loading.addressed(built, manifest, repo))
    if addition.space:
        card = spaced(card, repo)
    if tag := earlier(tags, manifest.version):
        log(f"comparing with {tag} on the Hub, for the changelog")
        try:
            old = Revision(api, repo, tags[tag])
            entry = changelog.entry(diff(old, Folder(folder)), manifest.version, manifest.recipe["release_date"])
            card = changelog.amended(card, entry, old.text("README.md"))
        except NoDatasetError as error:
            log(f"no changelog against {tag}: {error}")
    url = f"{api.endpoint}/datasets/{repo}"
    described = croissant.located((folder / "croissant.json").read_bytes(), url)
    return {"README.md": card.encode(), "croissant.json": described, **addition.files}


def earlier(tags: Iterable[str], version: str) -> str | None:
    """Return the tag of the newest version before ``version``, or None."""
    numbers = {number_of(tag[1:]): tag for tag in tags if _TAG.fullmatch(tag)}
    return numbers.get(max((number for number in numbers if number < number_of(version)), default=()))


def number_of(version: str) -> tuple[int, ...]:
    """Return by what versions are ordered."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())
