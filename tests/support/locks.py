"""The packages that the two locks name."""

import command_line
from packaging.requirements import Requirement


def pins(name: str) -> list[Requirement]:
    lines = (command_line.ROOT / name).read_text().splitlines()
    return [Requirement(line.removesuffix("\\")) for line in lines if line and not line.startswith((" ", "#"))]


CORE, BESIDE = pins("requirements.lock"), pins("requirements-dev.lock")
#: Both, as `make dev` installs them.
LOCK = [*CORE, *BESIDE]
