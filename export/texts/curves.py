"""What the datasets of nested curves say about themselves."""

from types import MappingProxyType

from planimeter.export.texts import GENERATED, Activity, Axis, ConfigText, Row, SuiteText

#: Upper ends of the ranges by which sizes are shown.
_SIZES = (1, 2, 3, 4, 5, 8, 12, 20, 35, 55, 80, 120)

_SCORING = (
    "The answer is a tree inside `<answer>` tags: the number of regions without the exterior, then a line `u v` for "
    "each of them, v the parent of u. Labels and the order of the lines are free; trees are compared as rooted and "
    "unordered. The reward is 0.3 for the right number and 0.7 for the exact tree. Reported besides: exact trees, "
    "depth, F1 of parent and of ancestor pairs, normalised tree edit distance, and replies that cannot be read, each "
    "by category, size and depth. The F1 and the distance each rest on the best matching found that keeps the root and "
    "who lies inside whom."
)
_ASKS = "Which region lies directly inside which? The answer is a rooted tree."


def _size(row: Row) -> str:
    """Return the range of the number of curves; the padding makes the names sort by number."""
    low = 1
    for high in _SIZES:
        if row["num_nodes"] <= high:
            return f"{low:>3} curve{'s' if high > 1 else ''}" if low == high else f"{low:>3} to {high} curves"
        low = high + 1
    return f"{low:>3} and more curves"


def _depth(row: Row) -> str:
    return f"depth {row['depth']:>2}"


_SIZE = Axis(title="Number of curves", of=_size)
_DEPTH = Axis(title="Depth", of=_depth)


def _caption(row: Row) -> str:
    return f"{row['num_nodes']} curve{'s' if row['num_nodes'] > 1 else ''}, depth {row['depth']}"


def _category(title: str, drawn: str) -> ConfigText:
    return ConfigText(
        title=title,
        asks=f"{drawn} {_ASKS}",
        scoring=_SCORING,
        rows=_SIZE,
        columns=_DEPTH,
        distributions=(_SIZE, _DEPTH),
        caption=_caption,
    )


_EASY = ConfigText(
    title="Easy",
    asks=f"A few smooth blobs. {_ASKS}",
    scoring=_SCORING,
    rows=Axis(title="Tree", of=lambda row: str(row["canonical"])),
    columns=Axis(title="Drawings", of=lambda _: "drawings of the tree"),
    distributions=(_SIZE, _DEPTH),
    caption=_caption,
)

_CURRICULUM = ConfigText(
    title="Curriculum",
    asks=f"Eight levels of more curves, deeper nesting, less room and longer boundaries. {_ASKS}",
    scoring=_SCORING,
    rows=Axis(title="Level", of=lambda row: f"level {row['level']}"),
    columns=Axis(title="Category", of=lambda row: str(row["category"])),
    distributions=(
        Axis(title="Category", of=lambda row: str(row["category"])),
        _SIZE,
        _DEPTH,
    ),
    caption=_caption,
)

