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

from planimeter.export.hub.faults import Patience, PublishError
from planimeter.export.hub.files import LocalFile, changes, local_text, remote_files
from planimeter.export.manifest import Manifest

#: What a Space may hold that was just made: the Hub begins it with a default page.
_FRESH = frozenset({"README.md", "index.html", "style.css"})

#: Rounds in the worst case: create and commit, each done twice by another process too.
_TURNS = 8


def address_of(repo: str) -> str:
    """Return where the report of the dataset in ``repo`` is shown."""
    return f"https://huggingface.co/spaces/{repo}"


def spaced(card: str, repo: str) -> str:
    """Return ``card`` whose link to the report leads to the Space; of the file the Hub shows the source."""
    return card.replace("](report/index.html)", f"]({address_of(repo)})")


def space_files(folder: Path, manifest: Manifest, repo: str) -> dict[str, LocalFile]:
    """Return the files of the Space by name: the report, and the front matter by which the Hub serves it."""
    front = {
        "title": f"{manifest.recipe['title']} {manifest.version}: report",
        "sdk": "static",
        "app_file": "index.html",
        "license": str(manifest.recipe["license"]).lower(),
        "datasets": [repo],
    }
    text = f"---\n{yaml.safe_dump(front, sort_keys=False)}---\n\nThe report of the dataset `{repo}`.\n"
    return {
        "README.md": local_text(text.encode()),
        "index.html": local_text((folder / "report" / "index.html").read_bytes()),
    }


def publish_space(
    api: HfApi,
    repo: str,
    files: dict[str, LocalFile],
    *,
    private: bool,
    patience: Patience,
    log: Callable[[str], object],
) -> list[str]:
    """Make the Space ``repo`` hold ``files``; return what was done, nothing where it does already.

    As for the dataset, a step whose answer is lost is never repeated blindly: the Space is looked at again.

    Raises:
        PublishError: if a Space of this name holds something else, or a fault does not pass.
    """
    done: list[str] = []
    for _ in range(_TURNS):
        step = patience.persist(partial(_next_step, api, repo, files, private=private))
        if step is None:
            return done
        words, action = step
        log(words)
        if patience.attempt(action):
            done.append(words)
    raise PublishError(f"the Space {repo} changes while it is written to; run the same command again later")


def _next_step(
    api: HfApi, repo: str, files: dict[str, LocalFile], *, private: bool
) -> tuple[str, Callable[[], object]] | None:
    try:
        info = api.space_info(repo, files_metadata=True)
    except RepositoryNotFoundError:
        create = partial(api.create_repo, repo, repo_type="space", space_sdk="static", private=private)
        return f"create the Space {repo} for the report", create
    uploaded = remote_files(info)
    if not set(uploaded) <= _FRESH | set(files):
        raise PublishError(
            f"the Space {repo} holds something else than the report of this dataset; give another --repo, or leave the "
            "report out with --no-space"
        )
    differing = changes(files, uploaded)
    sent = [CommitOperationAdd(path, files[path].source) for path in (*differing.added, *differing.changed)]
    if not sent:
        return None
    commit = partial(
        api.create_commit,
        repo,
        repo_type="space",
        operations=sent,
        commit_message="The report",
        parent_commit=info.sha,
    )
    return f"put the report into the Space {repo}", commit
