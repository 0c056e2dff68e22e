"""A Hugging Face Hub on loopback, in this process and in memory: what our calls ask of one, and what nets do to that.

It answers the requests that huggingface_hub 2.4 sends for our calls, and no others. Large files go by Git LFS, so
its clients must be told ``HF_HUB_DISABLE_XET=1``. It is as strict as the real one: a commit whose parent is not the
head is refused (412), and so are an existing name or tag (409), a large file that nobody has uploaded (400), and what
a token may not see (404, or 401 without one) or change (403).
"""

import base64
import hashlib
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from typing import TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from hub_repos import Blob, Json, Repo, info, tree

OWNER, TOKEN, READ_TOKEN = "tester", "hf_local", "hf_readonly"

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
        self.status, self.code = status, code

    def answer(self) -> Answer:
        headers = {"X-Error-Message": str(self)} | ({"X-Error-Code": self.code} if self.code else {})
        return Answer(json.dumps({"error": str(self)}).encode(), self.status, headers)


@dataclass
class Fault:
    """What happens to the requests with ``method`` (``*``: any) in whose address the pattern ``path`` is found: to the
    ``at``-th of them and those after it, ``times`` in all.

    ``kind`` is a status that is answered instead (``429:7`` asks to wait 7 s), or ``drop`` (read, and the connection
    ends), ``cut`` (the connection ends amid the request's body), ``lost`` (carried out, and the connection ends),
    ``short`` (carried out, and the connection ends amid the answer's body) or ``slow:S`` (carried out S seconds late).
    """

    kind: str
    method: str
    path: str
    at: int
    times: int
    seen: int = 0

    def strikes(self, method: str, path: str) -> bool:
        if self.method not in ("*", method) or not re.search(self.path, path):
            return False
        self.seen += 1
        return self.at <= self.seen < self.at + self.times


Route = Callable[["Handler", dict[str, str]], Answer | Json | list[Json]]
ROUTES: list[tuple[str, re.Pattern[str], Route]] = []

REPO = r"(?P<repo>[^/]+/[^/]+?)"


def route(method: str, path: str) -> Callable[[Route], Route]:
    def add(carry_out: Route) -> Route:
        ROUTES.append((method, re.compile(path.replace("REPO", REPO)), carry_out))
        return carry_out

    return add


class Server(ThreadingHTTPServer):
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
        self.log: list[Json] = []
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


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A body would wait 40 ms until its head is acknowledged.
    disable_nagle_algorithm = True
    server: Server
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
        kind, _, detail = self.server.struck(self.command, self.path).partition(":")
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length // 2 if kind == "cut" else length)
        if kind == "slow":
            # Not time.sleep, which the tests take from the client in this process.
            threading.Event().wait(float(detail))
        if kind.isdigit():
            told = "Invalid credentials in Authorization header" if kind == "401" else "as the test wants it"
            waits = {"Retry-After": detail} if detail else {}
            self.reply(Answer(b"{}", int(kind), {"X-Error-Message": told, **waits}))
            return
        answer = Answer() if kind in ("cut", "drop") else self.carried_out()
        if kind in ("cut", "drop", "lost"):
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
        path = re.sub(
            rf"^(/api)?/spaces/{REPO}(?=$|/|\.git/)", r"\1/datasets/\2.space", unquote(urlsplit(self.path).path)
        )
        method = "GET" if self.command == "HEAD" else self.command
        for wanted, pattern, carry_out in ROUTES:
            if wanted == method and (found := pattern.fullmatch(path)):
                with self.server.lock:
                    try:
                        result = carry_out(self, found.groupdict(default=""))
                    except RefusalError as refusal:
                        return refusal.answer()
                return result if isinstance(result, Answer) else Answer(json.dumps(result).encode())
        return RefusalError(404, "the stand-in Hub does not know this request").answer()

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
        token, found = self.token(), self.server.repos.get(name)
        if not found or (found.private and not token):
            raise RefusalError(404 if token else 401, "Repository not found", "RepoNotFound")
        if write:
            self.may_write(name.split("/")[0])
        return found

    def commit(self, repo: Repo, revision: str) -> str:
        found = repo.find(revision)
        if not found:
            raise RefusalError(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return found

    def content(self, content: bytes, headers: dict[str, str]) -> Answer:
        """A content, or the range of it that is asked for."""
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        headers = {"Accept-Ranges": "bytes", **headers}
        if not asked:
            return Answer(content, 200, headers)
        start, end = int(asked[1]), min(int(asked[2] or len(content)) + 1, len(content))
        if start >= len(content):
            return Answer(b"", 416, {"Content-Range": f"bytes */{len(content)}"})
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(content)}"
        return Answer(content[start:end], 206, headers)


