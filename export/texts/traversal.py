"""What TraversalBench says about itself."""

from types import MappingProxyType

from planimeter.export.texts import GENERATED, Activity, Axis, ConfigText, Heatmap, Row, SuiteText

#: Names of the bins of the recipes that come along, the harder ones last.
_TORTUOSITY = ("[1, 1.3)", "[1.3, 2)", "[2, 3)", "[3, 4.5)", "[4.5, 6.5)", "[6.5, 9)", "[9, 14)")
_CROSSINGS = ("0", "1", "2-3", "4-5", "6-8", "9-12", "13-20", "21-30", "31-40")
_REGIMES = {
    "ltr_tb": "left to right, lanes downwards",
    "rtl_tb": "right to left, lanes downwards",
    "ttb_rl": "downwards, lanes leftwards",
    "ttb_lr": "downwards, lanes rightwards",
}


def _words(name: str) -> str:
    return name.replace("_", " ")


def _named(names: tuple[str, ...], index: int) -> str:
    return names[index] if 0 <= index < len(names) else f"bin {index}"


def _tortuosity(row: Row) -> str:
    return _named(_TORTUOSITY, row["tortuosity_bin"])


def _crossings(row: Row) -> str:
    return _named(_CROSSINGS, row["self_intersection_bin"])


def _crossings_and_points(row: Row) -> str:
    return f"{_crossings(row)} crossings, {row['n_points']} points"


def _unreachable(tortuosity: str, crossings: str) -> str:
    """Say of a pair of bins whether it is one of the three that no path reaches."""
    return "unreachable" if tortuosity == _TORTUOSITY[0] and crossings in _CROSSINGS[4:] else ""


def _caption(row: Row) -> str:
    crossings = row["self_intersections"]
    return f"{row['n_points']} points, {crossings} crossing{'' if crossings == 1 else 's'}"


def _start(row: Row) -> str:
    return str(row["markers"][0].split()[0])


_SCORING = (
    "The answer is the comma-separated list of all markers in the order of the path. Reported are exact match (the "
    "whole list is right) and token accuracy (share of positions that are right)."
)
_POINTS = Axis(title="Points", of=lambda row: str(row["n_points"]), order=tuple(map(str, range(2, 100))))
_BY_TORTUOSITY = Axis(title="Tortuosity", of=_tortuosity, order=_TORTUOSITY)
_BY_CROSSINGS = Axis(title="Crossings", of=_crossings, order=_CROSSINGS)
_CONDITION = Axis(title="Condition", of=lambda row: str(row["condition"]), order=("low", "high"))
_FAMILY = Axis(title="Family of the path", of=lambda row: _words(row["generator_family"]))

_BASE = ConfigText(
    title="Plain paths",
    asks="In which order does the line, followed from the named start marker, meet the markers?",
    scoring=_SCORING,
    rows=_BY_TORTUOSITY,
    columns=Axis(
        title="Crossings and points",
        of=_crossings_and_points,
        order=tuple(f"{crossings} crossings, {points} points" for crossings in _CROSSINGS for points in range(2, 100)),
    ),
    distributions=(
        _FAMILY,
        _POINTS,
        Axis(title="Number of crossings", of=lambda row: str(row["self_intersections"])),
        Axis(title="Colour of the start marker", of=_start),
    ),
    caption=lambda row: f"tortuosity {row['tortuosity']:.2f}",
    empty=lambda row, column: _unreachable(row, column.partition(" ")[0]),
    family=_FAMILY,
    heatmap=Heatmap(rows=_BY_TORTUOSITY, columns=_BY_CROSSINGS, panels=_POINTS, empty=_unreachable),
)

_CONFOUNDED = ConfigText(
    title="Paths with gray spurs",
    asks="The same question, with gray spurs on the line that lead nowhere and are to be ignored.",
    scoring=_SCORING + " Each row is paired with its source in `base` by `source_id`.",
    rows=_BY_TORTUOSITY,
    columns=Axis(
        title="Crossings and spurs",
        of=lambda row: f"{_crossings(row)} ({row['condition']})",
        order=tuple(f"{crossings} ({condition})" for crossings in _CROSSINGS for condition in _CONDITION.order),
    ),
    distributions=(
        _CONDITION,
        Axis(title="Number of spurs", of=lambda row: str(len(row["confounders"]))),
        _POINTS,
        _FAMILY,
    ),
    caption=lambda row: f"{_caption(row)}, {len(row['confounders'])} spurs",
    empty=lambda row, column: _unreachable(row, column.rpartition(" (")[0]),
    family=_FAMILY,
    heatmap=Heatmap(rows=_BY_TORTUOSITY, columns=_BY_CROSSINGS, panels=_CONDITION, empty=_unreachable),
)

