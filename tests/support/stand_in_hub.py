"""A Hugging Face Hub on loopback, in this process and in memory: what our calls ask of one, and what nets do to that.

It answers the requests that huggingface_hub 2.4 sends for our calls, and no others. Large files go by Git LFS, so its
clients need ``HF_HUB_DISABLE_XET=1``. It is as strict as the real one: a commit whose parent is not the head is refused
(412), and so are an existing name or tag (409), a large file that nobody has uploaded (400), and what a token may not
see (404, or 401 without one) or change (403).
"""

import base64
import hashlib
import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hub_repos import Blob, Json, Repo, info, tree
from huggingface_hub import constants
from huggingface_hub.utils import disable_progress_bars

OWNER, TOKEN, READ_TOKEN = "tester", "hf_local", "hf_readonly"

#: The repository of a test that needs no second one.
REPO = f"{OWNER}/data"

#: What goes by LFS, as the `.gitattributes` of a new repository says.
LARGE = ("*.parquet", "*.png")


@dataclass(frozen=True)
class Answer:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class RefusalError(Exception):
    """``code`` is the Hub's word for what is not there."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        headers = {"X-Error-Message": message} | ({"X-Error-Code": code} if code else {})
        self.answer = Answer(json.dumps({"error": message}).encode(), status, headers)


@dataclass
class Fault:
    """What happens to the ``at``-th request whose method and address begin with and contain ``method`` and ``path``.

    ``kind`` is a status that is answered instead, or ``drop`` (read, and the connection ends), ``cut`` (the connection
    ends amid the request's body), ``lost`` (carried out, and the connection ends), ``short`` (carried out, and the
    connection ends amid the answer's body) or ``late`` (as ``drop``; kept in ``late``).
    """

    kind: str
    method: str
    path: str
    at: int

    def strikes(self, method: str, path: str) -> bool:
        self.at -= method.startswith(self.method) and self.path in path
        return self.at == 0 and method.startswith(self.method) and self.path in path


class Hub(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        # The content of large files is another host's, to which a client must not send its token.
        self.storage = f"http://localhost:{self.server_address[1]}/lfs"
        self.lock = threading.Lock()
        self.repos: dict[str, Repo] = {}
        self.stored: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        #: ``method``, ``path`` and ``fault`` of each request since the last ``reset``.
        self.log: list[Json] = []
        self.late: list[Handler] = []
        self.connections: set[socket.socket] = set()

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that went away."""

    def struck(self, method: str, path: str) -> str:
        """Note a request; return the kind of fault that strikes it, or an empty string."""
        with self.lock:
            # Each counts, also behind one that strikes.
            kinds = [fault.kind for fault in self.faults if fault.strikes(method, path)]
            self.log.append({"method": method, "path": path, "fault": kinds[0] if kinds else ""})
            return kinds[0] if kinds else ""

    def fault(self, kind: str, method: str = "", path: str = "", *, at: int = 1) -> None:
        """Strike a request from now on."""
        self.faults.append(Fault(kind, method, path, at))

    def reset(self) -> None:
        """Forget all faults and requests."""
        self.faults.clear()
        self.log.clear()

    def writes(self) -> list[str]:
        """The paths of the requests since the last ``reset`` that do not only read."""
        return [request["path"] for request in self.log if request["method"] not in ("GET", "HEAD")]

    def environment(self, home: Path) -> dict[str, str]:
        """What leads a process to this Hub, with a cache of its own."""
        return {"HF_ENDPOINT": self.url, "HF_HOME": str(home / "hf"), "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1"}

    def titles(self, name: str = REPO) -> list[str]:
        """The commits of main, newest first, without the Hub's own first one."""
        repo = self.repos[name]
        titles, commit = [], repo.head
        while commit:
            titles.append(repo.commits[commit].title)
            commit = repo.commits[commit].parent
        return titles[:-1]

    def files(self, name: str = REPO, revision: str = "main") -> dict[str, str]:
        """SHA-256 of each file at main or a tag, without the Hub's own."""
        repo = self.repos[name]
        files = repo.commits[repo.find(revision)].files
        return {path: blob.sha256 for path, blob in files.items() if path != ".gitattributes"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A body would wait 40 ms until its head is acknowledged.
    disable_nagle_algorithm = True
    server: Hub
    body: bytes

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        super().finish()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def serve(self) -> None:
        kind = self.server.struck(self.command, self.path)
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length // 2 if kind == "cut" else length)
        if kind == "late":
            self.server.late.append(self)
        if kind.isdigit():
            message = "Invalid credentials in Authorization header" if kind == "401" else "as the test wants it"
            self.reply(Answer(b"{}", int(kind), {"X-Error-Message": message}))
            return
        answer = Answer() if kind in ("cut", "drop", "late") else self.carried_out()
        if kind in ("cut", "drop", "lost", "late"):
            self.close_connection = True
        else:
            self.reply(answer, broken=kind == "short")

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = serve  # noqa: N815 - the names are http.server's

    def reply(self, answer: Answer, *, broken: bool = False) -> None:
        content = b"" if self.command == "HEAD" else answer.body
        self.close_connection = self.close_connection or broken
        if broken and not content:
            return
        self.send_response(answer.status)
        for name, value in ({"Content-Length": str(len(answer.body))} | answer.headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if broken else content)

    def carried_out(self) -> Answer:
        # A Space has what a dataset has, under a name of its own.
        space = rf"^(/api)?/spaces/{NAMED}(?=$|/|\.git/)"
        path = re.sub(space, r"\1/datasets/\2.space", unquote(urlsplit(self.path).path))
        method = "GET" if self.command == "HEAD" else self.command
        for route, pattern, carry_out in ROUTES:
            if route == method and (match := re.fullmatch(pattern.replace("REPO", NAMED), path)):
                with self.server.lock:
                    try:
                        result = carry_out(self, **match.groupdict(default=""))
                    except RefusalError as refusal:
                        return refusal.answer
                return result if isinstance(result, Answer) else Answer(json.dumps(result).encode())
        return RefusalError(404, "the stand-in Hub does not know this request").answer

    @property
    def json(self) -> Json:
        return dict(json.loads(self.body))

    def token(self) -> str:
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token and token not in (TOKEN, READ_TOKEN):
            raise RefusalError(401, "Invalid credentials in Authorization header")
        return token

    def stranger(self) -> None:
        """Refuse a token, which is no business of the storage's host."""
        if self.headers.get("Authorization"):
            raise RefusalError(400, "a token went to another host")

    def may_write(self, owner: str) -> None:
        if self.token() != TOKEN or owner != OWNER:
            raise RefusalError(403, f"this token may not write what is {owner}'s")

    def repo(self, name: str, *, write: bool = False) -> Repo:
        token, repo = self.token(), self.server.repos.get(name)
        if not repo or (repo.private and not token):
            raise RefusalError(404 if token else 401, "Repository not found", "RepoNotFound")
        if write:
            self.may_write(name.split("/")[0])
        return repo

    def commit_at(self, repo: Repo, revision: str) -> str:
        if commit := repo.find(revision):
            return commit
        raise RefusalError(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def content(self, content: bytes, headers: dict[str, str]) -> Answer:
        """A content, or the range of it that is asked for."""
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        headers = {"Accept-Ranges": "bytes", **headers}
        if not wanted:
            return Answer(content, 200, headers)
        start, end = int(wanted[1]), min(int(wanted[2] or len(content)) + 1, len(content))
        if start >= len(content):
            return Answer(b"", 416, {"Content-Range": f"bytes */{len(content)}"})
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(content)}"
        return Answer(content[start:end], 206, headers)

    # --- what the routes lead to

    def validate(self) -> Json:
        return {"errors": [], "warnings": []}

    def create(self) -> Json:
        owner, is_space = self.json["organization"] or OWNER, self.json["type"] == "space"
        name = f"{owner}/{self.json['name']}" + ".space" * is_space
        self.may_write(owner)
        if name in self.server.repos:
            raise RefusalError(409, "You already created this dataset repo")
        repo = self.server.repos[name] = Repo(private=self.json.get("visibility") == "private")
        lines = "".join(f"{pattern} filter=lfs diff=lfs merge=lfs -text\n" for pattern in LARGE)
        repo.add("initial commit", {".gitattributes": Blob(lines.encode(), large=False)})
        return {"url": f"{self.server.url}/{'spaces' if is_space else 'datasets'}/{name.removesuffix('.space')}"}

    def info(self, repo: str, revision: str) -> Json:
        there = self.repo(repo)
        return info(there, repo, self.commit_at(there, revision or "main"))

    def refs(self, repo: str) -> Json:
        there = self.repo(repo)
        tags = [{"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": commit} for tag, commit in there.tags.items()]
        main = {"name": "main", "ref": "refs/heads/main", "targetCommit": there.head}
        return {"branches": [main], "converts": [], "tags": tags}

    def tree(self, repo: str, revision: str, folder: str) -> list[Json]:
        there = self.repo(repo)
        recursive = parse_qs(urlsplit(self.path).query).get("recursive") == ["true"]
        if entries := tree(there.commits[self.commit_at(there, revision)].files, folder, recursive=recursive):
            return entries
        raise RefusalError(404, "Entry not found", "EntryNotFound")

    def preupload(self, repo: str) -> Json:
        files = []
        there = self.repo(repo, write=True)
        for path in (file["path"] for file in self.json["files"]):
            mode = "lfs" if any(PurePosixPath(path).match(pattern) for pattern in LARGE) else "regular"
            blob = there.commits[there.head].files.get(path)
            oid = blob and (blob.sha256 if blob.large else blob.git)
            files.append({"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        return {"files": files}

    def batch(self, repo: str) -> Json:
        self.repo(repo, write=True)
        objects = self.json["objects"]
        for wanted in objects:
            # What is there already needs no action.
            if wanted["oid"] not in self.server.stored:
                upload, verify = f"{self.server.storage}/{wanted['oid']}", f"{self.server.url}/lfs/verify"
                wanted["actions"] = {"upload": {"href": upload}, "verify": {"href": verify}}
        return {"transfer": "basic", "objects": objects}

    def store(self, oid: str) -> Answer:
        self.stranger()
        if hashlib.sha256(self.body).hexdigest() != oid:
            raise RefusalError(400, "the content is not what was announced")
        self.server.stored[oid] = self.body
        return Answer()

    def verify(self) -> Json:
        if len(self.server.stored.get(self.json["oid"], b"")) != self.json["size"]:
            raise RefusalError(404, "no such object")
        return {}

    def stored(self, oid: str) -> Answer:
        self.stranger()
        return self.content(self.server.stored[oid], {"ETag": f'"{oid}"'})

    def commit(self, repo: str) -> Json:
        there = self.repo(repo, write=True)
        files, title = dict(there.commits[there.head].files), ""
        for line in self.body.splitlines():
            key, value = (entry := json.loads(line))["key"], entry["value"]
            if key == "header":
                title = value["summary"]
                if value.get("parentCommit", there.head) != there.head:
                    raise RefusalError(412, "A commit has happened since. Please refresh and try again.")
            elif key == "file":
                files[value["path"]] = Blob(base64.b64decode(value["content"]), large=False)
            elif key == "lfsFile" and value["oid"] in self.server.stored:
                files[value["path"]] = Blob(self.server.stored[value["oid"]], large=True)
            elif key != "deletedFile" or not files.pop(value["path"], None):
                raise RefusalError(400, f"{key} {value.get('path')}: there is no such thing")
        there.add(title, files)
        return {"commitUrl": f"{self.server.url}/datasets/{repo}/commit/{there.head}", "commitOid": there.head}

    def tag(self, repo: str, revision: str) -> Json:
        there = self.repo(repo, write=True)
        if self.json["tag"] in there.tags:
            raise RefusalError(409, "Tag reference exists already")
        there.tags[self.json["tag"]] = self.commit_at(there, revision)
        return {}

    def untag(self, repo: str, tag: str) -> Json:
        if not self.repo(repo, write=True).tags.pop(tag, None):
            raise RefusalError(404, "no such tag", "RevisionNotFound")
        return {}

    def resolve(self, repo: str, revision: str, path: str) -> Answer:
        there = self.repo(repo)
        commit = self.commit_at(there, revision)
        blob = there.commits[commit].files.get(path)
        if blob is None:
            raise RefusalError(404, "Entry not found", "EntryNotFound")
        if not blob.large:
            return self.content(blob.content, {"X-Repo-Commit": commit, "ETag": f'"{blob.git}"'})
        linked = {"X-Linked-Size": str(len(blob.content)), "X-Linked-ETag": f'"{blob.sha256}"'}
        return Answer(b"", 302, {"Location": f"{self.server.storage}/{blob.sha256}", "X-Repo-Commit": commit, **linked})


NAMED = r"(?P<repo>[^/]+/[^/]+?)"
OID = "/lfs/(?P<oid>[0-9a-f]{64})"
ROUTES = (
    ("POST", "/api/validate-yaml", Handler.validate),
    ("POST", "/api/repos/create", Handler.create),
    ("GET", "/api/datasets/REPO(?:/revision/(?P<revision>.+))?", Handler.info),
    ("GET", "/api/datasets/REPO/refs", Handler.refs),
    ("GET", "/api/datasets/REPO/tree/(?P<revision>[^/]+)(?:/(?P<folder>.+))?", Handler.tree),
    ("POST", "/api/datasets/REPO/preupload/main", Handler.preupload),
    ("POST", "/datasets/REPO.git/info/lfs/objects/batch", Handler.batch),
    ("PUT", OID, Handler.store),
    ("POST", "/lfs/verify", Handler.verify),
    ("GET", OID, Handler.stored),
    ("POST", "/api/datasets/REPO/commit/main", Handler.commit),
    ("POST", "/api/datasets/REPO/tag/(?P<revision>.+)", Handler.tag),
    ("DELETE", "/api/datasets/REPO/tag/(?P<tag>.+)", Handler.untag),
    ("GET", "/datasets/REPO/resolve/(?P<revision>[^/]+)/(?P<path>.+)", Handler.resolve),
)


def log_in(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the Hub's client in this process the token of the stand-in and an empty ``cache``, without bars."""
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    disable_progress_bars()


@contextmanager
def started() -> Iterator[Hub]:
    """A Hub that listens until the end of the block."""
    hub = Hub()
    threading.Thread(target=hub.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
        # A client may keep a connection, and meet it again where another Hub gets this one's port.
        for connection in list(hub.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
