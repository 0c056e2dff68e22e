"""The gap between a model's scores on the public and the sealed edition of a dataset: evidence of contamination.

The sealed edition has other rows, made by the same recipe from a secret seed. Both editions have the same strata by
design, so that a model that has seen neither has equal expected scores on both. The gap is the coefficient of the
edition in a regression of the scores on edition and stratum, clustered by question; with equally many rows of each
stratum it is the difference of the means.
"""

from collections.abc import Iterator, Mapping

import pandas as pd

from planimeter.evals.scores.forms import Plot, Scored, Table, Unit
from planimeter.evals.scores.intervals import dummies, least_squares
from planimeter.evals.scores.summary import cell, headline, labelled, ranking

#: Config -> the stratum of each row, by id.
Strata = Mapping[str, "pd.Series[str]"]

_NOTE = (
    "Gap: the public edition minus the sealed one, between rows of the same stratum. In brackets: the 95% interval, in "
    "which a question counts once. A gap whose interval is above 0 is evidence that the model has seen public rows, or "
    "was tuned on them; a gap around 0 does not show that it has seen none."
)


def gaps(public: Scored, sealed: Scored, strata: tuple[Strata, Strata]) -> Table:
    """Return a table of the gap of each model that was evaluated on both editions, by config.

    ``strata`` are the strata of the rows of the public edition, and those of the sealed one.
    """
    metric, editions = headline(public), [labelled(public).frame, labelled(sealed).frame]
    lines = []
    for config in editions[0]["config"].unique():
        frames = [frame[frame["config"] == config] for frame in editions]
        models = [name for name in ranking(frames[0], metric) if (frames[1]["model"] == name).any()]
        for model in models:
            replies = [frame[frame["model"] == model] for frame in frames]
            joined = pd.concat(_outcomes(replies, [of[str(config)] for of in strata], metric), ignore_index=True)
            lines.append({"config": config, "model": model, **_line(joined)})
    plot = Plot("bars", "model", ("gap",), name="gap", series="metric", panel="config", ylabel="Public less sealed")
    units: dict[str, Unit] = dict.fromkeys(("public_mean", "sealed_mean"), "share")
    return Table(
        "gap",
        "Public and sealed edition",
        frame=pd.DataFrame(lines),
        note=f"{metric.replace('_', ' ').capitalize()}. {_NOTE}",
        units=units,
        plots=(plot,),
    )


def _outcomes(replies: list[pd.DataFrame], strata: list["pd.Series[str]"], metric: str) -> Iterator[pd.DataFrame]:
    """Yield the table of regression variables for the replies to the public edition, then that for the sealed one."""
    for number, (frame, of) in enumerate(zip(replies, strata, strict=True)):
        yield pd.DataFrame(
            {
                "value": frame[metric].to_numpy(dtype=float),
                "public": 1.0 - number,
                "stratum": frame["id"].map(of).to_numpy(),
                "question": [f"{number} {name}" for name in frame["question"]],
            }
        )


def _line(joined: pd.DataFrame) -> dict[str, object]:
    """Return a line of the table, by column: numbers of replies, mean scores and the gap of one model in one config.

    ``joined`` has the columns that ``_outcomes`` yields, for both editions.
    """
    public = joined["public"] == 1
    terms = [joined[["public"]], dummies("stratum", joined["stratum"])]
    gap = least_squares(joined["value"], terms, joined["question"]).iloc[0]
    values = gap[["coefficient", "coefficient_low", "coefficient_high"]].astype(float)
    return {
        "public_n": int(public.sum()),
        "sealed_n": int((~public).sum()),
        "public_mean": joined.loc[public, "value"].mean(),
        "sealed_mean": joined.loc[~public, "value"].mean(),
        **cell("gap", values),
    }
