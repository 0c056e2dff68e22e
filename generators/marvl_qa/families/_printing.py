"""The text of numbers and terms in an expression: shortest decimals that read back as the same float, never ``-
-1.2``.
"""


def number(value: float) -> str:
    """Return the shortest decimal that reads back as ``value``; integers without a point."""
    return repr(int(value)) if value == int(value) else repr(float(value))


def shifted(variable: str, centre: float) -> str:
    """Return the text of ``variable`` minus ``centre``: ``x``, ``(x - 1.2)`` or ``(x + 1.2)``."""
    return variable if centre == 0 else f"({total(variable, number(-centre))})"


def scaled(factor: float, term: str) -> str:
    """Return ``factor*term``, without a factor of 1 or -1."""
    if abs(factor) == 1:
        return term if factor > 0 else f"-{term}"
    return f"{number(factor)}*{term}"


def total(*terms: str) -> str:
    """Return the sum of ``terms``; a term with a leading minus is subtracted."""
    text = terms[0]
    for term in terms[1:]:
        text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return text


def linear(a: float, b: float, c: float = 0.0) -> str:
    """Return the text ``a*x + b*y + c`` without its zero terms; at least one must not be zero."""
    terms = [scaled(f, v) for f, v in ((a, "x"), (b, "y")) if f != 0]
    return total(*terms, *([number(c)] if c != 0 else []))


def bell(variable: str, centre: float, width: float) -> str:
    """Return the exponent of a Gaussian, ``-((x - centre)/width)**2``, for use inside ``exp``."""
    return f"-({shifted(variable, centre)}/{number(width)})**2"
