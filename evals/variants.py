"""Named variants of the published prompts, for studies of the effect of a prompt on scores.

A variant rewords the prompts of a row and may request another format; the answer stays the same. Its name is part of
every score, so that replies to two prompts are never mixed. A suite may declare a module as ``variants``, which has:

* ``VARIANTS``: {name of the variant: description of the change},
* ``WORDS``: {name: (words in the system or user prompt, their replacement)}; or, if these depend on the row,
  ``reworded(config, row, variant)``, which returns system prompt and user prompt,
* ``read_strictly(config, row, reply, variant)``: the reader of the format that the variant requests.

Variants change no byte of a dataset.
"""

from collections.abc import Mapping
from types import ModuleType
from typing import cast

from planimeter.evals.places import Row, resolve_place
from planimeter.items.suites import declared

#: The published prompts, those of the rows.
DEFAULT = "default"


def variants(suite: str, config: str) -> Mapping[str, str]:
    """Return a description of each prompt variant of ``config``, by name; the published prompt comes first.

    Raises:
        LookupError: if there is no such suite or config.
    """
    resolve_place({}, suite, config)
    others = declared(suite).load("variants").VARIANTS if declared(suite).variants else {}
    return {DEFAULT: "the published prompt", **others}


def prompt_of(row: Row, variant: str = DEFAULT, *, suite: str = "", config: str = "") -> tuple[str, str]:
    """Return the system prompt, which may be empty, and the user prompt of ``row``, reworded as ``variant``.

    Raises:
        LookupError: if there is no such variant, or as in ``grade``.
        ValueError: if the row's prompt has another wording than expected, and cannot be reworded.
    """
    suite, config = resolve_place(row, suite, config)
    if variant in ("", DEFAULT):
        return str(row["system_prompt"]), str(row["prompt"])
    module, system, prompt = variant_module(suite, config, variant), str(row["system_prompt"]), str(row["prompt"])
    if hasattr(module, "reworded"):
        system, prompt = module.reworded(config, row, variant)
        return system, prompt
    old, new = module.WORDS[variant]
    return (replaced(system, old, new), prompt) if old in system else (system, replaced(prompt, old, new))


def variant_module(suite: str, config: str, variant: str) -> ModuleType:
    """Return the suite's module that rewords prompts and reads replies for ``variant``, which is not the default one.

    Raises:
        LookupError: if there is no such variant, with a list of all variants.
    """
    known = variants(suite, config)
    if variant not in known:
        raise LookupError(f"{suite} {config} has no prompt variant {variant!r}; it has: {', '.join(known)}")
    return cast("ModuleType", declared(suite).load("variants"))


def replaced(text: str, old: str, new: str) -> str:
    """Return ``text`` with its only occurrence of ``old`` replaced by ``new``.

    Raises:
        ValueError: unless ``old`` occurs exactly once: the prompt has another wording than expected.
    """
    if text.count(old) != 1:
        raise ValueError(
            f"this prompt cannot be reworded: it must contain {old!r} once, not {text.count(old)} times; "
            "use the published prompt"
        )
    return text.replace(old, new)
