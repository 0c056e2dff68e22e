r"""Reads the one number that a statement gives: ``[ABC] = 24\ \text{cm}^2``, "the area is 9π, or about 28.27".

A statement is a number in closed form, which may have a name before it, a unit behind it, and other writings of the
same number beside it. A decimal beside the exact number may round it. Alone, also behind "approximately", a decimal is
the number that it writes, which a rounding of the right one does not equal.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from planimeter.evals.answers import Parsed, sentences, unwrapped
from planimeter.evals.geogram.closed_form import NotANumberError, evaluate, plain

#: Characters of the longest statement, with its name, its unit and what else goes with its number.
_LONGEST_STATEMENT: Final = 400

_COMMAND: Final = re.compile(
    r"\\(?:text|textbf|textrm|textit|mathrm|mathbf|mathit|mathsf|mbox|operatorname|underline|bm|boldsymbol|bf|rm)"
    r"(?![A-Za-z])\s{0,4}(?:\{([^{}]*+)\})?"
)
_MARKUP: Final = re.compile(
    r"\\(?:(?:text)?color|hspace)\s?\{[^{}]{0,40}\}|\\[$()\[\]]|\$|\*\*+|__+|`+|\\displaystyle(?![a-z])"
)
_APPROXIMATELY: Final = re.compile(
    r"\\(?:approx|simeq|doteq|sim)(?![a-z])|[≈≃≅∼]|(?<![^\s=(])~(?=\s?[\d\\])"
    r"|\b(?:approximately|approx\b\.?|about|roughly|around|nearly|almost|circa|rounded to)",
    re.IGNORECASE,
)
_EXPLANATION: Final = re.compile(
    r"[\s,(]+(?:(?:because|since|as|by|using|where|from|obtained|after)|is\s(?:the|my|our))\b.*",
    re.DOTALL | re.IGNORECASE,
)
#: "24, not 25".
_CONTRAST: Final = re.compile(r",?\s(?:and\s)?not\s[-\d\\(][^,;]*$")
_RANGE: Final = re.compile(r"\d+\s?-\s?\d+")
#: A bound, a relation or a denial: whatever number stands there is not what is stated.
_NO_EQUALITY: Final = re.compile(
    r"[<>≠≤≥±%]|\\(?:n?leq?(?:slant|q)?|n?geq?(?:slant|q)?|[lg]t|neq?|not|pm|mp|to|in|cup)(?![A-Za-z])"
    r"|\b(?:not|no|nor|neither|never|cannot|wrong|incorrect|if|unless|either|between(?=\s\W{0,2}\d)|than|at\s(?:least|most)"
    r"|up\sto|maybe|perhaps|could|might|impossible|undefined)\b|n['’]t\b",
    re.IGNORECASE,
)
_RELATION: Final = re.compile(
    r"(=|≈|\bor\b|\bi\.\s?e\.,?|\b(?:that|which) is\b|\bwhich equals\b"
    r"|\((?=(?:[^()]{0,40}\.\d|\s?(?:≈|=|or\b|i\.e\.))[^()]{0,40}\)[\s.]*$))"
)
#: Verbs of the languages that write decimals with a comma, and those of others.
_COMMA_VERB: Final = r"(?:ist|beträgt|lautet|misst|est|vaut|mesure|es|mide|vale|é|è|misura|равн[аоы]|равен|составляет)"
_VERB: Final = (
    r"(?:is|are|equals|be|becomes|measures|get|got|gives|obtain|find|yields|simplifies to|comes to"
    r"|(?:has|have)(?: an?| the)?(?: \w{1,12})?(?: of)?|so|thus|hence|therefore)"
)
_LABEL: Final = re.compile(
    rf"[^\d]{{0,160}}(?:\b(?:(?P<comma>{_COMMA_VERB})|{_VERB})(?!\w)|:|[为為是は])\s*"
    r"(?:(?:equal to|exactly|simply|just|then|therefore|thus|hence|also|donc|dunque|quindi|entonces)\b|[:,])?\s*",
    re.IGNORECASE,
)
_EXACTLY: Final = re.compile(r"[,(]?\s?\bexact(?:ly)?\b\)?", re.IGNORECASE)
#: A remark in brackets behind a number.
_ASIDE: Final = re.compile(r"\s?\((?![^()]*\b(?:pi|sqrt|sin|cos|tan)\b)[^()\d]*[A-Za-z]{2}[^()\d]*\)$")
_OPERATOR: Final = re.compile(r"[-+*/^]")
_LISTING: Final = re.compile(r"\band\b|[,;]")
_OPTION: Final = re.compile(r"(?:\(\s?[A-E]\s?\)|[A-E]\s?[.)])\s*(?=\S)")
_LENGTH: Final = (
    r"(?:units?|u|[mcdk]?m|in(?:ch(?:es)?)?|f(?:ee|oo)?t|yd|yards?|mi(?:les?)?|(?:milli|[cz]enti|deci|kilo)?met(?:er|re)s?"
    r"|einheiten|unités?|unidades|centímetros?|centimètres?|厘米|个?单位|см|м)"
)
_UNIT: Final = (
    rf"(?:(?:(?:sq(?:uare)?|cu(?:bic)?|linear|area|volume|quadrat|кв)[.\s-]{{0,3}}|平方|立方)?{_LENGTH}"
    r"(?:\s?(?:squared|cubed|cuadrados|carrés|\^\s?\{?\s?[23]\s?\}?))?(?:\s(?:of\s(?:area|length|volume)|long|high|wide))?"
    r"|rad(?:ians?)?|per\s?cent|度|도|grad|degrés?|grados?|gradi|graus|градус\w{0,2})"
)
_WITH_UNIT: Final = re.compile(
    rf"(?<=[\d.)}}°\s\w])\s*(?:\(\s*{_UNIT}\s*\)|(?<![A-Za-z]){_UNIT})(?:です|である|입니다)?$", re.IGNORECASE
)
_DEGREES: Final = re.compile(r"(?:\^\s?\{?\s?(?:\\circ|°|o)\s?\}?|°|\\?deg(?:rees?)?)$")
_SUBSCRIPT: Final = re.compile(r"_\s?(?:\{[^{}]{0,40}\}|\w)")
_NUMERAL: Final = re.compile(r"\d|\bpi\b|π|√|[¼-¾⅐-⅞]|\\(?:pi|sqrt)(?![a-z])")
_DECIMAL_COMMA: Final = re.compile(r"(?<![\d,])(\d+),(\d{1,2})(?![\d,])")
_RATIO: Final = re.compile(r"(?<=[\w}\s])\s?:\s?(?=[\d\\])")
_ABBREVIATION: Final = re.compile(r"\b(sq|cu|in|ft|approx|кв)\.")
#: Sentences behind the last one that matters, and in it words that say that nothing is concluded yet.
_MOST_NOTES: Final = 8
_NOTE: Final = re.compile(r"\b(?:sure|confiden\w*|certain\w*|hope|let me know|checked|verified)\b", re.IGNORECASE)
_UNSETTLED: Final = re.compile(
    r"\b(?:let|given|suppose|assume|need|find|next|compute|calculate|know|problem|question|consider|step)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w")
_SUPPOSED: Final = re.compile(r"\b(?:if|unless|when)\b", re.IGNORECASE)
_PREMISE: Final = re.compile(
    r"^(?:(?:since|as|because|with)\b.*,\s+|.*[,\s](?:so|thus|hence|therefore|giving)\s+)(?=[^,]*\Z)",
    re.IGNORECASE | re.DOTALL,
)
_DECIMAL: Final = re.compile(r"[-\d,]*(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Written:
    """A number and how it is written; two of the same value are equal."""

    value: Decimal | None
    text: str = field(compare=False)


def stated(statement: str, *, rounded: bool = False) -> Parsed[Written] | None:
    """Return the number that ``statement`` gives, or why it gives none; None where it speaks of no number.

    If ``rounded``, a decimal that is said to be approximate is a number like any other.
    """
    if len(statement) > _LONGEST_STATEMENT:
        return Parsed(value=None, reason="too long for an answer")
    text = _EXACTLY.sub("", _CONTRAST.sub("", _flat(statement)))
    if not _NUMERAL.search(text):
        return None
    if _NO_EQUALITY.search(text) or _RANGE.fullmatch(text):
        return Parsed(value=None, reason="no plain number")
    exact: list[Written] = []
    others: list[Written] = []
    named = False
    pieces = _RELATION.split(_EXPLANATION.sub("", text, count=1))
    for relation, piece in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        written = _written(piece if exact or others else _unlabelled(piece))
        if written is not None:
            (others if relation == "≈" else exact).append(written)
        elif piece.strip(" ,;.()") and not _is_name(piece, relation, named=named, valued=bool(exact)):
            return Parsed(value=None, reason="no number in closed form")
        else:
            named = True
    if others and not exact:
        return _agreed(others, []) if rounded else Parsed(value=None, reason="an approximation")
    return _agreed(exact, others)


def concluded(text: str) -> Parsed[Written] | None:
    """Return the number that the last sentence of ``text`` gives, notes left out, or None where it gives none."""
    whole = _ABBREVIATION.sub(r"\1", unwrapped(text)).replace(";", "\n")
    if whole.rstrip().endswith("?"):
        return None
    candidates = [sentence for sentence in sentences(whole) if _WORD.search(sentence)][-_MOST_NOTES:]
    while len(candidates) > 1 and _NOTE.search(candidates[-1]):
        candidates = candidates[:-1]
    if not candidates or _SUPPOSED.search(candidates[-1]) or _UNSETTLED.search(candidates[-1]):
        return None
    return stated(_PREMISE.sub("", candidates[-1]))


def _flat(statement: str) -> str:
    """Return ``statement`` without fonts, markup and LaTeX spacing; "≈" stands for whatever says "about"."""
    text = _COMMAND.sub(r" \1 ", unwrapped(statement))
    return " ".join(plain(_APPROXIMATELY.sub(" ≈ ", _MARKUP.sub(" ", text))).split())


def _unlabelled(piece: str) -> str:
    piece = _OPTION.sub("", piece, count=1) if _OPTION.match(piece) else piece
    label = _LABEL.match(piece)
    if label is None or _NUMERAL.search(label[0]):
        return piece
    rest = piece[label.end() :]
    return _DECIMAL_COMMA.sub(r"\1.\2", rest) if label["comma"] else rest


def _written(piece: str) -> Written | None:
    text = piece.strip()
    if text.endswith(("..", "…")):
        return None
    text = text.rstrip(" .,;:'\"")
    if text.count(")") > text.count("("):
        text = text.removesuffix(")")
    text = _WITH_UNIT.sub("", _ASIDE.sub("", text)).strip()
    if text.startswith("["):
        return None
    text = _RATIO.sub("/", text) if text.count(":") == 1 else text
    try:
        number = evaluate(text)
    except NotANumberError:
        return None
    return Written(number.value, _DEGREES.sub("", text).strip() if number.degrees else text)


def _is_name(piece: str, relation: str, *, named: bool, valued: bool) -> bool:
    """Whether ``piece`` names what is asked: "KG", "[ABC]"; between a name and the number a formula may stand, too."""
    bare = _SUBSCRIPT.sub("", piece)
    if relation not in ("", "=") or not any(map(str.isalpha, bare)) or (valued and _OPERATOR.search(bare)):
        return False
    return not _NUMERAL.search(bare) or (named and not valued and not _LISTING.search(bare))


def _agreed(exact: list[Written], rounded: list[Written]) -> Parsed[Written]:
    """Return the exact number that all others equal, or are roundings of."""
    if not exact:
        return Parsed(value=None, reason="no number in closed form")
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
    return abs(written.value - of.value) < Decimal(1).scaleb(-len(decimal[1] or ""))
