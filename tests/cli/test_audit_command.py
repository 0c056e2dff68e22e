"""`planimeter audit traversal`: damaged lines told with file and line, the others audited, and the exit code."""

import json
from pathlib import Path

import command_line
import pytest
from traversal_paths import generate_cell

from planimeter.generators.traversal.cells import Cell
from planimeter.generators.traversal.search import SearchConfig

ITEMS = generate_cell(Cell(n_points=9, tortuosity_bin=2, crossing_bin=1), 3, 3, SearchConfig()).items


def released(number: int, **changes: object) -> str:
    item = ITEMS[number]
    row = {
        "id": number,
        "points": [{"x": x, "y": y} for x, y in item.points],
        "metrics": {"self_intersections": float(item.self_intersections)},
        "target": {"tort_bin": item.tortuosity_bin, "self_int_bin": item.self_intersection_bin},
    }
    return json.dumps(row | changes)


def test_a_clean_file_shows_zeros_and_exits_with_0(tmp_path: Path) -> None:
    file = tmp_path / "backbones.jsonl"
    file.write_text("\n".join(released(k) for k in range(3)))
    ended = command_line.run("audit", "traversal", str(file), home=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert "near-duplicate" in ended.out


def test_damaged_lines_are_told_with_their_place_and_the_others_are_audited(tmp_path: Path) -> None:
    folder = tmp_path / "backbones_no_confounding_lines" / "vertices_9"
    folder.mkdir(parents=True)
    deep, long, wide = "[" * 100_000, "1" * 5000, released(0).replace('"x": ', '"x": 1e999, "z": ', 1)
    lines = [released(0), '{"id": 1,', deep, long, wide, "\x00", released(1, metrics={"self_intersections": 14})]
    (folder / "backbones.jsonl").write_bytes("\n".join(lines).encode() + b'\n{"id": "\xff\xfe"}\n')
    ended = command_line.here("audit", "traversal", str(tmp_path))
    assert ended.code == 1
    told = [line for line in ended.lines if "backbones.jsonl:" in line]
    assert [int(line.split("backbones.jsonl:")[1].split(":")[0]) for line in told] == [2, 3, 4, 5, 6, 8]
    assert "1 violations, 6 damaged lines" in ended.lines[-1]
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("marvl", "."), "there is no audit of 'marvl'"),
        (("traversal", "recipes"), "neither a built dataset"),
        (("traversal", "/nowhere"), "neither a built dataset"),
    ],
)
def test_what_cannot_be_audited_is_one_line(arguments: tuple[str, str], said: str) -> None:
    ended = command_line.here("audit", *arguments)
    assert ended.code == 1
    assert len(ended.lines) == 1
    assert said in ended.err
