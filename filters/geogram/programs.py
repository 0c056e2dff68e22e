"""Finds the drawing programs in the text of a problem, in any of the usual markers and with any indentation.

GeoGramBench marks Asymptote by ``[asy]`` (section 4.2); its released problems mark Python by ``[python]``, and model
replies use Markdown fences. All lines of a program, or all but the first, may be indented, by tabs and blanks.
"""

import ast
import html
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
#: Other spellings of the markers: ``\\begin{asy}``, ``[asy width=200]``, ``&lt;asy&gt;``.
_SPELLINGS: Final = (
    (re.compile(r"&lt;(/?(?:asy|asymptote|python)\b.{0,80}?)&gt;", re.IGNORECASE | re.DOTALL), r"<\1>"),
    (re.compile(r"\\begin\s*\{asy(?:def)?\}(?:\[[^\]\n]*\])?", re.IGNORECASE), "[asy]"),
    (re.compile(r"\\end\s*\{asy(?:def)?\}", re.IGNORECASE), "[/asy]"),
    (re.compile(r"\[(asy|asymptote)\s[^\]\n]{0,80}\]", re.IGNORECASE), r"[\1]"),
    (re.compile(r"<(asy|asymptote)\s[^>\n]{0,80}>", re.IGNORECASE), r"<\1>"),
)
_UNCLOSED: Final = re.compile(r"[\[<](?:asy|asymptote)[\]>]", re.IGNORECASE)
#: Marks of HTML, Markdown and wikis that change no word of a statement, and pictures, whose content is missing here.
_PICTURE: Final = re.compile(
    r"<img\b[^>]*>|!\[[^\]]*\]\([^)]*\)|\[\[(?:File|Image):[^\]]*\]\]"
    r"|\\includegraphics(?:\[[^\]]*\])?\{[^}]*\}",
    re.IGNORECASE,
)
_TAGS_OF_HTML: Final = "p|br|div|span|b|i|u|em|strong|center|font|li|ul|ol|a|h[1-6]|math|tt"
_MARKS: Final = (
    (re.compile(r"<sup>([^<>]*)</sup>", re.IGNORECASE), r"^{\1}"),
    (re.compile(r"<sub>([^<>]*)</sub>", re.IGNORECASE), r"_{\1}"),
    (re.compile(rf"</?(?:{_TAGS_OF_HTML})(?:\s+[a-z-]+\s*=[^<>]*)?\s*/?>", re.IGNORECASE), " "),
    (re.compile(r"'''(.+?)'''"), r"\1"),
    (re.compile(r"\[\[(?:[A-Za-z][^\]|]*\|)?([A-Za-z][^\]|]*)\]\]"), r"\1"),
)
_ENTITY: Final = re.compile(r"&(?:[A-Za-z]+|#\d+|#x[0-9a-fA-F]+);")
#: As in CommonMark, no backtick follows an opening fence on its line, and the marker of a program remains.
_MARKER: Final = re.compile(rf"([\[<])({_NAMES})[\]>]|```[ \t]*(\w*)[^\n`\[<]*\n", re.IGNORECASE)
#: Markers at the ends of a column of code, where one may be missing.
_OPENING: Final = re.compile(rf"\s*(?:[\[<]({_NAMES})[\]>]|```[ \t]*(\w*)[^\n]*(?:\n|\Z))", re.IGNORECASE)
_CLOSING: Final = re.compile(rf"(?:[\[<]/(?:{_NAMES})[\]>]|```)\s*\Z", re.IGNORECASE)
_PLOTS: Final = re.compile(r"matplotlib|\bplt\.")
_DRAWS: Final = re.compile(r"\b(?:draw|filldraw|fill|dot|label)\s*\(")
#: A command of a notebook, such as ``%matplotlib inline``, and the prompt of an interactive session.
_NOTEBOOK: Final = re.compile(r"^[ \t]*%[ \t]*\w[^\n]*$", re.MULTILINE)


def split(text: str) -> tuple[str, tuple[tuple[Language, str], ...]]:
    """Return the statement in ``text``, with blanks collapsed, and the (language, code) of each program in it."""
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


def respelled(text: str) -> tuple[str, bool]:
    """Return ``text`` with program markers in their usual spelling, and True if a closing marker was missing.

    The missing marker of the last Asymptote program is added at the end of the text.
    """
    for pattern, instead in _SPELLINGS:
        text = pattern.sub(instead, text)
    *_, last = (None, *_UNCLOSED.finditer(text))
    if last is None:
        return text, False
    closing = f"{last[0][0]}/{last[0][1:]}"
    is_closed = closing.lower() in text[last.end() :].lower()
    return (text, False) if is_closed else (f"{text}\n{closing}", True)


