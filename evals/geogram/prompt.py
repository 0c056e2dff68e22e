"""The prompt of GeoGramBench (paper: section 5). Every row contains it: a change alters datasets."""

from typing import Final

from planimeter.items import LANGUAGES, WORDS

_FENCE: Final[dict[str, tuple[str, str]]] = {"asymptote": ("[asy]", "[/asy]"), "matplotlib": ("```python", "```")}


def prompt(problem: str, code: str, language: str) -> str:
    """Return the user prompt: the problem, its figure, and the requested form of the answer.

    The figure is ``code``: a program in ``language``, inside tags, or, if ``language`` is ``WORDS``, a description.

    Raises:
        ValueError: for an unknown ``language``.
    """
    if language == WORDS:
        given, figure = "described in words below it", f"The figure: {code}"
    elif language in LANGUAGES:
        opening, closing = _FENCE[language]
        given, figure = "given by the program that draws it", f"{opening}\n{code}\n{closing}"
    else:
        raise ValueError(f"need a language of {(*LANGUAGES, WORDS)}, got {language!r}")
    return (
        f"Solve this geometry problem. Its figure is {given}.\n\n{problem}\n\n{figure}\n\n"
        "Think it through step by step. Close with your final answer, exact and in simplest form, inside \\boxed{}; "
        "write angles in degrees without the sign."
    )
