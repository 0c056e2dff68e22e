r"""Evaluates numbers in closed form: fractions, roots, powers, pi and trigonometric functions, in LaTeX or plain text.

The grammar is complete: any other text is refused as a whole, even if a part of it looks like a number. A decimal
is the exact rational number: 104.5 is 209/2, and 28.274334 is not 9\pi. Texts have at most 120 characters, and
are evaluated to 200 significant digits; two that agree to 150 digits are the same number.
"""

import re
import unicodedata
from decimal import Context, Decimal, DecimalException, DivisionByZero, InvalidOperation, Overflow, localcontext
from typing import Final, NamedTuple

#: The maximum length of a text, in characters.
LONGEST: Final = 120

#: Exponents, indices of roots and angles are bounded, so that no text takes more than some milliseconds.
_LARGEST_EXPONENT: Final = 1000
_LARGEST_ANGLE: Final = 100_000
_CONTEXT: Final = Context(prec=200, Emax=10**6, Emin=-(10**6), traps=[DivisionByZero, InvalidOperation, Overflow])
_COMPARED: Final = Context(prec=150, Emax=_CONTEXT.Emax, Emin=_CONTEXT.Emin)
_NEGLIGIBLE: Final = Decimal("1e-150")

_SPACING: Final = re.compile(
    r"\\(?:[,;: ]|(?:q?quad|left|right|displaystyle|[Ll]arge|LARGE|[Hh]uge|[bB]igg?[lr]?)(?![A-Za-z]))|~|&nbsp;|\s"
)
#: A comma that separates thousands, as LaTeX spells it: ``1{,}000``, ``1,\\! 000``.
_THOUSANDS: Final = re.compile(r"\{,\}|,\s*\\!\s*|\\!\s*,\s*")
_SUPERSCRIPTS: Final = re.compile("⁻?[⁰¹²³⁴-⁹]+")
_FRACTIONS: Final = re.compile("(\\d)?([¼-¾⅐-⅞])")
_SIGNS: Final = str.maketrans({
    **dict.fromkeys("×·⋅∙∗", "*"), **dict.fromkeys("÷⁄∕", "/"), **dict.fromkeys("−–‐‑", "-"),
    **dict.fromkeys("°º˚∘", "°"), "π": " pi ", "√": " sqrt ", "∛": " sqrt[3]",
})  # fmt: skip

#: A point or an interval: ``(1,250)``, ``[0,100]``.
_LISTED: Final = re.compile(r"[(\[][^()\[\]]*,[^()\[\]]*[)\]]")
_DEEP: Final = re.compile(r"(?:[({\[][^)}\]]*){11}")
_SMALL: Final = r"(?:\{\s*(\d+)\s*\}|(\d))"
_MIXED: Final = re.compile(
    rf"(?<![\d.,^])(?<!sqrt)(?<!sqrt )(\d+)(?:\s*\\[dtc]?frac\s*{_SMALL}\s*{_SMALL}|\s+(\d+)\s*/\s*(\d+)(?![\d.]))"
)
_REPEATING: Final = re.compile(r"(\d*)\.(\d*)\s*\\(?:overline|bar|dot)\s*(?:\{\s*(\d+)\s*\}|(\d))")
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<degree>°|\\degree(?![a-z])|\^\s*(?:(?:\\circ|°|o)(?![a-z])|\{\s*(?:\\circ|°|o)\s*\}))"
    r"|(?P<number>[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+)(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<sign>[-+*/^(){}\[\]])|\\?(?P<word>[A-Za-z]+))"
)
_WORDS: Final = {
    **dict.fromkeys(("cdot", "times", "ast"), "*"),
    "div": "/",
    **dict.fromkeys(("dfrac", "tfrac", "cfrac"), "frac"),
    **dict.fromkeys(("deg", "degree", "degrees"), "°"),
}
_FUNCTIONS: Final = ("sin", "cos", "tan", "cot", "sec", "csc")
_CLOSING: Final = {"(": ")", "{": "}", "[": "]"}


class NotANumberError(ValueError):
    """A text is not a number in closed form."""


class Number(NamedTuple):
    """A parsed number: its ``value``, and whether it has a degree sign (``degrees``) or contains pi (``radians``).

    An angle with pi is in radians.
    """

    value: Decimal
    degrees: bool = False
    radians: bool = False


