"""The section Load of a card: lines that a reader pastes, and that run as they stand.

A build does not know where its dataset will be published, so its card reads the folder. ``planimeter publish`` puts the
repository and the tag into the card that it sends.
"""

from planimeter.export.manifest import Manifest
from planimeter.export.pages.sections import replaced
from planimeter.export.pages.templating import environment
from planimeter.export.texts import text_of
from planimeter.items.order import in_order
from planimeter.items.suites import declared

HEADING = "Load"


def configs_of(manifest: Manifest) -> list[str]:
    """Return the configs in the order of the suite's prose; that of a manifest is alphabetical."""
    order = list(text_of(manifest.recipe["suite"]).configs)
    return sorted(manifest.configs, key=order.index)


def pools_of(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    """Return the pools of which the dataset has every config."""
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
    return replaced(card, HEADING, loading(manifest, repo))
