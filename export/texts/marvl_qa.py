"""What MaRVL-QA says about itself."""

from types import MappingProxyType

from planimeter.export.texts import GENERATED, Activity, Axis, ConfigText, Row, SuiteText

_TRANSFORMATION_NAMES = {
    "rotate_90_clockwise": "90° clockwise",
    "rotate_180": "180°",
    "translate_x": "shift in x",
    "translate_y": "shift in y",
}


def _words(name: str) -> str:
    return name.replace("_", " ")


def _style(row: Row, side: str = "") -> str:
    colormap = row[f"colormap{side}"]
    return f"{row[f'plot_type{side}']}/{colormap}" if colormap else str(row[f"plot_type{side}"])


def _family(row: Row) -> str:
    return _words(row["family"])


def _transformation(row: Row) -> str:
    return _TRANSFORMATION_NAMES[row["transformation"]]


def _plot_types(row: Row) -> str:
    first, second = sorted((row["plot_type_a"], row["plot_type_b"]))
    return f"{first} + {second}"


_FAMILY = Axis(title="Function family", of=_family)

_COUNTING = ConfigText(
    title="Topological counting",
    asks="How many local maxima (or minima) does the plotted surface show?",
    scoring=(
        "The answer is a whole number inside `<final_answer>` tags. Reported are accuracy (the number is right) and "
        "relaxed accuracy at 10% and at 20% (it is off by no more than that share of the true count), each with a 95% "
        "confidence interval."
    ),
    rows=_FAMILY,
    columns=Axis(title="Style", of=_style),
    distributions=(
        Axis(title="Answer (count)", of=lambda row: str(row["answer"])),
        Axis(title="Feature", of=lambda row: str(row["feature"])),
        Axis(title="Tier", of=lambda row: f"tier {row['tier']}"),
    ),
    caption=lambda row: f"{row['answer']} {row['feature']}",
)

_RECOGNITION = ConfigText(
    title="Transformation recognition",
    asks="Which of five transformations leads from Plot A (left) to Plot B (right)?",
    scoring=(
        "The answer is the number of one of five options, 1 to 5, inside `<final_answer>` tags. Reported is accuracy "
        "with a 95% confidence interval, overall and by `transformation` and `same_style`. Guessing scores 20%, and "
        "25% for whoever leaves out No Change, which is always offered and never right."
    ),
    rows=_FAMILY,
    columns=Axis(title="Transformation", of=_transformation),
    distributions=(
        Axis(title="Answer (option number)", of=lambda row: str(row["answer"])),
        Axis(title="Transformation", of=_transformation),
        Axis(title="Style of the two plots", of=lambda row: "same" if row["same_style"] else "different"),
        Axis(title="Plot types", of=_plot_types),
    ),
    caption=lambda row: f"option {row['answer']}: {_transformation(row)}",
)

