"""Publishes the report of a dataset as a static Space (a web page on the Hub) of the same name.

The Hub shows only the source of HTML files in a dataset. The Space contains only the report of the newest version; it
is created before the commit of the dataset, so that the link in the card always works.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from huggingface_hub import HfApi, SpaceCardData
from huggingface_hub.errors import RepositoryNotFoundError

from planimeter.export.foreign import read_file
from planimeter.export.hub.faults import PublishError
from planimeter.export.hub.files import as_additions, compare_files, remote_files
from planimeter.export.manifest import Manifest

#: A step of publishing: its description, and the function that takes it.
Step = tuple[str, Callable[[], object]]

#: The files that a Space for a report may have; a new Space has a default page, which the report replaces.
_KNOWN = frozenset({"README.md", "index.html", "style.css"})


def address_of(repo: str) -> str:
    """Return the address of the Space that shows the report of the dataset in ``repo``."""
    return f"https://huggingface.co/spaces/{repo}"


def space_steps(api: HfApi, repo: str, folder: Path, *, private: bool) -> list[Step]:
    """Return the steps after which the Space ``repo`` shows the report of ``folder``; empty if it already does.

    Raises:
        PublishError: if a Space of this name contains something else.
    """
    try:
        info = api.space_info(repo, files_metadata=True)
    except RepositoryNotFoundError:
        info = None
    uploaded = remote_files(info)
    if not uploaded.keys() <= _KNOWN:
        raise PublishError(
            f"the Space {repo} contains something other than the report of this dataset; give another --repo, or leave "
            "the report out with --no-space"
        )
    manifest = Manifest.read(folder)
    front = SpaceCardData(
        title=f"{manifest.recipe['title']} {manifest.version}: report",
        sdk="static",
        app_file="index.html",
        license=str(manifest.recipe["license"]).lower(),
        datasets=[repo],
    )
    text = f"---\n{front.to_yaml()}\n---\n\nThe report of the dataset `{repo}`.\n"
    files = as_additions({"README.md": text.encode(), "index.html": read_file(folder / "report" / "index.html")})
    steps: list[Step] = []
    if info is None:
        create = partial(api.create_repo, repo, repo_type="space", space_sdk="static", private=private)
        steps.append((f"create the Space {repo} for the report", create))
    differing = compare_files(files, uploaded)
    if operations := [files[path] for path in (*differing.added, *differing.changed)]:
        commit = partial(api.create_commit, repo, operations, repo_type="space", commit_message="The report")
        step = partial(commit, parent_commit=info.sha if info else None)
        steps.append((f"put the report into the Space {repo}", step))
    return steps
