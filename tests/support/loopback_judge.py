"""A model on this machine that judges imported problems, and counts what it is asked."""

import hashlib

import loopback_openai

from planimeter.flows.imports import questions

GEOMETRY = questions.geometry("")

NAMES = ("Primitive Recognition", "Local Relation Composition", "Global Abstract Integration")
WHY = "Two segments meet; one ratio is needed."


class JudgeModel(loopback_openai.Model):
    """Says yes, and one category after the other by the question; a model called "mute" says neither."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def given(self) -> int:
        return self.answered.total()

    def reply(self, model: str, text: str, picture: str) -> tuple[str, str]:
        name = hashlib.sha256(f"{model}\0{text}".encode()).hexdigest()
        if model == "mute":
            return name, "I cannot tell."
        if text.startswith(GEOMETRY):
            return name, "<think>A figure, so no doubt.</think>\nYes."
        return name, f"- **Category:** {NAMES[int(name, 16) % 3]}\n- **Justification:** {WHY}"
