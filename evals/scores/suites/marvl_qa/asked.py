"""What the tables and figures of MaRVL-QA are made of: scores with strata, the options that were read, and styles."""

import pandas as pd

from planimeter.evals.scores.forms import Scored
from planimeter.evals.scores.summary import stratified

UNREADABLE = "unreadable"

#: Errors of counts that have a column, or a bar, each.
ERRORS = range(-3, 4)


def frames(scored: Scored) -> dict[str, pd.DataFrame]:
    """Return the scores of each config that was asked, with strata, and what was read: an option and its position."""
    by_config = {config: stratified(scored, config)[0] for config in scored.frame["config"].unique()}
    if "transformation" in by_config:
        rows, choices = scored.rows["transformation"], by_config["transformation"]
        position = choices["read"].where(choices["read"] != "", UNREADABLE).astype(str)
        options = dict(zip(rows.index, rows["options"], strict=True))
        read = zip(choices["id"], position, strict=True)
        names = [UNREADABLE if at == UNREADABLE else str(options[row][int(at) - 1]) for row, at in read]
        drawn = rows.loc[choices["id"], ["plot_type_a", "colormap_a", "plot_type_b", "colormap_b"]].set_index(
            choices.index
        )
        by_config["transformation"] = choices.assign(position=position, option=names).join(drawn)
    return by_config


def styled(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the replies with the style of each plot, and the styles: plot types only unless all pairs were asked."""
    pairs = {panel: frame[f"plot_type_{panel}"] + " " + frame[f"colormap_{panel}"] for panel in "ab"}
    styles = {str(style) for style in pairs["a"]} | {str(style) for style in pairs["b"]}
    if len(set(zip(pairs["a"], pairs["b"], strict=True))) < len(styles) ** 2:
        pairs = {panel: frame[f"plot_type_{panel}"] for panel in "ab"}
        styles = {str(style) for style in pairs["a"]} | {str(style) for style in pairs["b"]}
    return frame.assign(style_a=pairs["a"].str.strip(), style_b=pairs["b"].str.strip()), sorted(map(str.strip, styles))
