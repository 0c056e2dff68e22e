"""Checks an Asymptote program without running it, for machines without ``asy``.

A lint does not prove that a program draws; it finds what certainly does not, and what reaches beyond a drawing.
"""

import re
from typing import Final

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
_DRAWS: Final = re.compile(r"\b(?:draw|fill|filldraw|dot|label|MP|D|path|surface|Drawing|xaxis|clip|axes|unfill)\b")


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
    if not _DRAWS.search(bare):
        return "the program draws nothing"
    return ""
