"""The audit: known faults of the released layout are found, damaged lines named, our own rows clean."""

import json
from functools import cache

from traversal_paths import generate_cell

from planimeter.filters.traversal.audit import AuditRules, Damage, audit, parse_lines
from planimeter.generators.traversal.cells import Cell
from planimeter.generators.traversal.confounders import SpurLimits, confound
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.search import SearchConfig


@cache
def items():
    return generate_cell(Cell(n_points=11, tortuosity_bin=2, crossing_bin=3), 4, 3, SearchConfig()).items


def released(item, number, **changes):
    row = {"id": number, "points": [{"x": x, "y": y} for x, y in item.points]}
    row |= {"metrics": {"self_intersections": float(item.self_intersections)}}
    row |= {"target": {"tort_bin": item.tortuosity_bin, "self_int_bin": item.self_intersection_bin}}
    return json.dumps(row | changes)


def ours(item, number, **changes):
    same = {name: getattr(item, name) for name in ("points", "tortuosity_bin", "self_intersection_bin")}
    return json.dumps({"id": f"row-{number}", "self_intersections": item.self_intersections, **same, **changes})


def run(*lines):
    return audit({"base": parse_lines(lines)}, AuditRules())["base"]


def test_clean_rows_of_both_layouts_show_zeros_for_every_rule():
    for layout in (released, ours):
        table = run(*(layout(item, k) for k, item in enumerate(items())))
        assert (table.seen, table.broken.total(), table.damaged) == (4, 0, [])
        assert set(table.broken) >= {"segment length", "crossing count", "near-duplicate", "triple point"}


def test_damaged_lines_are_named_and_the_others_audited():
    table = run(
        released(items()[0], 0),
        '{"id": 3, "points": [',
        "[1, 2]",
        "",
        json.dumps({"id": 4}),
        released(items()[1], 5, points=[{"x": 1.0}, {"x": 2.0, "y": 3.0}]),
        released(items()[1], 6, points=[{"x": "NaN", "y": 1.0}, {"x": 2.0, "y": 3.0}]),
        released(items()[1], 7),
        released(items()[1], 8, points=[{"x": float(x), "y": 3.0} for x in range(100_000)]),
    )
    assert table.seen == 2
    reasons = {damage.line: damage.reason for damage in table.damaged}
    assert list(reasons) == [2, 3, 5, 6, 7, 9]
    assert reasons[2].startswith("not JSON") and reasons[3] == "need a JSON object, got list"
    assert "'target'" in reasons[5] and "finite" in reasons[7]
    assert "need 2 to 100 points" in reasons[9] and len(reasons[9]) < 400
    given = Damage(line=9, reason="not JSON")
    assert audit({"base": [(9, given)]}, AuditRules())["base"].damaged == [given], "given as a row"


def test_the_releases_known_faults_are_counted():
    broken = run(
        released(items()[0], 0, metrics={"self_intersections": 14.0}),
        released(items()[1], 0, target={"tort_bin": 5, "self_int_bin": 3}),
        released(items()[2], 2),
    ).broken
    assert (broken["crossing count"], broken["tortuosity bin"], broken["reused id"]) == (1, 1, 1)
    assert broken["near-duplicate"] == 0
    assert run(released(items()[1], 1), released(items()[1], 2)).broken["near-duplicate"] == 1


def test_spurs_off_the_canvas_on_a_glyph_and_too_many_are_counted():
    low = next(pair[0] for pair in (confound(item, SpurLimits(), Limits()) for item in items()) if pair is not None)
    item, spurs = low.source, [[list(a), list(b)] for a, b in low.confounders]
    assert run(ours(item, 1, condition="low", confounders=spurs)).broken.total() == 0
    (ax, ay), (bx, by) = item.points[0], item.points[1]
    middle = [(ax + bx) / 2, (ay + by) / 2]
    for off in (-30.0, Limits().view + 30.0):
        bad = [*spurs, [middle, [bx, by]], [middle, [off, by]], *spurs]
        broken = run(ours(item, 1, condition="low", confounders=bad)).broken
        assert all(broken[rule] == 1 for rule in ("spur count", "spur to glyph", "spur margin", "spur to spur"))
