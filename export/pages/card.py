"""Writes README.md, the dataset card of the Hub: front matter and text."""

import re
from collections.abc import Hashable, Mapping, Sequence

import pyarrow as pa
from huggingface_hub import DatasetCardData

from planimeter.evals.power import INDEPENDENT, TYPICAL, smallest_difference
from planimeter.export.columns import COMMON, IMAGE, IMAGE_FEATURE, SEED, Column, Schema
from planimeter.export.manifest import Manifest
from planimeter.export.pages.funnel_view import share, stages
from planimeter.export.pages.sections import configs_of, loading, pools_of
from planimeter.export.pages.survey import Survey
from planimeter.export.pages.templating import environment
from planimeter.export.schema import schema_of
from planimeter.export.texts import SuiteText
from planimeter.items.declaration import OURS
from planimeter.items.order import in_order
from planimeter.items.suites import declared, distribution_of
from planimeter.items.values import Record

#: The repository of Planimeter's code, where wrong items are reported, too.
HOME = "https://github.com/planimeter/planimeter"

#: (upper limit of rows, name of the Hub's size category).
_SIZES: tuple[tuple[int, str], ...] = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)


def render(manifest: Manifest, text: SuiteText, surveys: Mapping[str, Survey], heroes: Mapping[str, str]) -> str:
    """Return the card of the dataset of ``manifest``.

    ``surveys`` has the summary of the rows of each config, and ``heroes`` the path of one picture of each config that
    has pictures, relative to the dataset's folder.
    """
    recipe = manifest.recipe
    configs = configs_of(manifest)
    common = [column for column in COMMON if not (manifest.seal and column.name == SEED)]
    own = {config: _schema(manifest, config).columns[len(common) :] for config in configs}
    with_rows = [config for config in configs if surveys[config].rows]
    template = environment().get_template("card.md.j2")
    body = template.render(
        manifest=manifest,
        recipe=recipe,
        text=text,
        configs=configs,
        rows={config: sum(splits.values()) for config, splits in manifest.configs.items()},
        megabytes=sum(record.bytes for record in manifest.files) / 1e6,
        surveys=surveys,
        heroes=heroes,
        common=common,
        own=own,
        same_columns=_alike(configs, own),
        alike=_alike(with_rows, {config: _protocol(text, surveys[config], config) for config in with_rows}),
        anchor=anchor,
        type_name=type_name,
        stages={config: stages(checks, text.checks) for config, checks in manifest.funnel.items()},
        share=share,
        in_order=in_order,
        loading=loading(manifest),
        power=power(configs, surveys, recipe["suite"]),
        canary=manifest.canary,
        sample=manifest.sample,
        kept_out=kept_out(manifest),
        home=HOME,
        distribution=distribution_of(recipe["suite"]),
        ours=OURS,
        citation=text.cited(manifest),
        every_split=in_order({split for splits in manifest.configs.values() for split in splits}),
    )
    return f"---\n{front_matter(manifest, text)}\n---\n\n{body}"


def power(
    configs: Sequence[str], surveys: Mapping[str, Survey], suite: str
) -> list[tuple[str, int, int, int, float, float]]:
    """Return, for each config, the smallest differences in accuracy that a comparison of two models can detect.

    An entry is (config, test rows, questions, replies for each row, difference for independent models, difference for
    models whose answers agree as often as is typical), in percentage points. Configs with one question have no entry.
    """
    lines = []
    for config in configs:
        sizes, samples = surveys[config].questions.values(), declared(suite).sampling_of(config).samples
        if len(sizes) > 1:
            shown = [smallest_difference(sizes, samples=samples, correlation=r) * 100 for r in (INDEPENDENT, TYPICAL)]
            lines.append((config, sum(sizes), len(sizes), samples, shown[0], shown[1]))
    return lines


def front_matter(manifest: Manifest, text: SuiteText) -> str:
    """Return the YAML front matter with licence, size, and the files of each config and split."""
    recipe, hub = manifest.recipe, Record(text.hub)
    data = DatasetCardData(
        pretty_name=recipe["title"],
        license=recipe["license"].lower(),
        language=["en"],
        **hub,
        tags=list(text.tags),
        size_categories=[size_category(sum(record.rows for record in manifest.files))],
        dataset_info=dataset_info(manifest),
        configs=[*card_configs(manifest), *pool_configs(manifest)],
    )
    return data.to_yaml()