@route("POST", "/api/validate-yaml")
def _validate(_: Handler, __: dict[str, str]) -> Json:
    return {"errors": [], "warnings": []}


@route("POST", "/api/repos/create")
def _create(ask: Handler, _: dict[str, str]) -> Json:
    owner, is_space = ask.json["organization"] or OWNER, ask.json["type"] == "space"
    name = f"{owner}/{ask.json['name']}" + ".space" * is_space
    ask.may_write(owner)
    if name in ask.server.repos:
        raise RefusalError(409, "You already created this dataset repo")
    repo = ask.server.repos[name] = Repo(private=ask.json.get("visibility") == "private")
    lines = "".join(f"{pattern} filter=lfs diff=lfs merge=lfs -text\n" for pattern in LARGE)
    repo.add("initial commit", {".gitattributes": Blob(lines.encode(), large=False)})
    return {"url": f"{ask.server.url}/{'spaces' if is_space else 'datasets'}/{name.removesuffix('.space')}"}


@route("GET", "/api/datasets/REPO(/revision/(?P<revision>.+))?")
def _info(ask: Handler, named: dict[str, str]) -> Json:
    repo = ask.repo(named["repo"])
    return info(repo, named["repo"], ask.commit(repo, named["revision"] or "main"))


@route("GET", "/api/datasets/REPO/refs")
def _refs(ask: Handler, named: dict[str, str]) -> Json:
    repo = ask.repo(named["repo"])
    tags = [{"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": commit} for tag, commit in repo.tags.items()]
    main = {"name": "main", "ref": "refs/heads/main", "targetCommit": repo.head}
    return {"branches": [main], "converts": [], "tags": tags}


@route("GET", "/api/datasets/REPO/tree/(?P<revision>[^/]+)(/(?P<folder>.+))?")
def _tree(ask: Handler, named: dict[str, str]) -> list[Json]:
    repo = ask.repo(named["repo"])
    recursive = parse_qs(urlsplit(ask.path).query).get("recursive") == ["true"]
    found = tree(repo.commits[ask.commit(repo, named["revision"])].files, named["folder"], recursive=recursive)
    if not found:
        raise RefusalError(404, "Entry not found", "EntryNotFound")
    return found


@route("POST", "/api/datasets/REPO/preupload/main")
def _preupload(ask: Handler, named: dict[str, str]) -> Json:
    repo = ask.repo(named["repo"], write=True)
    there = repo.commits[repo.head].files
    return {
        "files": [
            {
                "path": path,
                "uploadMode": "lfs" if any(PurePosixPath(path).match(pattern) for pattern in LARGE) else "regular",
                "shouldIgnore": False,
                "oid": (there[path].sha256 if there[path].large else there[path].git) if path in there else None,
            }
            for path in (file["path"] for file in ask.json["files"])
        ]
    }


@route("POST", "/datasets/REPO.git/info/lfs/objects/batch")
def _batch(ask: Handler, named: dict[str, str]) -> Json:
    ask.repo(named["repo"], write=True)
    objects = ask.json["objects"]
    for wanted in objects:
        # What is there already needs no action.
        if wanted["oid"] not in ask.server.stored:
            upload, verify = f"{ask.server.storage}/{wanted['oid']}", f"{ask.server.url}/lfs/verify"
            wanted["actions"] = {"upload": {"href": upload}, "verify": {"href": verify}}
    return {"transfer": "basic", "objects": objects}


