"""Checks a suite of another Python package before a dataset is built with it (`planimeter check`).

A cell is a combination of parameters for which a recipe sets a number of items. One child process makes up to eight
items of each cell, and of one cell of each training level. It writes the items of the recipe's cells as a dataset, then
verifies, certifies and scores it. Each fault is one line with the name of the package.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os import environ, pathsep
from pathlib import Path
from typing import Any

import pyarrow as pa

from planimeter.evals.scores import dataset
from planimeter.evals.scores.intake import take
from planimeter.evals.scores.scored import score
from planimeter.export.dataset import write_dataset
from planimeter.export.parquet import row_table
from planimeter.export.rows import Row
from planimeter.export.schema import schema_of
from planimeter.export.texts import text_of
from planimeter.export.verify.folder import verify
from planimeter.export.verify.problems import Problem
from planimeter.filters.funnel import Funnel
from planimeter.flows.certifying import uncertified
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError, first_line
from planimeter.flows.imported import generating, shared
from planimeter.flows.shards import Made, Shard
from planimeter.items.declaration import Suite
from planimeter.items.suites import declared, suite_errors
from planimeter.suites.base import Recipe
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of

#: The number of items of each cell, and the time limit of the child process in seconds.
EACH, PATIENCE = 8, 600


def faults(name: str) -> list[str]:
    """Return one line for each fault of the suite ``name``, which another Python package provides.

    Raises ``SuiteError`` if no package provides it.
    """
    if known := [line for line in suite_errors() if f"the suite {name} of " in line]:
        return known
    of = f"the suite {name} of {declared(name).distribution}: "
    env = {**environ, "PYTHONPATH": pathsep.join(filter(None, sys.path))}
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "faults.json")
        program = ("-c", "from planimeter.flows import gate; gate.main()", name, str(found))
        try:
            child = subprocess.run(
                [sys.executable, *program], capture_output=True, timeout=PATIENCE, cwd=folder, env=env
            )
        except subprocess.TimeoutExpired:
            return [f"{of}a few rows of each cell take more than {PATIENCE} s"]
        if found.is_file():
            return [of + fault for fault in json.loads(found.read_text(encoding="utf-8"))]
    last = (child.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
    return [f"{of}its process ends with code {child.returncode}: {last}"]


def main() -> None:
    """Run in the child process: write the faults of the suite ``sys.argv[1]`` to the file ``sys.argv[2]`` as JSON."""
    name, path = sys.argv[1:]
    # Cells and rows often share a fault, which is reported once.
    kinds: dict[str, str] = {}
    for fault in _faults(declared(name)):
        kinds.setdefault(re.sub(r"[\w-]+-[0-9a-f]{16}|[\d.]+|'[^']*'", "", fault.partition(": ")[2]) or fault, fault)
    Path(path).write_text(json.dumps([*kinds.values()]), encoding="utf-8")


def _faults(suite: Suite) -> Iterator[str]:
    """Yield the faults of ``suite``: missing parts, forbidden imports of its certifier, faults of small datasets."""
    try:
        suite.load("grader")
        with suite.blamed("its texts cannot be read"):
            text_of(suite.name)
        paths = sorted(Path(suite.load("datasets").__path__[0]).glob("*.toml")) if suite.datasets else []
        recipes = [recipe for recipe in map(load, map(str, paths)) if isinstance(recipe, Recipe)]
        if not recipes:
            yield "it has no recipe: let `datasets` name a package with a TOML file for each dataset"
        if not suite.certify:
            yield "it declares no certifier: let `certify` name a function (PNG bytes, prompt) -> Reading"
        for module in generating(suite):
            yield f"its certifier imports {module}, which makes items: it could read the answer there"
        for module in shared(suite):
            yield (
                f"its certifier and its generator both import {module}: name it in `shared` of the Suite if it is the "
                "wording of questions and answers, and keep all else apart"
            )
        for recipe in recipes:
            yield from _dataset_faults(suite, recipe)
    except PlanimeterError as error:
        yield _line(suite, str(error))


def _line(suite: Suite, message: str) -> str:
    """Return ``message`` as one line without the suite's name; for a KeyError of the grader, add a remedy."""
    line = "; ".join(
        map(first_line, message.replace(f"the suite {suite.name} of {suite.distribution}: ", "").splitlines())
    )
    handed = "a grader is handed numbers, texts, lists of these, and the columns that its NEEDED names"
    return f"{line}; {handed}" if "scor" in line and "(KeyError" in line else line


