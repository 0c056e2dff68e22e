"""A few items of every dataset: of each config the first shard of its plan and the last one, cut short."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import geogram_cases

from planimeter.flows.shards import Made, Shard
from planimeter.items import LANGUAGES
from planimeter.suites.base import Recipe
from planimeter.suites.loading import available, load
from planimeter.suites.pipeline import suite_of

#: What a user may keep in the folder where a build starts.
MATPLOTLIBRC = "lines.linewidth: 9\nfont.size: 30\nsavefig.dpi: 30\naxes.facecolor: red\n"


@cache
def recipe_of(name: str) -> Recipe:
    recipe = load(name, scale=SCALE)
    assert isinstance(recipe, Recipe)
    return recipe


#: Of all datasets, so that every address of the plan can be looked at.
SCALE = 0.1

#: Every dataset that is generated.
NAMES = tuple(name for name in available() if isinstance(load(name), Recipe))


@dataclass(frozen=True)
class Part:
    """A cut shard of the dataset ``name``, and what its suite made of it."""

    name: str
    shard: Shard
    made: Made

    @property
    def rows(self) -> list[tuple[str, dict[str, Any]]]:
        """The rows with their configs."""
        return [(config, row) for item in self.made.items for config, rows in item.items() for row in rows]


def shards(name: str) -> list[Shard]:
    """Return two items of the first shard of each config and split, and the last item of each config."""
    first: dict[tuple[str, str], Shard] = {}
    last: dict[str, Shard] = {}
    for shard in suite_of(recipe_of(name)).plan(recipe_of(name)):
        first.setdefault((shard.config, shard.split), shard)
        last[shard.config] = shard
    return [*(replace(s, count=min(2, s.count)) for s in first.values()), *(alone(shard) for shard in last.values())]


def make(name: str, shard: Shard) -> Made:
    return suite_of(recipe_of(name)).make(recipe_of(name), shard)


def alone(shard: Shard) -> Shard:
    """Return the last item of ``shard`` without its neighbours."""
    return replace(shard, first=shard.first + shard.count - 1, count=1)


def digest(made: Made) -> str:
    """Return a digest of the rows of the last item, and of the signature by which near-duplicates are found."""
    content = hashlib.sha256(made.signatures[-1])
    for config, rows in made.items[-1].items():
        for row in rows:
            content.update(row["image"]["bytes"])
            content.update(json.dumps([config, {**row, "image": None}]).encode())
    return content.hexdigest()


def problems() -> str:
    """Return a digest of a problem of each template of geogram, in both languages."""
    content = hashlib.sha256()
    for name in geogram_cases.NAMES:
        for language in LANGUAGES:
            item = next(geogram_cases.candidates(name, language))
            content.update(repr((item.problem, item.code, item.givens, item.answer_latex, item.answer_value)).encode())
    return content.hexdigest()


def lines(names: Sequence[str]) -> Iterator[str]:
    """Yield dataset, shard and digest of the last item of every shard, each made alone, the last of all first."""
    yield f"templates\t{problems()}"
    for name in reversed(names):
        for shard in reversed([alone(shard) for shard in shards(name)]):
            yield f"{name} {shard} {shard.split}\t{digest(make(name, shard))}"


def in_another_process(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """Return `lines` of ``names`` as a process in ``folder`` with another matplotlibrc and hash seed finds them."""
    (folder / "matplotlibrc").write_text(MATPLOTLIBRC)
    script = f"import sys; sys.path.append({str(Path(__file__).parent)!r}); import suite_items; suite_items.main()"
    environment = {name: value for name, value in os.environ.items() if name.endswith("_NUM_THREADS")}
    command, environment = (sys.executable, "-c", script, *names), {**environment, "PYTHONHASHSEED": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(line.split("\t") for line in done.stdout.splitlines())


def main() -> None:
    for line in lines(sys.argv[1:]):
        print(line)
