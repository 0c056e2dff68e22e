"""The words of GeoGramBench's question (paper: section 5): they decide bytes of every row."""

from typing import Final

from planimeter.items import LANGUAGES, Language

_FENCE: Final[dict[str, tuple[str, str]]] = {"asymptote": ("[asy]", "[/asy]"), "matplotlib": ("```python", "```")}


def prompt(problem: str, code: str, language: Language) -> str:
    """Return the user's turn: the problem, the code in the tags of its language, and the format of the answer.

    Raises:
        ValueError: if ``language`` is none of ``LANGUAGES``.
    """
    if language not in LANGUAGES:
        raise ValueError(f"need a language of {LANGUAGES}, got {language!r}")
    opening, closing = _FENCE[language]
    return (
        f"Solve this geometry problem. Its figure is given by the program that draws it.\n\n{problem}\n\n"
        f"{opening}\n{code}\n{closing}\n\n"
        "Think it through step by step. Close with your final answer, exact and in simplest form, inside \\boxed{}; "
        "write angles in degrees without the sign."
    )