def kept_out(manifest: Manifest) -> list[str]:
    """Return the splits that must not be used for training: all but ``train``."""
    return in_order({split for splits in manifest.configs.values() for split in splits} - {"train"})


def card_configs(manifest: Manifest) -> list[dict[str, object]]:
    """Return the entries of the configs for the front matter, with a glob for each split.

    ``load_dataset`` without a config loads the default, which is the first config of the card.
    """
    default = configs_of(manifest)[0]
    return [
        {
            "config_name": config,
            **({"default": True} if config == default else {}),
            "data_files": [{"split": split, "path": f"data/{config}/{split}-*.parquet"} for split in in_order(splits)],
        }
        for config, splits in manifest.configs.items()
    ]


def dataset_info(manifest: Manifest) -> list[dict[str, object]]:
    """Return the card's `dataset_info`, an entry for each config: features, splits, rows, bytes of Parquet files."""
    return [
        {
            "config_name": config,
            "features": [
                {"name": column.name, **_feature(column.type)} for column in _schema(manifest, config).columns
            ],
            "splits": [
                {"name": split, "num_bytes": _bytes(manifest, config, split), "num_examples": splits[split]}
                for split in in_order(splits)
            ],
            "download_size": _bytes(manifest, config),
            "dataset_size": _bytes(manifest, config),
        }
        for config, splits in manifest.configs.items()
    ]


def _schema(manifest: Manifest, config: str) -> Schema:
    return schema_of(manifest.recipe["suite"], config, manifest.configs[config], sealed=bool(manifest.seal))


def _bytes(manifest: Manifest, config: str, split: str = "") -> int:
    return sum(record.bytes for record, part in manifest.files_of(config) if split in ("", part))


def _feature(kind: pa.DataType) -> dict[str, object]:
    if kind == IMAGE:
        return {"dtype": {"image": {"mode": IMAGE_FEATURE["mode"]}}}
    if pa.types.is_struct(kind):
        return {"struct": [{"name": field.name, **_feature(field.type)} for field in kind]}
    if pa.types.is_list(kind):
        inner = _feature(kind.value_type)
        return {"list": inner.get("dtype") or inner.get("struct") or inner}
    return {"dtype": str(kind).replace("double", "float64")}


def pool_configs(manifest: Manifest) -> list[dict[str, object]]:
    """Return the entries of pools (groups of configs) for the front matter: each lists the files of its configs."""
    return [
        {
            "config_name": pool,
            "data_files": [
                {
                    "split": split,
                    "path": [f"data/{name}/{split}-*.parquet" for name in configs if split in manifest.configs[name]],
                }
                for split in in_order({split for name in configs for split in manifest.configs[name]})
            ],
        }
        for pool, configs in pools_of(manifest).items()
    ]


def size_category(rows: int) -> str:
    """Return the Hub's size category of a dataset of ``rows`` rows."""
    return next((name for limit, name in _SIZES if rows < limit), "n>10M")


def anchor(config: str, title: str) -> str:
    """Return the anchor, for links, that the Hub gives to the heading "``config``: ``title``" of a card."""
    return re.sub(r"[^\w -]", "", f"{config}: {title}".lower()).replace(" ", "-")


def _protocol(text: SuiteText, survey: Survey, config: str) -> tuple[str, ...]:
    """Return system prompt and prompt of the first row of ``config``, and its rule of grading."""
    return survey.first["system_prompt"], survey.first["prompt"], text.configs[config].scoring


def _alike(configs: Sequence[str], of: Mapping[str, Hashable]) -> list[list[str]]:
    """Return ``configs`` in groups with equal values in ``of``, so that the card states each value once."""
    groups: dict[Hashable, list[str]] = {}
    for config in configs:
        groups.setdefault(of[config], []).append(config)
    return list(groups.values())


def type_name(column: Column) -> str:
    """Return a short name of the type of ``column`` for the card."""
    if column.is_image:
        return "Image"
    return str(column.type).replace("element: ", "").replace("item: ", "").replace("double", "float64")
