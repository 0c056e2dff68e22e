"""A model on this machine that judges imported problems, and counts what it is asked."""

import hashlib
import threading

import loopback_openai

from planimeter.curation import questions

GEOMETRY = questions.geometry("")

NAMES = ("Primitive Recognition", "Local Relation Composition", "Global Abstract Integration")
WHY = "Two segments meet; one ratio is needed."


class JudgeModel(loopback_openai.Model):
    """Says yes, and one category after the other by the question; a model called "mute" says neither.

    Behind ``gate`` answers it drops every request without an answer, at once or, where it ``holds`` them, when it is
    closed.
    """

    def __init__(self, *, gate: int = 10**9, holds: bool = False, faults: bool = False, delay: float = 0.0) -> None:
        super().__init__(delay, faults)
        self.gate, self.holds = gate, holds
        self._closed = threading.Event()
        self._given = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def given(self) -> int:
        """How many answers were given."""
        return self.answered.total()

    def reply(self, model: str, text: str, picture: str) -> tuple[str, str]:
        with self.lock:
            dropped = self._given >= self.gate
            self._given += not dropped
        if dropped:
            if self.holds:
                self._closed.wait()
            raise ConnectionAbortedError
        name = hashlib.sha256(f"{model}\0{text}".encode()).hexdigest()
        if model == "mute":
            return name, "I cannot tell."
        if text.startswith(GEOMETRY):
            return name, "<think>A figure, so no doubt.</think>\nYes."
        return name, f"- **Category:** {NAMES[int(name, 16) % 3]}\n- **Justification:** {WHY}"

    def server_close(self) -> None:
        super().server_close()
        self._closed.set()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that were killed."""
