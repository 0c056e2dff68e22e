"""Publishes a dataset folder to the Hugging Face Hub as one commit and one tag for each version.

``publish`` reads the state of the repository, refuses forbidden changes, and takes the remaining steps: create the
repository, upload, commit, tag. A failed request, carried out or not, ends the run; a second run reads the state again
and takes the remaining steps, without uploading large files again. Three rules make that safe: a commit names its
parent, so that it can succeed only once; it replaces only files that a tag preserves, or those of a new repository; and
a tag is set only on a commit all of whose files equal the local ones. The client's ``upload_folder`` is not used, since
it repeats a commit whose answer was lost.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.hf_api import RepoSibling
from huggingface_hub.utils import validate_repo_id

from planimeter.export.foreign import parse_json, read_file
from planimeter.export.hub.card import NOTHING, Addition, documents, earlier, number_of
from planimeter.export.hub.faults import HubError, PublishError, explain_hub_errors
from planimeter.export.hub.files import (
    Changes,
    as_additions,
    compare_files,
    info_of,
    is_same,
    local_files,
    quote_paths,
    remote_files,
)
from planimeter.export.hub.space import Step, space_steps
from planimeter.export.manifest import Manifest
from planimeter.export.pages.sections import configs_of
from planimeter.export.seal import SEAL_FILE, is_due
from planimeter.items.printing import command

#: Files of a repository without a version: those that the Hub's website creates, and the seal. They may be replaced.
_FRESH = frozenset({"README.md", "LICENSE", SEAL_FILE})

#: The beginnings of paths of files that the build alone decides; the documents also depend on the state of the Hub.
_BUILT = ("data/", "report/", "manifest.json", SEAL_FILE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """The destination: the repository ``repo`` (owner/name); ``private`` makes a new repository private."""

    repo: str
    private: bool = False

    def __post_init__(self) -> None:
        """Raise ``PublishError`` for a name that the Hub would refuse, before any request."""
        try:
            validate_repo_id(self.repo)
            is_valid = "/" in self.repo
        except ValueError:
            is_valid = False
        if not is_valid:
            raise PublishError(f"need a repository as owner/name, got {self.repo!r}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """The result of publishing, or the plan of a dry run.

    ``address`` is the URL of the version, ``loader`` a line of Python that loads it, and ``tag`` its tag. ``steps``
    describes each step that was taken, or would be; empty if the version was already published. ``changes`` are the
    files of the commit.
    """

    address: str
    loader: str
    tag: str
    steps: tuple[str, ...]
    changes: Changes


class _Publication:
    """The publication of one version: the folder, the files to send, and the state of the repository.

    ``head`` is the latest commit of the repository, empty if the repository does not exist.
    """

    def __init__(self, folder: Path, target: Target, api: HfApi, addition: Addition) -> None:
        self.folder, self.target, self.api, self.addition = folder, target, api, addition
        self.repo = target.repo
        self.manifest = Manifest.read(folder)
        self.tag, self.title = f"v{self.manifest.version}", f"{self.manifest.dataset} {self.manifest.version}"
        info = info_of(api, self.repo)
        self.head = (info.sha or "") if info else ""
        self.is_public = bool(info and not info.private)
        self.remote = remote_files(info)
        refs = api.list_repo_refs(self.repo, repo_type="dataset").tags if info else []
        self.tags = {ref.name: ref.target_commit for ref in refs}
        self.files: dict[str, CommitOperationAdd] = {}
        self.changes = Changes()

    def refuse(self) -> None:
        """Raise ``PublishError`` if the state of the repository, or ``addition.refused``, forbids publishing."""
        self._require_private()
        if self.tag in self.tags:
            self._require_same(self.tag)
        elif self.addition.refused:
            raise PublishError(self.addition.refused)
        elif not self.remote.keys() <= _FRESH:
            self._require_older()
        if is_due(self.manifest):
            self._require_seal(f"seal-{self.tag}")

    def prepare(self, log: Callable[[str], object]) -> list[Step]:
        """Return the remaining steps; empty if the version is published. ``log`` gets lines about the changelog."""
        if self.tag in self.tags:
            return []
        made = documents(self.folder, self.api, self.repo, self.tags, self.addition, log)
        self.files = local_files(self.folder, self.manifest) | as_additions({**made, **self.addition.views})
        self.changes = compare_files(self.files, self.remote)
        self._require_kept()
        private = self.target.private
        space = space_steps(self.api, self.repo, self.folder, private=private) if self.addition.space else []
        return [*space, *self._steps()]

    def _steps(self) -> list[Step]:
        """Return the remaining steps for the dataset itself: create the repository, commit ``changes``, set the tag."""
        private = "private" if self.target.private else "public"
        steps: list[Step] = [] if self.head else [(f"create the {private} repository {self.repo}", self._create)]
        if any(self.changes):
            steps.append((self._described(), self._commit))
        return [*steps, (f"tag the commit as {self.tag}", self._tag)]

    def _require_private(self) -> None:
        if self.target.private and self.is_public:
            raise PublishError(
                f"{self.repo} exists and is public; make it private in its settings, or leave out --private"
            )

    def _require_seal(self, tag: str) -> None:
        """Raise ``PublishError`` unless the dataset's seal.json, its commitment, is published under ``tag``."""
        if tag not in self.tags:
            first = command("planimeter", "publish", self.folder, "--repo", self.repo, "--only-seal")
            raise PublishError(f"{self.repo} has no seal of this edition: publish it before the rows, by `{first}`")
        sealed = remote_files(info_of(self.api, self.repo, tag)).get(SEAL_FILE)
        if sealed is None or not is_same(local_files(self.folder, self.manifest)[SEAL_FILE], sealed):
            raise PublishError(f"{self.repo} has another seal under {tag}; build this edition with another --version")

    def _require_same(self, tag: str) -> None:
        """Raise ``PublishError`` if data, report, manifest or seal under ``tag`` differ from those of this build."""
        tagged = remote_files(info_of(self.api, self.repo, tag))
        local = local_files(self.folder, self.manifest)
        built = {path: file for path, file in local.items() if path.startswith(_BUILT)}
        differing = compare_files(built, tagged)
        if paths := [*differing.added, *differing.changed]:
            raise PublishError(
                f"{self.repo} has {tag} with other content ({quote_paths(paths)}); a published version is never "
                "replaced, so build this one under another --version"
            )

    def _require_older(self) -> None:
        """Raise ``PublishError`` if the head of the repository is not an older version of this dataset."""
        name, version = self.manifest.dataset, self.manifest.version
        there: object = None
        if "manifest.json" in self.remote:
            path = self.api.hf_hub_download(self.repo, "manifest.json", repo_type="dataset", revision=self.head)
            try:
                there = parse_json(read_file(Path(path)))
            except ValueError:
                # A manifest of another kind; the client has checked the download.
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
        """Raise ``PublishError`` if the commit would replace files that no tag preserves."""
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
        """Upload missing large files and make the commit (``HfApi.create_commit`` does both)."""
        info = None if self.head else info_of(self.api, self.repo)
        added = [self.files[path] for path in (*self.changes.added, *self.changes.changed)]
        self.api.create_commit(
            self.repo,
            [*map(CommitOperationDelete, self.changes.removed), *added],
            repo_type="dataset",
            commit_message=self.title,
            parent_commit=info.sha if info else self.head,
        )

    def _tag(self) -> None:
        info = info_of(self.api, self.repo)
        if info is None or self._differs(remote_files(info)):
            raise HubError(f"{self.repo} changed during the upload; run the same command again")
        self.api.create_tag(self.repo, repo_type="dataset", tag=self.tag, revision=info.sha)

    def _differs(self, remote: Mapping[str, RepoSibling]) -> bool:
        return any(compare_files(self.files, remote))

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
    """Publish the dataset in ``folder`` to the Hub, tagged with its version, and return the result.

    ``api`` is the client, which finds the token by itself; ``log`` gets a line for each step. A dry run only reads.
    ``require_sound`` must raise an error if the dataset fails verification; since it takes long, it is called only if
    the state of the Hub allows publishing. The folder is not changed. A version that is published already is not
    changed either, even with another ``addition``.

    Raises:
        PublishError: if publishing is refused; ``HubError`` if a request fails: a second run continues from there.
    """
    # The message names a refusal, too, so that nobody logs in for nothing.
    _require_token(dry_run, f"{addition.refused}; then: " if addition.refused else "")
    with explain_hub_errors():
        publication = _Publication(folder, target, api, addition)
        publication.refuse()
    if publication.tag not in publication.tags:
        require_sound()
    tag = publication.tag
    loader = f'load_dataset("{target.repo}", "{configs_of(publication.manifest)[0]}", revision="{tag}")'
    return _carried_out(publication, loader, log, dry_run=dry_run)


