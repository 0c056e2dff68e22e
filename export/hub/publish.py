"""Publishes a dataset folder to the Hugging Face Hub: one commit, one tag a version, nothing ever lost.

``publish`` looks at the remote, refuses what it must not do, and takes the steps that are left: create the repository,
commit, tag. A request that fails ends the run, whatever became of it; a second run looks again and takes the steps that
are left then. Three things keep that safe: a commit names its parent, so that it can happen once only; it covers
nothing but what stays under a tag, or what a fresh repository begins with; and a tag is set only on a commit whose
every file has been compared with what was to be sent. The client's own ``upload_folder`` is not used: it makes several
commits and repeats one whose answer was lost.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError

from planimeter.export.foreign import parse_json, read_file
from planimeter.export.hub.card import NOTHING, Addition, documents, earlier, number_of
from planimeter.export.hub.faults import HubError, PublishError, clear_faults
from planimeter.export.hub.files import (
    Changes,
    LocalFile,
    changes,
    info_of,
    local_files,
    local_text,
    named,
    remote_files,
)
from planimeter.export.hub.space import Step, space_steps
from planimeter.export.manifest import Manifest
from planimeter.export.pages.sections import configs_of

#: What a repository may hold that was just made on the Hub's pages, and is replaced without a question.
_FRESH = frozenset({"README.md", "LICENSE"})

#: What of a published version its build alone decides; the documents are made for the state of the Hub at the time.
_BUILT = ("data/", "report/", "manifest.json")

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

    ``changes`` are the files that were (or would be) sent and removed.
    """

    address: str
    loader: str
    tag: str
    steps: tuple[str, ...]
    changes: Changes


class _Publication:
    """A folder, what is to be sent of it, and what one look at the Hub shows; ``head`` is empty if there is nothing."""

    def __init__(self, folder: Path, target: Target, api: HfApi, addition: Addition) -> None:
        self.folder, self.target, self.api, self.addition = folder, target, api, addition
        self.repo = target.repo
        self.manifest = Manifest.read(folder)
        self.tag = f"v{self.manifest.version}"
        info = info_of(api, self.repo)
        self.head = (info.sha or "") if info else ""
        self.is_public = bool(info and not info.private)
        self.remote = remote_files(info)
        refs = api.list_repo_refs(self.repo, repo_type="dataset").tags if info else []
        self.tags = {ref.name: ref.target_commit for ref in refs}
        self.files: dict[str, LocalFile] = {}
        self.changes = Changes()

    def refuse(self) -> None:
        """Raise ``PublishError`` for what forbids to publish, whatever the folder holds."""
        if self.target.private and self.is_public:
            raise PublishError(
                f"{self.repo} exists and is public; make it private in its settings, or leave out --private"
            )
        if self.tag in self.tags:
            self._require_same()
        elif self.addition.refused:
            raise PublishError(self.addition.refused)
        elif not self.remote.keys() <= _FRESH:
            self._require_older()

    def prepare(self, log: Callable[[str], object]) -> list[Step]:
        """Return the steps that are left, none if the version is published."""
        if self.tag in self.tags:
            return []
        made = documents(self.folder, self.api, self.repo, self.tags, self.addition, log)
        sent = {name: local_text(content) for name, content in made.items()}
        self.files = local_files(self.folder, self.manifest) | sent
        self.changes = changes(self.files, self.remote)
        self._require_kept()
        private = self.target.private
        steps = space_steps(self.api, self.repo, self.folder, private=private) if self.addition.space else []
        if not self.head:
            steps.append((f"create the {'private' if private else 'public'} repository {self.repo}", self._create))
        if any(self.changes):
            steps.append((_described(self.changes, self.files), self._commit))
        return [*steps, (f"tag the commit as {self.tag}", self._tag)]

    def _require_same(self) -> None:
        """Refuse to publish a version under whose tag other content stands."""
        tagged = remote_files(info_of(self.api, self.repo, self.tag))
        built = {
            path: file for path, file in local_files(self.folder, self.manifest).items() if path.startswith(_BUILT)
        }
        if differing := [path for path, file in built.items() if path not in tagged or not tagged[path].holds(file)]:
            raise PublishError(
                f"{self.repo} has {self.tag} with other content ({named(differing)}); a published version is never "
                "replaced, so build this one under another --version"
            )

    def _require_older(self) -> None:
        """Refuse a repository whose head is no older version of this dataset."""
        name, version = self.manifest.dataset, self.manifest.version
        manifest = self._head_manifest()
        if manifest.get("dataset") != name:
            raise PublishError(f"{self.repo} holds something else than {name}; give another --repo")
        base = str(manifest.get("version"))
        if number_of(base) > number_of(version):
            raise PublishError(
                f"{self.repo} already holds {name} {base}, which is newer than {version}; "
                "give a newer --version when you build"
            )

    def _require_kept(self) -> None:
        """Refuse to cover what would then be under no tag: somebody's work since, or a version without its tag."""
        if self.remote.keys() <= _FRESH or self.head in self.tags.values():
            return
        before = earlier(self.tags, self.manifest.version)
        kept = remote_files(info_of(self.api, self.repo, before)) if before else {}
        covered = (*self.changes.changed, *self.changes.removed)
        if lost := [path for path in covered if kept.get(path) != self.remote[path]]:
            raise PublishError(
                f"{self.repo} holds what no tag keeps and {self.manifest.version} would undo ({named(lost)}); "
                "keep that under a tag of any name, then run the same command again: "
                f"hf repos tag create {self.repo} NAME --revision {self.head} --type dataset"
            )

    def _head_manifest(self) -> Mapping[str, object]:
        if "manifest.json" not in self.remote:
            return {}
        path = self.api.hf_hub_download(self.repo, "manifest.json", repo_type="dataset", revision=self.head)
        try:
            manifest = parse_json(read_file(Path(path)))
        except ValueError:
            # Somebody else's; that it came whole is the client's care.
            return {}
        return manifest if isinstance(manifest, dict) else {}

    def _create(self) -> None:
        try:
            self.api.create_repo(self.repo, repo_type="dataset", private=self.target.private)
        except HfHubHTTPError as error:
            if error.response.status_code == 409:
                raise PublishError(
                    f"the name {self.repo} is taken by a repository that this token cannot see, or that was made a "
                    "moment ago; give another, or run the same command again"
                ) from None
            raise

    def _commit(self) -> None:
        sent = (*self.changes.added, *self.changes.changed)
        removed = (CommitOperationDelete(path) for path in self.changes.removed)
        info = None if self.head else info_of(self.api, self.repo)
        self.api.create_commit(
            self.repo,
            repo_type="dataset",
            operations=[*removed, *(CommitOperationAdd(path, self.files[path].source) for path in sent)],
            commit_message=f"{self.manifest.dataset} {self.manifest.version}",
            parent_commit=info.sha if info else self.head,
        )

    def _tag(self) -> None:
        info = info_of(self.api, self.repo)
        if info is None or any(changes(self.files, remote_files(info))):
            raise HubError(f"{self.repo} changes while it is written to; run the same command again")
        self.api.create_tag(self.repo, repo_type="dataset", tag=self.tag, revision=info.sha)


