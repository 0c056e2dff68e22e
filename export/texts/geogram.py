"""What the generated GeoGramBench dataset says about itself."""

from types import MappingProxyType
from typing import Final

from planimeter.export.stated import RULES
from planimeter.export.texts import GENERATED, Activity, Axis, ConfigText, Row, Shortcuts, SuiteText

PAPER: Final = "GeoGramBench: Benchmarking the Geometric Program Reasoning in Modern LLMs"
CITATION: Final = (
    "@misc{geogrambench,\n"
    "  title  = {{GeoGramBench}: Benchmarking the Geometric Program Reasoning in Modern {LLMs}},\n"
    "  author = {{Anonymous authors}},\n"
    "  note   = {Paper under double-blind review}\n"
    "}"
)
SCORING: Final = (
    "The reply ends with its answer in `\\boxed{}`, exact. math-verify compares it with the gold answer. Reported is "
    "accuracy for each level and over all, as the mean over k replies to each problem, with a 95% interval."
)
LEVEL: Final = Axis(title="Level", of=lambda row: str(row["level"]))
LANGUAGE: Final = Axis(title="Language", of=lambda row: str(row["language"]))


def answer_form(row: Row) -> str:
    """Return what kind of number the answer is."""
    answer = row["answer"]
    if row["answer_value"] is None:
        return "no number"
    if "\\pi" in answer:
        return "with pi"
    if "\\sqrt" in answer:
        return "with a root"
    return "fraction" if "\\frac" in answer else "whole number"


def length_of_code(row: Row) -> str:
    """Return the number of lines of the program, in steps of ten."""
    first = len(row["code"].splitlines()) // 10 * 10
    return f"{first:03d} to {first + 9:03d} lines"


_CONFIG = ConfigText(
    title="Program to geometry",
    asks="What is the asked length, angle, area, volume or ratio in the figure that a program draws?",
    scoring=SCORING,
    rows=Axis(title="Template", of=lambda row: f"{row['level']}: {row['template'].replace('_', ' ')}"),
    columns=LANGUAGE,
    distributions=(
        LEVEL,
        LANGUAGE,
        Axis(title="Form of the answer", of=answer_form),
        Axis(title="Length of the program", of=length_of_code),
    ),
    caption=lambda row: str(row["answer"]),
    shortcuts=Shortcuts(
        title="Numbers of the statement",
        note=(
            "How often a number of the statement, in figures, LaTeX or words, is the answer, and how often some two of "
            "them make it by one operation. The first never happens. The others are upper bounds of what guessing "
            "gains: the two numbers are chosen with the answer known, and a primitive problem may ask just that."
        ),
        rules=RULES,
    ),
)

