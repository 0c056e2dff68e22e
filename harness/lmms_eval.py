"""What lmms-eval calls while it runs the tasks that ``planimeter export --for lmms-eval`` writes.

A task's ``utils.py`` there names these functions; ``variant`` is a prompt variant. A document is a row of the dataset,
whose picture lmms-eval has opened.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from planimeter.evals import grade, prompt_of, question, suite
from planimeter.evals.grading import place_of
from planimeter.items.suites import WITHOUT_PICTURES

Document = Mapping[str, Any]


def check(name: str) -> None:
    """Raise ``ImportError`` now if replies to the suite ``name`` could not be scored here after they are paid for."""
    if name in WITHOUT_PICTURES:
        try:
            suite("geogram").same("1", "1")
        except ImportError as error:
            raise ImportError(
                f"{error} math-verify does not go together with the antlr that lmms-eval asks for by way of "
                "latex2sympy2, which these tasks do not use: pip install antlr4-python3-runtime==4.13.2"
            ) from error


def visuals(document: Document) -> list[Any]:
    """Return the picture that is shown, as lmms-eval has opened it; none where the problem is told in words."""
    return [] if place_of(document)[0] in WITHOUT_PICTURES else [document["image"].convert("RGB")]


def text(document: Document, variant: str) -> str:
    """Return the system prompt and the prompt as one text, for models that take no messages."""
    return "\n\n".join(filter(None, prompt_of(document, variant)))


def messages(document: Document, variant: str) -> list[dict[str, Any]]:
    """Return the system prompt, the picture and the prompt as messages."""
    system, prompt = prompt_of(document, variant)
    told = [{"role": "system", "content": [{"type": "text", "text": system}]}] if system else []
    shown = [{"type": "image", "url": picture} for picture in visuals(document)]
    return [*told, {"role": "user", "content": [*shown, {"type": "text", "text": prompt}]}]


def scores(document: Document, replies: Sequence[str], variant: str) -> dict[str, Any]:
    """Return the metric that ranks models for the first of ``replies``, with the row's id and its question.

    lmms-eval leaves rows out of its logs: by the id `planimeter score` finds them again, and makes the other metrics.
    """
    found = grade(document, replies[0], variant=variant)
    about = {"id": document["id"], "variant": variant, "question": question(document)}
    return {found.headline: {**about, "score": found.value}}


def average(found: Sequence[Mapping[str, Any]]) -> float:
    """Return the mean of the metric that ranks models."""
    return fmean(one["score"] for one in found)
