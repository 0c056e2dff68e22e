"""Writes croissant.json, the description of a dataset in Croissant 1.1, with the responsible-AI fields.

The library mlcroissant 1.1 must read the file without errors and warnings. It also needs the following, but does not
report if it is missing: every key of its own JSON-LD context; a file object with a SHA-256 for each data file; for each
config a file set with a glob and *no* ``containedIn`` (a list there is valid, but then no record is found); pictures by
``jsonPath: bytes``; lists of structs as sub-fields.

The responsible-AI fields are those that NeurIPS 2026 requires of every dataset: limitations, biases, personal
information, use cases, social impact, whether the data are synthetic, sources, and the activities that made them.

A build does not know where its dataset will be published. ``planimeter publish`` adds the address on the Hub (``url``)
and the owner of the repository (``publisher``) to the file that it sends, and changes nothing else.
"""

import json
from collections.abc import Iterator, Mapping

import pyarrow as pa

from planimeter.export.columns import Column
from planimeter.export.manifest import Manifest, canonical_json
from planimeter.export.pages.card import HOME
from planimeter.export.schema import schema_of
from planimeter.export.texts import SuiteText, text_for, words
from planimeter.items.declaration import OURS
from planimeter.items.order import in_order
from planimeter.items.suites import distribution_of


def build(manifest: Manifest) -> dict[str, object]:
    """Return the JSON-LD of the dataset of ``manifest``: a function of the manifest and the texts of the suite."""
    recipe = manifest.recipe
    text = text_for(manifest)
    return {
        **words("croissant", "planimeter.export"),
        **_creator(recipe["suite"], text),
        "name": manifest.dataset,
        "alternateName": recipe["title"],
        "description": text.summary,
        "version": manifest.version,
        **({"identifier": manifest.canary} if manifest.canary else {}),
        "datePublished": recipe["release_date"],
        "license": words("licenses", "planimeter.export")[recipe["license"]],
        "citeAs": text.cited(manifest),
        "keywords": list(text.tags),
        **_based_on(manifest),
        **_responsible_ai(text),
        "rai:dataReleaseMaintenancePlan": _maintenance(recipe["suite"], text),
        "distribution": [*_file_objects(manifest), *_file_sets(manifest)],
        "recordSet": [
            _record_set(manifest, config, splits, text) for config, splits in sorted(manifest.configs.items())
        ],
    }


def located(content: bytes, url: str) -> bytes:
    """Return ``content``, a croissant.json, with the properties ``url`` and ``publisher`` added."""
    return canonical_json({**json.loads(content), **publication(url)})


def publication(url: str) -> dict[str, object]:
    """Return the properties that publishing adds: the address ``url``, and the repository's owner as publisher."""
    hub, _, repository = url.partition("/datasets/")
    owner = repository.partition("/")[0]
    return {"url": url, "publisher": {"@type": "sc:Organization", "name": owner, "url": f"{hub}/{owner}"}}


def _creator(suite: str, text: SuiteText) -> dict[str, object]:
    """Return the property ``creator``: the authors of ``suite``, or else the name of its Python package.

    Empty for Planimeter's own suites without authors: croissant.yaml has the creator of these.
    """
    people = [{"@type": "sc:Person", "name": name} for name in text.authors]
    organisation = {"@type": "sc:Organization", "name": distribution_of(suite)}
    return {} if distribution_of(suite) == OURS and not people else {"creator": people or organisation}


def _maintenance(suite: str, text: SuiteText) -> str:
    """Return the maintenance plan as a text: how versions are kept, and where to report wrong items."""
    reports = text.issues_url or (f"{HOME}/issues" if distribution_of(suite) == OURS else "")
    reported = f" Wrong items are reported at {reports}." if reports else ""
    return (
        "A published version is never changed: it stays under its tag, and a correction is a new version, whose "
        f"changelog lists the rows that came, went and changed.{reported}"
    )


def _based_on(manifest: Manifest) -> dict[str, object]:
    """Return the property ``isBasedOn`` of a sample: the dataset from which it was drawn; empty for other datasets."""
    sample = manifest.sample
    if sample is None:
        return {}
    parent = sample.parent
    return {
        "isBasedOn": {
            "@type": "sc:Dataset",
            "name": parent.dataset,
            "version": parent.version,
            "identifier": f"sha256:{parent.manifest_sha256}",
            "description": f"The dataset from which these rows were drawn: {sample}.",
        }
    }


