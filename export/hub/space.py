"""The report of a published dataset as a static Space of the same name, where a reader of the Hub can open it.

The Hub shows no HTML of a dataset's files. The Space holds the report of the newest version and nothing else; it is
made before the dataset's commit, so that the link in the card never leads nowhere.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import yaml  # type: ignore[import-untyped]
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import RepositoryNotFoundError

from planimeter.export.foreign import read_file
from planimeter.export.hub.faults import PublishError
from planimeter.export.hub.files import LocalFile, changes, local_text, remote_files
from planimeter.export.manifest import Manifest

#: What is to be done, in words and as an action.
Step = tuple[str, Callable[[], object]]

#: What a Space may hold: the Hub begins one with a default page, which ours replaces.
_KNOWN = frozenset({"README.md", "index.html", "style.css"})


def address_of(repo: str) -> str:
    """Return where the report of the dataset in ``repo`` is shown."""
    return f"https://huggingface.co/spaces/{repo}"


def spaced(card: str, repo: str) -> str:
    """Return ``card`` whose link to the report leads to the Space; of the file the Hub shows the source."""
    return card.replace("](report/index.html)", f"]({address_of(repo)})")


def space_steps(api: HfApi, repo: str, folder: Path, *, private: bool) -> list[Step]:
    """Return what makes the Space ``repo`` show the report of ``folder``; nothing where it does already.

    Raises:
        PublishError: if a Space of this name holds something else.
    """
    files = _files(folder, repo)
    try:
        info = api.space_info(repo, files_metadata=True)
    except RepositoryNotFoundError:
        info = None
    uploaded = remote_files(info)
    if not uploaded.keys() <= _KNOWN:
        raise PublishError(
            f"the Space {repo} holds something else than the report of this dataset; give another --repo, or leave the "
            "report out with --no-space"
        )
    steps: list[Step] = []
    if info is None:
        create = partial(api.create_repo, repo, repo_type="space", space_sdk="static", private=private)
        steps.append((f"create the Space {repo} for the report", create))
    differing = changes(files, uploaded)
    if sent := [CommitOperationAdd(path, files[path].source) for path in (*differing.added, *differing.changed)]:
        head = info.sha if info else None
        commit = partial(api.create_commit, repo, repo_type="space", operations=sent, parent_commit=head)
        steps.append((f"put the report into the Space {repo}", partial(commit, commit_message="The report")))
    return steps


def _files(folder: Path, repo: str) -> dict[str, LocalFile]:
    """Return the files of the Space by name: the report, and the front matter by which the Hub serves it."""
    manifest = Manifest.read(folder)
    front = {
        "title": f"{manifest.recipe['title']} {manifest.version}: report",
        "sdk": "static",
        "app_file": "index.html",
        "license": str(manifest.recipe["license"]).lower(),
        "datasets": [repo],
    }
    text = f"---\n{yaml.safe_dump(front, sort_keys=False)}---\n\nThe report of the dataset `{repo}`.\n"
    report = read_file(folder / "report" / "index.html")
    return {"README.md": local_text(text.encode()), "index.html": local_text(report)}
