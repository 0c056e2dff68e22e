"""What the probes look at in imported problems: the same as in generated ones."""

from planimeter.evals.geogram_import.protocol import CONFIGS
from planimeter.evals.probes.suites.geogram import PARTS as GENERATED

PARTS = {config: GENERATED[config] for config in CONFIGS}
