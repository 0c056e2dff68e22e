"""Write the generated half of `docs/`: a page for each dataset, and the reference. `python -m tools.docs` renews all.

An example is made by the library from the first address of its dataset. Examples are kept in `tools/examples.json`, so
that the pages can be compared with what the code makes without making an item of each dataset.
"""

import argparse
import importlib
import inspect
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from planimeter.export.columns import COMMON, Column
from planimeter.export.pages.card import HOME, type_name
from planimeter.export.schema import schema_of
from planimeter.export.texts import SuiteText, text_of
from planimeter.items.order import in_order
from planimeter.streams import LADDERS
from planimeter.suites.base import Recipe
from planimeter.suites.loading import available, load
from planimeter.suites.pipeline import suite_of
from tools import map as package_map
from tools import reference
from tools.markdown import docstring, fenced, prose, table, wrapped

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "tools" / "examples.json"

#: The command that renews all pages, named where one of them is stale.
RENEW = "python -m tools.docs"

#: Suite and config -> what a training level asks, in the module of the suite's curriculum.
CURRICULA = {
    ("marvl_qa", "counting"): "COUNTING",
    ("marvl_qa", "transformation"): "TRANSFORMATION",
    ("marvl_qa", "counting_hard"): "COUNTING_HARD",
    ("marvl_qa", "transformation_hard"): "TRANSFORMATION_HARD",
    ("marvl_qa", "surface"): "SURFACE",
    ("marvl_qa", "surface_transformation"): "SURFACE_TRANSFORMATION",
    ("traversal", "base"): "LEVELS",
    ("traversal", "curved"): "LEVELS",
    ("curves", "curriculum"): "LEVELS",
    ("geogram", "geogram"): "LEVELS",
}


class Example(NamedTuple):
    """An item of a dataset: its ``config``, id, prompts and answer, and how many rows an item has in each config.

    ``rows``: config of the plan -> config of the rows -> rows of one item.
    """

    config: str
    id: str
    system_prompt: str
    prompt: str
    answer: str
    rows: dict[str, dict[str, int]]


def recipes() -> dict[str, Recipe]:
    """Return the recipe of each dataset that comes with Planimeter; collections have none."""
    loaded = {name: load(name) for name in available()}
    return {name: recipe for name, recipe in loaded.items() if isinstance(recipe, Recipe)}


def example(recipe: Recipe) -> Example:
    """Return the first item of ``recipe``, generated now. Raises ``LookupError`` if the first index gives none."""
    suite = suite_of(recipe)
    firsts = {shard.config: shard for shard in reversed(suite.plan(recipe))}
    items: dict[str, Mapping[str, Sequence[Mapping[str, Any]]]] = {}
    for config in reversed(firsts):
        shard = firsts[config]
        item = suite.maker(recipe, shard).first(shard.first, suite.contamination_filter(shard))
        if item is None:
            raise LookupError(f"{recipe.dataset}: index {shard.first} of {shard.place} gives no item")
        items[config] = item.rows
    config, (row, *_) = next(iter(items[next(iter(items))].items()))
    rows = {planned: {name: len(made) for name, made in item.items()} for planned, item in items.items()}
    return Example(config, row["id"], row["system_prompt"], row["prompt"], row["answer"], rows)


def read_examples() -> dict[str, Example]:
    """Return the examples that the pages were written with."""
    return {name: Example(**kept) for name, kept in json.loads(EXAMPLES.read_text(encoding="utf-8")).items()}


def counted(recipe: Recipe, shown: Example) -> dict[str, Counter[str]]:
    """Return the rows of each config and split that the plan of ``recipe`` asks for."""
    rows: dict[str, Counter[str]] = {}
    suite = suite_of(recipe)
    for shard in suite.plan(recipe):
        (main_config, number), *others = shown.rows[shard.config].items()
        total, _ = suite.estimate_size(recipe, shard)
        # Not every item has rows in the other configs: of paths, only some have spurs.
        rest = total - number * shard.count
        rows.setdefault(main_config, Counter())[shard.split] += total - rest
        for config, number in others:
            rows.setdefault(config, Counter())[shard.split] += rest * number // sum(dict(others).values())
    return rows


