"""What can be known of a suite before it builds a dataset: a few of its items are made and read again, watched.

Two processes make the same items, in other orders and with other hashes of strings and other global random states. A
third one, which makes none, reads their pictures. What is found is reported in one line each, with the name of the
distribution.
"""

import pickle
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import environ, pathsep
from pathlib import Path
from typing import Any

from planimeter.evals.grading import gold_score
from planimeter.evals.places import place_of
from planimeter.export.columns import COMMON
from planimeter.export.promises import RowPromises
from planimeter.export.rows import Row
from planimeter.export.schema import checker, schema_of
from planimeter.export.texts import text_of
from planimeter.export.verify.repeats import mark_of
from planimeter.flows.errors import PlanimeterError, first_line
from planimeter.flows.shards import Shard
from planimeter.flows.store import following
from planimeter.flows.suites import suite_of
from planimeter.flows.watched import Address, Attempted, Seen
from planimeter.items.declaration import Suite
from planimeter.items.suites import broken, declared
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import FOLDER, load

#: Items of the first cell, of further ones, and how many of these.
FIRST, FURTHER, CELLS = 12, 2, 6

#: A certifier that reads so many pictures wrong, and this share of them, may be right about the others by chance.
MISREAD, SHARE = 6, 0.2

#: Seconds until a process that makes or reads these few is given up.
PATIENCE = 300

#: Modules of ours that no certifier may import, since they know or draw the answer.
MAKERS = ("planimeter.flows", "planimeter.generators", "planimeter.rendering")


def faults(name: str) -> list[str]:
    """Return what is wrong with the suite ``name`` of another distribution, a line each; empty if nothing is.

    Raises ``SuiteError`` if no distribution registers it.
    """
    known = [line for line in broken() if f"the suite {name} of " in line]
    if known:
        return known
    suite = declared(name)
    # What is wrong in one cell is mostly wrong in others, too: it is reported of the first.
    said: dict[str, str] = {}
    for fault in _faults(suite):
        said.setdefault(fault.partition(": ")[2] or fault, f"the suite {name} of {suite.distribution}: {fault}")
    return list(said.values())


def _faults(suite: Suite) -> Iterator[str]:
    try:
        suite.load("grader")
        with suite.blamed("its texts cannot be read"):
            text_of(suite.name)
        recipes = list(_recipes(suite))
    except PlanimeterError as error:
        yield _without_name(str(error), suite)
        return
    if not recipes:
        yield "it has no recipe: `datasets` names a package with a TOML file a dataset"
    yield from _names_twice(suite, recipes)
    yield from _imports(suite)
    for recipe in recipes:
        try:
            yield from _items(suite, recipe)
        except PlanimeterError as error:
            yield _without_name(str(error), suite)


def _without_name(message: str, suite: Suite) -> str:
    """Return ``message`` in a line, without the name of the suite that it may begin with."""
    lines = message.removeprefix(f"the suite {suite.name} of {suite.distribution}: ").splitlines()
    return "; ".join(first_line(line) for line in lines)


def _recipes(suite: Suite) -> Iterator[Recipe]:
    """Yield the recipes of the suite, by their paths: a name may be that of a recipe of ours."""
    for path in sorted(Path(suite.load("datasets").__path__[0]).glob("*.toml")) if suite.datasets else ():
        recipe = load(str(path))
        if isinstance(recipe, Recipe):
            yield recipe


def _names_twice(suite: Suite, recipes: Sequence[Recipe]) -> Iterator[str]:
    """Yield which datasets and columns have a name that is taken."""
    ours = {path.stem for path in FOLDER.glob("*.toml")}
    for recipe in recipes:
        if recipe.dataset in ours:
            yield f"its dataset {recipe.dataset} has the name of one of Planimeter's"
    common = {column.name for column in COMMON}
    for config, columns in suite.load("export").COLUMNS.items():
        counts = Counter(column.name for column in columns)
        for name in sorted({*common & counts.keys(), *(name for name, number in counts.items() if number > 1)}):
            yield f"{config}: the column {name} stands there twice (those that all suites have come by themselves)"


def _imports(suite: Suite) -> Iterator[str]:
    """Yield that the certifier imports what makes or draws items, in what its source says."""
    if not suite.certify:
        yield "it declares no certifier: `certify` names a function (PNG bytes, prompt) -> Reading"
        return
    try:
        read = following.closure([suite.certify.partition(":")[0]])
    except (LookupError, PlanimeterError) as error:
        yield f"its certifier cannot be followed: {first_line(error)}"
        return
    making = suite.build.partition(":")[0]
    # The suite's own module says it best: what it imports comes with it.
    imported = [making] if making in read else sorted(module for module in read if module.startswith(MAKERS))[:1]
    for module in imported:
        yield f"its certifier imports {module}, which makes items: it could read the answer there"


