"""Recipes are read whole or refused: each fault with its path and limit, and no name that leads out of a folder."""

import json
from pathlib import Path

import pytest
from command_line import here

from planimeter.flows.deployments import build_all
from planimeter.suites.curves.pipeline import PIPELINE
from planimeter.suites.loading import Collection, RecipeError, available, load, parse, values_of


def mini(**change):
    return {**values_of("marvl-qa-mini"), **change}


def test_every_recipe_that_comes_along_can_be_read():
    recipes = {name: load(name) for name in available()}
    datasets = {name for name, recipe in recipes.items() if not isinstance(recipe, Collection)}
    assert "marvl-qa-mini" in datasets == {*recipes["smoke"].datasets}, "suites/smoke.toml lists all datasets"
    assert {*recipes["all"].datasets} == {"marvl-qa-mini", "marvl-qa", "traversal", "curves", "geogram"}
    # The deployment takes the description of the flow.
    assert all("datasets of the papers" in text for text in (recipes["all"].summary, build_all.description or ""))
    recipe = recipes["marvl-qa-mini"]
    assert (sum(recipe.counting.questions) * 9, recipe.transformation.pairs * 2) == (1548, 1200), "the paper's scale"


def test_seed_and_version_reach_the_datasets_of_a_collection():
    smoke = load("smoke", seed=5, version="2.0.0")
    assert (smoke.seed, smoke.version) == (5, "2.0.0")
    assert load("marvl-qa-mini", seed=0).seed == 0
    with pytest.raises(RecipeError, match="seed: Input should be greater than or equal to 0"):
        load("smoke", seed=-1)


def test_all_faults_are_listed_at_once_each_with_its_path():
    values = mini(seed=-1, release_date="yesterday")
    values["counting"]["curation"]["ring"] = 0.5
    values["transformation"] |= {"pairs": 0, "colour": "red"}
    with pytest.raises(RecipeError, match=r"2 \* ring <= separation") as caught:
        parse(values, source="mine.toml")
    for path in ("seed", "release_date", "counting.curation", "transformation.pairs", "transformation.colour"):
        assert any(fault.startswith(f"{path}:") for fault in caught.value.faults), caught.value


