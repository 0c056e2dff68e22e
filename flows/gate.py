"""Checks the suite of another distribution before it builds a dataset (`planimeter check`).

One child process makes eight rows of each cell, and of one cell of each training level, writes them as a dataset,
verifies it, certifies it and scores it, as the other commands do. What is found is reported in one line each, with the
name of the distribution.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from os import environ, pathsep
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa

from planimeter.evals.grading import gold_score
from planimeter.evals.places import place_of
from planimeter.evals.scores import dataset
from planimeter.evals.scores.intake import take
from planimeter.evals.scores.scored import score
from planimeter.export.columns import COMMON
from planimeter.export.dataset import write_dataset
from planimeter.export.pages.funnel_view import MEANINGS
from planimeter.export.parquet import row_table
from planimeter.export.promises import RowPromises
from planimeter.export.rows import Row
from planimeter.export.schema import checker, schema_of
from planimeter.export.texts import text_of
from planimeter.export.verify.folder import verify
from planimeter.export.verify.repeats import mark_of
from planimeter.filters.certify.png import decoded
from planimeter.filters.funnel import Funnel
from planimeter.filters.verdict import MISREAD
from planimeter.flows.errors import PlanimeterError, first_line
from planimeter.flows.imported import generating, shared
from planimeter.flows.shards import Made, Shard
from planimeter.flows.suites import suite_of
from planimeter.items import Reading
from planimeter.items.declaration import Suite, SuiteError, described
from planimeter.items.suites import broken, declared
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import FOLDER, load

#: Items of each cell, and seconds until the process that makes and reads them is ended.
EACH, PATIENCE = 8, 600

#: A certifier that reads so many pictures wrong, and this share of them, may be right about the others by chance.
MOST_MISREAD, SHARE = 6, 0.2

#: Rows of a dataset by config and split.
Rows = dict[str, dict[str, list[Row]]]


def faults(name: str) -> list[str]:
    """Return the faults of the suite ``name`` of another distribution, a line each.

    Raises ``SuiteError`` if no distribution registers it.
    """
    if known := [line for line in broken() if f"the suite {name} of " in line]:
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
    """Write the faults of the suite that is named to the file that is named, in the child process."""
    name, path = sys.argv[1:]
    Path(path).write_text(json.dumps(examined(declared(name))), encoding="utf-8")


def examined(suite: Suite) -> list[str]:
    """Return the faults of ``suite``, in this process; a fault of one cell is mostly one of others, and said once."""
    said: dict[str, str] = {}
    for fault in _faults(suite):
        said.setdefault(fault.partition(": ")[2] or fault, fault)
    return [*said.values()]


def _faults(suite: Suite) -> Iterator[str]:
    try:
        suite.load("grader")
        with suite.blamed("its texts cannot be read"):
            text_of(suite.name)
        paths = sorted(Path(suite.load("datasets").__path__[0]).glob("*.toml")) if suite.datasets else []
        recipes = [recipe for recipe in map(load, map(str, paths)) if isinstance(recipe, Recipe)]
        if not recipes:
            yield "it has no recipe: `datasets` names a package with a TOML file for each dataset"
        if not suite.certify:
            yield "it declares no certifier: `certify` names a function (PNG bytes, prompt) -> Reading"
        yield from _names_twice(suite, recipes)
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
    """Return ``message`` as one line without the name of the suite, with the remedy of a common fault."""
    line = "; ".join(
        map(first_line, message.replace(f"the suite {suite.name} of {suite.distribution}: ", "").splitlines())
    )
    handed = "a grader is handed numbers, texts, lists of these, and the columns that its NEEDED names"
    return f"{line}; {handed}" if "scor" in line and "(KeyError" in line else line


def _names_twice(suite: Suite, recipes: Sequence[Recipe]) -> Iterator[str]:
    for recipe in recipes:
        if (FOLDER / f"{recipe.dataset}.toml").is_file():
            yield f"its dataset {recipe.dataset} has the name of one of Planimeter's"
    common = [column.name for column in COMMON]
    for config, columns in suite.load("export").COLUMNS.items():
        names = [*common, *(column.name for column in columns)]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{config}: the column {name} stands there twice (those that all suites have come by themselves)"


def _dataset_faults(suite: Suite, recipe: Recipe) -> Iterator[str]:
    """Make a few rows, and yield the faults of them and of the dataset that they are."""
    pipeline = suite_of(recipe)
    with suite.blamed("its plan failed"):
        whole = [cell for cell, _ in pipeline.cells(recipe)]
        levels = [(config, level) for config, top in pipeline.levels.items() for level in range(1, top + 1)]
        cells = [cell for config, level in levels for cell, _ in pipeline.training(recipe, config, level)[:1]]
    if not whole:
        yield f"the plan of {recipe.dataset} has no cells"
        return
    try:
        with suite.blamed("its training rows cannot be kept apart"):
            for cell in (*whole, *cells):
                pipeline.tests(cell)
    except SuiteError as error:  # the signatures of the test items, which are written once these are built
        yield f"{_line(suite, str(error))}; until then no training item is looked at"
        whole, cells = [cell for cell in whole if cell.split != "train"], []
    planned = [replace(cell, count=min(cell.count, EACH)) for cell in whole]
    shards = [*planned, *(replace(cell, count=EACH) for cell in cells)]
    made: dict[Shard, Made] = {}
    for shard in shards:
        with suite.blamed(f"making {shard.place} failed"):
            made[shard] = pipeline.make(recipe, shard)
    yield from _quota_faults(made)
    yield from _promise_faults(suite, recipe, [(cell, made[shard]) for cell, shard in zip(whole, planned, strict=True)])
    rows, streamed = _rows(made, planned), _rows(made, shards[len(planned) :])
    for part in (rows, streamed):
        yield from _text_faults(suite, part)
    # Backwards, so that what an item leaves behind is seen in another one.
    differences: list[str] = []
    for shard in reversed([shard for shard in shards if made[shard].items and not made[shard].missing]):
        with suite.blamed(f"making {shard.place} failed"):
            again = pipeline.make(recipe, replace(shard, first=shard.first + shard.count - 1, count=1)).items
        differences += _differences(made[shard].items[-1], again[0] if again else {})
    yield from reversed(differences)
    funnel = Funnel.total(m.funnel for m in made.values())
    asked = {check for checks in funnel.table().values() for check in checks}
    for check in sorted(asked - text_of(suite.name).checks.keys() - MEANINGS.keys()):
        yield f"{suite.name}.yaml: `checks` does not say what {check} asks"
    if rows:
        with tempfile.TemporaryDirectory() as folder:
            yield from _folder_faults(suite, recipe, rows, funnel, Path(folder))
    yield from _stream_faults(suite, recipe, streamed)
    if suite.certify:
        every = [
            row for part in (rows, streamed) for splits in part.values() for some in splits.values() for row in some
        ]
        yield from _certifier_faults(suite, [row for row in every if isinstance(row.get("image"), dict)])


def _rows(made: Mapping[Shard, Made], shards: Sequence[Shard]) -> Rows:
    rows: Rows = {}
    for shard in shards:
        for item in made[shard].items:
            for config, some in item.items():
                rows.setdefault(config, {}).setdefault(shard.split, []).extend(some)
    return rows


def _quota_faults(made: Mapping[Shard, Made]) -> Iterator[str]:
    """Yield the cells that give no item, or the same item repeatedly, and that the certifier is right by chance."""
    pictures: dict[str, bytes] = {}
    for shard, items in made.items():
        different = len({*items.signatures})
        if not items.items:
            last = items.rejects[-1] if items.rejects else None
            why = f"{last.check}: {last.reason}" if last else "each returns None"
            yield f"{shard.place}: no attempt gives an item, so its quota cannot be filled ({why})"
        elif 2 * different <= len(items.items) > 1:
            yield f"{shard.place}: of {len(items.items)} items {different} differ, so its quota is not filled"
        for item, signature in zip(items.items, items.signatures, strict=True):
            row = next(iter(item.get(shard.config, [])), None)
            if row and isinstance(row.get("image"), dict) and "prompt" in row and "system_prompt" in row:
                mark = mark_of({**row, "id": ""}).item
                if pictures.setdefault(mark, signature) != signature:
                    yield f"{shard.config}: items with different signatures ask the same of the same picture"
    read = [checks["certify"] for m in made.values() for checks in m.funnel.values() if "certify" in checks]
    right, wrong = sum(check["kept"] for check in read), sum(check["rejected"].get(MISREAD, 0) for check in read)
    if right and wrong >= max(MOST_MISREAD, SHARE * (right + wrong)):
        yield f"its certifier reads another answer in {wrong} of {right + wrong} pictures: it may be right by chance"


def _promise_faults(suite: Suite, recipe: Recipe, cells: Sequence[tuple[Shard, Made]]) -> Iterator[str]:
    """Yield the configs of whose rows the checker's quotas promise another number than the cells give."""
    promised: Counter[str] = Counter()
    with suite.blamed("its quotas fail"):
        for quota in checker(suite.name, recipe.model_dump(mode="json")).quotas():
            promised[quota.config] += quota.rows
    given: Counter[str] = Counter()
    for cell, made in cells:
        each = {tuple(sorted((config, len(rows)) for config, rows in item.items())) for item in made.items}
        if len(each) != 1:  # none was made, or some items have more rows than others
            return
        given.update({config: cell.count * number for config, number in each.pop()})
    for config in sorted(promised.keys() & given.keys()):
        if promised[config] != given[config]:
            numbers = f"promises {promised[config]} rows, and its cells make {given[config]}"
            yield f"{config}: `quotas` of its checker {numbers}; multiply them where an item has several rows there"