TEXT = SuiteText(
    summary=(
        "Geometry problems whose figure is given as the program that draws it, in Asymptote or matplotlib. A model "
        "must see the figure in the code, join it to the text, and solve; the answer is one exact number. The task, "
        "the taxonomy of levels (primitive, compositional, abstract) and the sizes of the levels are those of the "
        "paper GeoGramBench; the problems are made anew, by code written for this dataset. No problem of the authors' "
        "release is contained."
    ),
    certificate=(
        "Every row was certified: a solver that sees the program and the facts of the statement, and no template, "
        "recovered its answer."
    ),
    seeding="Every item is a function of the recipe and its `seed` alone.",
    training="Rows for training are one command away: the same recipe with another `seed` shares no item with these.",
    made=(
        "A template draws whole or simple numbers for the statement, builds the figure as a scene (points, "
        "constructions, paths, fills, labels, loops, solids in projection), and gives the exact answer by symbolic "
        "algebra. Printers write the scene as Asymptote (stock modules only) or as matplotlib, in several styles; both "
        "languages occur at every level, half and half.",
        "**The figure does not measure the answer.** The program draws the same construction with *other* parameters "
        "than the statement's, turned, scaled and shifted at random, and the statement says that the figure is not to "
        "scale. What a ruler on the figure gives, as it is or to any stated scale, differs from the answer by more "
        "than the recipe's limit. Incidences, order and counts are those of the code, and in many templates only the "
        "code tells which region is meant, on which side something lies, or how often a step is repeated.",
        "**Copying scores nothing.** No answer equals a number of its statement, be it written in figures, in LaTeX or "
        "as a word.",
        "`image` shows the figure for people who look at the data. It is not part of the question: the protocol gives "
        "a model the text and the code.",
    ),
    certified=(
        "A row is published only if a solver that knows no template recovers its answer from the program text and the "
        "facts in `givens`, each number of which must stand in the statement. It reads the program as a construction "
        "whose decimal literals are unknown, solves the facts by least squares from several starts, keeps solutions "
        "arranged like the drawing, and measures what is asked; all solutions must agree. `certified_by` names it. It "
        "shares no code with the templates, the printers or the renderer.",
        "`givens` is stated by the template: that the facts and the English of the statement mean the same is the "
        "templates' promise, checked number by number but not word by word.",
    ),
    checks=MappingProxyType(
        {
            "draft": "The drawn numbers fit together and lead to an answer of simple exact form.",
            "certify": "The answer that the solver recovers from code and facts is the template's.",
            "leakage": (
                "The answer is no number of the statement, no literal of the code, no trivial computation, no "
                "measurement of the figure."
            ),
            "distinct": "No earlier statement or program is alike by 8-grams, and no template outgrows its share.",
        }
    ),
    limitations=(
        "The problems come from a few dozen templates, with varied wording, numbers and drawing style: rows of one "
        "template ask for related reasoning and are not independent evidence.",
        "Statements are in English only and of the length of a school exercise; proofs, constructions and problems in "
        "words alone do not occur.",
        "Levels are set by template after the paper's taxonomy, not by measured difficulty.",
        "Programs are clean and short; real drawing code has more clutter, and its figures are often to scale.",
    ),
    biases=(
        "Templates have even shares within their level, which is not how often such problems occur in schoolbooks or "
        "contests.",
        "Plane figures of triangles, quadrilaterals and circles prevail; coordinates, vectors and trigonometric "
        "identities hardly occur.",
        "The statements' numbers are chosen so that answers are short exact expressions.",
    ),
    personal_information=(
        "None. Every statement and program is generated from a template; no person, place or user content occurs."
    ),
    use_cases=(
        "Measuring how well language models build a figure from drawing code and reason about it; comparing models and "
        "prompts by level and by language of the code.",
        "Training on rows made with another seed.",
    ),
    not_for=(
        "training on these rows, if scores on them are reported.",
        "evidence of general mathematical ability, or of perception of pictures.",
    ),
    collection=GENERATED,
    social_impact=(
        "Verifiable problems that cannot be read off the code make claims about geometric reasoning easier to check, "
        "and anyone can make new ones at low cost. The risk is over-reading a score on templates. The content "
        "is harmless."
    ),
    has_synthetic_data=True,
    sources=(
        Activity(
            label=PAPER,
            description=(
                "The paper specifies the task, the taxonomy and the curation. Only its text was used; no problem of "
                "its release was copied. There is no other source."
            ),
        ),
    ),
    activities=(
        Activity(
            label="Generation",
            description=(
                "Statements, scenes and answers drawn by a seeded program (Planimeter); every item is a pure function "
                "of the recipe and the item's seed. No human annotators, no language model."
            ),
        ),
        Activity(
            label="Filtering",
            description="Rules against leaks and near duplicates reject candidates; limits stand in the recipe.",
        ),
        Activity(
            label="Certification",
            description="A solver that sees program and facts must recover the answer, or the item is not published.",
        ),
    ),
    paper=PAPER,
    citation=CITATION,
    task_categories=("question-answering",),
    tags=("benchmark", "mathematics", "geometry", "code", "synthetic", "planimeter"),
    configs=MappingProxyType({"geogram": _CONFIG}),
    shows_picture=False,
    columns=MappingProxyType(
        {
            "image": "The figure that the program draws, as PNG; no part of the question.",
            "certified_by": "The independent solver that recovered the answer from the program and the givens.",
        }
    ),
)
