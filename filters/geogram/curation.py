"""The paper's curation as rules (GeoGramBench, sections 4.2, 4.3 and D): one function a step, each with its verdict.

The order is the paper's: code, duplicates, geometry, form, answer, running, leaks, level. Nothing is dropped without
a reason, and what rules cannot decide is a doubt: it goes to a person, who may edit the problem and feed it back.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from planimeter.filters.geogram import programs
from planimeter.filters.geogram.answers import choice, number_of, standard
from planimeter.filters.geogram.drawn import Sketch, leaks
from planimeter.filters.geogram.duplicates import Texts, runs
from planimeter.filters.geogram.programs import without_comments, without_empty_lines
from planimeter.filters.verdict import Verdict
from planimeter.items import LEVELS, CuratedProblem, Language, Level
from planimeter.items.corpora import RawProblem

_SHAPES: Final = re.compile(
    r"\b(?:triangles?|squares?|rectangles?|circles?|angles?|polygons?|hexagons?|pentagons?|octagons?|quadrilaterals?|"
    r"trapezoids?|parallelograms?|rhombus|perimeter|area|radius|radii|diameter|chord|tangent|arcs?|semicircles?|diagonals?|"
    r"cubes?|prisms?|pyramids?|cylinders?|cones?|spheres?|volume|perpendicular|parallel|bisects?|bisector|midpoint|vertex|"
    r"vertices|hypotenuse|altitude|median|inscribed|circumscribed|congruent|similar|sides?|segments?|\\angle|\\triangle|"
    r"\\overline|\\parallel|\\perp)\b|\\angle|\\triangle|\\overline|\\parallel|\\perp",
    re.IGNORECASE,
)
_CHARTS: Final = re.compile(
    r"\b(?:graph of|function|probability|at random|spinner|dice|survey|bar graph|histogram|pie chart|table|"
    r"magic square|digits?|stem-and-leaf|calendar|how many (?:different )?(?:ways|paths|routes)|sequence|average|"
    r"students)\b",
    re.IGNORECASE,
)
_PROOF: Final = re.compile(r"\b(?:prove|show) that\b|\bprove\b", re.IGNORECASE)
_PARTS: Final = re.compile(r"(?:^|\s)(?:\(a\)|\(i\)|a\))\s.*?(?:^|\s)(?:\(b\)|\(ii\)|b\))\s", re.DOTALL)
_LINK: Final = re.compile(r"https?://|\\href|\\url|\[url|www\.", re.IGNORECASE)
_OPTION: Final = re.compile(
    r"\\(?:textbf|text|mathrm|mathbf)\s*\{\s*\(?([A-E])\)?[\s.~\\:]*\}(.*?)"
    r"(?=\\(?:textbf|text|mathrm|mathbf)\s*\{\s*\(?[A-E]\)?[\s.~\\:]*\}|\Z)",
    re.DOTALL,
)
#: Columns of a corpus that no rule reads and a row keeps.
KEPT: Final = ("source", "level", "difficulty")

#: Reasons that are found before a problem is curated.
NO_CODE: Final = "no drawing code"
ALIKE: Final = "the statement is like an earlier one"

#: Characters of a problem, an answer or a program. The rules compare and search; a book among them would hold up all.
LONGEST: Final = 30_000

#: What an escape such as \ud800 of JSON leaves, if its other half is missing.
_SURROGATE: Final = re.compile("[\\ud800-\\udfff]")
_SPACING: Final = re.compile(r"\\q?quad|\\[ ,;:!]|~|\\\\|\s+")
_NEEDS_OPTIONS: Final = re.compile(r"\b(?:which (?:one )?of the|of the following|choices?|closest to)\b", re.IGNORECASE)

_SOLID: Final = re.compile(
    r"\b(?:cubes?|prisms?|pyramids?|cylinders?|cones?|spheres?|tetrahedr\w+|octahedr\w+|polyhedr\w+|solids?|"
    r"surface area|volume|folded|fold|nets?|rotated|rotation|rotates?|revolved|reflected|reflection|rolls?|rolling|"
    r"projection|unfold\w*|cross[- ]section|infinite\w*|continues|iterat\w+|process)\b|"
    r"\bimport (?:three|solids|graph3)\b|\bfor\s*\(|\bwhile\s*\(|projection=.3d",
    re.IGNORECASE,
)
_PRIMITIVE: Final = re.compile(r"\b(?:draw|filldraw|fill|plot|Circle|Polygon|Arc|add_patch)\s*\(", re.IGNORECASE)

_PAIR: Final = re.compile(r"\(\s*(-?\d*\.?\d+)\s*,\s*(-?\d*\.?\d+)\s*\)")
_PLAIN_CALLS: Final = {
    "draw", "label", "dot", "fill", "filldraw", "size", "linewidth", "fontsize", "defaultpen", "gray", "rgb", "pair",
    "if",
}  # fmt: skip


def read_rows(
    rows: Iterable[tuple[int, object]], problem: str = "problem", answer: str = "answer", code: str = ""
) -> tuple[list[RawProblem], list[tuple[int, str]]]:
    """Return the problems among numbered ``rows``, and the number of each other row with what is wrong with it.

    ``problem``, ``answer`` and ``code`` name the columns; code in a separate column is appended to its problem. A row
    that could not even be read comes as the ``ValueError`` that says why.
    """
    problems: list[RawProblem] = []
    faults: list[tuple[int, str]] = []
    for number, row in rows:
        fault = str(row) if isinstance(row, ValueError) else _fault(row, problem, answer, code)
        if fault or not isinstance(row, Mapping):
            # The name of a column may hold what no file and no terminal takes.
            faults.append((number, fault.encode(errors="backslashreplace").decode()))
            continue
        text = str(row[problem]) + (programs.marked(str(row[code] or "")) if code else "")
        kept = {name: _text(row.get(name)) for name in KEPT}
        problems.append(RawProblem(line=number, problem=text, answer=str(row[answer]), **kept))
    return problems, faults


def _text(value: object) -> str:
    """Return a column that no rule reads as text that a file can hold; empty for what is no text or number."""
    return str(value).encode(errors="replace").decode()[:LONGEST] if isinstance(value, str | int | float) else ""


def _fault(row: object, problem: str, answer: str, code: str) -> str:
    if not isinstance(row, Mapping):
        return f"need an object, got {type(row).__name__}"
    missing = [name for name in (problem, answer, code) if name and name not in row]
    if missing:
        return f"no column {missing[0]!r}; it has: {', '.join(sorted(map(str, row)))}"
    if not isinstance(row[problem], str) or not isinstance(row[answer], str | int | float):
        return f"need text in {problem!r} and text or a number in {answer!r}"
    if code and not isinstance(row[code], str | None):
        return f"need text in {code!r}"
    long = [name for name in (problem, answer, code) if name and len(str(row[name])) > LONGEST]
    if long:
        return f"{len(str(row[long[0]])):,} characters in {long[0]!r}, and {LONGEST:,} are the most"
    halves = [name for name in (problem, answer, code) if name and _SURROGATE.search(str(row[name]))]
    if halves:
        return f"half a character (a lone surrogate) in {halves[0]!r}, which no file can hold"
    return ""


def _verdict(check: str, reason: str, measured: float = 0.0, limit: float = 0.0) -> Verdict:
    return Verdict(check=check, kept=not reason, measured=measured, limit=limit, reason=reason)


def with_code(raw: RawProblem) -> tuple[CuratedProblem | None, Verdict]:
    """Split a problem into statement and code, comments stripped; reject it without drawing code (section 4.2)."""
    statement, marked = programs.split(raw.problem)
    drawing = programs.drawing(marked)
    if drawing is None:
        return None, _verdict("code", NO_CODE)
    language, pieces = drawing
    source = "\n".join(pieces)
    bare = without_comments(source, language)
    code = programs.parsable(bare) if language == "matplotlib" else bare
    changes = (
        *(("comments stripped",) if bare != without_empty_lines(source) else ()),
        *(("indent of the corpus taken away",) if code != bare else ()),
    )
    item = CuratedProblem(
        line=raw.line, problem=statement, code=code, language=language, answer_latex=raw.answer.strip(),
        level="compositional", changes=changes, doubts=("several drawings",) if len(pieces) > 1 else (),
    )  # fmt: skip
    return item, _verdict("code", "")


def duplicate(item: CuratedProblem, kept: Texts) -> Verdict:
    """Reject a statement that is like an earlier one by 8-grams, and remember it otherwise (section 4.2)."""
    text = runs(item.problem)
    measured = kept.most_similar(text)
    if measured > kept.limit:
        return _verdict("duplicates", ALIKE, measured, kept.limit)
    kept.add(text)
    return _verdict("duplicates", "", measured, kept.limit)


def geometry(item: CuratedProblem, judge: Callable[[str], bool] | None = None) -> Verdict:
    """Keep geometry (section 4.2): by ``judge`` where there is one, else by the words of the statement."""
    if judge is not None:
        return _verdict("geometry", "" if judge(item.problem) else "the judge says: no geometry")
    shapes, charts = len(_SHAPES.findall(item.problem)), 2 * len(_CHARTS.findall(item.problem))
    return _verdict("geometry", "" if shapes > charts else "no geometry by its words", float(shapes), float(charts))


def open_form(item: CuratedProblem) -> tuple[CuratedProblem, Verdict]:
    """Open multiple choice where that can be done (sections 4.3, D.1).

    Proofs, parts and hyperlinks are doubts: a person can often make one question of them, as the paper's did.
    """
    forms = ((_LINK, "a hyperlink"), (_PROOF, "a proof"), (_PARTS, "several parts"))
    doubts = tuple(doubt for pattern, doubt in forms if pattern.search(item.problem))
    item = replace(item, doubts=(*item.doubts, *doubts))
    options = {m[1]: _SPACING.sub(" ", m[2]).strip(" $,;.") for m in _OPTION.finditer(item.problem)}
    letter = choice(item.answer_latex)
    if len(options) < 3:
        return item, _verdict("form", "the answer is a letter without options" if letter else "")
    stem = item.problem[: next(iter(_OPTION.finditer(item.problem))).start()].rstrip(" $")
    if _NEEDS_OPTIONS.search(stem):
        return item, _verdict("form", "a choice that needs its options")
    answer = options.get(letter, "") if letter else item.answer_latex
    if not answer:
        return item, _verdict("form", "a choice whose answer is none of its options")
    changed = replace(item, problem=stem, answer_latex=answer, changes=(*item.changes, "multiple choice opened"))
    return changed, _verdict("form", "")


def standard_answer(item: CuratedProblem) -> tuple[CuratedProblem, Verdict]:
    """Standardise the answer (section D.1); one that is no number is a doubt.

    An empty one is dropped, unless a person looks at the problem anyway: a proof has no answer yet.
    """
    if not item.answer_latex and not item.doubts:
        return item, _verdict("answer", "no answer")
    latex = standard(item.answer_latex)
    value = number_of(latex)
    changes = item.changes if latex == item.answer_latex else (*item.changes, "answer standardised")
    doubts = item.doubts if value is not None else (*item.doubts, "the answer is no number")
    return replace(item, answer_latex=latex, answer_value=value, changes=changes, doubts=doubts), _verdict("answer", "")


def without_leak(
    item: CuratedProblem, sketch: Callable[[str, Language], Sketch], tolerance: float, ruler: float
) -> tuple[CuratedProblem, Verdict]:
    """Look for leaks; rescale the coordinates where that removes all and keeps the figure (sections 4.1, D.2).

    Those that rescaling does not remove are doubts, and notes say where they are. ``sketch`` reads the drawing of a
    program, ``tolerance`` and ``ruler`` are those of ``leaks``.
    """
    if item.answer_value is None:
        return item, _verdict("leakage", "")
    leaked = leaks(item.problem, item.code, item.answer_value, sketch(item.code, item.language), tolerance, ruler)
    if leaked and item.language == "asymptote" and rescalable(item.code):
        for factor in (1.37, 0.73, 1.83):
            code = rescaled(item.code, factor)
            drawn = sketch(code, item.language)
            if not leaks(item.problem, code, item.answer_value, drawn, tolerance, ruler):
                changes = (*item.changes, "coordinates rescaled")
                return replace(item, code=code, changes=changes), _verdict("leakage", "")
    doubts = (*item.doubts, *(leak.reason for leak in leaked))
    return replace(item, doubts=doubts, notes=(*item.notes, *(leak.detail for leak in leaked))), _verdict("leakage", "")


def rescalable(code: str) -> bool:
    """Whether all sizes in a program are coordinates of literal points, so that a factor keeps the figure."""
    calls = set(re.findall(r"([A-Za-z_]\w*)\s*\(", code))
    rest = _PAIR.sub("", re.sub(r"\"[^\"]*\"|\b(?:size|linewidth|fontsize|defaultpen|gray|rgb)\s*\([^;]*?\)", "", code))
    return calls <= _PLAIN_CALLS and not re.search(r"\d", rest) and "unitsize" not in code


def rescaled(code: str, factor: float) -> str:
    """Return ``code`` with every literal point multiplied by ``factor``, to four digits."""
    return _PAIR.sub(lambda m: f"({float(m[1]) * factor:.4g}, {float(m[2]) * factor:.4g})", code)


def level_of(item: CuratedProblem) -> Level:
    """Return the level (section 3.2): solids, processes and loops are abstract, one or two shapes primitive."""
    if _SOLID.search(item.problem) or _SOLID.search(item.code):
        return "abstract"
    return "primitive" if len(_PRIMITIVE.findall(item.code)) <= 2 else "compositional"


def review_entry(item: CuratedProblem) -> dict[str, object]:
    """Return what a person sees and may edit: set ``decision`` to "keep" or "drop"."""
    return {
        "line": item.line, "decision": "", "doubts": list(item.doubts), "notes": list(item.notes),
        "problem": item.problem, "answer": item.answer_latex, "level": item.level, "language": item.language,
        "code": item.code,
    }  # fmt: skip


def reviewed(item: CuratedProblem, entries: Sequence[Mapping[str, object]]) -> tuple[CuratedProblem, Verdict]:
    """Apply a reviewer's decision on ``item``, matched by ``line``; without one a doubtful item waits.

    Raises:
        ValueError: if a decision is neither "keep", "drop" nor empty.
    """
    entry = next((e for e in entries if e.get("line") == item.line), {})
    decision = entry.get("decision", "")
    if decision not in ("keep", "drop", ""):
        raise ValueError(f"line {item.line} of the review: need the decision 'keep', 'drop' or '', got {decision!r}")
    if decision == "drop":
        return item, _verdict("review", "dropped by review")
    if decision == "keep":
        answer = standard(str(entry.get("answer", item.answer_latex)))
        level = next((known for known in LEVELS if known == entry.get("level")), item.level)
        edited = replace(
            item, problem=str(entry.get("problem", item.problem)), code=str(entry.get("code", item.code)), doubts=(),
            answer_latex=answer, answer_value=number_of(answer), level=level, changes=(*item.changes, "reviewed"),
        )  # fmt: skip
        return edited, _verdict("review", "")
    return item, _verdict("review", "waits for review: " + item.doubts[0] if item.doubts else "")
