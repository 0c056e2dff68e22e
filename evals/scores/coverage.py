"""How much of a dataset each model was asked: a score of a part must not pass for one of the whole."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from planimeter.evals.scores.forms import Scored


def coverage(scored: Scored, by: Sequence[str]) -> pd.DataFrame:
    """Return for each combination of the columns ``by`` how many rows were asked, and how many ``rows`` there are.

    ``by``: of config, split, model and variant. Rows are those of the splits of which a model was asked any.
    """
    keys = ["config", "split", "model", "variant"]
    counts = scored.frame.groupby(keys, sort=False)["id"].nunique().rename("asked").reset_index()
    sizes = [
        scored.sizes.get(config, {}).get(split, number)
        for config, split, number in zip(counts["config"], counts["split"], counts["asked"], strict=True)
    ]
    return counts.assign(rows=sizes).groupby(list(by), sort=False)[["asked", "rows"]].sum().reset_index()


def of_rows(number: int, rows: int) -> str:
    """Return a part in words, such as "100 of 1,548"."""
    return f"{number:,} of {rows:,}"


def marked(scored: Scored) -> Scored:
    """Return ``scored`` with "(100 of 1,548 rows)" in the label of each model that was asked only a part.

    So that no table, figure or page ranks a partial run beside a full one without saying so.
    """
    parts = coverage(scored, ["model", "variant"])
    parts = parts[parts["asked"] < parts["rows"]]
    labels = {
        (model, variant): f"{model} ({of_rows(number, rows)} rows)"
        for model, variant, number, rows in parts.itertuples(index=False)
    }
    if not labels:
        return scored
    sides = zip(scored.frame["model"], scored.frame["variant"], strict=True)
    return replace(scored, frame=scored.frame.assign(model=[labels.get(side, side[0]) for side in sides]))