_READING_ORDER = ConfigText(
    title="Reading order",
    asks="The same question for paths that run in lanes, as lines of text do, in four directions.",
    scoring=_SCORING + " Compare it by `regime`.",
    rows=Axis(title="Direction", of=lambda row: _REGIMES[row["regime"]]),
    columns=Axis(title="Lanes and points", of=lambda row: f"{row['lanes']} lanes, {row['n_points']} points"),
    distributions=(
        Axis(title="Lanes", of=lambda row: str(row["lanes"])),
        _POINTS,
        _BY_TORTUOSITY,
        Axis(title="Colour of the start marker", of=_start),
    ),
    family=_FAMILY,
    caption=lambda row: f"{row['n_points']} points in {row['lanes']} lanes",
)

TEXT = SuiteText(
    summary=(
        "One polyline with a coloured marker at each vertex: follow the line from the named start and list the "
        "markers in order. Difficulty is controlled by the number of vertices, by tortuosity (length over "
        "displacement) and by the number of self-crossings, and, in further configs, by gray spurs and by the "
        "direction of reading. The task and the limits are those of the paper TraversalBench, and so is the grid, "
        "unless the recipe asks for more vertices or wilder paths; paths and pictures are made anew by code written "
        "for this dataset. No item of the authors' release is contained."
    ),
    certificate=(
        "Every row was certified: a program that sees only the picture, the start marker and the number of markers "
        "recovered its answer."
    ),
    seeding="Every item is a function of the recipe and its `seed` alone.",
    training="Rows for training are one command away: the same recipe with another `seed` shares no item with these.",
    made=(
        "**Paths.** A cell of the grid is a pair of bins, of tortuosity and of crossings, and a number of vertices. "
        "Families of constructions (meanders, zigzags, bowtie chains, rail weaves, stars, braids, walks, templates, "
        "paths grown by insertion) propose paths, and a simulated annealing on all rules at once moves their vertices "
        "until every rule holds; `generator_family` names where a path comes from. Coordinates are multiples of 1/16 "
        "pixel, so that crossings are counted exactly.",
        "**Rules.** Segments and pairs of vertices keep their distance, lines that do not cross stay apart, no line "
        "runs near a vertex that is not its own, no turn is too sharp, and, beyond the paper, no crossing is too "
        "slanting and no two crossings are too close. Limits stand in the recipe (`manifest.json`). Two paths of one "
        "pair of bins that look alike after moving, scaling, rotating by right angles, mirroring or reversing are "
        "near-duplicates: the later one is dropped, whatever its number of vertices, and replaced.",
        "**Markers.** Five shapes in eight colours; no marker occurs twice in a picture, and every combination may be "
        "the start.",
        "**Spurs.** A confounded row shows a path of `base` with short gray lines that begin on the line and lead "
        "nowhere, clear of markers, crossings and the rest of the line. Each source has one row with few (`low`) and "
        "one with many (`high`); the spurs of the former are among those of the latter.",
        "**Reading order.** Paths in lanes that all run one way, without crossings; four directions, of one "
        "construction under mirrors and a transposition.",
    ),
    certified=(
        "A row is published only if a program that sees nothing but the PNG, the start marker and the number of "
        "markers recovers its answer. It finds the glyphs, names their colours and shapes, tests which pairs are "
        "joined by the drawn line, and accepts only a single path through all of them. It sees no coordinates and "
        "shares no code with the generator or the renderer. `certified_by` names it.",
        "What was rejected, and why, is counted below; `manifest.json` has the figures by stratum, and the report "
        "shows examples. Most rejections are of the search: drafts from which no path under the rules was reached.",
    ),
    checks=MappingProxyType(
        {
            "search": "The annealing brings the proposed path under every rule and into the bins of its cell.",
            "spurs": "As many gray spurs as the condition asks for fit between the lines.",
            "rules": "Every rule, judged again in exact arithmetic by code written apart from the search.",
            "certify": "The order of the markers read from the picture alone is the right one.",
            "near-duplicate": "No earlier path of the same bins has nearly the same shape, whatever its vertices.",
        }
    ),
    limitations=(
        "The pictures are clean drawings of one polyline on white; success here does not show that a model follows "
        "wires, roads, handwriting or lines in crowded figures.",
        "Tortuosity and crossings are not independent of how a path looks: nearly straight paths with crossings are "
        "all knots on a diagonal, and some pairs of bins are left out of the grid (in the recipe, `base.skipped`).",
        "Within a bin, values are not uniform: the search stops as soon as a path is inside.",
        "Prompts are in English only, worded by us after the rules of the paper, so scores are close to the paper's "
        "protocol but not interchangeable with its tables.",
        "Eight colours must be told apart by name. They were chosen to stay apart for people with colour-vision "
        "deficiency as far as eight named colours can, which is not always far; shapes help, and tell a model too.",
    ),
    biases=(
        "Every cell of the grid holds equally many rows, so that strongly tangled paths are far more frequent than "
        "among paths drawn at random.",
        "Families reach cells unevenly: tangled, nearly straight cells come mostly from paths grown by insertion.",
        "The rows of a source (`base`, `low`, `high`) are repeated measures of one path, not independent questions. "
        "Sources are paths with room for spurs, which the most crowded paths lack.",
        "Marker colours and shapes are drawn uniformly; no cultural or natural scene statistics are represented.",
    ),
    personal_information=(
        "None. Every picture is a generated drawing and every text comes from a template; no person, place or user "
        "content occurs."
    ),
    use_cases=(
        "Measuring how reliably vision-language models follow a line through crossings, turns and distractors; "
        "comparing models, prompts and picture encoders.",
        "Locating where tracing fails: around the k-th crossing, after passed spurs, by direction of reading.",
        "Training on rows made with another seed.",
    ),
    not_for=(
        "training on these rows, if scores on them are reported.",
        "evidence that a model may be trusted with diagrams, maps or medical images.",
    ),
    collection=GENERATED,
    social_impact=(
        "Verifiable questions make claims about visual reasoning easier to check, and the data can be made again by "
        "anyone at low cost, without human annotators. The risk is over-reading: a high score on synthetic lines is no "
        "evidence of reliability in use. The content itself is harmless."
    ),
    has_synthetic_data=True,
    sources=(
        Activity(
            label="TraversalBench: Challenging Paths to Follow for Vision Language Models",
            description=(
                "The paper specifies the task, the grid and the limits. Only its text was used, and the released files "
                "were audited against its rules; no path, picture or question of the release was copied."
            ),
        ),
    ),
    activities=(
        Activity(
            label="Generation",
            description=(
                "Paths, markers and spurs drawn and annealed by a seeded program (Planimeter); every item is a pure "
                "function of the recipe and the item's seed. No human annotators, no language model."
            ),
        ),
        Activity(
            label="Filtering",
            description="Exact geometric rules and a test for near-duplicates; limits stand in the recipe.",
        ),
        Activity(
            label="Certification",
            description="A program that sees only the PNG must recover the answer, or the item is not published.",
        ),
    ),
    paper="TraversalBench: Challenging Paths to Follow for Vision Language Models",
    citation=(
        "@misc{petrova2026traversalbench,\n"
        "  title         = {{TraversalBench}: Challenging Paths to Follow for Vision Language Models},\n"
        "  author        = {Petrova, Clara and Chen, Zhuo and Solja\\v{c}i\\'{c}, Marin},\n"
        "  year          = {2026},\n"
        "  eprint        = {2604.10999},\n"
        "  archivePrefix = {arXiv}\n"
        "}"
    ),
    task_categories=("visual-question-answering",),
    tags=("benchmark", "visual-reasoning", "path-tracing", "geometry", "synthetic", "planimeter"),
    configs=MappingProxyType({"base": _BASE, "confounded": _CONFOUNDED, "reading_order": _READING_ORDER}),
    columns=MappingProxyType(
        {
            "tortuosity_bin": "0-based bin of tortuosity; the recipe has the edges.",
            "self_intersection_bin": "0-based bin of the number of crossings; the recipe says where each starts.",
            "condition": "`low` (few spurs) or `high` (many); the recipe says how many.",
        }
    ),
)