def dataset_page(recipe: Recipe, shown: Example, rows: Mapping[str, Counter[str]]) -> str:
    """Return the page of the dataset of ``recipe``, which has ``rows`` by config and split."""
    text, name = text_of(recipe.suite), recipe.dataset
    config = next(iter(rows))
    split = in_order(rows[config])[0]
    return "\n\n".join(
        (
            f"# {name}",
            f"**{prose(recipe.title)}.** {prose(recipe.summary)}",
            prose(text.summary),
            table(*_facts(recipe, text, rows)),
            "## What is asked",
            table(
                ("config", "what is asked", "rows"),
                [(f"`{config}`", prose(text.configs[config].asks), _splits(rows[config])) for config in rows],
            ),
            *_scoring(text, rows),
            *_levels(recipe, rows),
            *_shortcuts(recipe),
            "## Example",
            *_example(shown),
            "## Build and load",
            f"    planimeter build {name}\n    planimeter build {name} --scale 0.01",
            f"The first command writes `outputs/{name}/{recipe.version}/`; the second, about one per cent of the rows, "
            f"writes `outputs/x0.01/{name}/{recipe.version}/`.",
            fenced(
                "python",
                "from datasets import load_dataset  # pip install datasets\n\n"
                f'rows = load_dataset("outputs/{name}/{recipe.version}", "{config}", split="{split}")\n'
                'rows[0]["image"], rows[0]["prompt"], rows[0]["answer"]',
            ),
            *_streams(recipe),
            "## Columns",
            *_columns(recipe, text, rows),
            *_followed(text),
            "## History and citation",
            f"[CHANGELOG-datasets.md]({HOME}/blob/main/CHANGELOG-datasets.md) says which rows changed in each version. "
            f"The tasks follow *[{prose(text.paper)}]({text.paper_url})*:",
            fenced("bibtex", text.citation),
        )
    )


def _followed(text: SuiteText) -> list[str]:
    """Return a link to the page that compares the suite with its paper, if it has one."""
    if not text.paper_page:
        return []
    page = f"../papers/{text.paper_page}.md"
    return ["## The paper", f"[How far this follows the paper]({page}), claim by claim, with the reasons."]


def paper_page(text: SuiteText) -> str:
    """Return the page that says how far the datasets of a suite follow its paper."""
    lines = [
        tuple(map(prose, (stated.claim, stated.section, stated.ours, stated.why or "–"))) for stated in text.follows
    ]
    return "\n\n".join(
        (
            f"# How far this follows the paper: {prose(text.paper.partition(':')[0])}",
            f"Claims of *[{prose(text.paper)}]({text.paper_url})*, their sections, what Planimeter does, and why. "
            "Whatever this page does not name is as in the paper. No picture, problem, code or prompt of the authors' "
            "release is contained.",
            table(("in the paper", "section", "here", "why"), lines),
        )
    )


def _facts(
    recipe: Recipe, text: SuiteText, rows: Mapping[str, Counter[str]]
) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    """Return head and lines of the table of what a dataset is."""
    source = f"suites/{recipe.suite}/{recipe.dataset}.toml"
    return ("version", f"{recipe.version} ({recipe.release_date})"), [
        ("rows", f"{sum(map(Counter.total, rows.values())):,}"),
        ("suite", f"`{recipe.suite}`"),
        ("recipe", f"[{source}]({HOME}/blob/main/{source}), seed {recipe.seed}"),
        ("paper", f"[{prose(text.paper)}]({text.paper_url})"),
        ("licence", recipe.license),
    ]


def _splits(rows: Mapping[str, int]) -> str:
    return ", ".join(f"{rows[split]:,} `{split}`" for split in in_order(rows))


def _scoring(text: SuiteText, rows: Iterable[str]) -> list[str]:
    """Return how answers are marked, once for configs that are marked alike."""
    alike: dict[str, list[str]] = {}
    for config in rows:
        alike.setdefault(text.configs[config].scoring, []).append(f"`{config}`")
    if len(alike) == 1:
        return [prose(next(iter(alike)))]
    return [f"{', '.join(configs)}: {prose(scoring)}" for scoring, configs in alike.items()]


def _levels(recipe: Recipe, rows: Iterable[str]) -> list[str]:
    """Return a table of the training levels of each config that has any."""
    blocks: list[str] = []
    numbers: Counter[tuple[str, object]] = Counter()
    for shard in suite_of(recipe).plan(recipe):
        numbers[shard.config, shard.cell[-1]] += shard.count
    for config in rows:
        if not hasattr(getattr(recipe, config, None), "level_shares"):
            continue
        curriculum = importlib.import_module(f"planimeter.generators.{recipe.suite}.curriculum")
        levels = getattr(curriculum, CURRICULA[recipe.suite, config])
        # A level of problems is the names of its templates.
        described = is_dataclass(levels[0])
        fields = [asdict(level) if described else {"templates": level} for level in levels]
        lines = [
            (str(number), f"{numbers[config, number]:,}", *map(_value, level.values()))
            for number, level in enumerate(fields, 1)
        ]
        meaning = [docstring(inspect.getdoc(type(levels[0])) or "")] if described else []
        blocks += [f"### Levels of {config}", *meaning, table(("level", "rows", *fields[0]), lines)]
    return ["## Levels", "Level 1 is the easiest.", *blocks] if blocks else []


