"""Finds the drawing programs in a problem of a corpus, whatever markers, fences and indents stand around them.

GeoGramBench marks Asymptote by ``[asy]`` (section 4.2); its released problems mark Python by ``[python]``, and
collections of model replies by fences. Lines may share an indent, which the first may lack, and mix tabs and blanks.

A lint, for machines without ``asy``, does not prove that a program draws; it finds what certainly does not, and what
reaches beyond a drawing.
"""

import ast
import re
from collections.abc import Iterator
from textwrap import dedent
from typing import Final

from planimeter.items import Language

_TAGS: Final[dict[str, Language]] = {
    "asy": "asymptote",
    "asymptote": "asymptote",
    "python": "matplotlib",
    "python3": "matplotlib",
    "py": "matplotlib",
    "matplotlib": "matplotlib",
}
_NAMES: Final = "|".join(sorted((*_TAGS, "code"), key=len, reverse=True))
#: As in CommonMark, no backtick follows an opening fence on its line, and the marker of a program is left to be found.
_MARKER: Final = re.compile(rf"([\[<])({_NAMES})[\]>]|```[ \t]*(\w*)[^\n`\[<]*\n", re.IGNORECASE)
#: Markers at the ends of a column of code, where one may be missing.
_OPENING: Final = re.compile(rf"\s*(?:[\[<]({_NAMES})[\]>]|```[ \t]*(\w*)[^\n]*(?:\n|\Z))", re.IGNORECASE)
_CLOSING: Final = re.compile(rf"(?:[\[<]/(?:{_NAMES})[\]>]|```)\s*\Z", re.IGNORECASE)
_PLOTS: Final = re.compile(r"matplotlib|\bplt\.")
_DRAWS: Final = re.compile(r"\b(?:draw|filldraw|fill|dot|label)\s*\(")
#: A command of a notebook, such as ``%matplotlib inline``, and the prompt of an interactive session.
_NOTEBOOK: Final = re.compile(r"^[ \t]*%[ \t]*\w[^\n]*$", re.MULTILINE)


def split(text: str) -> tuple[str, tuple[tuple[Language, str], ...]]:
    """Return the statement in ``text``, its blanks collapsed, and the programs marked in it, each with its language."""
    statement: list[str] = []
    programs: list[tuple[Language, str]] = []
    end = 0
    for start, name, code, after in _marked(text):
        language, bare = _unwrapped(code, name)
        if language is not None:
            programs.append((language, bare))
            statement.append(text[end:start])
            end = after
    return " ".join(" ".join((*statement, text[end:])).split()), tuple(programs)


def _marked(text: str) -> Iterator[tuple[int, str, str, int]]:
    """Yield each stretch between two markers of one kind: its start, its name, what it holds and its end."""
    lower, end = text.lower(), 0
    #: Closing markers that ``text`` has no more of; looking for each again and again would take quadratic time.
    missing: set[str] = set()
    while opening := _MARKER.search(text, end):
        name = (opening[2] or opening[3] or "").lower()
        closing = {"[": f"[/{name}]", "<": f"</{name}>"}.get(opening[1], "```")
        close = -1 if closing in missing else lower.find(closing, opening.end())
        if close < 0:
            missing.add(closing)
            end = opening.end()
        else:
            end = close + len(closing)
            yield opening.start(), name, text[opening.end() : close], end


def drawing(programs: tuple[tuple[Language, str], ...]) -> tuple[Language, tuple[str, ...]] | None:
    """Return the language of the drawing among ``programs`` and its pieces of code; Asymptote before matplotlib.

    Python that does not plot is no drawing.
    """
    asymptote = tuple(code for language, code in programs if language == "asymptote")
    if asymptote:
        return "asymptote", asymptote
    python = tuple(code for language, code in programs if language == "matplotlib" and _PLOTS.search(code))
    return ("matplotlib", python) if python else None


def marked(code: str) -> str:
    """Return what a column of code holds, marked as in a problem's text; code in no known language is Asymptote."""
    if not code.strip():
        return ""
    if sum(1 for _ in _marked(code)) > 1:
        return f"\n{code}"
    language, bare = _unwrapped(code, "")
    tag = "python" if language == "matplotlib" else "asy"
    return f"\n[{tag}]\n{bare}\n[/{tag}]"


