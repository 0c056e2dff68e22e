"""An OpenAI-compatible endpoint on this machine that knows the answers: it stands for a model behind a server.

The model that is asked for decides the reply: ``gold`` states the right answer as asked, ``empty`` says nothing. With
``faults`` every tenth request fails, with 429 and 500 in turn, as busy endpoints do.
"""

import hashlib
import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from planimeter.evals import suite
from planimeter.export.built import Built
from planimeter.items.values import data_url

#: Every request of this number fails.
FAULTY = 10


def key(text: str, picture: str) -> str:
    """What a row is known by to the endpoint: its prompt, and its picture as a data URL."""
    return hashlib.sha256(f"{text}\0{picture}".encode()).hexdigest()


class Model(ThreadingHTTPServer):
    """An endpoint whose replies ``reply`` gives; behind ``gate`` answers it drops every request (``admits``)."""

    daemon_threads = True

    def __init__(self, *, delay: float = 0.0, faults: bool = False, gate: int = 10**9, holds: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.delay, self.faults, self.numbers = delay, faults, itertools.count(1)
        self.gate, self.holds, self._admitted, self._closed = gate, holds, 0, threading.Event()
        self.lock = threading.Lock()
        #: How often each question was answered, by name, and how many requests failed, by status.
        self.answered: Counter[str] = Counter()
        self.failed: Counter[int] = Counter()
        #: Temperature and token limit of each request, None where it names none, and how often they came.
        self.settings: Counter[tuple[float | None, int | None]] = Counter()
        #: Names of questions that are answered with 400.
        self.refused: set[str] = set()

    def reply(self, model: str, text: str, picture: str) -> tuple[str, str]:
        """Return the name of a question, by which it is counted, and what is replied."""
        raise NotImplementedError

    def admits(self) -> bool:
        """Whether a request is answered. Where it is not and the endpoint ``holds``, this returns when it is closed."""
        with self.lock:
            admitted = self._admitted < self.gate
            self._admitted += admitted
        if not admitted and self.holds:
            self._closed.wait()
        return admitted

    def server_close(self) -> None:
        super().server_close()
        self._closed.set()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that were killed."""


class Endpoint(Model):
    def __init__(self, found: Built, **options: Any) -> None:
        super().__init__(**options)
        self.rows: dict[str, tuple[str, str]] = {}
        render = suite(found.suite).render
        for config, splits in found.manifest.configs.items():
            for split in splits:
                for row in found.rows(config, split):
                    picture = data_url(row["image"]) if found.shows_pictures else ""
                    self.rows[key(row["prompt"], picture)] = row["id"], render(row["answer"])

    def reply(self, model: str, text: str, picture: str) -> tuple[str, str]:
        name, gold = self.rows[key(text, picture)]
        return name, "" if model == "empty" else gold

    @property
    def environment(self) -> dict[str, str]:
        """What leads Inspect to this endpoint as ``openai-api/loopback/MODEL``."""
        return {"LOOPBACK_BASE_URL": f"http://127.0.0.1:{self.server_port}/v1", "LOOPBACK_API_KEY": "none"}


class Handler(BaseHTTPRequestHandler):
    server: Model
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = next(self.server.numbers)
        if self.server.faults and number % FAULTY == 0:
            status = 429 if number % (2 * FAULTY) else 500
            with self.server.lock:
                self.server.failed[status] += 1
            self.answer(status, {"error": {"message": "come again", "type": "fault", "code": status}})
            return
        if not self.server.admits():
            self.close_connection = True
            return
        time.sleep(self.server.delay)
        content = asked["messages"][-1]["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        pictures = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        (text,) = [part["text"] for part in parts if part["type"] == "text"]
        name, said = self.server.reply(asked["model"], text, "".join(pictures))
        limit = asked.get("max_completion_tokens", asked.get("max_tokens"))
        with self.server.lock:
            self.server.settings[asked.get("temperature"), limit] += 1
            self.server.answered[name] += 1
        if name in self.server.refused:
            error = {"message": "it is refused", "type": "invalid_request_error", "code": "bad_picture"}
            self.answer(400, {"error": error})
            return
        reply = {"role": "assistant", "content": said}
        fields = {"id": f"reply-{number}", "created": 0, "model": asked["model"]}
        usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
        if asked.get("stream"):
            self.stream({**fields, "object": "chat.completion.chunk"}, reply, usage)
            return
        choice = {"index": 0, "message": reply, "finish_reason": "stop"}
        self.answer(200, {**fields, "object": "chat.completion", "choices": [choice], "usage": usage})

    def stream(self, fields: dict[str, Any], reply: dict[str, str], usage: dict[str, int]) -> None:
        ends: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": "stop"}
        parts: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": reply, "finish_reason": None}]}]
        parts += [{"choices": [ends]}, {"choices": [], "usage": usage}]
        lines = [f"data: {json.dumps({**fields, **part})}\n\n" for part in parts] + ["data: [DONE]\n\n"]
        self.send(200, "text/event-stream", "".join(lines).encode())

    def answer(self, status: int, body: dict[str, Any]) -> None:
        self.send(status, "application/json", json.dumps(body).encode())

    def send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def running(server: Model) -> Iterator[None]:
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serving(found: Built, **options: Any) -> Iterator[Endpoint]:
    server = Endpoint(found, **options)
    with running(server):
        yield server