@route("PUT", "/lfs/(?P<oid>[0-9a-f]{64})")
def _store(ask: Handler, named: dict[str, str]) -> Answer:
    ask.stranger()
    if hashlib.sha256(ask.body).hexdigest() != named["oid"]:
        raise RefusalError(400, "the content is not what was announced")
    ask.server.stored[named["oid"]] = ask.body
    return Answer()


@route("POST", "/lfs/verify")
def _verify(ask: Handler, _: dict[str, str]) -> Json:
    if len(ask.server.stored.get(ask.json["oid"], b"")) != ask.json["size"]:
        raise RefusalError(404, "no such object")
    return {}


@route("GET", "/lfs/(?P<oid>[0-9a-f]{64})")
def _stored(ask: Handler, named: dict[str, str]) -> Answer:
    ask.stranger()
    return ask.content(ask.server.stored[named["oid"]], {"ETag": f'"{named["oid"]}"'})


@route("POST", "/api/datasets/REPO/commit/main")
def _commit(ask: Handler, named: dict[str, str]) -> Json:
    repo = ask.repo(named["repo"], write=True)
    files, title = dict(repo.commits[repo.head].files), ""
    for line in ask.body.splitlines():
        key, value = (entry := json.loads(line))["key"], entry["value"]
        if key == "header":
            title = value["summary"]
            if value.get("parentCommit", repo.head) != repo.head:
                raise RefusalError(412, "A commit has happened since. Please refresh and try again.")
        elif key == "file":
            files[value["path"]] = Blob(base64.b64decode(value["content"]), large=False)
        elif key == "lfsFile" and value["oid"] in ask.server.stored:
            files[value["path"]] = Blob(ask.server.stored[value["oid"]], large=True)
        elif key != "deletedFile" or not files.pop(value["path"], None):
            raise RefusalError(400, f"{key} {value.get('path')}: there is no such thing")
    repo.add(title, files)
    return {"commitUrl": f"{ask.server.url}/datasets/{named['repo']}/commit/{repo.head}", "commitOid": repo.head}


@route("POST", "/api/datasets/REPO/tag/(?P<revision>.+)")
def _tag(ask: Handler, named: dict[str, str]) -> Json:
    repo = ask.repo(named["repo"], write=True)
    if ask.json["tag"] in repo.tags:
        raise RefusalError(409, "Tag reference exists already")
    repo.tags[ask.json["tag"]] = ask.commit(repo, named["revision"])
    return {}


@route("DELETE", "/api/datasets/REPO/tag/(?P<tag>.+)")
def _untag(ask: Handler, named: dict[str, str]) -> Json:
    repo = ask.repo(named["repo"], write=True)
    if not repo.tags.pop(named["tag"], None):
        raise RefusalError(404, "no such tag", "RevisionNotFound")
    return {}


@route("GET", "/datasets/REPO/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
def _resolve(ask: Handler, named: dict[str, str]) -> Answer:
    repo = ask.repo(named["repo"])
    commit = ask.commit(repo, named["revision"])
    blob = repo.commits[commit].files.get(named["path"])
    if blob is None:
        raise RefusalError(404, "Entry not found", "EntryNotFound")
    if not blob.large:
        return ask.content(blob.content, {"X-Repo-Commit": commit, "ETag": f'"{blob.git}"'})
    linked = {"X-Linked-Size": str(len(blob.content)), "X-Linked-ETag": f'"{blob.sha256}"'}
    return Answer(b"", 302, {"Location": f"{ask.server.storage}/{blob.sha256}", "X-Repo-Commit": commit, **linked})


Served = TypeVar("Served", bound=Server)


@contextmanager
def serving(server: Served) -> Iterator[Served]:
    """Let ``server`` listen until the end of the block."""
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        # A client may keep a connection, and meet it again where another Hub gets this one's port.
        for connection in list(server.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