def evaluate(text: str) -> Number:
    r"""Return the number that ``text`` states, rounded to 150 digits: equal numbers have equal values.

    ``2\frac{1}{4}`` and ``2 1/4`` are mixed numbers; ``1,200``, ``1\,200`` and ``1 200`` are 1200. The argument of a
    trigonometric function is in degrees, as the prompt requests for angles, unless it is a multiple of pi.

    Raises:
        NotANumberError: if ``text`` is not a real number, or has powers or angles that are too large.
    """
    try:
        with localcontext(_CONTEXT):
            number = _Reader(tokens_of(text)).number()
        return number._replace(value=_COMPARED.plus(number.value) if abs(number.value) > _NEGLIGIBLE else Decimal(0))
    except DecimalException:
        raise NotANumberError("not a finite real number") from None


def tokens_of(text: str) -> list[str]:
    """Return the tokens of ``text``: numbers without separators, signs, and words in lower case without a backslash.

    A mixed number becomes a sum, a repeating decimal a fraction.

    Raises:
        NotANumberError: if ``text`` is too long, nested too deeply, or has characters that are not part of a number.
    """
    if len(text) > LONGEST or _DEEP.search(text):
        raise NotANumberError("the text is too long or nested too deeply")
    readable = plain(text)
    if _LISTED.search(readable):
        raise NotANumberError("a list in brackets is not a number")
    return _tokens(_MIXED.sub(_sum_of, _REPEATING.sub(_fraction_of, readable)))


def plain(text: str) -> str:
    """Return ``text`` with blanks in place of LaTeX's spaces, and ASCII in place of Unicode's signs and fractions."""
    text = _SPACING.sub(" ", _THOUSANDS.sub(",", text).replace("\\!", ""))
    if text.isascii():
        return text
    text = _SUPERSCRIPTS.sub(lambda digits: f"^{{{unicodedata.normalize('NFKC', digits[0])}}}", text)
    return _FRACTIONS.sub(_spell_fraction, text).translate(_SIGNS)


def _spell_fraction(fraction: re.Match[str]) -> str:
    parts = unicodedata.normalize("NFKC", fraction[2]).replace("⁄", "/")
    return f"{fraction[1]} {parts}" if fraction[1] else f"({parts})"


def _sum_of(mixed: re.Match[str]) -> str:
    whole, top, bottom = (part for part in mixed.groups() if part)
    follows_number = mixed.string[: mixed.start()].rstrip()[-1:].isdigit()
    if follows_number or not 0 < int(top) < int(bottom):
        raise NotANumberError("expected a mixed number or a product")
    return f"({whole}+{top}/{bottom})"


def _tokens(text: str) -> list[str]:
    tokens = []
    at, end = 0, len(text.rstrip())
    while at < end:
        token = _TOKEN.match(text, at)
        if token is None:
            raise NotANumberError(f"not part of a number: {text[at : at + 9]!r}")
        at = token.end()
        if token["degree"]:
            tokens.append("°")
        elif token["number"]:
            tokens.append(token["number"].replace(",", "").replace(" ", ""))
        else:
            piece = (token["sign"] or token["word"]).lower()
            tokens.append(_WORDS.get(piece, piece))
    return tokens


def _fraction_of(decimal: re.Match[str]) -> str:
    whole, once, period = decimal[1], decimal[2], decimal[3] or decimal[4]
    top = int(whole + once + period) - int(whole + once or "0")
    return f"({top}/{(10 ** len(period) - 1) * 10 ** len(once)})"


