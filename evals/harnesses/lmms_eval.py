"""Functions that lmms-eval calls for the tasks of ``planimeter export``; ``doc`` is a line of the exported JSON."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import fmean

from planimeter.evals import grade, suite
from planimeter.items.suites import SuiteError, declared
from planimeter.items.values import Row


def install(name: str) -> str:
    """Return the command that adds the graders of the suite ``name`` to an environment of lmms-eval."""
    ours = "pip install --no-deps planimeter planimeter-evals"
    needed = declared(name).requires
    return f"pip install {needed} && {ours}" if needed else ours


def check(name: str) -> None:
    """Exit with an error message if this environment cannot score replies to the suite ``name``.

    The exported tasks call this first, before any reply is paid for.
    """
    try:
        grader = suite(name)
        if "math-verify" in declared(name).requires:
            installed = version("math-verify")
            if tuple(map(int, installed.split(".")[:2])) < (0, 9):
                raise ImportError(f"math-verify {installed} is too old")
            grader.same("1", "1")
    except (ImportError, SuiteError) as error:
        raise SystemExit(f"planimeter: cannot score replies here ({error}); run {install(name)}") from None


def doc_to_visual(doc: Row) -> list[object]:
    """Return the picture of the prompt as an RGB ``PIL.Image`` in a list; empty if there is none."""
    # Only lmms-eval's environment needs it.
    from PIL import Image

    return [Image.open(Path(path)).convert("RGB") for path in doc.get("images", ())]


def doc_to_text(doc: Row, lmms_eval_specific_kwargs: object = None) -> str:  # noqa: ARG001 - lmms-eval passes it
    """Return the system prompt and the prompt as one text, for models that do not accept messages."""
    return str(doc["text"]).replace("<image>", "")


def doc_to_messages(doc: Row, lmms_eval_specific_kwargs: object = None) -> list[Row]:  # noqa: ARG001 - see above
    """Return the system prompt, the picture and the prompt as messages."""
    pictures = [{"type": "image", "url": picture} for picture in doc_to_visual(doc)]
    return [
        {
            "role": turn["role"],
            "content": [
                *(pictures if turn["role"] == "user" else ()),
                {"type": "text", "text": turn["content"].replace("<image>", "")},
            ],
        }
        for turn in doc["messages"]
    ]


def process_results(doc: Row, results: Sequence[str]) -> dict[str, object]:
    """Return {headline metric: record}; ``score`` in the record is the mean over the replies ``results`` to one row.

    The record also has the row's id, prompt variant and question. lmms-eval omits documents from its logs: `planimeter
    score` finds the row by this id, and computes the other metrics.
    """
    name, _, config = str(doc["data_source"]).partition("/")
    row, variant = json.loads(doc["row"]), doc["variant"]
    graded = [grade(row, reply, suite=name, config=config, variant=variant) for reply in results]
    score = fmean(scores.value for scores in graded)
    return {graded[0].headline: {"id": doc["id"], "variant": variant, "question": doc["question"], "score": score}}


def average(results: Sequence[Row]) -> float:
    """Return the mean over rows of the headline metric, from the results of ``process_results``."""
    return fmean(result["score"] for result in results)
