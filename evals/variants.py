"""Prompts in other words than the published ones: named variants, for studies of what a score owes to its prompt.

A variant rewords the prompts of a row and may ask for another format; the answer stays the same. Its name goes into
every score, so that replies to two prompts are never mixed. The words are in the module that a suite declares as
``variants``; problems that ask for reasoning before the answer as they are have none:

* ``VARIANTS``: what each variant changes, by name,
* ``WORDS``: by variant which words of either prompt are others, and which; or, where they depend on the row,
  ``reworded(config, row, variant)``: the system prompt and the prompt,
* ``read_strictly(config, row, reply, variant)``: the reader of the format that the variant asks for.

None of it decides a byte of a dataset.
"""

from collections.abc import Mapping
from types import ModuleType
from typing import cast

from planimeter.evals.places import Row, settled
from planimeter.items.suites import declared

#: The published prompts, as they stand in the rows.
DEFAULT = "default"


def variants(suite: str, config: str) -> Mapping[str, str]:
    """Return what each prompt variant of ``config`` changes, by name; the published prompt comes first.

    Raises:
        LookupError: if there is no such suite or config.
    """
    settled({}, suite, config)
    others = declared(suite).load("variants").VARIANTS if declared(suite).variants else {}
    return {DEFAULT: "the published prompt", **others}


def prompt_of(row: Row, variant: str = DEFAULT, *, suite: str = "", config: str = "") -> tuple[str, str]:
    """Return the system prompt, which may be empty, and the prompt that ask ``row`` in the words of ``variant``.

    Raises:
        LookupError: if there is no such variant, or as in ``grade``.
        ValueError: if the row's prompt is none that this edition knows how to reword.
    """
    suite, config = settled(row, suite, config)
    if variant in ("", DEFAULT):
        return str(row["system_prompt"]), str(row["prompt"])
    module, system, prompt = variant_module(suite, config, variant), str(row["system_prompt"]), str(row["prompt"])
    if hasattr(module, "reworded"):
        system, prompt = module.reworded(config, row, variant)
        return system, prompt
    old, new = module.WORDS[variant]
    return (replaced(system, old, new), prompt) if old in system else (system, replaced(prompt, old, new))


def variant_module(suite: str, config: str, variant: str) -> ModuleType:
    """Return the module that words and reads ``variant``, which is not the default.

    Raises:
        LookupError: if there is no such variant, with those that there are.
    """
    known = variants(suite, config)
    if variant not in known:
        raise LookupError(f"{suite} {config} has no prompt variant {variant!r}; it has: {', '.join(known)}")
    return cast("ModuleType", declared(suite).load("variants"))


def replaced(text: str, old: str, new: str) -> str:
    """Return ``text`` with ``new`` for its only ``old``.

    Raises:
        ValueError: unless ``old`` occurs once: the prompt was worded by another edition.
    """
    if text.count(old) != 1:
        raise ValueError(f"no variant of this prompt can be made, since it does not say {old!r} once")
    return text.replace(old, new)
