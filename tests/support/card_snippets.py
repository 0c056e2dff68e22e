"""The blocks of code of a card."""

import re


def snippets(card: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", card, flags=re.MULTILINE | re.DOTALL)
