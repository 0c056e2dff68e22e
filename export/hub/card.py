"""Makes the documents of a dataset for its repository on the Hub: README.md, croissant.json and eval.yaml.

The card (README.md) and croissant.json get the address on the Hub. The card also gets a changelog since the previous
version, and the section of an ``Addition``, such as the results of a probe. The local folder is not changed. The
documents depend only on this folder, the published versions and the addition, so that a second run makes equal ones.
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
    """Content that publishing adds to a built dataset: a ``section`` of the card, and ``files`` (name -> content).

    ``space`` is true if the report is also published as a Space. ``views`` maps paths in the repository to local files:
    copies of test rows for the evaluation framework Inspect. ``refused`` is the reason why a new version must not be
    published, empty if there is none; it does not affect a version that is published already.
    """

    section: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: str = ""
    space: bool = False
    views: Mapping[str, Path] = field(default_factory=dict)

    def in_card(self, card: str) -> str:
        """Return ``card``, the text of README.md, with ``section`` inserted after the example pictures.

        The list `configs` in the front matter of the card also gets a config for each of the ``views`` of test rows.
        """
        if self.views:
            document = DatasetCard(card)
            document.data["configs"] += configs_of_views(self.views)
            card = str(document)
        # The section follows the example pictures.
        return put(card, self.section, LOAD) if self.section else card


#: No addition.
NOTHING = Addition()


def published_card(built: str, manifest: Manifest, repo: str, addition: Addition, changes: str) -> str:
    """Return the card ``built``, which a build wrote, as it is published to ``repo``; the verifier also calls this.

    ``changes`` is the new section Changelog; if it is empty, the old one remains. If ``repo`` is empty, the Python code
    that loads the dataset remains.
    """
    card = addressed(built, manifest, repo) if repo else built
    if addition.space:
        # The Hub shows the source of an HTML file, not the page.
        card = card.replace("](report/index.html)", f"]({address_of(repo)})")
    if changes:
        card = replaced(card, CHANGELOG, changes)
    return addition.in_card(card)


def documents(
    folder: Path, api: HfApi, repo: str, tags: Mapping[str, str], addition: Addition, log: Callable[[str], object]
) -> dict[str, bytes]:
    """Return name -> content of README.md, croissant.json and eval.yaml for ``repo``, and of the files of ``addition``.

    ``folder`` has the built dataset. ``tags`` maps the tags of ``repo`` to commits; ``log`` gets lines about the
    changelog.
    """
    manifest, changes = Manifest.read(folder), ""
    if tag := earlier(tags, manifest.version):
        log(f"comparing with {tag} on the Hub, for the changelog")
        try:
            old = Version.on_hub(api, repo, tags[tag])
            differing = diff(old, Version.in_folder(folder))
            changes = changelog(differing, manifest.version, manifest.recipe["release_date"], old.text("README.md"))
        except NoDatasetError as error:
            log(f"the changelog will not list the changes since {tag}: {error}")
    card = published_card(read_text(folder / "README.md"), manifest, repo, addition, changes)
    url = f"{api.endpoint}/datasets/{repo}"
    described = croissant.located(read_file(folder / "croissant.json"), url)
    written = {"README.md": card.encode(), "croissant.json": described}
    built = Built(folder=folder, manifest=manifest)
    return {**written, **addition.files, **tasks_file(built, addition.views)}


def earlier(tags: Iterable[str], version: str) -> str | None:
    """Return the tag of the newest version before ``version``, or None; tags other than ``v1.2.3`` are ignored."""
    numbers = {number_of(tag[1:]): tag for tag in tags if _TAG.fullmatch(tag)}
    return numbers.get(max((number for number in numbers if number < number_of(version)), default=()))


def number_of(version: str) -> tuple[int, ...]:
    """Return the numbers of ``version``, such as (1, 2, 0) for "1.2.0", to compare it with others."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


# --- eval.yaml, which makes a repository a Benchmark of the Hub, with a leaderboard for each task. Its fields are those
# of hub-docs, docs/hub/eval-results.md, and of Inspect's loader, which refuses others. `inspect eval hf/OWNER/NAME`
# runs configs without pictures, and configs with a view: Inspect's loader reads pictures as data URIs only, and refuses
# our column of PNGs. `inspect eval planimeter/<suite>_<config>` runs all configs, with our own scorer


TASKS = "eval.yaml"

#: The identifier of the framework Inspect, as in huggingface.js, packages/tasks/src/eval.ts.
FRAMEWORK = "inspect-ai"

#: A text in place of the answer, for finding the marks around an answer in a reply.
_ANSWER = "ANSWER"


def tasks_file(built: Built, views: Iterable[str] = ()) -> dict[str, bytes]:
    """Return ``{"eval.yaml": content}``, which makes a repository a benchmark of the Hub; empty without test rows.

    The content is JSON, which is valid YAML. Each config is a task on its test split, or on a copy of that for
    Inspect, if ``views`` (paths of such copies in the repository) contain one.
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
    """Return the fields `field_spec` (names of columns) and `solvers` of the task of ``config`` in eval.yaml.

    The solvers include a system message if any row has a system prompt.
    """
    fields: dict[str, object] = {"input": "prompt", "target": "answer", "metadata": ["id"]}
    if not built.shows_pictures:
        return {"field_spec": fields, "solvers": [{"name": "generate"}]}
    system = {"name": "system_message", "args": {"template": "{system_prompt}"}}
    groups = built.groups(config, split)
    has_system = any(row["system_prompt"] for group in groups for row in group.rows(["system_prompt"]))
    fields |= {"input_image": IMAGE, "metadata": ["id", "system_prompt"]}
    return {"field_spec": fields, "solvers": [*([system] if has_system else []), {"name": "generate"}]}


def _scorer(suite: str) -> dict[str, object]:
    """Return Inspect's scorer for ``suite``: it scores the text in the answer tags, or the reply if there are none."""
    with declared(suite).blamed("its grader cannot render an answer"):
        before, _, after = protocol(suite).render(_ANSWER).partition(_ANSWER)
    if not before.strip():
        return {"name": "exact"}
    pattern = rf"(?s){re.escape(before.strip())}\s*(.*?)\s*{re.escape(after.strip()) or '$'}"
    return {"name": "pattern", "args": {"pattern": pattern}}
