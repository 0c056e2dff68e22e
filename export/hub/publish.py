"""Publishes a dataset folder to the Hugging Face Hub: one commit and one tag a version, no loss.

``publish`` reads the remote, refuses forbidden changes, and takes the remaining steps: create the repository, upload,
commit, tag. A failed request, carried out or not, ends the run; a second run reads the remote again and takes the
remaining steps, without the large files that were uploaded. Three rules make that safe: a commit names its parent, so
that it can happen only once; it replaces only files that a tag preserves, or those of a fresh repository; and a tag is
set only on a commit whose every file equals the local one. The client's own ``upload_folder`` is not used: it repeats a
commit whose answer was lost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.utils import validate_repo_id

from planimeter.export.foreign import parse_json, read_file
from planimeter.export.hub.card import NOTHING, Addition, documents, earlier, number_of
from planimeter.export.hub.faults import HubError, PublishError, explain_hub_errors
from planimeter.export.hub.files import (
    Changes,
    as_additions,
    compare_files,
    info_of,
    local_files,
    quote_paths,
    remote_files,
)
from planimeter.export.hub.space import Step, space_steps
from planimeter.export.manifest import Manifest
from planimeter.export.pages.sections import configs_of

#: Files of a fresh repository, made on the Hub's pages; they are replaced without a question.
_FRESH = frozenset({"README.md", "LICENSE"})

#: Files of a published version that its build alone decides; the documents depend on the Hub's state at the time.
_BUILT = ("data/", "report/", "manifest.json")


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """The destination: ``owner/name``, and whether a repository that is made for it is private."""

    repo: str
    private: bool = False

    def __post_init__(self) -> None:
        """Refuse a name that the Hub would refuse, before a request."""
        try:
            validate_repo_id(self.repo)
            is_valid = "/" in self.repo
        except ValueError:
            is_valid = False
        if not is_valid:
            raise PublishError(f"need a repository as owner/name, got {self.repo!r}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """The result: the ``steps`` taken (or, in a dry run, to take), empty if the version was already published.

    ``changes`` are the files that were (or would be) sent and removed.
    """

    address: str
    loader: str
    tag: str
    steps: tuple[str, ...]
    changes: Changes


class _Publication:
    """A folder, its files to send, and the state of the Hub; ``head`` is empty without a repository."""

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
        self.files: dict[str, CommitOperationAdd] = {}
        self.changes = Changes()

    def refuse(self) -> None:
        """Raise ``PublishError`` if the destination forbids any publication."""
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
        """Return the remaining steps, none if the version is published."""
        if self.tag in self.tags:
            return []
        made = documents(self.folder, self.api, self.repo, self.tags, self.addition, log)
        self.files = local_files(self.folder, self.manifest) | as_additions(made)
        self.changes = compare_files(self.files, self.remote)
        self._require_kept()
        private = self.target.private
        steps = space_steps(self.api, self.repo, self.folder, private=private) if self.addition.space else []
        if not self.head:
            steps.append((f"create the {'private' if private else 'public'} repository {self.repo}", self._create))
        if any(self.changes):
            steps.append((self._described(), self._commit))
        return [*steps, (f"tag the commit as {self.tag}", self._tag)]

    def _require_same(self) -> None:
        """Refuse to publish a version whose tag has other content."""
        tagged = remote_files(info_of(self.api, self.repo, self.tag))
        local = local_files(self.folder, self.manifest)
        built = {path: file for path, file in local.items() if path.startswith(_BUILT)}
        differing = compare_files(built, tagged)
        if paths := [*differing.added, *differing.changed]:
            raise PublishError(
                f"{self.repo} has {self.tag} with other content ({quote_paths(paths)}); a published version is never "
                "replaced, so build this one under another --version"
            )

    def _require_older(self) -> None:
        """Refuse a repository whose head is not an older version of this dataset."""
        name, version = self.manifest.dataset, self.manifest.version
        there: object = None
        if "manifest.json" in self.remote:
            path = self.api.hf_hub_download(self.repo, "manifest.json", repo_type="dataset", revision=self.head)
            try:
                there = parse_json(read_file(Path(path)))
            except ValueError:
                # Somebody else's; the client checks the download.
                there = None
        manifest = there if isinstance(there, dict) else {}
        if manifest.get("dataset") != name:
            raise PublishError(f"{self.repo} contains something other than {name}; give another --repo")
        base = str(manifest.get("version"))
        if number_of(base) > number_of(version):
            raise PublishError(
                f"{self.repo} already has {name} {base}, which is newer than {version}; "
                "give a newer --version when you build"
            )

    def _require_kept(self) -> None:
        """Refuse to replace files that no tag preserves: later work of others, or a version without its tag."""
        if self.remote.keys() <= _FRESH or self.head in self.tags.values():
            return
        before = earlier(self.tags, self.manifest.version)
        kept = remote_files(info_of(self.api, self.repo, before)) if before else {}
        covered = (*self.changes.changed, *self.changes.removed)
        if lost := [path for path in covered if path not in kept or kept[path].blob_id != self.remote[path].blob_id]:
            raise PublishError(
                f"{self.repo} has untagged changes that {self.manifest.version} would overwrite ({quote_paths(lost)}); "
                "give them a tag of any name, then run the same command again: "
                f"hf repos tag create {self.repo} NAME --revision {self.head} --type dataset"
            )

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
        """Make the commit; its missing large files go first (``preupload_lfs_files``)."""
        info = None if self.head else info_of(self.api, self.repo)
        added = [self.files[path] for path in (*self.changes.added, *self.changes.changed)]
        self.api.create_commit(
            self.repo,
            [*map(CommitOperationDelete, self.changes.removed), *added],
            repo_type="dataset",
            commit_message=f"{self.manifest.dataset} {self.manifest.version}",
            parent_commit=info.sha if info else self.head,
        )

    def _tag(self) -> None:
        info = info_of(self.api, self.repo)
        if info is None or any(compare_files(self.files, remote_files(info))):
            raise HubError(f"{self.repo} changed during the upload; run the same command again")
        self.api.create_tag(self.repo, repo_type="dataset", tag=self.tag, revision=info.sha)

    def _described(self) -> str:
        listed = [
            f"{verb} {len(paths)} file{'s' if len(paths) > 1 else ''}"
            for verb, paths in zip(("add", "change", "remove"), self.changes, strict=True)
            if paths
        ]
        sent = sum(self.files[path].upload_info.size for path in (*self.changes.added, *self.changes.changed))
        return f"commit: {', '.join(listed)} ({sent / 1e6:.1f} MB)"


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
    """Publish the dataset in ``folder`` as its version, and return the result with its address.

    ``api`` is the client, which finds the token by itself; ``log`` gets a line for each step. A dry run only reads.
    ``require_sound`` raises if the folder breaks a promise: it takes long, and is called only if the Hub's state allows
    publishing. The folder stays unchanged, and so does a published version, also with another ``addition``.

    Raises:
        PublishError: with one line, if it is refused; ``HubError`` if a request fails: a second run continues there.
    """
    if not dry_run and not get_token():
        # The refusal comes first, so that nobody logs in for nothing.
        refused = f"{addition.refused}; then: " if addition.refused else ""
        raise PublishError(f"{refused}there is no token: set HF_TOKEN, or log in with `hf auth login`")
    with explain_hub_errors():
        publication = _Publication(folder, target, api, addition)
        publication.refuse()
    if publication.tag not in publication.tags:
        require_sound()
    with explain_hub_errors():
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
