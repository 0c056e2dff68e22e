"""The part of the verifier that reads the dataset card: its front matter as the Hub does, its text as people do.

What stands in figures is compared with the manifest. Prose is not: a later Planimeter may word it in another way.
"""

import fnmatch
import re
from collections.abc import Iterator
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from planimeter.export.columns import Row
from planimeter.export.hub import changelog
from planimeter.export.manifest import Manifest, in_order
from planimeter.export.pages import loading
from planimeter.export.pages.card import canary, card_configs, kept_out, size_category
from planimeter.export.pages.sections import section
from planimeter.export.schema import schema_of
from planimeter.export.verify.problems import Problem

#: Lines that quote a row.
_QUOTED = re.compile(r"^    .*$", flags=re.MULTILINE)


#: Sections that every card has.
_SECTIONS = (
    loading.HEADING,
    "Prompt and scoring",
    "How it was made",
    "How it was certified",
    "Columns",
    "Limits",
    "Uses",
    "Not for",
    changelog.HEADING,
    "Licence and citation",
)


def verify_card(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Check that the card's front matter parses and finds each file once, and that what it links to exists."""
    path = folder / "README.md"
    if not path.is_file():
        return
    try:
        text = path.read_text(encoding="utf-8")
        _, front, body = re.split(r"^---\n", text, maxsplit=2, flags=re.MULTILINE)
        data = yaml.safe_load(front)
        faults = list(_front_matter_faults(data, manifest))
    except (OSError, ValueError, yaml.YAMLError) as error:
        yield Problem(path.name, f"its front matter cannot be read: {error}")
        return
    except (AttributeError, KeyError, TypeError) as error:
        yield Problem(path.name, f"its front matter does not have the Hub's form: {error!r}")
        return
    yield from (Problem(path.name, fault) for fault in (*faults, *_body_faults(body, manifest)))
    prose = _QUOTED.sub("", body)
    links = re.findall(r"\]\((?![a-z]+:|#)([^)\s]+)\)", prose)
    for target in dict.fromkeys((*links, *re.findall(r'<img src="([^"]*)"', prose))):
        if not (folder / target).is_file():
            yield Problem(path.name, f"links to {target}, which does not exist")


def _front_matter_faults(data: Row, manifest: Manifest) -> Iterator[str]:
    recipe = manifest.recipe
    rows = sum(record.rows for record in manifest.files)
    for key, wanted in (
        ("license", str(recipe.get("license")).lower()),
        ("pretty_name", recipe.get("title")),
        ("size_categories", [size_category(rows)]),
    ):
        if data.get(key) != wanted:
            yield f"{key} is {data.get(key)!r}, but manifest.json makes it {wanted!r}"
    for config in card_configs(manifest):
        if config not in data["configs"]:
            yield f"its front matter does not list the config {config['config_name']} with all its splits"
    globs = [part["path"] for config in data["configs"] for part in config["data_files"]]
    for record in manifest.files:
        hits = sum(fnmatch.fnmatch(record.path, pattern) for pattern in globs)
        if hits != 1:
            yield f"{record.path} is matched by {hits} of the front matter's patterns, not by one"


def _body_faults(body: str, manifest: Manifest) -> Iterator[str]:
    """Yield what the text lacks, or says otherwise than the manifest."""
    lacking = [heading for heading in _SECTIONS if not section(body, heading)]
    if lacking:
        yield f"lacks the sections {', '.join(lacking)}"
    for config, own in manifest.configs.items():
        names = schema_of(manifest.recipe["suite"], config, own).by_name
        unexplained = [name for name in names if f"| `{name}` |" not in body]
        if unexplained:
            yield f"does not explain the columns {', '.join(unexplained)} of {config}"
    if not re.search(r"^```bibtex\n@.+?^```$", body, flags=re.MULTILINE | re.DOTALL):
        yield "lacks the citation"
    splits = kept_out(manifest)
    if splits and canary(manifest) not in body:
        yield f"lacks the canary string by which {', '.join(splits)} can be kept out of training"
    if not splits and canary(manifest) in body:
        yield "has the canary string of rows to be kept out of training, but all its rows are for training"
    yield from _number_faults(body, manifest)
    yield from _section_faults(body, manifest)


def _number_faults(body: str, manifest: Manifest) -> Iterator[str]:
    """Yield which rows, splits and figures of the funnel the text does not give as the manifest does."""
    total = sum(rows for splits in manifest.configs.values() for rows in splits.values())
    if f"**{total:,} rows**" not in body:
        yield f"does not say that there are {total:,} rows"
    for config, splits in manifest.configs.items():
        listed = ", ".join(f"`{split}`: {splits[split]:,}" for split in in_order(splits))
        line = rf"^\| \[`{config}`\]\(\S+\) \| {sum(splits.values()):,} \| {re.escape(listed)} \|$"
        if not re.search(line, body, flags=re.MULTILINE):
            yield f"does not list {config} with its rows, {listed}"
        for check, entry in manifest.funnel.get(config, {}).items():
            line = rf"^\| {re.escape(check)} \| .*\| {entry.seen:,} \| {entry.kept:,} \| "
            if not re.search(line, body, flags=re.MULTILINE):
                yield f"does not say that the check {check} of {config} kept {entry.kept:,} of {entry.seen:,}"


def _section_faults(body: str, manifest: Manifest) -> Iterator[str]:
    """Yield what is wrong with the sections that publishing changes: Load, and the changelog."""
    version, date = manifest.version, manifest.recipe.get("release_date")
    config = loading.configs_of(manifest)[0]
    rows = f'"{config}", split="{in_order(manifest.configs[config])[0]}"'
    there = rf'"[\w.-]+/[\w.-]+", {re.escape(rows)}, revision="v{re.escape(version)}"'
    if not re.search(rf"load_dataset\((os\.getcwd\(\), {re.escape(rows)}|{there})\)", section(body, loading.HEADING)):
        yield f"does not say how to load {rows} of this version"
    if f"\n### {version} ({date})\n" not in section(body, changelog.HEADING):
        yield f"its changelog has no entry {version} ({date})"