def _unwrapped(code: str, name: str) -> tuple[Language | None, str]:
    """Return the language of ``code``, by its innermost marker or else by its words, and the bare code."""
    language = _TAGS.get(name.lower())
    while opening := _OPENING.match(code):
        language = _TAGS.get((opening[1] or opening[2] or "").lower(), language)
        code = code[opening.end() :]
    while closing := _CLOSING.search(code):
        code = code[: closing.start()]
    if language is None and name.lower() in ("", "code"):
        language = "matplotlib" if _PLOTS.search(code) else "asymptote" if _DRAWS.search(code) else None
    return language, code.strip("\n").rstrip()


def parsable(code: str) -> str:
    """Return Python ``code`` without the indent and the notebook commands that a corpus left in it.

    What parses as it stands is left as it is, and so is what no change of this kind makes parse.
    """
    return next((candidate for candidate in _candidates(code) if syntax_fault(candidate) is None), code)


def _candidates(code: str) -> Iterator[str]:
    yield code
    plain = _NOTEBOOK.sub("", code.replace("\u00a0", " "))
    for text in (plain, plain.expandtabs(4), plain.expandtabs(8)):
        first, _, rest = text.strip("\n").partition("\n")
        for candidate in (text, dedent(text), f"{first.lstrip()}\n{dedent(rest)}"):
            yield "\n".join(line.rstrip() for line in candidate.split("\n") if line.strip())


def syntax_fault(code: str) -> str | None:
    """Return why ``code`` is no Python and on which line, counted from 1, or None where it parses."""
    try:
        ast.parse(code)
    except SyntaxError as error:
        quoted = (error.text or "").strip()
        return f"line {error.lineno or 1}: {error.msg}" + (f": {quoted[:80]}" if quoted else "")
    except (ValueError, RecursionError, MemoryError) as error:
        return f"it cannot be parsed ({type(error).__name__})"
    return None


#: Modules that come with Asymptote.
STOCK: Final = (
    "plain", "math", "graph", "graph3", "geometry", "three", "solids", "markers", "patterns", "contour", "contour3",
    "palette", "stats", "trembling", "interpolate", "roundedpath", "slopefield", "smoothcontour3", "tube", "labelpath",
    "labelpath3", "flowchart", "drawtree", "tree", "feynman", "obj", "bsp", "grid3", "light", "simplex",
)  # fmt: skip

_IMPORT: Final = re.compile(r"\b(?:import|access|from)\s+([\w.]+)")
_REACHES: Final = re.compile(
    r"\b(?:system|input|output|xinput|xoutput|binput|boutput|delete|rename|cd|shipout|_eval|eval|include|convert|animate|getc)\s*[(\"]"
)
_STRING: Final = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.DOTALL)
#: A comment may hold a quote and a string "//": whichever begins first is the whole match.
_COMMENT: Final = re.compile(rf"({_STRING.pattern})|//[^\n]*|/\*.*?\*/", re.DOTALL)
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}
_DRAWING: Final = re.compile(r"\b(?:draw|fill|filldraw|dot|label|MP|D|path|surface|Drawing|xaxis|clip|axes|unfill)\b")


def without_comments(code: str, language: str) -> str:
    """Return ``code`` without comments and without lines that are left empty; strings stay as they are."""
    if language == "asymptote":
        code = _COMMENT.sub(lambda match: match[1] or "", code)
    else:
        code = re.sub(r"^([^\"'#\n]*)#[^\n]*$", r"\1", code, flags=re.MULTILINE)
    return without_empty_lines(code)


def without_empty_lines(code: str) -> str:
    """Return ``code`` without empty lines and trailing blanks."""
    return "\n".join(line.rstrip() for line in code.split("\n") if line.strip())


def lint(code: str) -> str:
    """Return what is wrong with an Asymptote program, or an empty string."""
    bare = _STRING.sub('""', without_comments(code, "asymptote"))
    open_brackets: list[str] = []
    for sign in bare:
        if sign in "([{":
            open_brackets.append(sign)
        elif sign in _PAIRS and (not open_brackets or open_brackets.pop() != _PAIRS[sign]):
            return "brackets do not match"
    if open_brackets or bare.replace('""', "").count('"'):
        return "brackets or quotes stay open"
    foreign = [m for m in _IMPORT.findall(bare) if m.split(".")[0] not in STOCK]
    if foreign:
        return "the program needs a module that Asymptote does not bring"
    if _REACHES.search(bare):
        return "the program reaches outside of the drawing"
    if not _DRAWING.search(bare):
        return "the program draws nothing"
    return ""
