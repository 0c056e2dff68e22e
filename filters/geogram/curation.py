"""The curation of GeoGramBench as rules (sections 4.2, 4.3 and D): each step is a function that returns a verdict.

The steps have the paper's order: code, geometry, form, answer, leaks, level. Only kept problems are compared for
duplicates, unlike in the paper. If rules cannot decide on an item, it gets a doubt: a reason for review by a person,
who may edit the problem and import it again.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Final

from planimeter.filters.geogram import programs
from planimeter.filters.geogram.answers import choice, number_of, standard
from planimeter.filters.geogram.drawn import leaks
from planimeter.filters.geogram.programs import without_comments, without_empty_lines
from planimeter.filters.geogram.reading import sketch_of
from planimeter.filters.verdict import Verdict
from planimeter.items import LEVELS, CuratedProblem, Level
from planimeter.items.corpora import RawProblem

#: Reasons for a person's review.
UNSEARCHED: Final = "leaks not searched"

_SHAPES: Final = re.compile(
    r"\b(?:triangles?|squares?|rectangles?|circles?|angles?|polygons?|hexagons?|pentagons?|octagons?|quadrilaterals?|"
    r"trapezoids?|parallelograms?|rhombus|perimeter|area|radius|radii|diameter|chord|tangent|arcs?|semicircles?|diagonals?|"
    r"cubes?|prisms?|pyramids?|cylinders?|cones?|spheres?|volume|perpendicular|parallel|bisects?|bisector|midpoint|vertex|"
    r"vertices|hypotenuse|altitude|median|inscribed|circumscribed|congruent|similar|sides?|segments?|\\angle|\\triangle|"
    r"polyhedr\w+|tetrahedr\w+|degrees?|distance|ellipses?|lines?|\\angle|\\triangle|\\overline|\\parallel|\\perp)\b"
    r"|\\angle|\\triangle|\\overline|\\parallel|\\perp|\\circ\b|°",
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

NO_CODE: Final = "no drawing code"

#: Characters of a problem, an answer or a program. The rules compare and search; a whole book would stall them.
LONGEST: Final = 30_000

#: The remainder of an escape such as \ud800 of JSON without its other half.
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
    """Return the problems among numbered ``rows``, and (number, fault) of each row without a usable problem.

    ``problem``, ``answer`` and ``code`` name the columns; code in a column of its own is appended to its problem. If
    there is no column ``answer``, the last LaTeX box in the column ``solution`` is the answer. For a row that could not
    be read, pass a ``ValueError`` with the fault instead of a mapping.
    """
    problems: list[RawProblem] = []
    faults: list[tuple[int, str]] = []
    for number, row in rows:
        if isinstance(row, Mapping) and answer not in row and isinstance(row.get("solution"), str):
            row = {**row, answer: _boxed(row["solution"])}
        fault = str(row) if isinstance(row, ValueError) else _fault(row, problem, answer, code)
        if fault or not isinstance(row, Mapping):
            # The name of a column may contain characters that files and terminals refuse.
            faults.append((number, fault.encode(errors="backslashreplace").decode()))
            continue
        text = row[problem] + (programs.marked(str(row[code] or "")) if code else "")
        about = {name: _text(row.get(name)) or "" for name in KEPT}
        kept = {name: said.encode(errors="replace").decode()[:LONGEST] for name, said in about.items()}
        problems.append(RawProblem(line=number, problem=text, answer=_text(row[answer]) or "", **kept))
    return problems, faults


def _boxed(solution: str) -> str:
    r"""Return the content of the last ``\boxed{}`` of ``solution``, its answer, or an empty string."""
    content, depth = solution.rpartition("\\boxed{")[2] if "\\boxed{" in solution else "", 1
    for at, sign in enumerate(content):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return content[:at]
    return ""


def _text(value: object) -> str | None:
    """Return the value of a column as text, or None if it is not a text, number, boolean or list.

    A list of one item counts as that item; other lists become JSON.
    """
    match value:
        case str():
            return value
        case [item]:
            return _text(item)
        case bool() | [*_]:
            return json.dumps(value, default=str)
        case Decimal():
            return format(value, "f")
        case int() | float():
            return str(value)
    return None


def _fault(row: object, problem: str, answer: str, code: str) -> str:
    if not isinstance(row, Mapping):
        return f"need an object, got {type(row).__name__}"
    missing = [name for name in (problem, answer, code) if name and name not in row]
    if missing:
        return f"no column {missing[0]!r}; it has: {', '.join(sorted(map(str, row)))}"
    if not isinstance(row[problem], str) or _text(row[answer]) is None:
        return f"need text in {problem!r} and text or a number in {answer!r}"
    if code and not isinstance(row[code], str | None):
        return f"need text in {code!r}"
    texts = {problem: row[problem], answer: _text(row[answer]) or "", **({code: row[code] or ""} if code else {})}
    for name, text in texts.items():
        if len(text) > LONGEST:
            return f"{name!r} has {len(text):,} characters, and {LONGEST:,} are the most"
        if _SURROGATE.search(text):
            return f"{name!r} contains half a character (a lone surrogate), which UTF-8 cannot encode"
    return ""


def _verdict(check: str, reason: str, measured: float = 0.0, limit: float = 0.0) -> Verdict:
    return Verdict(check=check, kept=not reason, measured=measured, limit=limit, reason=reason)


def with_code(raw: RawProblem) -> tuple[CuratedProblem | None, Verdict]:
    """Split a problem into statement and code without comments; reject it without drawing code (section 4.2)."""
    text, is_unclosed = programs.respelled(raw.problem)
    statement, marked = programs.split(text)
    drawing = programs.drawing(marked)
    if drawing is None:
        return None, _verdict("code", NO_CODE)
    language, pieces = drawing
    source = "\n".join(pieces)
    swallowed = language == "asymptote" and programs.comment_holds_statements(source)
    bare = without_empty_lines(source) if swallowed else without_comments(source, language)
    code = programs.parsable(bare) if language == "matplotlib" else bare
    words, shows_picture = programs.worded(statement)
    changes = (
        *(("comments stripped",) if bare != without_empty_lines(source) else ()),
        *(("indent of the corpus taken away",) if code != bare else ()),
        *(("marks of HTML or a wiki taken away",) if words != statement else ()),
    )
    doubts = {
        "several drawings": len(pieces) > 1,
        "a comment holds statements": swallowed,
        "the drawing code is not closed": is_unclosed,
        "a picture that is not here": shows_picture,
        "the program draws nothing": language == "asymptote" and not programs.draws(bare),
    }
    item = CuratedProblem(
        line=raw.line, problem=words, code=code, language=language, answer_latex=raw.answer.strip(),
        level="compositional", changes=changes, doubts=tuple(doubt for doubt, holds in doubts.items() if holds),
    )  # fmt: skip
    return item, _verdict("code", "")


def geometry(item: CuratedProblem, judge: Callable[[str], bool] | None = None) -> tuple[CuratedProblem, Verdict]:
    """Keep geometry problems (section 4.2): ``judge`` decides from the statement; if it is None, keywords do.

    A problem with keywords of charts and none of shapes is rejected. Unless keywords of shapes clearly prevail, the
    item is marked for review by a person, because the figure may show geometry.
    """
    if judge is not None:
        return item, _verdict("geometry", "" if judge(item.problem) else "the judge says: no geometry")
    shapes, charts = len(_SHAPES.findall(item.problem)), 2 * len(_CHARTS.findall(item.problem))
    if charts and not shapes:
        return item, _verdict("geometry", "no geometry by its words", 0.0, float(charts))
    doubts = item.doubts if shapes > charts else (*item.doubts, "perhaps no geometry")
    return replace(item, doubts=doubts), _verdict("geometry", "", float(shapes), float(charts))


def open_form(item: CuratedProblem) -> tuple[CuratedProblem, Verdict]:
    """Turn multiple choice into an open question if possible (sections 4.3, D.1).

    A problem with a hyperlink or several parts, or that asks for a proof, is marked for review by a person.
    """
    forms = ((_LINK, "a hyperlink"), (_PROOF, "a proof"), (_PARTS, "several parts"))
    doubts = tuple(doubt for pattern, doubt in forms if pattern.search(item.problem))
    item = replace(item, doubts=(*item.doubts, *doubts))
    options = {m[1]: _SPACING.sub(" ", m[2]).strip(" $,;.") for m in _OPTION.finditer(item.problem)}
    letter = choice(item.answer_latex)
    stem = item.problem[: next(iter(_OPTION.finditer(item.problem))).start()].rstrip(" $") if options else ""
    answer = options.get(letter, "") if letter else item.answer_latex
    doubt = (
        ("the answer is a letter without options" if letter else "") if len(options) < 3
        else "a choice that needs its options" if _NEEDS_OPTIONS.search(stem)
        else "a choice whose answer is none of its options" if not answer
        else ""
    )  # fmt: skip
    if doubt or len(options) < 3:
        return replace(item, doubts=(*item.doubts, doubt) if doubt else item.doubts), _verdict("form", "")
    changed = replace(item, problem=stem, answer_latex=answer, changes=(*item.changes, "multiple choice opened"))
    return changed, _verdict("form", "")


def standard_answer(item: CuratedProblem) -> tuple[CuratedProblem, Verdict]:
    """Standardise the answer (section D.1), or mark it for review, unchanged, if it is not exactly one number.

    A problem without an answer is rejected unless it is marked for review already: the person may add an answer.
    """
    if not item.answer_latex and not item.doubts:
        return item, _verdict("answer", "no answer")
    latex = standard(item.answer_latex, item.problem)
    value = number_of(latex)
    changes = item.changes if latex == item.answer_latex else (*item.changes, "answer standardised")
    doubts = item.doubts if value is not None else (*item.doubts, "the answer is not one number")
    return replace(item, answer_latex=latex, answer_value=value, changes=changes, doubts=doubts), _verdict("answer", "")


def without_leak(item: CuratedProblem, tolerance: float, ruler: float) -> tuple[CuratedProblem, Verdict]:
    """Find leaks of the answer, and rescale the coordinates if that removes all of them and keeps the figure.

    See sections 4.1 and D.2 of the paper. Otherwise each leak is a reason for review by a person, and so is a program
    that is not understood. A drawn size counts as the answer within the relative tolerance ``tolerance``, one by ruler
    within ``ruler``.
    """
    if item.answer_value is None:
        return item, _verdict("leakage", "")
    sketch = sketch_of(item.code, item.language)
    leaked = leaks(item.problem, item.code, item.answer_value, sketch, tolerance, ruler)
    if leaked and not sketch.unread and item.language == "asymptote" and rescalable(item.code):
        for factor in (1.37, 0.73, 1.83):
            code = rescaled(item.code, factor)
            drawn = sketch_of(code, item.language)
            if not leaks(item.problem, code, item.answer_value, drawn, tolerance, ruler):
                changes = (*item.changes, "coordinates rescaled")
                return replace(item, code=code, changes=changes), _verdict("leakage", "")
    unread = ((UNSEARCHED, f"not understood: {sketch.unread}"),) if sketch.unread else ()
    reasons = [*((leak.reason, leak.detail) for leak in leaked), *unread]
    doubts, notes = (*item.doubts, *(r for r, _ in reasons)), (*item.notes, *(detail for _, detail in reasons))
    return replace(item, doubts=doubts, notes=notes), _verdict("leakage", "")


def rescalable(code: str) -> bool:
    """Return True if all sizes in a program are coordinates of literal points, so that scaling keeps the figure."""
    calls = set(re.findall(r"([A-Za-z_]\w*)\s*\(", code))
    rest = _PAIR.sub("", re.sub(r"\"[^\"]*\"|\b(?:size|linewidth|fontsize|defaultpen|gray|rgb)\s*\([^;]*?\)", "", code))
    return calls <= _PLAIN_CALLS and not re.search(r"\d", rest) and "unitsize" not in code


def rescaled(code: str, factor: float) -> str:
    """Return ``code`` with all literal points multiplied by ``factor``, to four significant digits."""
    return _PAIR.sub(lambda m: f"({float(m[1]) * factor:.4g}, {float(m[2]) * factor:.4g})", code)


def level_of(item: CuratedProblem) -> Level:
    """Return the level in the paper's taxonomy (section 3.2), by words of the statement and commands of the code.

    Solids, processes and loops are abstract; a drawing of one or two shapes is primitive; others are compositional.
    """
    if _SOLID.search(item.problem) or _SOLID.search(item.code):
        return "abstract"
    return "primitive" if len(_PRIMITIVE.findall(item.code)) <= 2 else "compositional"


def review_entry(item: CuratedProblem) -> dict[str, object]:
    """Return the fields of ``item`` that a person reviews and may edit, as an entry of the review list.

    The person sets its ``decision`` to "keep" or "drop".
    """
    return {
        "line": item.line, "decision": "", "doubts": list(item.doubts), "notes": list(item.notes),
        "problem": item.problem, "answer": item.answer_latex, "level": item.level, "language": item.language,
        "code": item.code,
    }  # fmt: skip


def reviewed(item: CuratedProblem, entry: Mapping[str, object]) -> tuple[CuratedProblem, Verdict]:
    """Apply the ``decision`` in ``entry``, "keep" or "drop"; without one, reject an item marked for review."""
    decision = entry.get("decision", "")
    if decision == "drop":
        return item, _verdict("review", "dropped by review")
    if decision == "keep":
        answer = standard(str(entry.get("answer", item.answer_latex)), item.problem)
        level = next((known for known in LEVELS if known == entry.get("level")), item.level)
        edited = replace(
            item, problem=str(entry.get("problem", item.problem)), code=str(entry.get("code", item.code)), doubts=(),
            answer_latex=answer, answer_value=number_of(answer), level=level, changes=(*item.changes, "reviewed"),
        )  # fmt: skip
        return edited, _verdict("review", "")
    return item, _verdict("review", "waits for review: " + item.doubts[0] if item.doubts else "")