def _dataset_faults(suite: Suite, recipe: Recipe) -> Iterator[str]:
    """Yield the faults in a few new items of each cell (combination of parameters) of ``recipe``, and in their dataset.

    The last item of each cell is made a second time; a difference from the first time is a fault.
    """
    pipeline = suite_of(recipe)
    with suite.blamed("its plan failed"):
        planned = [replace(cell, count=min(cell.count, EACH)) for cell, _ in pipeline.cells(recipe)]
        levels = [(config, level) for config, top in pipeline.levels.items() for level in range(1, top + 1)]
        training = [cell for config, level in levels for cell, _ in pipeline.training(recipe, config, level)[:1]]
    made: dict[Shard, Made] = {}
    for shard in (*planned, *(replace(cell, count=EACH) for cell in training)):
        with suite.blamed(f"making {shard.place} failed"):
            made[shard] = pipeline.make(recipe, shard)
        if not made[shard].items:
            last = made[shard].rejects[-1] if made[shard].rejects else None
            reason = f"{last.check}: {last.reason}" if last else "each returns None"
            yield f"{shard.place}: no attempt gives an item, so its quota cannot be filled ({reason})"
    # In reverse order, so that an item that depends on items made before it differs.
    differences: list[str] = []
    for shard in reversed([shard for shard in made if made[shard].items and not made[shard].missing]):
        with suite.blamed(f"making {shard.place} failed"):
            again = pipeline.make(recipe, replace(shard, first=shard.first + shard.count - 1, count=1)).items
        differences += _differences(made[shard].items[-1], again[0] if again else {})
    yield from reversed(differences)
    tables: dict[str, dict[str, list[Row]]] = {}
    for shard in planned:
        for item in made[shard].items:
            for config, rows in item.items():
                tables.setdefault(config, {}).setdefault(shard.split, []).extend(rows)
    if tables:
        funnel = Funnel.total(each.funnel for each in made.values())
        with tempfile.TemporaryDirectory() as folder:
            yield from _folder_faults(suite, recipe, tables, funnel, Path(folder))


def _differences(item: Mapping[str, Sequence[Row]], again: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    for config, rows in item.items():
        if len(rows) != len(again.get(config, [])):
            yield f"{config}: an item has {len(rows)} rows, and {len(again.get(config, []))} when it is made again"
        for row, other in zip(rows, again.get(config, []), strict=False):
            if odd := [name for name in row if row[name] != other.get(name)]:
                yield f"{config}: an item differs when it is made again: {', '.join(odd[:3])} differ"


def _folder_faults(
    suite: Suite, recipe: Recipe, rows: Mapping[str, Mapping[str, list[Row]]], funnel: Funnel, folder: Path
) -> Iterator[str]:
    """Write ``rows`` (config -> split -> rows) as a dataset; yield the faults that verify, certify and score find.

    The dataset is written below ``folder``; ``funnel`` counts the items that the checks kept and rejected.
    """
    values = {**recipe.model_dump(mode="json"), "allow_shortfall": True}
    about: dict[str, Any] = {"dataset": recipe.dataset, "version": recipe.version, "seed": recipe.seed}
    try:
        tables = {
            config: {split: [_table(suite, config, split, some)] for split, some in splits.items()}
            for config, splits in sorted(rows.items())
        }
        target = folder / recipe.dataset
        with suite.blamed("it cannot be written as a dataset"):
            write_dataset(target, recipe=values, configs=tables, funnel=funnel.table(), code_digest="0" * 64, **about)
        problems: list[Problem] = verify(target)
        # A fault of a row is found again in each page that shows the row.
        problems = [found for found in problems if found.where.startswith("data/")] or problems
        if not problems and suite.certify:
            with bars() as shown:
                problems = uncertified(target, shown, 1)
        yield from (
            _line(suite, f"{problem.where}: {problem.what}")
            for problem in problems
            if " more problem" not in problem.what
        )
        if not problems:
            yield from _score_faults(suite, target, folder / "replies.jsonl")
    except PlanimeterError as error:
        yield f"{recipe.dataset}: {_line(suite, str(error))}"


def _table(suite: Suite, config: str, split: str, rows: Sequence[Row]) -> pa.Table:
    once = {str(row.get("id")): row for row in rows}.values()
    return row_table(sorted(once, key=lambda row: int(row["seed"])), schema_of(suite.name, config, [split]))


def _score_faults(suite: Suite, folder: Path, replies: Path) -> Iterator[str]:
    """Score the right answer of each row, written to the file ``replies``, as if it were the reply of a model.

    Yields a line for each config in which any score is below 1.
    """
    data, grader = dataset.load(folder), suite.load("grader")
    lines = (
        json.dumps({"id": name, "reply": grader.render(answer), "model": "gold"})
        for rows in data.rows.values()
        for name, answer in rows["answer"].items()
    )
    replies.write_text("\n".join(lines), encoding="utf-8")
    scores = score(data, take([replies], data, data.rows)).frame
    for config, right in scores.groupby("config")[grader.HEADLINE].min().items():
        if right < 1.0:
            yield f"{config}: a right reply scores {right}, not 1.0, by `planimeter score`"