TEXT = SuiteText(
    summary=(
        "Plots of mathematical surfaces z = f(x, y), with two tasks: count the local maxima or minima that a plot "
        "shows, and recognise which transformation leads from one plot to another. The tasks, families of functions "
        "and limits are those of the paper MaRVL-QA; the functions, pictures and questions are made anew, by code "
        "written for this dataset. No item of the authors' release is contained."
    ),
    certificate="Every row was certified: a program that sees only the picture and the question recovered its answer.",
    seeding="Every item is a function of the recipe and its `seed` alone.",
    training="Rows for training are one command away: the same recipe with another `seed` shares no item with these.",
    made=(
        "Functions are drawn from a library of 32 families in five tiers, from planes to spirals and beaded rings. "
        "Each row names its `family`, its `parameters`, the printable `expression` and the plotted window, so the "
        "surface can be evaluated again by anyone.",
        "**Counting.** Extrema are located on a dense grid and refined on the continuous function. In place of the "
        "authors' manual review stand rules: an extremum on or near the frame, a plateau, a weak bump, or two extrema "
        "too near each other disqualify the whole question, so that the count is what a person sees. Each question is "
        "drawn in nine styles: heat maps and heat maps with contour lines in four colour maps each, and contour lines "
        "alone. Beside every plot stands a key of its scale of heights, for the lines too: a darker line is higher, so "
        "that the picture alone tells a summit from a hollow.",
        "**Transformations.** Rotations by 90 degrees clockwise and by 180 degrees, and shifts along x or y by at most "
        "a quarter of the axis range. A pair is kept only if the change is visible and every wrong option that is "
        "shown differs from the right one, by normalised root-mean-square error (`nrmse_identity`, "
        "`nrmse_confusable`). A wrong shift is tried in two readings: on what both plots show, and with the function "
        "continued beyond the window, over the whole panel; it must fail in both. Both plots share axes, "
        "labels, colour scale and contour levels, so that none of them gives the answer away.",
    ),
    certified=(
        "A row is published only if a program that sees nothing but the PNG and the question recovers its answer. It "
        "reads the colours back to heights (or follows the contour lines), counts extrema by topological persistence, "
        "and recognises transformations by laying one plot over the other in each of the five ways. It knows neither "
        "the function nor its parameters, and shares no code with the generator or the renderer. `certified_by` names "
        "it.",
        "What was rejected, and why, is counted below; `manifest.json` has the figures by family and style, and the "
        "report shows examples.",
    ),
    checks=MappingProxyType(
        {
            "curation": "One definite count, in the wanted range, of extrema that stand apart and away from the frame.",
            "ambiguity": "The change is visible, and no wrong option comes near the right one, neither on what both "
            "plots show nor with the function continued beyond the window (Algorithm 1, and more).",
            "certify": "The answer read from the picture alone is the right one, in every style; a pair of plots in "
            "all 81 pairs of styles, also where only some of them are shown.",
            "distinct": "No earlier item shows the same plot.",
        }
    ),
    limitations=(
        "The surfaces are mathematical functions in clean plots; success here does not show that a model reads "
        "photographs, maps or scientific figures with noise, legends or several series.",
        "Counts are small whole numbers, and the transformations are four: the tasks probe perception of structure, "
        "not calculation.",
        "An item that the certifier cannot read is left out even where a person might read it, so the hardest "
        "pictures, above all pairs of contour plots, are rarer than the generator would make them.",
        "Prompts are in English only, worded by us after the rules of the paper, so scores are close to the paper's "
        "protocol but not interchangeable with its tables.",
        "The images carry no three-dimensional views: heat maps and contour plots only.",
    ),
    biases=(
        "Function families are represented unevenly: only some have countable extrema, and symmetric families lose "
        "most of their transformations to the ambiguity filter.",
        "Small counts are more frequent than large ones, as in the paper, so a model that always answers a small "
        "number scores above chance.",
        "Counting rows come in groups of nine styles of one question; treat them as repeated measures, not as "
        "independent questions.",
        "All colours come from four perceptually uniform colour maps of matplotlib; other palettes are not covered.",
    ),
    personal_information=(
        "None. Every picture is the plot of a mathematical function and every text is generated from a template; no "
        "person, place or user content occurs."
    ),
    use_cases=(
        "Measuring how well vision-language models perceive and count topological features and recognise geometric "
        "transformations; comparing models, prompts and picture encoders.",
        "Diagnosing where perception fails, by count, family, plot style or transformation, since each row says how "
        "it was made.",
        "Training on rows made with another seed.",
    ),
    not_for=(
        "training on these rows, if scores on them are reported.",
        "evidence that a model may be trusted with measurements, medical images or navigation.",
    ),
    collection=GENERATED,
    social_impact=(
        "Verifiable questions make claims about visual reasoning easier to check, and the data can be made again by "
        "anyone at low cost, without human annotators. The risk is over-reading: a high score on synthetic plots is "
        "no evidence of reliability in use. The content itself is harmless."
    ),
    has_synthetic_data=True,
    sources=(
        Activity(
            label="MaRVL-QA: A Benchmark for Mathematical Reasoning over Visual Landscapes",
            description=(
                "The paper specifies the tasks, the families of functions and the limits of the filters. Only its text "
                "was used; no function, picture or question of its release was copied. There is no other source."
            ),
        ),
    ),
    activities=(
        Activity(
            label="Generation",
            description=(
                "Functions, windows and transformations drawn by a seeded program (Planimeter); every item is a pure "
                "function of the recipe and the item's seed. No human annotators, no language model."
            ),
        ),
        Activity(
            label="Filtering",
            description="Rules on extrema and on image similarity reject ambiguous items; limits stand in the recipe.",
        ),
        Activity(
            label="Certification",
            description="A program that sees only picture and question must recover it, or the item is dropped.",
        ),
    ),
    paper="MaRVL-QA: A Benchmark for Mathematical Reasoning over Visual Landscapes",
    citation=(
        "@misc{marvlqa,\n"
        "  title  = {{MaRVL-QA}: A Benchmark for Mathematical Reasoning over Visual Landscapes},\n"
        "  author = {{Anonymous authors}},\n"
        "  note   = {Paper under double-blind review}\n"
        "}"
    ),
    task_categories=("visual-question-answering",),
    tags=("benchmark", "mathematics", "visual-reasoning", "geometry", "synthetic", "planimeter"),
    configs=MappingProxyType({"counting": _COUNTING, "transformation": _RECOGNITION}),
)
