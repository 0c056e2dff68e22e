"""Scores of simulated models, without files: what `planimeter.scores` makes of replies."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from planimeter import evals
from planimeter.scores.forms import COLUMNS, STRICT, Scored

#: What a model replies to a row of a config.
Model = Callable[[str, Mapping[str, Any]], str]


def scored_frame(
    suite: str, rows: Mapping[str, Sequence[Mapping[str, Any]]], models: Mapping[str, Model], dataset: str = "trial"
) -> Scored:
    lines = []
    for config, all_of_config in rows.items():
        for model, reply_of in models.items():
            for row in all_of_config:
                reply = reply_of(config, row)
                lenient = evals.grade(row, reply, suite=suite, config=config)
                strict = evals.grade(row, reply, suite=suite, config=config, strict=True)
                told = {"id": row["id"], "question": row["id"], "config": config, "split": "test", "model": model}
                told |= {"variant": "default", "sample": 0, "finish_reason": "stop", "reply": reply, "verdict": ""}
                told |= {"completion_tokens": float("nan"), "reasoning_tokens": float("nan"), "cost": float("nan")}
                told |= {"answered": lenient.answered, "reason": lenient.reason, "read": lenient.read}
                told |= {"answer": row["answer"], "strict_reason": strict.reason, "correct": list(lenient.correct)}
                assert told.keys() == COLUMNS.keys()
                lines.append(
                    told | dict(lenient.metrics) | {STRICT + name: value for name, value in strict.metrics.items()}
                )
    frame = pd.DataFrame(lines).sort_values(["model", "variant", "config", "id", "sample"], ignore_index=True)
    known = {config: pd.DataFrame(all_of_config).set_index("id") for config, all_of_config in rows.items()}
    return Scored(dataset=dataset, version="1.0.0", suite=suite, frame=frame, rows=known)
