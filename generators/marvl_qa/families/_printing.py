"""Write the printed formula of a surface: numbers as the shortest decimals that give the same float, and terms with
their signs (never ``- -1.2``).
"""


def number(value: float) -> str:
    """Return the shortest decimal that is parsed to the same float as ``value``; an integer without a point."""
    return repr(int(value)) if value == int(value) else repr(float(value))


def shifted(variable: str, centre: float) -> str:
    """Return the text of ``variable`` minus ``centre``: ``x``, ``(x - 1.2)`` or ``(x + 1.2)``."""
    return variable if centre == 0 else f"({total(variable, number(-centre))})"


def scaled(factor: float, term: str) -> str:
    """Return the text ``factor*term``; for a factor of 1 or -1, ``term`` or ``-term``."""
    if abs(factor) == 1:
        return term if factor > 0 else f"-{term}"
    return f"{number(factor)}*{term}"


def total(*terms: str) -> str:
    """Return the text of the sum of ``terms``; a term with a leading minus is written as subtracted."""
    text = terms[0]
    for term in terms[1:]:
        text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return text


def linear(a: float, b: float, c: float = 0.0) -> str:
    """Return the text ``a*x + b*y + c`` without its zero terms; at least one must not be zero."""
    terms = [scaled(f, v) for f, v in ((a, "x"), (b, "y")) if f != 0]
    return total(*terms, *([number(c)] if c != 0 else []))


def bell(variable: str, centre: float, width: float) -> str:
    """Return the text of the exponent of a Gaussian in ``variable``, ``-((x - centre)/width)**2``."""
    return f"-({shifted(variable, centre)}/{number(width)})**2"
