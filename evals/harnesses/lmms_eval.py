"""What lmms-eval calls while it runs the tasks that ``planimeter export --for lmms-eval`` writes.

A task's ``utils.py`` there names these functions; ``variant`` is a prompt variant. A document is a row of the dataset,
whose picture lmms-eval has opened.
"""

from collections.abc import Sequence
from importlib.metadata import version
from statistics import fmean

from planimeter.evals import grade, prompt_of, question, suite
from planimeter.evals.grading import place_of
from planimeter.items.suites import SuiteError, declared
from planimeter.items.values import Row


def install(name: str) -> str:
    """Return the line that adds to an environment of lmms-eval what scores replies to the suite ``name``."""
    ours = "pip install --no-deps planimeter planimeter-evals"
    needed = declared(name).requires
    return f"pip install {needed} && {ours}" if needed else ours


def check(name: str) -> None:
    """End now, with one line, if replies to the suite ``name`` could not be scored here after they are paid for."""
    try:
        grader = suite(name)
        if "math-verify" in declared(name).requires:
            installed = version("math-verify")
            if tuple(map(int, installed.split(".")[:2])) < (0, 9):
                raise ImportError(f"math-verify {installed} is too old")
            grader.same("1", "1")
    except (ImportError, SuiteError) as error:
        raise SystemExit(f"planimeter: replies could not be scored here ({error}): {install(name)}") from None


def visuals(document: Row) -> list[object]:
    """Return the picture that is shown, as lmms-eval has opened it; none where the problem is in words only."""
    return [] if not declared(place_of(document)[0]).pictures else [document["image"].convert("RGB")]


def text(document: Row, variant: str) -> str:
    """Return the system prompt and the prompt as one text, for models that take no messages."""
    return "\n\n".join(filter(None, prompt_of(document, variant)))


def messages(document: Row, variant: str) -> list[dict[str, object]]:
    """Return the system prompt, the picture and the prompt as messages."""
    system, prompt = prompt_of(document, variant)
    turns: list[dict[str, object]] = (
        [{"role": "system", "content": [{"type": "text", "text": system}]}] if system else []
    )
    shown = [{"type": "image", "url": picture} for picture in visuals(document)]
    return [*turns, {"role": "user", "content": [*shown, {"type": "text", "text": prompt}]}]


def scores(document: Row, replies: Sequence[str], variant: str) -> dict[str, object]:
    """Return the metric that ranks models for the first of ``replies``, with the row's id and its question.

    lmms-eval leaves rows out of its logs: by the id `planimeter score` finds them again, and makes the other metrics.
    """
    graded = grade(document, replies[0], variant=variant)
    about = {"id": document["id"], "variant": variant, "question": question(document)}
    return {graded.headline: {**about, "score": graded.value}}


def average(results: Sequence[Row]) -> float:
    """Return the mean of the metric that ranks models."""
    return fmean(result["score"] for result in results)
