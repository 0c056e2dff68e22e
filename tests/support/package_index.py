"""A package index on loopback, with packages that the test makes, which notes what is asked of it."""

import hashlib
import importlib.metadata
import io
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Index:
    """Files by name, each listed on the page of its project, and the requests so far."""

    def __init__(self) -> None:
        self.url = ""
        self.files: dict[str, bytes] = {}
        self.pages: dict[str, list[str]] = defaultdict(list)
        self.asked: list[str] = []

    def _add(self, name: str, version: str, file: str, content: bytes) -> str:
        self.files[file] = content
        self.pages[name].append(file)
        return f"{name}=={version} --hash=sha256:{hashlib.sha256(content).hexdigest()}\n"

    def wheel(self, name: str, version: str, *requires: str) -> str:
        """Offer an empty package; returns its line for a lock. ``requires`` are whole lines of its metadata."""
        info = f"{name}-{version}.dist-info"
        metadata = "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *requires, ""])
        described = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        members = {f"{name}.py": b"", f"{info}/METADATA": metadata.encode(), f"{info}/WHEEL": described}
        return self._zipped(name, version, {**members, f"{info}/RECORD": b""})

    def installed(self, name: str) -> str:
        """Offer the package that this Python has; returns its line for a lock."""
        found = importlib.metadata.distribution(name)
        paths = [path for path in found.files or [] if ".." not in path.parts and path.suffix != ".pyc"]
        members = {str(path): path.read_binary() for path in paths if path.locate().is_file()}
        return self._zipped(name, found.version, members)

    def source(self, name: str, version: str) -> str:
        """Offer a package that must be built and does not say by what; returns its line for a lock."""
        setup = f"from setuptools import setup\nsetup(name={name!r}, version={version!r}, py_modules=[])\n".encode()
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w:gz") as archive:
            entry = tarfile.TarInfo(f"{name}-{version}/setup.py")
            entry.size = len(setup)
            archive.addfile(entry, io.BytesIO(setup))
        return self._add(name, version, f"{name}-{version}.tar.gz", content.getvalue())

    def _zipped(self, name: str, version: str, members: dict[str, bytes]) -> str:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for path, member in members.items():
                archive.writestr(path, member)
        return self._add(name, version, f"{name}-{version}-py3-none-any.whl", content.getvalue())


@contextmanager
def started() -> Iterator[Index]:
    index = Index()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, name = self.path.strip("/").split("/")[-2:]
            index.asked.append(name)
            found = index.files.get(name)
            if kind == "simple" and name in index.pages:
                found = "".join(f'<a href="/files/{file}">{file}</a>' for file in index.pages[name]).encode()
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Type", "text/html" if kind == "simple" else "application/octet-stream")
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, *_: object) -> None:
            """The requests are in ``asked``."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        index.url = f"http://127.0.0.1:{server.server_port}/simple/"
        yield index
        server.shutdown()
