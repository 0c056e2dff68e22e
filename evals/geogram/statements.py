r"""Reads the one number that a statement gives: ``[ABC] = 24\ \text{cm}^2``, "the area is 9π, or about 28.27".

A statement is a number in closed form, which may have a name before it, a unit behind it, and other writings of the
same number beside it. A decimal beside the exact number may round it; alone, an approximation is no exact number.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from planimeter.evals.answers import Parsed, unwrapped
from planimeter.evals.geogram.closed_form import NotANumberError, evaluate, plain

#: Characters of the longest statement, with its name, its unit and what else goes with its number.
_LONGEST_STATEMENT: Final = 400

_COMMAND: Final = re.compile(
    r"\\(?:text|textbf|textrm|textit|mathrm|mathbf|mathit|mathsf|mbox|operatorname|underline|bm|boldsymbol|bf|rm)"
    r"(?![A-Za-z])\s{0,4}(?:\{([^{}]*+)\})?"
)
_MARKUP: Final = re.compile(r"\\[$()\[\]]|\$|\*\*+|__+|`+|\\displaystyle(?![a-z])")
_APPROXIMATELY: Final = re.compile(
    r"\\(?:approx|simeq|doteq|sim)(?![a-z])|[≈≃≅∼]|(?<![^\s=(])~(?=\s?[\d\\])"
    r"|\b(?:approximately|approx\b\.?|about|roughly|around|nearly|almost|circa|rounded to)",
    re.IGNORECASE,
)
_EXPLANATION: Final = re.compile(
    r"[\s,(]+(?:because|since|as|by|using|where|from|obtained|after)\b.*", re.DOTALL | re.I
)
#: A bound, a relation, a share or a denial: whatever number stands there is not what is stated.
_NO_EQUALITY: Final = re.compile(
    r"[<>≠≤≥±%]|\\(?:n?leq?(?:slant|q)?|n?geq?(?:slant|q)?|[lg]t|neq?|not|pm|mp|%|to|in|cup)(?![A-Za-z])"
    r"|\b(?:not|no|nor|neither|never|cannot|wrong|incorrect|if|unless|either|between|than|least|most|maybe|perhaps"
    r"|impossible|undefined|percent)\b|n['’]t\b",
    re.IGNORECASE,
)
_RELATION: Final = re.compile(
    r"(=|≈|\bor\b|\bi\.\s?e\.,?|\b(?:that|which) is\b|\bwhich equals\b"
    r"|\((?=(?:[^()]{0,40}\.\d|\s?(?:≈|=|or\b|i\.e\.))[^()]{0,40}\)[\s.]*$))"
)
_LABEL: Final = re.compile(
    r"[^\d:]{0,120}?(?:\b(?:is|are|equals|be|becomes|measures|has)\b|:)\s*"
    r"(?:(?:equal to|exactly|simply|just|then)\b|:)?",
    re.IGNORECASE,
)
_LENGTH: Final = (
    r"(?:units?|u|[mcdk]?m|in(?:ch(?:es)?)?\.?|f(?:ee|oo)?t\.?|yd|yards?|mi(?:les?)?"
    r"|(?:milli|centi|deci|kilo)?met(?:er|re)s?)"
)
_UNIT: Final = (
    rf"(?:(?:sq(?:uare)?|cu(?:bic)?|linear|area|volume)[.\s-]{{0,3}})?{_LENGTH}"
    r"(?:\s{0,2}(?:squared|cubed|\^\s?\{?\s?[23]\s?\}?))?(?:\s{1,2}of\s(?:area|length|volume))?"
)
_WITH_UNIT: Final = re.compile(rf"(?<=[\d.)}}°\s\w])\s*(?:\(\s*{_UNIT}\s*\)|(?<![A-Za-z]){_UNIT})$", re.IGNORECASE)
_DEGREES: Final = re.compile(r"(?:\^\s?\{?\s?(?:\\circ|°|o)\s?\}?|°|\\?deg(?:rees?)?)$")
_SUBSCRIPT: Final = re.compile(r"_\s?(?:\{[^{}]{0,40}\}|\w)")
_NUMERAL: Final = re.compile(r"\d|\bpi\b|π|√|[¼-¾⅐-⅞]|\\(?:pi|sqrt)(?![a-z])")
_DECIMAL: Final = re.compile(r"[-\d,]*(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Written:
    """A number and how it is written; two of the same value are equal."""

    value: Decimal | None
    text: str = field(compare=False)


def stated(statement: str) -> Parsed[Written] | None:
    """Return the number that ``statement`` gives, or why it gives none; None where it speaks of no number."""
    if len(statement) > _LONGEST_STATEMENT:
        return Parsed(value=None, reason="too long for an answer")
    text = _flat(statement)
    if not _NUMERAL.search(text):
        return None
    if _NO_EQUALITY.search(text):
        return Parsed(value=None, reason="no plain number")
    exact: list[Written] = []
    rounded: list[Written] = []
    named = False
    pieces = _RELATION.split(_EXPLANATION.sub("", text, count=1))
    for relation, piece in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        label = None if exact or rounded else _LABEL.match(piece)
        written = _written(piece[label.end() :] if label else piece)
        if written is not None:
            (rounded if relation == "≈" else exact).append(written)
        elif piece.strip(" ,;.()") and not _is_name(piece, relation, alone=not named):
            return Parsed(value=None, reason="no number in closed form")
        else:
            named = True
    return _agreed(exact, rounded)


def _flat(statement: str) -> str:
    """Return ``statement`` without fonts, markup and LaTeX spacing; "≈" stands for whatever says "about"."""
    text = _COMMAND.sub(r" \1 ", unwrapped(statement))
    return " ".join(plain(_APPROXIMATELY.sub(" ≈ ", _MARKUP.sub(" ", text))).split())


def _written(piece: str) -> Written | None:
    text = piece.strip().rstrip(" .,;:'\"")
    if text.count(")") > text.count("("):
        text = text.removesuffix(")")
    text = _WITH_UNIT.sub("", text).strip()
    if text.startswith("["):
        return None
    try:
        number = evaluate(text)
    except NotANumberError:
        return None
    return Written(number.value, _DEGREES.sub("", text).strip() if number.degrees else text)


def _is_name(piece: str, relation: str, *, alone: bool) -> bool:
    """Whether ``piece`` names what is asked: "KG", "[ABC]"; beside a name a formula may stand, alone it may not."""
    bare = _SUBSCRIPT.sub("", piece)
    return relation in ("", "=") and any(map(str.isalpha, bare)) and not (alone and _NUMERAL.search(bare))


def _agreed(exact: list[Written], rounded: list[Written]) -> Parsed[Written]:
    """Return the exact number that all others equal, or are roundings of."""
    if not exact:
        return Parsed(value=None, reason="an approximation" if rounded else "no number in closed form")
    closed = [written for written in exact if "." not in written.text] or exact
    stated, *others = closed[::-1]
    if any(other != stated for other in others):
        return Parsed(value=None, reason="several numbers")
    if all(written == stated or _is_rounding(written, stated) for written in (*exact, *rounded)):
        return Parsed(value=stated)
    return Parsed(value=None, reason="several numbers")


def _is_rounding(written: Written, of: Written) -> bool:
    """Whether ``written`` is a decimal that equals another number to its last place."""
    decimal = _DECIMAL.fullmatch(written.text)
    if decimal is None or written.value is None or of.value is None:
        return False
    return abs(written.value - of.value) <= Decimal(1).scaleb(-len(decimal[1] or ""))