def test_a_table_takes_the_keys_of_the_one_that_it_extends(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text(
        'extends = "traversal-hard"\ndataset = "mine"\n[rules]\nturn = 150.0\n[style]\nextends = "curves"\n'
    )
    with pytest.raises(RecipeError, match=r"style\.extends: curves has no such table"):
        load(str(mine))
    mine.write_text('extends = "traversal-hard"\ndataset = "mine"\n[rules]\nturn = 150.0\n')
    recipe, hard = load(str(mine)), load("traversal-hard")
    changed = {"dataset": "mine", "rules": {**hard.model_dump()["rules"], "turn": 150.0}}
    assert recipe.model_dump() == hard.model_dump() | changed
    for named, words in (("nothing", "no such dataset"), (str(mine), "nested too deep")):
        mine.write_text(f'extends = "{named}"\n')
        with pytest.raises(RecipeError, match=words):
            load(str(mine))


def test_no_name_or_version_can_leave_its_folder():
    overlapping = mini()["counting"] | {"count_bins": [[1, 5], [5, 10], [11, 15], [16, 20]]}
    for key, words, values in (
        ("dataset", "dataset", ("../../etc/passwd", "/etc/passwd", "a/b", "UPPER", "a..b", "", "a-")),
        ("version", "version", ("1.0", "v1.0.0", "1.0.0/..", "..", "1.0.0 ", "01.0.0")),
        ("scale", "scale", (0, -1, float("nan"), float("inf"), 1001)),
        ("suite", "marvl_qa", ("os",)),
        ("counting", "overlap", (overlapping,)),
    ):
        for value in values:
            with pytest.raises(RecipeError, match=words):
                parse(mini(**{key: value}), source="mine.toml")


def test_a_wrong_recipe_ends_the_command_with_its_faults(tmp_path):
    path = tmp_path / "mine.toml"
    text = Path("suites/curves/curves.toml").read_text()
    path.write_text(text.replace("gap_px = 10.0", "gap_px = 6.0").replace("gap_px = 7.5", 'gap_px = "wide"'))
    ended = here("build", str(path), "--out", str(tmp_path / "out"))
    assert (ended.code, ended.lines[0]) == (1, "planimeter: mine.toml: 2 faults")
    assert "polygon: need gap_px >= stroke + 3.0 px" in ended.lines[1]
    assert "counting.gap_px: Input should be a valid number" in ended.lines[2]
    assert "Traceback" not in ended.err
    assert not (tmp_path / "out").exists()


def test_whatever_stands_in_a_file_is_a_fault_of_the_recipe(tmp_path):
    broken = tmp_path / "broken.toml"
    for content, words in (
        (b"dataset = ", "not TOML"),
        (b"\xff\xfe", "cannot be read"),
        (b"seed = " + b"[" * 5000 + b"]" * 5000, "nested too deep"),
        (b"seed = " + b"9" * 5000, "is not TOML"),
        (b"seed = 1\nseed = 2\n", "is not TOML: Cannot overwrite a value .at line 2"),
        (b"suite = [1, {}]", "suite: need one of"),
        (b'suite = "curves"\n[easy]\nmargin_px = 1e300', "easy.margin_px: Input should be less than or equal"),
    ):
        broken.write_bytes(content)
        with pytest.raises(RecipeError, match=words):
            load(str(broken))
    with pytest.raises(RecipeError, match="cannot be read"):
        load(str(tmp_path / "missing.toml"))
    with pytest.raises(RecipeError, match="marvl-qa-mini"):
        load("marvl")


def test_an_unreadable_collection_is_refused_before_any_build():
    state = build_all.fn(recipe="all", version="1.0")
    message = "--version: need a version such as 1.0.0, got '1.0'"
    assert (state.name, state.message) == ("Refused", message)


LIMITS = {"border_px": 10.0, "paper_px": 3.0, "stroke_px": 4.0, "opening_px": 4.0}
EVERY = {"every_tree": True}


def changed(table, **change):
    """The recipe of `curves` with another ``table``."""
    values = values_of("curves")
    values[table].update(change)
    return values


#: Recipe: a table, what is changed there, and what is said of it.
CONTRADICTIONS: dict[str, list[tuple[str, dict[str, object], str]]] = {
    "curves": [
        ("polygon", {"gap_px": 6.0}, "need gap_px >= stroke + 3.0 px of paper = 7.2, got gap_px=6.0"),
        ("polygon", {"stroke_px": [3.0, 4.0]}, "need stroke_px >= 4.0"),
        ("polygon", {"sizes": [[2, 4], [4, 9]]}, "sizes must be increasing ranges"),
        ("polygon", {"sizes": [[2, 9000]]}, "take a larger canvas or a smaller gap"),
        ("polygon", {"depth": [90, 99], "sizes": [[99, 120]]}, "does not fit inside 90 nested curves"),
        ("polygon", {"limits": {**LIMITS, "border_px": 30.0}}, "got 30.0 and 20.0"),
        ("polygon", {"limits": {**LIMITS, "border_px": 9.0, "paper_px": 8.0}}, "10.0 and 4.2 + 8.0"),
        ("polygon", {"look": {"ink": "coloured", "paper": "textured"}}, "coloured ink needs plain paper"),
        ("polygon", EVERY, "need at most 2000 trees"),
        ("polygon", EVERY | {"sizes": [[1, 5]]}, "need depth = [1, 5] for every_tree"),
        (
            "polygon",
            EVERY | {"sizes": [[5, 6]], "depth": [1, 6], "splits": {"test": 60}},
            "need at least 68 rows in test",
        ),
        ("polygon", {"every_tree": 6}, "need a range in sizes that ends with every_tree = 6"),
        ("polygon", {"every_tree": 4, "splits": {"test": 45}}, "need at least 15 rows in test and 30 in all"),
        ("polygon", {"splits": {"dev": 5}}, "polygon.splits"),
        # Of these no drawing would be kept.
        ("polygon", {"sizes": [[50, 50]], "depth": [1, 1]}, "none of 500 random trees (uniform) is suitable"),
        ("easy", {"canvas_px": 160}, "at least 9.0 gaps (gap_px=12.0) wide, and the limit is 8.6"),
        ("counting", {"sizes": [[3000, 3000]]}, "counting: need nodes <= about 953 on a canvas of 1024 px"),
    ],
    "curves-train": [
        ("curriculum", {"limits": {**LIMITS, "stroke_px": 4.6}}, "need limits.stroke_px <= stroke_px, got 4.6 and 4.0"),
        ("curriculum", {"limits": {**LIMITS, "paper_px": 4.0}}, "need gap_px >= stroke_px + limits.paper_px, got 7.5"),
        ("curriculum", {"canvas_px": 400}, "curriculum: need nodes <= about 83 on a canvas of 400 px"),
        ("curriculum", {"level_shares": [1, 2]}, "one share for each of 8 levels"),
    ],
    "traversal": [
        ("rules", {"view": 200}, "tortuosity below 1.3 is impossible: 16 segments of at least 40.0 px"),
        ("rules", {"glyph_radius": 60.0}, "glyph on the margin would leave the picture"),
        ("rules", {"extent_fraction": 0.95}, "extent is impossible"),
        ("rules", {"view": 4096}, "the limit of exact arithmetic"),
        ("bins", {"tortuosity_edges": [1.0, 2.0, 1.5]}, "increasing tortuosity_edges"),
        ("bins", {"crossing_starts": [0, 3, 3]}, "increasing crossing_starts"),
        ("bins", {"crossing_cap": 5}, "crossing_cap >= 13"),
        ("bins", {"crossing_starts": [0, 130], "crossing_cap": 140}, "at most 21 crossings, but the bin starts at 130"),
        ("bins", {"tortuosity_edges": [1.0, 1.3, 900.0, 901.0]}, "tortuosity 900.0 is impossible"),
        ("base", {"points": [11, 9]}, "increasing points"),
        ("base", {"sources_per_cell": 41}, "sources_per_cell <= items_per_cell, got 41 and 40"),
        ("confounded", {"low": [2, 5]}, "low=(2, 5) high=(5, 7)"),
        ("reading_order", {"lanes": [2, 5]}, "5 lanes need 10 points, got 9"),
        ("style", {"spur_gray": 60}, "spurs must differ"),
        ("style", {"outline": 6.0}, "would show too little colour"),
    ],
    "traversal-curved": [
        ("curved", {"smoothness": [0.7, 0.4]}, "increasing smoothness values"),
        ("curved", {"smoothness": [1.6]}, "less than or equal to 1.5"),
        ("curved", {"slack": 200.0}, "need margin_fraction * view >= glyph_radius, got 0.65"),
    ],
    "curves-maps": [
        ("planar_map", {"sizes": [[1, 3]]}, "need 2 <= curves <= 8, got (1, 3)"),
        ("planar_map", {"sizes": [[3, 5], [5, 6]]}, "sizes must be increasing ranges"),
        ("planar_map", {"stroke_px": [3.0, 5.0]}, "need 4.0 <= stroke_px <= 8.0"),
        ("planar_map", {"arc_px": 40.0}, "need arc_px >= 12 strokes = 72.0, got 40.0"),
        ("planar_map", {"crossing_degrees": 12.0}, "need 30.0 <= crossing_degrees < 90, got 12.0"),
        ("planar_map", {"opening_px": 2.0}, "need opening_px >= 4.0"),
        ("planar_map", {"area_ratio": 1.0}, "area_ratio >= 1.01"),
        ("planar_map", {"face_px2": 90_000.0}, "take a larger canvas, fewer curves"),
        ("planar_map", {"arc_px": 3000.0}, "need arc_px <= 1348 on a canvas of 1024 px, got 3000.0"),
    ],
    "marvl-qa-train": [
        ("counting", {"level_shares": [1, 1]}, "counting: need one share for each of 8 levels"),
        ("counting", {"rows": 0}, "counting.rows: Input should be greater than 0"),
        ("transformation", {"styles": "all"}, "transformation.styles: Input should be 'one'"),
        (
            "transformation",
            {"shifts": {"smallest": 0.1, "largest": 0.25}},
            "must include the ranges of all training levels",
        ),
    ],
    "traversal-train": [("bins", {"crossing_cap": 12, "crossing_starts": [0, 1, 2, 4]}, "there is no crossing bin")],
    "geogram-train": [("geogram", {"level_shares": [0] * 8}, "need one share for each of 8 levels, not all")],
}


@pytest.mark.parametrize(
    ("name", "table", "change", "words"),
    [(name, *contradiction) for name, found in CONTRADICTIONS.items() for contradiction in found],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_a_contradictory_recipe_is_refused_with_the_limit(name, table, change, words):
    values = load(name).model_dump(mode="json", exclude_none=True)
    with pytest.raises(RecipeError) as caught:
        parse(values | {table: values[table] | change}, source="mine.toml")
    assert words in str(caught.value)


def test_a_recipe_that_only_seems_impossible_is_read():
    # Uniform trees of 28 to 30 curves are never 3 deep; terrains of wide plains are.
    parse(changed("topographical", sizes=[[28, 30]], depth=[3, 3]), source="mine.toml")
    values = load("curves-maps").model_dump(mode="json")
    values["planar_map"]["sizes"] = [[2, 2], [3, 3], [4, 4]]
    assert parse(values, source="mine.toml").planar_map.sizes == ((2, 2), (3, 3), (4, 4))
    # What a build of so many would take is another question, which `planimeter build` answers.
    parse(changed("easy", splits={"test": 10**18}), source="mine.toml")
    values = {key: value for key, value in changed("easy").items() if not isinstance(value, dict)}
    with pytest.raises(RecipeError, match="at least one of easy"):
        parse(values, source="mine.toml")
    straight = load("traversal-curved").model_dump(mode="json") | {"curved": None}
    with pytest.raises(RecipeError, match="need at least one of the tables base, curved"):
        parse(straight, source="mine.toml")


def test_a_recipe_in_a_manifest_deals_the_rows_of_the_built_one():
    """JSON is written with sorted keys: read back, `test` is named before `train` and would get every tree first."""
    built = parse(changed("easy", splits={"train": 100, "test": 5}), source="mine.toml")
    stored = parse(json.loads(json.dumps(built.model_dump(mode="json"), sort_keys=True)), source="manifest.json")
    assert PIPELINE.plan(stored) == PIPELINE.plan(built)