TEXT = SuiteText(
    summary=(
        "Pictures of nested closed curves, which neither cross nor touch, and the question which of the regions that "
        "they bound lies in which: a rooted tree. The task, its categories and its rewards are those of the paper "
        "CurveBench, whose pictures were drawn by hand; these are drawn by a program, with trees, curves and questions "
        "made anew. No picture of the authors' release is contained."
    ),
    certificate=(
        "Every row was certified: a program that sees the picture, and neither the curves nor the answer, recovered "
        "the answer."
    ),
    seeding="Every item is a function of the recipe and its `seed` alone.",
    training=(
        "Rows for training that share no drawing with these are one command away: the curriculum (`curves-train`)."
    ),
    made=(
        "A tree is drawn first: in `easy` each of the rooted trees in turn, elsewhere uniformly "
        "over all rooted unordered trees of a size (RANRUT), or by attaching each curve inside a random earlier one. "
        "Then curves are laid out around it on a grid of cells, grown cell by cell under rules that never change the "
        "tree, and smoothed, bent or simplified in the manner of the category. Where `topographical` is a test "
        "category, the curves are level sets of a random terrain and the tree is what they show.",
        "Categories: `easy`, smooth blobs; `polygon`, straight edges and sharp corners; `topographical`, contour "
        "lines; `maze`, long winding corridors; `counting`, crowds. Widths of strokes and spaces keep the limits of "
        "the recipe, so that every curve is legible.",
        "Lines are black on white unless the recipe says otherwise: then they are dashed or in several inks, the paper "
        "is textured, or the picture looks scanned or compressed; open lines, which bound nothing, may lie between.",
        "Nodes of a tree are numbered canonically, so the answer depends on the tree alone; `curves[i]` is the "
        "boundary of node i + 1 in pixels.",
        "**Training and test rows share no drawing.** A hash of drawing and tree, which stays the same when the "
        "drawing is turned, mirrored, moved or scaled, sets an eighth of all drawings apart for testing. Rows of the "
        "categories come from that eighth, rows of the curriculum from the rest, at any seed and scale.",
    ),
    certified=(
        "A row is published only if a program that sees nothing but the PNG recovers its answer. It parts ink from "
        "paper, finds the connected strokes and regions, and walks from the corner of the picture across the strokes. "
        "It knows neither the curves nor the answer, only whether the recipe promises dashes, ink in colours, texture "
        "or noise, and shares no code with the generator or the renderer. `certified_by` names it.",
        "Before that, rules are judged on the stored vertices: that nested curves are simple and disjoint and lie in "
        "each other as the tree says, that they keep clear of the border and of each other, and that each has some "
        "open space inside.",
    ),
    checks=MappingProxyType(
        {
            "layout": ("The tree or the terrain leads to curves of the wanted number and depth that fit the canvas."),
            "disjoint": "The drawing is on the wanted side of the division into training and test drawings.",
            "simple": "No curve crosses or touches itself.",
            "nesting": "The stored curves are disjoint and lie in each other as the tree says.",
            "border": "Every curve keeps its distance from the edge of the canvas.",
            "gap": "There is white paper between any two strokes, and between two stretches of one.",
            "stroke": "The stroke is as wide as an extractor needs it.",
            "opening": "Every curve without others inside is open at its widest place.",
            "certify": "The tree read from the picture alone is the right one.",
            "near-duplicate": "No earlier row looks like it, turned or mirrored or not, whatever its answer.",
            "distinct": "No earlier row is the same drawing.",
        }
    ),
    limitations=(
        "The pictures are drawn by a program. They vary a great deal, but a person's hand varies in other ways, and "
        "scores here need not be those on hand-drawn curves.",
        "Curves are of one width in each picture, and disjoint; filled regions, labels and photographs do not occur.",
        "A drawing that the certifier cannot read is left out even where a person might read it.",
        "The prompt is in English only, and worded by us after the rules of the paper; scores are close to the paper's "
        "protocol but not interchangeable with its tables. Trees are compared as rooted; the authors' released matcher "
        "compares unrooted graphs and accepts more.",
        "No fast way to the best of all matchings of two trees is known: in large trees that differ much the F1 may be "
        "lower, and the tree edit distance higher, than under that one. As a matching keeps who lies inside whom, a "
        "part of a tree that is put in a wrong place may count as missing.",
    ),
    biases=(
        "Uniform random trees are mostly shallow and irregular: very symmetric or very deep trees are rare outside "
        "`easy`.",
        "Small trees recur: in `easy` each of few trees is drawn many times, so rows of one tree are not independent "
        "questions.",
        "Trees in `topographical` are those of natural-looking terrains, with long chains of nested contours.",
        "All lines stand on a square canvas with much free space kept for legibility.",
    ),
    personal_information=(
        "None. Every picture shows curves drawn by a program and every text is generated from a template; no person, "
        "place or user content occurs."
    ),
    use_cases=(
        "Measuring how exactly vision-language models perceive containment and count regions, by size, depth and "
        "kind of drawing.",
        "Reinforcement learning with a reward that can be checked, on the curriculum and on the `train` split of "
        "`easy`.",
    ),
    not_for=(
        "training on the `test` and `validation` splits, if scores on them are reported.",
        "evidence that a model may be trusted with maps, medical images or engineering drawings.",
    ),
    collection=GENERATED,
    social_impact=(
        "Verifiable questions make claims about visual reasoning easier to check, and the data can be made again by "
        "anyone at low cost, without human annotators. The risk is over-reading: a high score on synthetic curves is "
        "no evidence of reliability in use. The content itself is harmless."
    ),
    has_synthetic_data=True,
    sources=(
        Activity(
            label="CurveBench: A Benchmark for Exact Topological Reasoning over Nested Jordan Curves",
            description=(
                "The paper specifies the task, the categories, their sizes and the rewards. Only its text was used; no "
                "picture or annotation of its release was copied. There is no other source."
            ),
        ),
    ),
    activities=(
        Activity(
            label="Generation",
            description=(
                "Trees and curves drawn by a seeded program (Planimeter); every item is a pure function of the recipe "
                "and the item's seed. No human annotators, no language model."
            ),
        ),
        Activity(
            label="Filtering",
            description="Rules on the stored curves, and on how alike two drawings are; limits stand in the recipe.",
        ),
        Activity(
            label="Certification",
            description="A program that sees only the PNG must recover the answer, or the item is not published.",
        ),
    ),
    paper="CurveBench: A Benchmark for Exact Topological Reasoning over Nested Jordan Curves",
    citation=(
        "@misc{curvebench2026,\n"
        "  title  = {{CurveBench}: A Benchmark for Exact Topological Reasoning over Nested {Jordan} Curves},\n"
        "  author = {Mohseni, Amirreza and Mohammadi, Mona and Saghafian, Morteza and Talebizadeh Sardari, Naser},\n"
        "  year   = {2026},\n"
        "  eprint = {2605.14068},\n"
        "  archivePrefix = {arXiv}\n"
        "}"
    ),
    task_categories=("visual-question-answering",),
    tags=("benchmark", "topology", "visual-reasoning", "geometry", "synthetic", "planimeter"),
    configs=MappingProxyType(
        {
            "easy": _EASY,
            "polygon": _category("Polygon", "Straight edges and sharp corners."),
            "topographical": _category("Topographical", "Contour lines of a terrain."),
            "maze": _category("Maze", "Long winding corridors."),
            "counting": _category("Counting", "A crowd of curves."),
            "curriculum": _CURRICULUM,
        }
    ),
)
