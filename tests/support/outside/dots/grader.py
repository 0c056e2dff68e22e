"""Reads and scores replies."""

from planimeter.evals.answers import Parsed

CONFIGS = ("count", "train")
HEADLINE = "accuracy"
METRICS = {"accuracy": "right numbers", "error": "number in the reply less the true one"}


def read(config, row, reply, *, strict):
    text = reply.strip()
    return Parsed(value=int(text)) if text.isdecimal() else Parsed(value=None, reason="no number")


def score(config, row, parsed):
    if parsed.value is None:
        return {"accuracy": 0.0, "error": float("nan")}
    error = parsed.value - int(row["answer"])
    return {"accuracy": float(error == 0), "error": float(error)}


def written(value):
    return str(value)


def render(answer):
    return str(answer)
