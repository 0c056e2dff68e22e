"""The first screen of the page of scores: headlines, floors, marks of parts, and what the intervals support."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sample_folder import ROWS
from scored_frames import scored_frame
from test_score_page import Found, right, scored, wrong

from planimeter.scores.coverage import marked
from planimeter.scores.forms import Scored
from planimeter.scores.page import render
from planimeter.scores.page.standings import findings, standings
from planimeter.solvers.solving import baselines

#: The models right by what the id says, so that each is right on a share of the questions of its own.
BY_ID = {f"r{share}": share for share in (90, 88, 20)}


def planted(rows: int = 400, partial: bool = False) -> Scored:
    """Replies to rows, each a question of its own: two good models that are much alike, one that is not."""

    def reply(share: int) -> Callable[[str, Any], str]:
        return lambda config, row: right(config, row) if int(row["id"][1:]) * 37 % 100 < share else wrong(config, row)

    counting = [{**ROWS["counting"][k % 18], "id": f"q{k}"} for k in range(rows)]
    found = scored_frame("marvl_qa", {"counting": counting}, {name: reply(share) for name, share in BY_ID.items()})
    return replace(found, sizes={"counting": {"test": 1548 if partial else rows}})


def test_the_headline_has_its_interval_and_what_guessing_scores() -> None:
    (standing,) = standings(planted(), {})
    assert standing.lines[0].text == "90.0 [86.7, 92.6]"
    assert [line.name for line in standing.lines] == ["r90", "r88", "r20"]
    assert standing.floors["majority"] == 1.0, "the commonest count of each feature, of which these rows have one each"
    assert standing.floors["random"] == pytest.approx(0.5, abs=0.1)


def test_floors_are_the_scores_of_solve(sample: Path) -> None:
    rows = [row | {"count": k % 3, "answer": str(k % 3)} for k, row in enumerate(ROWS["counting"])]
    answers = baselines("marvl_qa", "counting", {}, rows)
    learnt = [max("012", key=[r["answer"] for r in rows if r["feature"] == row["feature"]].count) for row in rows]
    assert answers["majority"] == learnt
    first = render(scored(), [], [], sample)
    assert "majority 100.0" in " ".join(Found(first).text.split())


def test_a_part_is_marked_with_how_many_rows_were_asked(sample: Path) -> None:
    found = planted(partial=True)
    marked_frame = marked(found)
    (standing,) = standings(marked_frame, {})
    assert {(line.name, line.partial) for line in standing.lines} == {(name, "400 of 1,548 rows") for name in BY_ID}
    full = standings(replace(found, sizes={"counting": {"test": 400}}), {})
    assert not any(line.partial for line in full[0].lines)


def test_a_finding_claims_a_lead_only_where_its_interval_supports_it() -> None:
    sure = planted(4000)
    found = findings(sure, standings(sure, {}))
    assert found[0].startswith("Best: r90, with 90.0 [89.0, 90.9] on counting; the interval of its lead")
    unsure = planted(100)
    alike = replace(unsure, frame=unsure.frame[unsure.frame["model"] != "r20"])
    assert findings(alike, standings(alike, {}))[0].startswith("No clear best: r90 and r88 differ by 2.0 [")
    assert any(line.startswith("Not above the better baseline") and "r20" in line for line in found)


def test_a_finding_names_the_stratum_in_which_the_leader_fails_and_what_could_not_be_read() -> None:
    def blind_to_contours(config: str, row: Any) -> str:
        return "no idea" if row.get("plot_type") == "contour" else right(config, row)

    rows = [{**ROWS["counting"][k % 18], "id": f"q{k}"} for k in range(360)]
    found = scored_frame("marvl_qa", {"counting": rows}, {"m": blind_to_contours})
    _, weakness, *_, unread = findings(found, standings(found, {}))
    assert weakness.startswith("m is weakest on counting where plot type is contour: 0.0 [0.0, ")
    assert unread == f"Could not be read: {1 / 9:.1%} of the replies of m."