def _differences(item: Mapping[str, Sequence[Row]], again: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    for config, some in item.items():
        for row, other in zip(some, again.get(config, []), strict=False):
            if odd := [name for name in row if row[name] != other.get(name)]:
                yield f"{config}: an item differs when it is made again: {', '.join(odd[:3])} differ"
        if len(some) != len(again.get(config, [])):
            yield f"{config}: an item has {len(some)} rows, and {len(again.get(config, []))} when it is made again"


def _stream_faults(suite: Suite, recipe: Recipe, rows: Rows) -> Iterator[str]:
    """Yield the broken promises of training rows, which stand in no dataset of this recipe; one of each config."""
    for config, split, some in ((config, split, some) for config, by in rows.items() for split, some in by.items()):
        schema = schema_of(suite.name, config, [split])
        promises = RowPromises(checker(suite.name, recipe.model_dump(mode="json")), partial(gold_score, suite.name))
        with suite.blamed(f"{config}: its checks fail"):
            broken_promises = (fault.said for row in some for fault in promises.all_faults(schema, row, split))
            yield from (_line(suite, f"{config}: {said}") for said in islice(broken_promises, 1))


def _text_faults(suite: Suite, rows: Rows) -> Iterator[str]:
    """Yield rows that are taken for another suite's, and texts that state the answers."""
    for config, splits in rows.items():
        some = [row for parts in splits.values() for row in parts]
        own = suite.recognised_by.get(config, frozenset())
        if own and own <= some[0].keys() and place_of(some[0]) != (suite.name, config):
            taken = "/".join(place_of(some[0]))
            yield f"{config}: its rows are taken for {taken}; recognised_by must name columns of its own"
        answers = [str(row.get("answer")) for row in some]
        for name in ("system_prompt", "prompt", "id"):
            texts = [str(row.get(name)) for row in some]
            # A text that states every answer, as a list of options does, says nothing of the row's own.
            others = [
                _states(text, answer) for text, own in zip(texts, answers, strict=True) for answer in {*answers} - {own}
            ]
            if all(map(_states, texts, answers)) and 2 * sum(others) < len(others):
                yield f"{config}: {name} states the answer, as in {answers[0]!r}"


def _states(text: str, answer: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text) is not None


def _folder_faults(suite: Suite, recipe: Recipe, rows: Rows, funnel: Funnel, folder: Path) -> Iterator[str]:
    """Write the rows as a dataset, verify it, and score its own answers as `planimeter score` does."""
    values = {**recipe.model_dump(mode="json"), "allow_shortfall": True}
    about: dict[str, Any] = {
        "dataset": recipe.dataset,
        "version": recipe.version,
        "seed": recipe.seed,
        "code_digest": "0" * 64,
    }
    try:
        tables = {
            config: {split: [_table(suite, config, split, some)] for split, some in splits.items()}
            for config, splits in sorted(rows.items())
        }
        with suite.blamed("it cannot be written as a dataset"):
            write_dataset(folder / "dataset", recipe=values, configs=tables, funnel=funnel.table(), **about)
        problems = verify(folder / "dataset")
        # What is wrong with rows is wrong with the pages that show them, and said once of many.
        problems = [found for found in problems if found.where.startswith("data/")] or problems
        kinds = {re.sub(r"[\w-]+-[0-9a-f]{16}|[\d.]+|'[^']*'", "", found.what): found for found in problems[::-1]}
        yield from (
            _line(suite, f"{found.where}: {found.what}")
            for found in [*kinds.values()][::-1]
            if " more problem" not in found.what
        )
        if not problems:
            yield from _score_faults(suite, folder / "dataset", folder / "replies.jsonl")
    except PlanimeterError as error:
        yield f"{recipe.dataset}: {_line(suite, str(error))}"


def _table(suite: Suite, config: str, split: str, rows: Sequence[Row]) -> pa.Table:
    once = {str(row.get("id")): row for row in rows}.values()
    return row_table(sorted(once, key=lambda row: int(row["seed"])), schema_of(suite.name, config, [split]))


def _score_faults(suite: Suite, folder: Path, replies: Path) -> Iterator[str]:
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


def _certifier_faults(suite: Suite, rows: Sequence[Row]) -> Iterator[str]:
    """Ask the certifier again, backwards, and about pictures that should tell it nothing."""
    wanted, lost, hidden, blank = [str(row["answer"]) for row in rows][::-1], [], [], set()
    certify = suite.load("certify")
    for row, answer in zip(rows[::-1], wanted, strict=True):
        png = row["image"]["bytes"]
        pixels = decoded(png)
        if pixels is None:
            yield "its certifier is given a picture that is not a PNG"
            return
        try:
            published, encoded_anew = (_answer(certify(each, row["prompt"])) for each in (png, _encoded(pixels)))
        except Exception as error:  # noqa: BLE001 - the code of others
            yield f"its certifier raises {described(error, suite.packages)}"
            return
        # Most certifiers find nothing to read on white paper, and some raise there.
        with suppress(Exception):
            blank |= {_answer(certify(_encoded(np.full_like(pixels, 255)), row["prompt"]))} & {answer}
        lost += [(answer, published)] if published != answer else []
        hidden += [answer] if published == answer != encoded_anew else []
    if lost:
        got = f"{lost[0][1] or 'nothing'!r} in place of {lost[0][0]!r}"
        yield f"its certifier recovers {len(rows) - len(lost)} of {len(rows)} answers in another order: {got}"
    elif hidden:
        yield f"its certifier reads {hidden[0]!r} from the PNG, and not from the same pixels encoded anew"
    elif len(blank) > 1:
        yield f"its certifier recovers {sorted(blank)[0]!r} from a blank picture: it reads the question alone"


def _answer(reading: object) -> str:
    if not isinstance(reading, Reading):
        raise TypeError(f"need a Reading, got {type(reading).__name__}")
    return reading.answer or ""


def _encoded(pixels: cv2.typing.MatLike) -> bytes:
    return bytes(cv2.imencode(".png", pixels)[1].tobytes())
