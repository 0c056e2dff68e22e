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

from huggingface_hub import DatasetCard, HfApi

from planimeter.evals import suite as protocol
from planimeter.export import croissant
from planimeter.export.built import Built
from planimeter.export.foreign import read_file, read_text
from planimeter.export.hub.diff import CHANGELOG, changelog, diff
from planimeter.export.hub.inspect_views import ENDING, IMAGE, configs_of_views
from planimeter.export.hub.space import address_of
from planimeter.export.hub.versions import Version
from planimeter.export.manifest import Manifest, NoDatasetError
from planimeter.export.pages.sections import LOAD, addressed, put, replaced
from planimeter.items.suites import declared

_TAG = re.compile(r"v\d+\.\d+\.\d+")


@dataclass(frozen=True, kw_only=True)
class Addition:
    """A ``section`` of the card ("## ..." and its text) and ``files`` by name; empty where nothing is added.

    ``space``: whether the report is published as a Space, too. ``views`` are large files by their path in the
    repository: the rows as Inspect's loader reads them (``inspect_views``). ``refused``: why this version is not to be
    published, if so; a published version stays.
    """

    section: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: str = ""
    space: bool = False
    views: Mapping[str, Path] = field(default_factory=dict)

    def in_card(self, card: str) -> str:
        """Return ``card`` with the section."""
        if self.views:
            document = DatasetCard(card)
            document.data["configs"] += configs_of_views(self.views)
            card = str(document)
        # What a score is worth comes right after the first pictures.
        return put(card, self.section, LOAD) if self.section else card


NOTHING = Addition()


def published_card(built: str, manifest: Manifest, repo: str, addition: Addition, changes: str) -> str:
    """Return the card ``built`` with the changes for its publication to ``repo``; the verifier calls this too.

    ``changes`` is the text of the changelog section; if it or ``repo`` is empty, the card keeps that part of the build.
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
    built = Built(folder=folder, manifest=manifest)
    return {**written, **addition.files, **tasks_file(built, addition.views)}


def earlier(tags: Iterable[str], version: str) -> str | None:
    """Return the tag of the newest version before ``version``, or None."""
    numbers = {number_of(tag[1:]): tag for tag in tags if _TAG.fullmatch(tag)}
    return numbers.get(max((number for number in numbers if number < number_of(version)), default=()))


def number_of(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, by which versions are ordered."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


# --- eval.yaml, which makes a repository a Benchmark of the Hub, with a leaderboard for each task. Its fields are those
# of hub-docs, docs/hub/eval-results.md, and of Inspect's loader, which refuses others. `inspect eval hf/OWNER/NAME`
# runs problems without pictures as they are, and configs that are published with a view: of pictures Inspect's loader
# reads data URIs only, and it refuses our column of PNGs. All configs, with our own scorer, run by
# `inspect eval planimeter/<suite>_<config>`


TASKS = "eval.yaml"

#: The framework, one of the identifiers in huggingface.js, packages/tasks/src/eval.ts.
FRAMEWORK = "inspect-ai"

#: A text that stands for an answer in the asked form of a reply.
_ANSWER = "ANSWER"


def tasks_file(built: Built, views: Iterable[str] = ()) -> dict[str, bytes]:
    """Return ``{"eval.yaml": content}``, or an empty dict for a dataset that has only training rows.

    The content is JSON, which is valid YAML. Each config is one task, evaluated on its test split, or on its view if
    ``views`` has a file of one.
    """
    recipe, viewed = built.manifest.recipe, {Path(path).parent.name for path in views}
    asked = {config: split for config, split in built.tests.items() if split != "train"}
    if not asked:
        return {}
    tasks = [
        {
            "id": config,
            "config": f"{config}{ENDING}" if f"{config}{ENDING}" in viewed else config,
            "split": split,
            **_asking(built, config, split),
            "scorers": [_scorer(built.suite) if built.shows_pictures else {"name": "math"}],
        }
        for config, split in asked.items()
    ]
    document = {
        "name": recipe["title"],
        "description": recipe["summary"],
        "evaluation_framework": FRAMEWORK,
        "tasks": tasks,
    }
    return {TASKS: f"{json.dumps(document, indent=2, ensure_ascii=False)}\n".encode()}


def _asking(built: Built, config: str, split: str) -> dict[str, object]:
    """Return the fields and the solvers of a task; without a system prompt, no system message is sent."""
    fields: dict[str, object] = {"input": "prompt", "target": "answer", "metadata": ["id"]}
    if not built.shows_pictures:
        return {"field_spec": fields, "solvers": [{"name": "generate"}]}
    system = {"name": "system_message", "args": {"template": "{system_prompt}"}}
    groups = built.groups(config, split)
    has_system = any(row["system_prompt"] for group in groups for row in group.rows(["system_prompt"]))
    fields |= {"input_image": IMAGE, "metadata": ["id", "system_prompt"]}
    return {"field_spec": fields, "solvers": [*([system] if has_system else []), {"name": "generate"}]}


def _scorer(suite: str) -> dict[str, object]:
    """Return Inspect's scorer that accepts the asked form of a reply: the marked text, or the whole reply."""
    with declared(suite).blamed("its grader cannot render an answer"):
        before, _, after = protocol(suite).render(_ANSWER).partition(_ANSWER)
    if not before.strip():
        return {"name": "exact"}
    pattern = rf"(?s){re.escape(before.strip())}\s*(.*?)\s*{re.escape(after.strip()) or '$'}"
    return {"name": "pattern", "args": {"pattern": pattern}}
