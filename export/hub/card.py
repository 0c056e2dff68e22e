"""What publishing changes in a dataset's documents: the card and croissant.json that it sends get their address on the
Hub, the card a changelog against what is there, and what is added to the build: a section and files.

The folder stays as it was built. All that is sent is a function of it, of the versions that are published, and of what
is added, so that a second run makes the same.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from huggingface_hub import HfApi

from planimeter.export import croissant
from planimeter.export.foreign import read_file, read_text
from planimeter.export.hub.diff import amended, diff, entry
from planimeter.export.hub.space import spaced
from planimeter.export.hub.versions import Folder, Revision
from planimeter.export.manifest import Manifest, NoDatasetError
from planimeter.export.pages.sections import LOAD, addressed, put
from planimeter.items.suites import declared

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
        """Return ``card`` with the section."""
        # What a score is worth comes right after the first pictures.
        return put(card, self.section, LOAD) if self.section else card


NOTHING = Addition()


def documents(
    folder: Path, api: HfApi, repo: str, tags: Mapping[str, str], addition: Addition, log: Callable[[str], object]
) -> dict[str, bytes]:
    """Return by name README.md, croissant.json and eval.yaml of ``folder`` as published to ``repo``, and what is added.

    ``tags`` are the commits of what is published there.
    """
    manifest = Manifest.read(folder)
    built = read_text(folder / "README.md")
    card = addition.in_card(addressed(built, manifest, repo))
    if addition.space:
        card = spaced(card, repo)
    if tag := earlier(tags, manifest.version):
        log(f"comparing with {tag} on the Hub, for the changelog")
        try:
            old = Revision(api, repo, tags[tag])
            new = entry(diff(old, Folder(folder)), manifest.version, manifest.recipe["release_date"])
            card = amended(card, new, old.text("README.md"))
        except NoDatasetError as error:
            log(f"no changelog against {tag}: {error}")
    url = f"{api.endpoint}/datasets/{repo}"
    described = croissant.located(read_file(folder / "croissant.json"), url)
    written = {"README.md": card.encode(), "croissant.json": described}
    return {**written, **addition.files, **tasks_file(manifest)}


def earlier(tags: Iterable[str], version: str) -> str | None:
    """Return the tag of the newest version before ``version``, or None."""
    numbers = {number_of(tag[1:]): tag for tag in tags if _TAG.fullmatch(tag)}
    return numbers.get(max((number for number in numbers if number < number_of(version)), default=()))


def number_of(version: str) -> tuple[int, ...]:
    """Return by what versions are ordered."""
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