def _require_token(dry_run: bool, before: str = "") -> None:
    """Raise ``PublishError`` if there is no token, unless ``dry_run``; ``before`` begins the message."""
    if not dry_run and not get_token():
        raise PublishError(f"{before}there is no token: set HF_TOKEN, or log in with `hf auth login`")


def _carried_out(publication: _Publication, loader: str, log: Callable[[str], object], *, dry_run: bool) -> Published:
    """Take the remaining steps of ``publication``, unless ``dry_run``, and return the result."""
    with explain_hub_errors():
        steps = publication.prepare(log)
        for words, action in () if dry_run else steps:
            log(words)
            action()
    return Published(
        address=f"{publication.api.endpoint}/datasets/{publication.repo}/tree/{publication.tag}",
        loader=loader,
        tag=publication.tag,
        steps=tuple(words for words, _ in steps),
        changes=publication.changes,
    )


# --- a sealed edition: the seal is published before the rows and the seed file after them, each with its own commit and
# tag


class _OneFile(_Publication):
    """The publication of one file of a sealed edition under its own tag, such as `seal-v1.0.0`.

    The file is the seal, a commitment published before the rows, or the secret seed, published after them.
    """

    def __init__(self, folder: Path, target: Target, api: HfApi, name: str, content: bytes) -> None:
        super().__init__(folder, target, api, NOTHING)
        stem = name.partition(".")[0]
        self.rows_tag, self.tag, self.title = self.tag, f"{stem}-{self.tag}", f"{self.title}: {stem}"
        self.files = as_additions({name: content})

    def refuse(self) -> None:
        """Raise ``PublishError`` if the tag has other content, or the order (seal, rows, seed) would be violated."""
        self._require_private()
        if self.tag in self.tags:
            if self._differs(remote_files(info_of(self.api, self.repo, self.tag))):
                raise PublishError(
                    f"{self.repo} has {self.tag} with another {', '.join(self.files)}, which is never replaced; "
                    "build this edition with another --version"
                )
        elif SEAL_FILE in self.files:
            if self.rows_tag in self.tags:
                raise PublishError(
                    f"{self.repo} has the rows of {self.rows_tag} already: a seal must precede its rows; "
                    "build this edition with another --version"
                )
            if not self.remote.keys() <= _FRESH:
                self._require_older()
        elif self.rows_tag not in self.tags:
            raise PublishError(f"{self.repo} has no rows of this edition: publish these before its seed")
        else:
            self._require_same(self.rows_tag)

    def prepare(self, log: Callable[[str], object]) -> list[Step]:  # noqa: ARG002 - as any publication
        """Return the remaining steps; empty if the file is published."""
        if self.tag in self.tags:
            return []
        self.changes = compare_files(self.files, self._same_names(self.remote))
        return self._steps()

    def _differs(self, remote: Mapping[str, RepoSibling]) -> bool:
        return any(compare_files(self.files, self._same_names(remote)))

    def _same_names(self, remote: Mapping[str, RepoSibling]) -> dict[str, RepoSibling]:
        return {name: file for name, file in remote.items() if name in self.files}


def publish_file(
    folder: Path, target: Target, name: str, content: bytes, *, api: HfApi, log: Callable[[str], object], dry_run: bool
) -> Published:
    """Publish ``content`` as the seal or seed file ``name`` of the sealed edition in ``folder``, if not yet done.

    Raises:
        PublishError: if publishing is refused; ``HubError`` if a request fails: a second run continues from there.
    """
    _require_token(dry_run)
    with explain_hub_errors():
        publication = _OneFile(folder, target, api, name, content)
        publication.refuse()
    loader = f'hf_hub_download("{target.repo}", "{name}", repo_type="dataset", revision="{publication.tag}")'
    return _carried_out(publication, loader, log, dry_run=dry_run)
