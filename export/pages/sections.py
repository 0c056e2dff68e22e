"""Sections of a card, each from its heading "## ..." to the next."""

import re

from planimeter.export.manifest import Manifest
from planimeter.export.pages.templating import environment
from planimeter.export.texts import text_of
from planimeter.items.order import in_order
from planimeter.items.suites import declared


def section(card: str, heading: str) -> str:
    """Return the section under ``heading``, with it; empty if the card has none."""
    match = _pattern(heading).search(card)
    return match.group(0) if match else ""


def replaced(card: str, heading: str, new: str) -> str:
    """Return ``card`` with ``new`` in place of the section under ``heading``; unchanged without that section."""
    return _pattern(heading).sub(lambda _: new, card, count=1)


def put(card: str, new: str, before: str) -> str:
    """Return ``card`` with the section ``new`` before the one under ``before``, in place of an earlier one.

    A card without ``before`` stays unchanged.
    """
    heading = new.partition("\n")[0].removeprefix("## ")
    return _pattern(before).sub(lambda found: new + found.group(0), replaced(card, heading, ""), count=1)


def _pattern(heading: str) -> re.Pattern[str]:
    return re.compile(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", flags=re.MULTILINE | re.DOTALL)


# --- the section Load: lines that a reader pastes and runs unchanged. A build does not know where its dataset
# will be published, so its card reads the folder; ``planimeter publish`` puts repository and tag into the card that it
# sends


#: The heading of the section for loading.
LOAD = "Load"


def configs_of(manifest: Manifest) -> list[str]:
    """Return the configs in the order of the suite's prose; that of a manifest is alphabetical."""
    order = list(text_of(manifest.recipe["suite"]).configs)
    return sorted(manifest.configs, key=order.index)


def pools_of(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    """Return the pools with all configs in the dataset."""
    pools = declared(manifest.recipe["suite"]).pools
    return {pool: configs for pool, configs in pools.items() if set(configs) <= set(manifest.configs)}


def loading(manifest: Manifest, repo: str = "") -> str:
    """Return the section for the dataset in ``repo`` (owner/name), or in a folder if that is empty."""
    configs = configs_of(manifest)
    splits = list(in_order(manifest.configs[configs[0]]))
    template = environment().get_template("load.md.j2")
    pools = pools_of(manifest)
    return template.render(manifest=manifest, configs=configs, splits=splits, repo=repo, pools=pools)


def addressed(card: str, manifest: Manifest, repo: str) -> str:
    """Return ``card`` with the section for the dataset in ``repo``; a card without the section stays as it is."""
    return replaced(card, LOAD, loading(manifest, repo))
