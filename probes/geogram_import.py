"""What the probes look at in imported problems: the same as in generated ones."""

from planimeter.probes.geogram import PARTS as PARTS