def worded(statement: str) -> tuple[str, bool]:
    """Return ``statement`` without HTML and wiki markup, and True if it referred to a picture, which is removed."""
    plain = _PICTURE.sub(" ", statement)
    for pattern, instead in _MARKS:
        plain = pattern.sub(instead, plain)
    plain = _ENTITY.sub(lambda entity: html.unescape(entity[0]), plain)
    return " ".join(plain.split()), bool(_PICTURE.search(statement))


def _marked(text: str) -> Iterator[tuple[int, str, str, int]]:
    """Yield (start, name of the marker, content, end) of each program in ``text`` between two markers of one kind."""
    lower, end = text.lower(), 0
    #: Closing markers without further occurrences in ``text``; repeated searches for each would take quadratic time.
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
    """Return the language and the pieces of code of the drawing among ``programs``; Asymptote has precedence.

    Python that does not plot is not a drawing; without any drawing the result is None.
    """
    asymptote = tuple(code for language, code in programs if language == "asymptote")
    if asymptote:
        return "asymptote", asymptote
    python = tuple(code for language, code in programs if language == "matplotlib" and _PLOTS.search(code))
    return ("matplotlib", python) if python else None


def marked(code: str) -> str:
    """Return ``code``, from a column of its own, between the markers of its language, as in a problem text.

    Code in an unknown language gets the markers of Asymptote.
    """
    if not code.strip():
        return ""
    if sum(1 for _ in _marked(code)) > 1:
        return f"\n{code}"
    language, bare = _unwrapped(code, "")
    tag = "python" if language == "matplotlib" else "asy"
    return f"\n[{tag}]\n{bare}\n[/{tag}]"


def _unwrapped(code: str, name: str) -> tuple[Language | None, str]:
    """Return the language of ``code``, or None if it is unknown, and the code without markers.

    The language follows from the innermost marker in ``code``; without one, from ``name``, the marker around ``code``;
    if ``name`` is empty or "code", from the commands in ``code``.
    """
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
    """Return Python ``code`` without the common indentation and notebook commands that a corpus left in it.

    Code that parses is unchanged, and so is code that no such change makes parse.
    """
    return next((candidate for candidate in _candidates(code) if syntax_fault(candidate) is None), code)


def _candidates(code: str) -> Iterator[str]:
    """Yield ``code``, then its versions without notebook commands and common indentation."""
    yield code
    plain = _NOTEBOOK.sub("", code.replace("\u00a0", " "))
    for text in (plain, plain.expandtabs(4), plain.expandtabs(8)):
        first, _, rest = text.strip("\n").partition("\n")
        for candidate in (text, dedent(text), f"{first.lstrip()}\n{dedent(rest)}"):
            yield "\n".join(line.rstrip() for line in candidate.split("\n") if line.strip())


def syntax_fault(code: str) -> str | None:
    """Return a message with the line, from 1, and the reason why ``code`` is not Python, or None if it parses."""
    try:
        ast.parse(code)
    except SyntaxError as error:
        quoted = (error.text or "").strip()
        return f"line {error.lineno or 1}: {error.msg}" + (f": {quoted[:80]}" if quoted else "")
    except (ValueError, RecursionError, MemoryError) as error:
        return f"it cannot be parsed ({type(error).__name__})"
    return None


_STRING: Final = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.DOTALL)
#: A comment may contain a quote and a string "//": the first one is the whole match.
_COMMENT: Final = re.compile(rf"({_STRING.pattern})|(//[^\n]*)|/\*.*?\*/", re.DOTALL)
_DRAWING: Final = re.compile(r"\b(?:draw|fill|filldraw|dot|label|MP|D|path|surface|Drawing|xaxis|clip|axes|unfill)\b")
#: A statement in a comment, and the most characters of a comment that is a disabled statement.
_STATEMENT: Final = re.compile(r"\b(?:draw|fill|filldraw|dot|label|pair|real|path|clip)\b[^;\n]*;")


def without_comments(code: str, language: str) -> str:
    """Return ``code`` without comments and the lines that they leave empty; strings are unchanged."""
    if language == "asymptote":
        code = _COMMENT.sub(lambda match: match[1] or "", code)
    else:
        code = re.sub(r"^([^\"'#\n]*)#[^\n]*$", r"\1", code, flags=re.MULTILINE)
    return without_empty_lines(code)


def comment_holds_statements(code: str) -> bool:
    """Return True if a ``//`` comment of an Asymptote program contains statements, because line breaks were lost."""
    comments = [match[2] for match in _COMMENT.finditer(code) if match[2]]
    is_one_line = "\n" not in code.strip()
    return any(len(_STATEMENT.findall(comment)) >= (1 if is_one_line else 2) for comment in comments)


def without_empty_lines(code: str) -> str:
    """Return ``code`` without empty lines and without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in code.split("\n") if line.strip())


def draws(code: str) -> bool:
    """Return True if an Asymptote program contains a drawing command."""
    return _DRAWING.search(_STRING.sub('""', code)) is not None