def publish(
    folder: Path,
    target: Target,
    *,
    api: HfApi,
    log: Callable[[str], object],
    dry_run: bool = False,
    addition: Addition = NOTHING,
    require_sound: Callable[[], object] = lambda: None,
) -> Published:
    """Publish the dataset in ``folder`` as its version, and return where it is.

    ``api`` is the client, which finds the token by itself; ``log`` gets a line for each step. A dry run only reads.
    ``require_sound`` raises if the folder breaks a promise: it takes long, and is called only if the Hub's state allows
    to publish. The folder stays as it is; a version that is published already does, too, whatever is added now.

    Raises:
        PublishError: with one line, if it is refused; ``HubError`` if a request fails: a second run goes on from there.
    """
    if not dry_run and not get_token():
        # What has to be done first is said first, so that nobody logs in for nothing.
        refused = f"{addition.refused}; then: " if addition.refused else ""
        raise PublishError(f"{refused}there is no token: set HF_TOKEN, or log in with `hf auth login`")
    with clear_faults():
        publication = _Publication(folder, target, api, addition)
        publication.refuse()
    if publication.tag not in publication.tags:
        require_sound()
    with clear_faults():
        steps = publication.prepare(log)
        for words, action in () if dry_run else steps:
            log(words)
            action()
    tag = publication.tag
    return Published(
        address=f"{api.endpoint}/datasets/{target.repo}/tree/{tag}",
        loader=f'load_dataset("{target.repo}", "{configs_of(publication.manifest)[0]}", revision="{tag}")',
        tag=tag,
        steps=tuple(words for words, _ in steps),
        changes=publication.changes,
    )


def _described(differing: Changes, files: Mapping[str, LocalFile]) -> str:
    sent = sum(files[path].size for path in (*differing.added, *differing.changed))
    listed = [
        f"{verb} {len(paths)} file{'s' if len(paths) > 1 else ''}"
        for verb, paths in zip(("add", "change", "remove"), differing, strict=True)
        if paths
    ]
    return f"commit: {', '.join(listed)} ({sent / 1e6:.1f} MB)"
