"""Publishes a dataset folder to the Hugging Face Hub: one commit, one tag a version, nothing ever lost.

No request is trusted to have failed because its answer did. ``publish`` looks at the remote, decides what the next
step is (create the repository, commit, tag, or nothing), does it, and looks again, whatever the result. So a lost
answer, a cut connection and a run that was killed are all the same: the next look shows what is still to do. Three
things keep that safe: a commit names its parent, so that it can happen once only; it covers nothing but what stays
under a tag, or what a fresh repository begins with; and a tag is set only on a commit whose every file has been
compared with the folder. The client's own ``upload_folder`` is not used: it makes several commits and repeats one
whose answer was lost.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError

from planimeter.export.atomic import write_file
from planimeter.export.hub.addition import NOTHING, Addition
from planimeter.export.hub.card import documents_for, is_newest, number_of
from planimeter.export.hub.faults import Patience, PublishError
from planimeter.export.hub.files import (
    Changes,
    LocalFile,
    RemoteFile,
    changes,
    info_of,
    local_files,
    local_text,
    named,
    remote_files,
    tags_of,
)
from planimeter.export.hub.space import address_of, publish_space, space_files
from planimeter.export.hub.tasks import NAME as TASKS
from planimeter.export.hub.tasks import tasks_file
from planimeter.export.manifest import MEASURES, Manifest
from planimeter.export.pages.loading import configs_of

#: Steps in the worst case that we consider: create, commit, tag, each done twice by another process too.
_TURNS = 12

#: What a repository may hold that was just made on the Hub's pages, and is replaced without a question.
_FRESH = frozenset({"README.md", "LICENSE"})

Operations = list[CommitOperationAdd | CommitOperationDelete]

#: What is to be done next, in words and as an action.
Step = tuple[str, Callable[[], object]]

_REPO = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """Where to publish: ``owner/name``, and whether a repository that is made for it is private."""

    repo: str
    private: bool = False

    def __post_init__(self) -> None:
        """Refuse a name that the Hub would refuse, before anything is asked of it."""
        if not _REPO.fullmatch(self.repo) or len(self.repo) > 96 or ".." in self.repo or "--" in self.repo:
            raise PublishError(f"need a repository as owner/name, got {self.repo!r}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """The result: ``steps`` is what was done (or, in a dry run, would be), empty if nothing was left to do.

    ``changes`` are the files in which the head still differs: none, but in a dry run.
    """

    address: str
    loader: str
    tag: str
    steps: tuple[str, ...]
    changes: Changes


@dataclass(frozen=True, kw_only=True, slots=True)
class _Remote:
    """What a look at the Hub shows; ``head`` and ``tagged`` are commits, empty where there is none."""

    head: str = ""
    private: bool = False
    files: Mapping[str, RemoteFile]
    tagged: str = ""
    tagged_files: Mapping[str, RemoteFile]


class _Publication:
    def __init__(self, folder: Path, target: Target, reading: Patience, api: HfApi, addition: Addition) -> None:
        self.folder, self.target, self.reading, self.api = folder, target, reading, api
        self.addition = addition
        self.manifest = Manifest.read(folder)
        self.tag = f"v{self.manifest.version}"
        self.documents: dict[Path, bytes] = {}
        self.files: dict[str, LocalFile] = {}
        self.steps: list[str] = []

    def prepare(self, log: Callable[[str], object]) -> None:
        """Read the folder, with what publishing changes in its documents; see ``documents_for``."""
        try:
            documents = documents_for(self.folder, self.api, self.target.repo, self.reading.persist, log, self.addition)
            self.documents = {self.folder / name: content for name, content in documents.items()}
            changed = {name: local_text(content) for name, content in documents.items()}
            self.files = local_files(self.folder) | changed | tasks_file(self.manifest)
        except OSError as error:
            raise PublishError(f"{error.filename or self.folder}: cannot be read ({error.strerror})") from error

    def refuse_read_only(self) -> None:
        """Refuse a folder that the documents cannot go to, before anything is published that it would differ from."""
        for path, content in self.documents.items():
            if content != _content(path) and not os.access(self.folder, os.W_OK):
                raise PublishError(
                    f"{path}: no right to write there, and it gets its address and changelog; mend the permissions, "
                    "or publish a copy of the folder"
                )

    def write_documents(self) -> None:
        """Make the folder agree with what is published."""
        for path, content in self.documents.items():
            try:
                if content != _content(path):
                    write_file(path, content)
            except OSError as error:
                raise PublishError(
                    f"{path} cannot be written ({error.strerror}), and what is published has a newer one; mend that "
                    "and run the same command again"
                ) from error

    def show_report(self, patience: Patience, log: Callable[[str], object]) -> None:
        """Publish the report as a Space, unless the dataset is there in a newer version, whose report it then shows."""
        repo = self.target.repo
        tags = self.reading.persist(lambda: tags_of(self.api, repo))
        shown = address_of(repo).encode() in self.documents[self.folder / "README.md"]
        if shown and is_newest(tags, self.manifest.version):
            files = space_files(self.folder, self.manifest, repo)
            self.steps += publish_space(self.api, repo, files, private=self.target.private, patience=patience, log=log)

    def look(self) -> _Remote:
        """Read head and tag with all their files."""
        head = info_of(self.api, self.target.repo)
        tagged = info_of(self.api, self.target.repo, self.tag) if head else None
        return _Remote(
            head=(head.sha or "") if head else "",
            private=bool(head and head.private),
            files=remote_files(head),
            tagged=(tagged.sha or "") if tagged else "",
            tagged_files=remote_files(tagged),
        )

    def refuse(self, remote: _Remote) -> None:
        """Raise ``PublishError`` for what forbids to publish, whatever the folder holds."""
        if self.addition.refused and not remote.tagged:
            raise PublishError(self.addition.refused)
        if remote.head and self.target.private and not remote.private:
            raise PublishError(
                f"{self.target.repo} exists and is public; make it private in its settings, or leave out --private"
            )

    def step(self, remote: _Remote) -> Step | None:
        """Return what is to be done next, or None. Raises ``PublishError`` to refuse."""
        self.refuse(remote)
        if not remote.head:
            kind = "private" if self.target.private else "public"
            return f"create the {kind} repository {self.target.repo}", self._create
        if remote.tagged:
            if TASKS not in remote.tagged_files:
                # Published before there was such a file: it stays without one.
                self.files.pop(TASKS, None)
            if differing := changes(self.files, remote.tagged_files):
                raise PublishError(
                    f"{self.target.repo} has {self.tag} with other content ({differing}); a published version is never "
                    "replaced, so build this one under another --version"
                )
            return None
        differing = changes(self.files, remote.files)
        if not differing:
            create_tag = partial(
                self.api.create_tag, self.target.repo, repo_type="dataset", tag=self.tag, revision=remote.head
            )
            return f"tag {remote.head[:12]} as {self.tag}", create_tag
        self._refuse_foreign(remote, differing)
        return _described(differing, self.files), lambda: self._commit(differing, remote.head)

    def _create(self) -> None:
        try:
            self.api.create_repo(self.target.repo, repo_type="dataset", private=self.target.private)
        except HfHubHTTPError as error:
            if error.response.status_code == 409 and not self.reading.persist(self.look).head:
                raise PublishError(
                    f"the name {self.target.repo} is taken by a repository that this token cannot see; give another"
                ) from None
            raise

    def _commit(self, differing: Changes, parent: str) -> None:
        sent = (*differing.added, *differing.changed)
        removed = (CommitOperationDelete(path) for path in differing.removed)
        operations: Operations = [*removed, *(CommitOperationAdd(path, self.files[path].source) for path in sent)]
        self.api.create_commit(
            self.target.repo,
            repo_type="dataset",
            operations=operations,
            commit_message=f"{self.manifest.dataset} {self.manifest.version}",
            parent_commit=parent,
        )

    def _refuse_foreign(self, remote: _Remote, differing: Changes) -> None:
        """Refuse to cover what is no older version of this dataset, or would then be under no tag."""
        name, version = self.manifest.dataset, self.manifest.version
        if set(remote.files) <= _FRESH:
            return
        manifest = self._head_manifest(remote)
        if manifest.get("dataset") != name:
            raise PublishError(f"{self.target.repo} holds something else than {name}; give another --repo")
        base = str(manifest.get("version"))
        if number_of(base) > number_of(version):
            raise PublishError(
                f"{self.target.repo} already holds {name} {base}, which is newer than {version}; "
                "give a newer --version when you build"
            )
        released = None if base == version else info_of(self.api, self.target.repo, f"v{base}")
        if released is None and base != version:
            raise PublishError(
                f"{self.target.repo} holds {name} {base} without its tag: publish {base} again first, which sets it, "
                f"or tag the commit {remote.head[:12]} yourself"
            )
        tagged = remote_files(released)
        lost = [path for path in (*differing.changed, *differing.removed) if tagged.get(path) != remote.files[path]]
        if lost and remote.head not in tags_of(self.api, self.target.repo).values():
            # Somebody's work since, or the same version as somebody else has built it.
            state = "other content and no tag yet" if base == version else f"changes made after v{base}"
            raise PublishError(
                f"{self.target.repo} holds {name} {base} with {state} ({named(lost)}), which {version} would undo; "
                "keep that under a tag of any name, then run the same command again: "
                f"hf repos tag create {self.target.repo} NAME --revision {remote.head} --type dataset"
            )

    def _head_manifest(self, remote: _Remote) -> Mapping[str, object]:
        if "manifest.json" not in remote.files:
            return {}
        path = self.api.hf_hub_download(
            self.target.repo, repo_type="dataset", filename="manifest.json", revision=remote.head
        )
        try:
            manifest = json.loads(Path(path).read_bytes())
        except ValueError:
            # Somebody else's; that it came whole is the client's care.
            return {}
        return manifest if isinstance(manifest, dict) else {}


def publish(
    folder: Path,
    target: Target,
    *,
    api: HfApi,
    sleep: Callable[[float], object],
    log: Callable[[str], object],
    dry_run: bool = False,
    addition: Addition = NOTHING,
    require_sound: Callable[[], object] = lambda: None,
) -> Published:
    """Publish the dataset in ``folder`` as its version, and return where it is.

    ``api`` is the client, which finds the token by itself. ``sleep`` waits between tries, ``log`` gets a line for
    each step and each fault. A dry run only reads. ``require_sound`` raises if the folder breaks a promise: it takes
    long, and is called only if the Hub's state allows to publish. Card and croissant.json in ``folder`` get
    their address, and the folder what is added, as soon as a step has succeeded, so that folder and remote agree to the
    byte. A version that was published without ``addition`` stays without.

    Raises:
        PublishError: with one line, if it is refused or a fault does not pass; run again, it goes on from there.
    """
    if not dry_run and not get_token():
        raise PublishError("there is no token: set HF_TOKEN, or log in with `hf auth login`")
    # Apart from that of looking: a look that succeeds does not excuse a step that fails again and again.
    patience = Patience(sleep, log)
    work = _Publication(folder, target, Patience(sleep, log), api, addition)
    work.refuse(work.reading.persist(work.look))
    require_sound()
    work.prepare(log)
    if not dry_run:
        work.refuse_read_only()
    if addition.space and not dry_run:
        # Whatever is refused is refused before the Space is made.
        work.reading.persist(lambda: work.step(work.look()))
        work.show_report(patience, log)
    for _ in range(_TURNS):
        remote = work.reading.persist(work.look)
        step = work.reading.persist(partial(work.step, remote))
        if step is None and not dry_run:
            work.write_documents()
        if step is None or dry_run:
            return Published(
                address=f"{api.endpoint}/datasets/{target.repo}/tree/{work.tag}",
                loader=f'load_dataset("{target.repo}", "{configs_of(work.manifest)[0]}", revision="{work.tag}")',
                tag=work.tag,
                steps=tuple(_planned(work, remote, step) if dry_run else work.steps),
                changes=changes(work.files, remote.files) if step else Changes(added=(), changed=(), removed=()),
            )
        words, action = step
        log(words)
        if patience.attempt(action):
            work.steps.append(words)
            work.write_documents()
    raise PublishError(f"{target.repo} changes while it is written to; run the same command again later")


def _content(path: Path) -> bytes | None:
    """Return what ``path`` holds, None if it is not there."""
    return path.read_bytes() if path.exists() else None


def _planned(work: _Publication, remote: _Remote, step: Step | None) -> list[str]:
    """Return all the steps from ``step`` on, for a dry run."""
    if step is None:
        return []
    steps = [step[0]]
    if not remote.head:
        steps.append(_described(changes(work.files, {}), work.files))
    return steps if step[0].startswith("tag ") else [*steps, f"tag the commit as {work.tag}"]


def _described(differing: Changes, files: Mapping[str, LocalFile]) -> str:
    sent = sum(files[path].size for path in (*differing.added, *differing.changed))
    listed = [
        f"{verb} {len(paths)} file{'s' if len(paths) > 1 else ''}"
        for verb, paths in (("add", differing.added), ("change", differing.changed), ("remove", differing.removed))
        if paths
    ]
    has_measures = any(path.startswith(f"{MEASURES}/") for path in files)
    loses_measures = not has_measures and any(path.startswith(f"{MEASURES}/") for path in differing.removed)
    measures = f", with the {MEASURES} of the version before, for this one has none (`planimeter measure` makes them)"
    return f"commit: {', '.join(listed)}{measures if loses_measures else ''} ({sent / 1e6:.1f} MB)"
