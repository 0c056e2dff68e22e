"""What an imported corpus of geometry problems says about itself."""

from types import MappingProxyType

from planimeter.export.texts import Activity, Axis, ConfigText, SuiteText
from planimeter.export.texts.geogram import CITATION, LANGUAGE, LEVEL, PAPER, SCORING, answer_form, length_of_code

_CONFIG = ConfigText(
    title="Program to geometry, curated",
    asks="What is the asked quantity in the figure that a program draws?",
    scoring=SCORING,
    rows=LEVEL,
    columns=Axis(title="Form of the answer", of=answer_form),
    distributions=(LEVEL, LANGUAGE, Axis(title="Length of the program", of=length_of_code)),
    caption=lambda row: str(row["answer"]),
)

TEXT = SuiteText(
    summary=(
        "Geometry problems with drawing code (Asymptote, matplotlib), curated by rules from an existing corpus after "
        "the pipeline of the paper GeoGramBench. `origin` names the corpus, `seed` says where in it a problem stands."
    ),
    certificate=(
        "No answer was certified: each is the corpus's own word. What was checked of every row is that the protocol "
        "reads its answer and that its figure can be drawn."
    ),
    seeding=(
        "`seed` is the place of a problem in the corpus: its line, and 2^32 for each file of the recipe before its own."
    ),
    training="The corpus itself may be in training data already; this string tells nothing of that.",
    made=(
        "From the corpus were kept problems with drawing code, about geometry, that ask for one thing, with an answer "
        "that math-verify reads. Near duplicates are dropped by the 8-grams of their statements, multiple choice is "
        "opened where that can be done, answers are brought to LaTeX in simplest form, comments are stripped "
        "from the code, and coordinates are rescaled where that removes a leak and keeps the figure. `givens` lists "
        "what was changed in each row.",
        "Levels follow the paper's taxonomy by rules on the words and the code; expect them to differ from a person's "
        "in a good part of the rows.",
        "`image` shows the figure. matplotlib code runs in a sandbox. Asymptote is drawn by Planimeter's own reader "
        "of the language, in greys and with its own sizes of text, or by Asymptote itself where the recipe names it; "
        "what neither draws is left out.",
    ),
    certified=(
        "**The answers are those of the corpus. No independent solver has confirmed them**: `certified_by` says so. "
        "What is checked: the protocol reads each answer, it equals `answer_value`, and the figure can be drawn.",
    ),
    checks=MappingProxyType(
        {
            "read": "The line holds a problem and an answer.",
            "code": "The problem has drawing code.",
            "duplicates": "No earlier statement is alike by 8-grams.",
            "geometry": "The statement is about geometry, by its words or by a judge that the recipe names.",
            "form": "It asks for one thing, and its answer can be written down.",
            "answer": "There is an answer.",
            "leakage": "Leaks are measured and mended where rescaling does; the others become doubts for the review.",
            "review": "No rule has doubts, or a person has decided them.",
            "figure": "The code draws a figure.",
            "score": "The protocol reads the answer as its value.",
            "promises": "The row keeps what each row promises: no local path, a sound picture, no repeat.",
            "rules": "Every rule could be applied; only problems on which one failed are counted here.",
        }
    ),
    limitations=(
        "Answers, statements and figures are the corpus's own and may be wrong; nothing here proves them.",
        "Figures of such corpora are often to scale, so that some answers can be found by measuring the drawing; the "
        "leak rules see literals and distances between literal points only.",
        "Problems that only a person could mend are left out until a review decides them.",
        "Models may have seen the corpus in training.",
    ),
    biases=(
        "The subjects, styles and difficulty are those of the corpus; rules on English words decide what is geometry.",
        "Asymptote code that needs modules beyond Asymptote's own is left out, and with it the problems of certain "
        "authors and years.",
    ),
    personal_information=(
        "None is added. Statements are school problems of the corpus and may hold first names of invented persons."
    ),
    use_cases=(
        "Measuring how well language models build a figure from drawing code and reason about it, beside generated "
        "problems whose answers are certified.",
    ),
    not_for=(
        "a held-out test where the corpus was training data.",
        "claims that need certified answers: nobody has confirmed those of the corpus.",
    ),
    collection=(
        "From the files of an existing corpus, which the recipe in manifest.json names with their SHA-256; their "
        "statements, programs and answers are their authors' own. Rules selected and standardised them, and a person "
        "decided doubtful ones where the recipe names a review."
    ),
    collection_type="Secondary Data Analysis",
    social_impact=("An open account of what was dropped and why makes curation repeatable. The content is harmless."),
    has_synthetic_data=False,
    sources=(
        Activity(
            label="The imported corpus",
            description="The files that the recipe in manifest.json names with their SHA-256; `origin` is its name.",
        ),
        Activity(label=PAPER, description="The paper specifies the curation and the taxonomy."),
    ),
    activities=(
        Activity(label="Curation", description="Rules (Planimeter) select and standardise; the funnel counts all."),
        Activity(label="Review", description="Doubtful problems wait for a person; the recipe names it, if any."),
    ),
    paper=PAPER,
    citation=CITATION,
    task_categories=("question-answering",),
    tags=("benchmark", "mathematics", "geometry", "code", "planimeter"),
    configs=MappingProxyType({"geogram": _CONFIG}),
    shows_picture=False,
    columns=MappingProxyType(
        {
            "image": "The figure that the code draws, as PNG; no part of the question.",
            "seed": "The problem's line in its file, and 2^32 for each file of the recipe before that.",
            "certified_by": "That no independent check has recovered the answer.",
            "givens": "JSON: what the curation changed in the row.",
            "template": "Empty.",
        }
    ),
)
