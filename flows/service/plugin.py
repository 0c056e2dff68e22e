"""Completes the bare name in `prefect deployment run build-marvl-mini` to `build-marvl-mini/default`.

Prefect itself refuses a name without a slash. It loads this plugin (entry point group ``prefect.plugins``) if its
settings say ``plugins.enabled``, as the project's pyproject.toml does. Everything else works without it.
"""

import sys

from prefect.plugins import HookContext, register_hook

from planimeter.flows.display.flow_names import FLOW_NAMES


def complete(arguments: list[str], flows: frozenset[str]) -> list[str]:
    """Return ``arguments`` (without the program) with the bare name of one of ``flows`` completed.

    Only arguments of `deployment run` are completed, and only the exact name of one of our flows.
    """
    if arguments[:2] != ["deployment", "run"]:
        return list(arguments)
    return [*arguments[:2], *(f"{word}/default" if word in flows else word for word in arguments[2:])]


@register_hook
def setup_environment(*, ctx: HookContext) -> None:  # noqa: ARG001 - Prefect passes it by this name
    """Complete this process's command line; no environment variable changes."""
    sys.argv[1:] = complete(sys.argv[1:], FLOW_NAMES)
