"""The documents of a dataset as they are published: README.md, croissant.json and eval.yaml.

The card and croissant.json that are sent get their address on the Hub, the card a changelog against the version before
it, and the section and files that are added to the build. The folder stays as it was built. All that is sent is a
function of it, of the published versions, and of the additions, so that a second run makes the same.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from huggingface_hub import HfApi

from planimeter.export import croissant
from planimeter.export.foreign import read_file, read_text
from planimeter.export.hub.diff import CHANGELOG, changelog, diff
from planimeter.export.hub.space import address_of
from planimeter.export.hub.versions import Version
from planimeter.export.manifest import Manifest, NoDatasetError
from planimeter.export.pages.sections import LOAD, addressed, put, replaced
from planimeter.items.suites import declared

_TAG = re.compile(r"v\d+\.\d+\.\d+")


@dataclass(frozen=True, kw_only=True)
class Addition:
    """A ``section`` of the card ("## ..." and its text) and ``files`` by name; empty where nothing is added.

    ``space``: whether the report is published as a Space, too. ``refused``: why this version is not to be published,
    if so; a published version stays.
    """

    section: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: str = ""
    space: bool = False

    def in_card(self, card: str) -> str:
        """Return ``card`` with the section."""
        # What a score is worth comes right after the first pictures.
        return put(card, self.section, LOAD) if self.section else card


NOTHING = Addition()


def published_card(built: str, manifest: Manifest, repo: str, addition: Addition, changes: str) -> str:
    """Return the card of a build as it is published to ``repo``; the verifier makes the same.

    ``changes`` is the section of the changelog; without it, or without a ``repo``, the card keeps that of the build.
    """
    card = addressed(built, manifest, repo) if repo else built
    if addition.space:
        # Of a file the Hub shows the source.
        card = card.replace("](report/index.html)", f"]({address_of(repo)})")
    if changes:
        card = replaced(card, CHANGELOG, changes)
    return addition.in_card(card)


def documents(
    folder: Path, api: HfApi, repo: str, tags: Mapping[str, str], addition: Addition, log: Callable[[str], object]
) -> dict[str, bytes]:
    """Return by name README.md, croissant.json and eval.yaml of ``folder`` as published to ``repo``, and the additions.

    ``tags`` are the commits of the versions that are published there.
    """
    manifest, changes = Manifest.read(folder), ""
    if tag := earlier(tags, manifest.version):
        log(f"comparing with {tag} on the Hub, for the changelog")
        try:
            old = Version.on_hub(api, repo, tags[tag])
            differing = diff(old, Version.in_folder(folder))
            changes = changelog(differing, manifest.version, manifest.recipe["release_date"], old.text("README.md"))
        except NoDatasetError as error:
            log(f"no changelog against {tag}: {error}")
    card = published_card(read_text(folder / "README.md"), manifest, repo, addition, changes)
    url = f"{api.endpoint}/datasets/{repo}"
    described = croissant.located(read_file(folder / "croissant.json"), url)
    written = {"README.md": card.encode(), "croissant.json": described}
    return {**written, **addition.files, **tasks_file(manifest)}


def earlier(tags: Iterable[str], version: str) -> str | None:
    """Return the tag of the newest version before ``version``, or None."""
    numbers = {number_of(tag[1:]): tag for tag in tags if _TAG.fullmatch(tag)}
    return numbers.get(max((number for number in numbers if number < number_of(version)), default=()))


def number_of(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, by which versions are ordered."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


# --- eval.yaml, by which `inspect eval hf/OWNER/NAME` runs a published dataset where nothing of ours is installed. Only
# problems without pictures have one: what Inspect reads of a repository holds no pictures, and no scorer but those of
# Inspect. For all others, and for our scorer, there is `inspect eval planimeter/<suite>_<config>`


TASKS = "eval.yaml"


def tasks_file(manifest: Manifest) -> dict[str, bytes]:
    """Return eval.yaml by its name, as JSON, which is YAML; nothing for a suite that needs pictures."""
    if declared(manifest.recipe["suite"]).pictures:
        return {}
    tasks = [
        {
            "id": config,
            "config": config,
            "split": split,
            "field_spec": {"input": "prompt", "target": "answer", "metadata": ["id"]},
            "solvers": [{"name": "generate"}],
            "scorers": [{"name": "math"}],
        }
        for config, splits in manifest.configs.items()
        for split in splits
    ]
    document = {
        "name": manifest.recipe["title"],
        "description": manifest.recipe["summary"],
        "evaluation_framework": "inspect-ai",
        "tasks": tasks,
    }
    return {TASKS: f"{json.dumps(document, indent=2, ensure_ascii=False)}\n".encode()}
