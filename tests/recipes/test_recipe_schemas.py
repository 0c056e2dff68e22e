"""Editors know what the models know: the shipped schemas are theirs, and every recipe names its own."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command_line import here
from jsonschema import Draft7Validator

from planimeter.recipes.loading import available
from planimeter.recipes.schema import kinds, schema

FOLDER = Path("recipes")


def values(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text())


def validator(kind: str) -> Draft7Validator:
    document = json.loads(schema(kind))
    Draft7Validator.check_schema(document)
    return Draft7Validator(document)


def test_there_is_one_for_each_suite_with_recipes():
    assert set(kinds()) == {values(name).get("suite", "collection") for name in available()}
    with pytest.raises(LookupError, match=r"no schema of 'rings'; there are: marvl_qa, .*, collection"):
        schema("rings")


def test_the_shipped_schemas_are_those_of_the_models():
    """Else: `planimeter schema KIND > recipes/schemas/KIND.json`."""
    assert {path.stem: path.read_text() for path in (FOLDER / "schemas").iterdir()} == {k: schema(k) for k in kinds()}


@pytest.mark.parametrize("name", available())
def test_every_recipe_names_its_schema_and_obeys_it(name):
    kind = values(name).get("suite", "collection")
    assert (FOLDER / f"{name}.toml").read_text().startswith(f"#:schema schemas/{kind}.json\n")
    assert list(validator(kind).iter_errors(values(name))) == []


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("sed",), 1, "Additional properties"),
        (("seed",), -1, "less than the minimum"),
        (("seed",), None, "'seed' is a required property"),
        (("version",), "1.0", "does not match"),
        (("release_date",), "today", "does not match"),
        (("easy", "tree_shape"), "round", "is not one of"),
        (("easy", "sizes"), [[1, 0]], "less than or equal to the minimum"),
        (("easy", "sizes"), [[1, 2, 3]], "too long"),
        (("easy", "splits", "dev"), 3, "is not one of"),
        (("easy", "limits", "paper"), 3, "Additional properties"),
        (("easy",), 3, "is not of type 'object'"),
    ],
)
def test_a_mistake_is_found_where_it_stands(place, value, words):
    table = changed = values("curves")
    for key in place[:-1]:
        table = table[key]
    if value is None:
        del table[place[-1]]
    else:
        table[place[-1]] = value
    (error,) = validator("curves").iter_errors(changed)
    assert words in error.message
    assert place[: len(error.absolute_path)] == tuple(error.absolute_path)[: len(place)]


def test_an_optional_table_needs_no_null_and_a_key_says_what_it_is():
    document = json.loads(schema("curves"))
    assert document["properties"]["easy"] == {"$ref": "#/$defs/Category", "description": "Smooth blobs."}
    assert '"null"' not in schema("curves")
    assert "Share of the quotas" in document["properties"]["scale"]["description"]


def test_the_command_prints_a_schema_and_names_those_that_there_are():
    assert here("schema", "geogram").out == schema("geogram")
    refused = here("schema", "rings")
    assert (refused.code, refused.out) == (1, "")
    assert "there are: marvl_qa" in refused.err