class _Reader:
    """A recursive-descent parser that evaluates the number which all ``tokens`` form."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens[::-1]

    def number(self) -> Number:
        """Parse all tokens and return their number; raise ``NotANumberError`` if they are not a single number."""
        number = self._group()
        if self._tokens:
            raise NotANumberError(f"unexpected {self._tokens[-1]!r} after a number")
        return number

    @property
    def _next(self) -> str:
        return self._tokens[-1] if self._tokens else ""

    def _take(self, *tokens: str) -> str:
        """Remove and return the next token if it is one of ``tokens``; otherwise return an empty text."""
        return self._tokens.pop() if self._next in tokens and self._tokens else ""

    def _group(self) -> Number:
        number = self._sum()
        if self._take("over"):
            bottom = self._sum()
            number = _combine(number.value / bottom.value, number, bottom)
        return number

    def _sum(self) -> Number:
        negative = self._take("+", "-") == "-"
        number = self._product()
        if negative:
            number = number._replace(value=-number.value)
        while sign := self._take("+", "-"):
            term = self._product()
            value = number.value + term.value if sign == "+" else number.value - term.value
            number = _combine(value, number, term)
        return number

    def _product(self) -> Number:
        number = self._factor()
        # A number must not follow without a sign: "2 3" is neither 6 nor 23.
        while (
            (sign := self._take("*", "/")) or self._next in _CLOSING or (self._next.isalpha() and self._next != "over")
        ):
            negative = bool(sign) and self._take("+", "-") == "-"
            factor = self._factor()
            value = number.value / factor.value if sign == "/" else number.value * factor.value
            number = _combine(-value if negative else value, number, factor)
        return number

    def _factor(self) -> Number:
        number = self._atom()
        if self._take("^"):
            number = _combine(_power(number.value, self._exponent().value), number)
        return number._replace(degrees=True) if self._take("°") else number

    def _exponent(self) -> Number:
        negative = self._take("+", "-") == "-"
        exponent = self._atom()
        if self._next == "^":
            raise NotANumberError("a tower of powers needs brackets")
        return exponent._replace(value=-exponent.value) if negative else exponent

    def _atom(self) -> Number:
        first = self._tokens.pop() if self._tokens else ""
        if first[:1].isdecimal() or first[:1] == ".":
            return Number(Decimal(first))
        if first == "pi":
            return Number(_PI, radians=True)
        if first in _CLOSING:
            number = self._group()
            if not self._take(_CLOSING[first]):
                raise NotANumberError("a bracket is not closed")
            return number
        if first == "frac":
            top, bottom = self._argument(), self._argument()
            return _combine(top.value / bottom.value, top, bottom)
        if first == "sqrt":
            index = self._index()
            radicand = self._atom()
            return _combine(_power(radicand.value, 1 / index), radicand)
        if first in _FUNCTIONS:
            return self._function(first)
        raise NotANumberError(f"a number cannot begin with {first!r}")

    def _argument(self) -> Number:
        r"""Parse an argument of a fraction, which is a single digit if it has no braces, as in ``\frac13``."""
        if self._next[:1].isdecimal():
            digits = self._tokens.pop()
            if digits[1:]:
                self._tokens.append(digits[1:])
            return Number(Decimal(digits[0]))
        return self._atom()

    def _index(self) -> Decimal:
        if not self._take("["):
            return Decimal(2)
        index = self._tokens.pop() if self._tokens else ""
        if not self._take("]") or not index.isdecimal() or not 0 < int(index) <= _LARGEST_EXPONENT:
            raise NotANumberError("a root needs a whole index")
        return Decimal(index)

    def _function(self, name: str) -> Number:
        exponent = self._exponent().value if self._take("^") else Decimal(1)
        bracketed = self._next in _CLOSING
        angle = self._factor()
        if not bracketed and self._take("pi"):
            angle = Number(angle.value * _PI, radians=True)
        ambiguous = (angle.degrees and angle.radians) or (angle.radians and not bracketed and self._next == "/")
        if ambiguous or exponent < 1:
            raise NotANumberError("the angle is ambiguous; put it in brackets")
        radians = angle.value if angle.radians else angle.value * _PI / 180
        return Number(_power(_trigonometric(name, radians), exponent))


def _combine(value: Decimal, *parts: Number) -> Number:
    """Return ``value``, computed from ``parts``, as a ``Number``; it has a degree sign, or pi, if one of them has."""
    return Number(value, any(part.degrees for part in parts), any(part.radians for part in parts))


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if abs(exponent) > _LARGEST_EXPONENT:
        raise NotANumberError("the power is too large")
    return base**exponent


def _trigonometric(name: str, angle: Decimal) -> Decimal:
    if abs(angle) > _LARGEST_ANGLE:
        raise NotANumberError("the angle is too large")
    sine, cosine = _sine(angle), _sine(angle + _PI / 2)
    top, bottom = {
        "sin": (sine, Decimal(1)), "cos": (cosine, Decimal(1)), "tan": (sine, cosine),
        "cot": (cosine, sine), "sec": (Decimal(1), cosine), "csc": (Decimal(1), sine),
    }[name]  # fmt: skip
    if abs(bottom) < _NEGLIGIBLE:
        raise NotANumberError("the function has a pole at this angle")
    return top / bottom


def _sine(angle: Decimal) -> Decimal:
    """Return the sine of ``angle`` (radians) by its Taylor series, to the precision of the context."""
    angle %= 2 * _PI
    total, term, n = Decimal(0), angle, 1
    while abs(term) > _NEGLIGIBLE**2:
        total += term
        term *= -angle * angle / ((n + 1) * (n + 2))
        n += 2
    return total


def _pi() -> Decimal:
    """Return pi by the series of the arcsine of one half."""
    total, term, n = Decimal(0), Decimal(3), 1
    while term > _NEGLIGIBLE**2:
        total += term / n
        term *= Decimal(n) / (4 * (n + 1))
        n += 2
    return total


with localcontext(_CONTEXT):
    _PI: Final = _pi()
