"""The page of a leaderboard: bars of the macro average and of each dataset."""

from planimeter.evals.report.standings import Line
from planimeter.evals.scores.leaderboard import AVERAGE, Leaderboard
from planimeter.evals.scores.tables import cells
from planimeter.export.pages.templating import environment


def render_leaderboard(leaderboard: Leaderboard) -> str:
    """Return the HTML of the page, which needs neither a script nor another file."""
    frame, groups = leaderboard.table.frame, []
    for name in (AVERAGE, *leaderboard.datasets):
        lines = [
            Line(
                label=record["model"],
                name=record["model"],
                value=record[name],
                low=record[f"{name}_low"],
                high=record[f"{name}_high"],
                partial=record["partial"] if name == AVERAGE else leaderboard.partial.get((record["model"], name), ""),
            )
            for record in frame[frame[name].notna()]
            .sort_values(name, ascending=False, kind="stable")
            .to_dict("records")
        ]
        groups.append((name, lines))
    heads, body = cells(leaderboard.table)
    template = environment("planimeter.evals.report").get_template("leaderboard.html.j2")
    return template.render(groups=groups, found=leaderboard.table, heads=heads, lines=body)
