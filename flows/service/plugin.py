"""A plugin of Prefect: completes `prefect deployment run build-marvl-mini` to `build-marvl-mini/default`.

Prefect refuses the name of a deployment without a slash. It loads this plugin (entry point group ``prefect.plugins``)
if the setting ``plugins.enabled`` is true, as in the project's pyproject.toml. Everything else works without the
plugin.
"""

import sys

from prefect.plugins import HookContext, register_hook

from planimeter.flows.display.flow_names import FLOW_NAMES


def complete(arguments: list[str], flows: frozenset[str]) -> list[str]:
    """Return the ``arguments`` of the command `prefect`, with "/default" added to each that is in ``flows``.

    Arguments of other commands than `deployment run` are not changed.
    """
    if arguments[:2] != ["deployment", "run"]:
        return list(arguments)
    return [*arguments[:2], *(f"{word}/default" if word in flows else word for word in arguments[2:])]


@register_hook
def setup_environment(*, ctx: HookContext) -> None:  # noqa: ARG001 - Prefect passes it by this name
    """Complete the command line of this process (``sys.argv``) by ``complete``; Prefect calls this at its start."""
    sys.argv[1:] = complete(sys.argv[1:], FLOW_NAMES)