def _value(value: object) -> str:
    """Return a parameter of a level for people."""
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return ", ".join(f"{name} {weight:g}" for name, weight in value)
        return ", ".join(map(str, value))
    return str(value)


def _shortcuts(recipe: Recipe) -> list[str]:
    if not recipe.known_shortcuts:
        return []
    lines = [(f"`{known.config}`", prose(known.probe), prose(known.reason)) for known in recipe.known_shortcuts]
    return [
        "## Known shortcuts",
        "Answers that a program learns without the whole question; `planimeter probe` measures its accuracy.",
        table(("config", "input", "reason to publish the dataset nevertheless"), lines),
    ]


def _example(shown: Example) -> list[str]:
    parts = {
        f"System prompt of `{shown.id}`": shown.system_prompt,
        f"Prompt of `{shown.id}` (`{shown.config}`)": shown.prompt,
        "Its answer": shown.answer,
    }
    blocks = []
    for title, text in parts.items():
        if text:
            lines = wrapped(text)
            note = "" if lines == text else " (long lines are broken here)"
            blocks += [f"{title}{note}:", fenced("text", lines)]
    return blocks


def _streams(recipe: Recipe) -> list[str]:
    ladders = [ladder for ladder, course in LADDERS.items() if course.recipe == recipe.dataset]
    if not ladders:
        return []
    lines = "\n".join(f"    planimeter stream {ladder} --level 3 --out {ladder}.parquet" for ladder in ladders)
    return ["Fresh rows of a level, as many as are wanted, without a build:", lines]


def _columns(recipe: Recipe, text: SuiteText, rows: Mapping[str, Counter[str]]) -> list[str]:
    """Return a table of the columns that all configs have, and one for each group of configs with the same others."""

    def described(columns: Iterable[Column]) -> tuple[tuple[str, str, str], ...]:
        return tuple((f"`{column.name}`", f"`{type_name(column)}`", prose(text.meaning(column))) for column in columns)

    # Configs whose columns differ in the values that they may have share a table.
    groups: dict[tuple[tuple[str, str, str], ...], list[str]] = {}
    for config, splits in rows.items():
        own = described(schema_of(recipe.suite, config, splits).columns[len(COMMON) :])
        groups.setdefault(own, []).append(f"`{config}`")
    listed = (("every config", described(COMMON)), *((", ".join(names), lines) for lines, names in groups.items()))
    return [part for title, lines in listed for part in (f"Of {title}:", table(("column", "type", "meaning"), lines))]


def index_page(rows: Mapping[str, Mapping[str, Counter[str]]]) -> str:
    """Return the list of all datasets, which have ``rows`` by config and split."""
    lines = []
    for name, recipe in recipes().items():
        configs = ", ".join(f"`{config}`" for config in rows[name])
        total = sum(map(Counter.total, rows[name].values()))
        lines.append((f"[`{name}`]({name}.md)", prose(recipe.summary), configs, f"{total:,}"))
    listed = table(("dataset", "what is asked", "configs", "rows"), lines)
    return f"# Datasets\n\nWhat each recipe builds, with its configs and rows.\n\n{listed}"


def pages(examples: Mapping[str, Example]) -> dict[str, str]:
    """Return the generated pages by their paths in `docs/`."""
    by_name = recipes()
    rows = {name: counted(recipe, examples[name]) for name, recipe in by_name.items()}
    written = {f"datasets/{name}.md": dataset_page(by_name[name], examples[name], rows[name]) for name in by_name}
    texts = {recipe.suite: text_of(recipe.suite) for recipe in by_name.values()}
    written |= {f"papers/{text.paper_page}.md": paper_page(text) for text in texts.values() if text.paper_page}
    written |= {"datasets/index.md": index_page(rows), **reference.pages()}
    note = f"<!-- Written by `{RENEW}`: change what it reads, not this page. -->"
    return {path: f"{note}\n\n{content}\n" for path, content in sorted(written.items())} | {
        "assets/map.svg": package_map.drawn()
    }


def main() -> None:
    """Write the pages, and remove those of datasets that are no more."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    examples = {name: example(recipe) for name, recipe in recipes().items()}
    document = {name: shown._asdict() for name, shown in examples.items()}
    EXAMPLES.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    made = pages(examples)
    for path in (DOCS / "datasets").glob("*.md"):
        if str(path.relative_to(DOCS)) not in made:
            path.unlink()
    for name, content in made.items():
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
