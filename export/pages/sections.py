"""Reads and replaces sections of a dataset card, and writes the section Load. A section begins with "## "."""

import re

from planimeter.export.manifest import Manifest
from planimeter.export.pages.templating import environment
from planimeter.export.texts import text_of
from planimeter.items.order import in_order
from planimeter.items.suites import declared


def section(card: str, heading: str) -> str:
    """Return the section with the heading ``heading``, including the heading; empty if ``card`` has none."""
    match = _pattern(heading).search(card)
    return match.group(0) if match else ""


def replaced(card: str, heading: str, new: str) -> str:
    """Return ``card`` with the section under ``heading`` replaced by ``new``; unchanged without such a section."""
    return _pattern(heading).sub(lambda _: new, card, count=1)


def put(card: str, new: str, before: str) -> str:
    """Return ``card`` with the section ``new`` inserted before the section with the heading ``before``.

    An earlier section with the heading of ``new`` is removed. Nothing is inserted if there is no section ``before``.
    """
    heading = new.partition("\n")[0].removeprefix("## ")
    return _pattern(before).sub(lambda found: new + found.group(0), replaced(card, heading, ""), count=1)


def _pattern(heading: str) -> re.Pattern[str]:
    return re.compile(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", flags=re.MULTILINE | re.DOTALL)


# --- the section Load: lines that a reader can paste and run unchanged. A build does not know where its dataset will be
# published, so its card loads the folder; ``planimeter publish`` puts repository and tag into the card that it sends


#: The heading of the section with the lines for loading.
LOAD = "Load"


def configs_of(manifest: Manifest) -> list[str]:
    """Return the configs of the dataset in the order of the suite's texts; in a manifest they are sorted by name."""
    order = list(text_of(manifest.recipe["suite"]).configs)
    return sorted(manifest.configs, key=order.index)


def pools_of(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    """Return pool -> configs, for each pool (group of configs of the suite) whose configs are all in the dataset."""
    pools = declared(manifest.recipe["suite"]).pools
    return {pool: configs for pool, configs in pools.items() if set(configs) <= set(manifest.configs)}


def loading(manifest: Manifest, repo: str = "") -> str:
    """Return the section Load: Python that loads the dataset from ``repo`` (owner/name); if empty, from its folder."""
    configs = configs_of(manifest)
    splits = list(in_order(manifest.configs[configs[0]]))
    template = environment().get_template("load.md.j2")
    pools = pools_of(manifest)
    return template.render(manifest=manifest, configs=configs, splits=splits, repo=repo, pools=pools)


def addressed(card: str, manifest: Manifest, repo: str) -> str:
    """Return ``card`` with its section Load, if it has one, replaced by code that loads from ``repo``."""
    return replaced(card, LOAD, loading(manifest, repo))