def _responsible_ai(text: SuiteText) -> dict[str, object]:
    return {
        "rai:dataCollection": text.collection,
        **({"rai:dataCollectionType": text.collection_type} if text.collection_type else {}),
        # The vocabulary has no field for uses that are not recommended; they belong to the limitations.
        "rai:dataLimitations": [*text.limitations, *(f"Not for {use}" for use in text.not_for)],
        "rai:dataBiases": list(text.biases),
        "rai:personalSensitiveInformation": text.personal_information,
        "rai:dataUseCases": list(text.use_cases),
        "rai:dataSocialImpact": text.social_impact,
        "rai:hasSyntheticData": text.has_synthetic_data,
        "prov:wasDerivedFrom": [
            {"@type": "prov:Entity", "prov:label": source.label, "sc:description": source.description}
            for source in text.sources
        ],
        "prov:wasGeneratedBy": [
            {"@type": "prov:Activity", "prov:label": step.label, "sc:description": step.description}
            for step in text.activities
        ],
    }


def _file_objects(manifest: Manifest) -> Iterator[dict[str, object]]:
    for record in manifest.files:
        yield {
            "@type": "cr:FileObject",
            "@id": record.path,
            "name": record.path,
            "contentUrl": record.path,
            "contentSize": f"{record.bytes} B",
            "encodingFormat": "application/x-parquet",
            "sha256": record.sha256,
        }


def _file_sets(manifest: Manifest) -> Iterator[dict[str, object]]:
    for config in sorted(manifest.configs):
        yield {
            "@type": "cr:FileSet",
            "@id": f"{config}-files",
            "name": f"{config}-files",
            "description": f"The Parquet files of the config {config}.",
            "encodingFormat": "application/x-parquet",
            "includes": f"data/{config}/*.parquet",
        }


def _record_set(manifest: Manifest, config: str, splits: Mapping[str, int], text: SuiteText) -> dict[str, object]:
    schema = schema_of(manifest.recipe["suite"], config, splits, sealed=bool(manifest.seal))
    fields = [_field(config, column, text.meaning(column)) for column in schema.columns]
    if len(splits) > 1:
        fields.append(_split_field(config, tuple(in_order(splits))))
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "description": text.configs[config].asks,
        "key": {"@id": f"{config}/id"},
        "field": fields,
    }


def _field(config: str, column: Column, meaning: str) -> dict[str, object]:
    name = f"{config}/{column.name}"
    field: dict[str, object] = {"@type": "cr:Field", "@id": name, "name": column.name, "description": meaning}
    if column.dimensions:
        field |= {"isArray": True, "arrayShape": ",".join(["-1"] * column.dimensions)}
    if column.is_image:
        return field | {"dataType": "sc:ImageObject", "source": _source(config, column.name, "bytes")}
    if not pa.types.is_struct(column.element):
        return field | {"dataType": _data_type(column.element), "source": _source(config, column.name)}
    return field | {
        "subField": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{part.name}",
                "name": part.name,
                "dataType": _data_type(part.type),
                "source": _source(config, column.name, part.name),
            }
            for part in column.element
        ]
    }


def _source(config: str, column: str, part: str = "") -> dict[str, object]:
    source: dict[str, object] = {"fileSet": {"@id": f"{config}-files"}, "extract": {"column": column}}
    return source | {"transform": {"jsonPath": part}} if part else source


def _split_field(config: str, splits: tuple[str, ...]) -> dict[str, object]:
    """Return the field `split`: its value is read from the name of the data file, which begins with the split."""
    return {
        "@type": "cr:Field",
        "@id": f"{config}/split",
        "name": "split",
        "description": f"The split of the record: {', '.join(splits)}.",
        "dataType": "sc:Text",
        "source": {
            "fileSet": {"@id": f"{config}-files"},
            "extract": {"fileProperty": "fullpath"},
            "transform": {"regex": rf".*?({'|'.join(splits)})-\d{{5}}-of-\d{{5}}\.parquet$"},
        },
    }


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_string(kind):
        return "sc:Text"
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    if pa.types.is_floating(kind):
        return "sc:Float"
    raise TypeError(f"no Croissant type is known for {kind}; add it to _data_type in export/croissant.py")