def _items(suite: Suite, recipe: Recipe) -> Iterator[str]:
    """Yield what is wrong with a few items of ``recipe``, made twice and read once; raise what ends that."""
    with suite.blamed("its plan failed"):
        addresses = list(_addresses(recipe))
    first, second = (
        _elsewhere("make", (recipe, order, number), hash_seed=number)
        for number, order in enumerate((addresses, addresses[::-1]), start=1)
    )
    made: dict[Address, Attempted] = dict(zip(addresses, first, strict=True))
    for address, attempted, again in zip(addresses, first, second[::-1], strict=True):
        yield from _deeds(address, attempted)
        if not attempted.fault and attempted.rows:
            yield from _differences(address, attempted, again)
    yield from _quotas(made)
    yield from _misread(made)
    if any(attempted.fault for attempted in first):
        return
    rows = [(config, row, address) for address, a in made.items() for config, rs in a.rows.items() for row in rs]
    yield from _row_faults(suite, recipe, rows)
    yield from _leaks(rows)
    if rows and suite.certify:
        yield from _certified(suite, rows)


def _addresses(recipe: Recipe) -> Iterator[Address]:
    """Yield the items that are looked at: of some cells of the plan, and one of each training level."""
    pipeline = suite_of(recipe)
    cells = [cell for cell, _ in pipeline.cells(recipe)]
    if not cells:
        raise PlanimeterError(f"the plan of {recipe.dataset} has no cells")
    step = max(1, len(cells) // CELLS)
    for number, cell in enumerate([cells[0], *cells[1:][::step][:CELLS]]):
        count = min(cell.count, FURTHER if number else FIRST)
        yield from (Address(cell, cell.first + index) for index in range(count))
    for config, top in pipeline.levels.items():
        for level in range(1, top + 1):
            for cell, _ in pipeline.training(recipe, config, level)[:1]:
                yield Address(replace(cell, count=1), 0)


def _elsewhere(name: str, arguments: tuple[object, ...], *, hash_seed: int, whose: str = "") -> Any:
    """Return what a task of ``watched`` returns in a process of its own. Raises ``PlanimeterError`` if that ends early,
    and says ``whose``.
    """
    env = {**environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": pathsep.join(filter(None, sys.path))}
    with tempfile.TemporaryDirectory() as empty:
        try:
            ended = subprocess.run(
                [sys.executable, "-c", "from planimeter.flows import watched; watched.main()"],
                input=pickle.dumps((name, arguments)),
                capture_output=True,
                timeout=PATIENCE,
                cwd=empty,
                env=env,
            )
        except subprocess.TimeoutExpired:
            raise PlanimeterError(f"{whose}it does not end: a few items took more than {PATIENCE} s") from None
    if ended.returncode:
        lines = ended.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise PlanimeterError(f"{whose}its process ends with code {ended.returncode}: {lines[-1]}")
    return pickle.loads(ended.stdout)  # noqa: S301 - our own


def _deeds(address: Address, attempted: Attempted) -> Iterator[str]:
    if attempted.fault:
        yield f"{address.shard.place}: making an item {attempted.fault}"
    for what, where in attempted.deeds:
        yield f"{address.shard.config}: making an item {what}{f' in {where}' if where else ''}"


def _differences(address: Address, attempted: Attempted, again: Attempted) -> Iterator[str]:
    """Yield in which column an item differs that is made once more, in another order and process."""
    for config, rows in attempted.rows.items():
        others = again.rows.get(config, [])
        for row, other in zip(rows, others, strict=False):
            odd = [name for name in row if row[name] != other.get(name)]
            if odd:
                yield f"{config}: an item is another one when it is made again: {', '.join(odd[:3])} differ"
        if len(rows) != len(others):
            yield f"{config}: an item has {len(rows)} rows, and {len(others)} when it is made again"
    if attempted.signature != again.signature:
        yield f"{address.shard.config}: the signature of an item differs when it is made again"


def _quotas(made: dict[Address, Attempted]) -> Iterator[str]:
    """Yield which cells give no item, and which give the same again and again."""
    cells: dict[Shard, list[Attempted]] = {}
    for address, attempted in made.items():
        if not attempted.fault:
            cells.setdefault(address.shard, []).append(attempted)
    for shard, attempts in cells.items():
        items = [attempt for attempt in attempts if attempt.rows]
        if not items:
            why = next((attempt.rejected for attempt in attempts if attempt.rejected), "it returns None")
            yield f"{shard.place}: no attempt gives an item, so its quota cannot be filled ({why})"
        elif len(items) >= FIRST // 2 and 2 * len({item.signature for item in items}) <= len(items):
            different = len({item.signature for item in items})
            yield f"{shard.place}: of {len(items)} items {different} differ, so a quota of {shard.count} is not filled"
    pictures: dict[str, bytes] = {}
    for address, attempted in made.items():
        row = next(iter(attempted.rows.get(address.shard.config, [])), None)
        if row and isinstance(row.get("image"), dict) and "prompt" in row and "system_prompt" in row:
            mark = mark_of({**row, "id": ""}).item
            if pictures.setdefault(mark, attempted.signature) != attempted.signature:
                yield f"{address.shard.config}: items with different signatures ask the same of the same picture"


def _misread(made: dict[Address, Attempted]) -> Iterator[str]:
    """Yield that the certifier often reads another answer: items are kept where it is right, be it by chance."""
    # Of each cell the last one counts, which has the sum.
    cells = {address.shard: (attempted.right, attempted.misread) for address, attempted in made.items()}
    right, wrong = map(sum, zip(*cells.values(), strict=True))
    if right and wrong >= max(MISREAD, SHARE * (right + wrong)):
        yield f"its certifier reads another answer in {wrong} of {right + wrong} pictures: it may be right by chance"


def _row_faults(suite: Suite, recipe: Recipe, rows: Sequence[tuple[str, Row, Address]]) -> Iterator[str]:
    """Yield the broken promises of rows, one of each kind and config."""
    seen = set()
    for config, row, address in rows:
        split = address.shard.split
        try:
            promises = RowPromises(
                checker(suite.name, recipe.model_dump(mode="json")),
                lambda config, row: gold_score(suite.name, config, row),
            )
            broken_promises = list(promises.all_faults(schema_of(suite.name, config, [split]), row, split))
        except Exception as error:  # noqa: BLE001 - the code of others
            yield f"{config}: its checks fail: {type(error).__name__}: {first_line(error)}"
            return
        for fault in broken_promises:
            if (config, fault.promise) not in seen:
                seen.add((config, fault.promise))
                yield f"{config}: {_without_name(fault.said, suite)}"
        if not broken_promises and suite.recognised_by.get(config, frozenset()) <= row.keys():
            taken = place_of(row) if config in suite.recognised_by else (suite.name, config)
            if taken != (suite.name, config):
                yield f"{config}: its rows are taken for {'/'.join(taken)}; recognised_by must name columns of its own"


def _leaks(rows: Sequence[tuple[str, Row, Address]]) -> Iterator[str]:
    """Yield which texts state the answers: each row's own, and mostly not that of another row."""
    for config in dict.fromkeys(config for config, _, _ in rows):
        ours = [row for of, row, _ in rows if of == config and isinstance(row.get("answer"), str)]
        for name in ("system_prompt", "prompt", "id"):
            stating = [row for row in ours if _states(str(row.get(name)), row["answer"])]
            others = [
                _states(str(row.get(name)), other["answer"])
                for row in ours
                for other in ours
                if other["answer"] != row["answer"]
            ]
            if len(ours) > 3 and len(stating) == len(ours) and others and 2 * sum(others) < len(others):
                yield f"{config}: {name} states the answer, as in {stating[0]['answer']!r}"


def _states(text: str, answer: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text) is not None


def _certified(suite: Suite, rows: Sequence[tuple[str, Row, Address]]) -> Iterator[str]:
    """Yield what the certifier does not recover in a process that has made no item, and from what it should not."""
    whole = [row for _, row, _ in rows if _is_whole(row)]
    pictures = [(row["image"]["bytes"], row["prompt"]) for row in whole]
    seen: Seen = _elsewhere("certify", (suite.name, pictures), hash_seed=3, whose="its certifier: ")
    making = suite.build.partition(":")[0]
    if making in seen.modules:
        yield f"its certifier loads {making}, which makes items: it could read the answer there"
    read = [(row["answer"], reading) for row, reading in zip(whole, seen.readings, strict=True)]
    raised = [reading.fault for _, reading in read if reading.fault]
    if raised:
        yield f"its certifier {raised[0]}"
        return
    lost = [(answer, reading.published) for answer, reading in read if reading.published != answer]
    hidden = [answer for answer, reading in read if reading.published == answer != reading.encoded_anew]
    blank = {answer for answer, reading in read if reading.blank == answer}
    if lost:
        wanted, got = lost[0]
        yield (
            f"its certifier recovers {len(read) - len(lost)} of {len(read)} answers where it has made no item: "
            f"{got or 'nothing'!r} in place of {wanted!r}"
        )
    elif hidden:
        yield f"its certifier reads {hidden[0]!r} from the PNG, and not from the same pixels encoded anew"
    elif len(blank) > 1:
        yield f"its certifier recovers {sorted(blank)[0]!r} from a blank picture: it reads the question alone"


def _is_whole(row: Row) -> bool:
    return isinstance(row.get("image"), dict) and all(isinstance(row.get(name), str) for name in ("prompt", "answer"))
