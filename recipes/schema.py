"""JSON schemas of the recipes, for editors that complete and check TOML.

There is one for each suite, because an editor shows and completes little of a schema that depends on another key. The
schemas know the keys, their types and their ranges; what several keys together must obey, only ``loading`` knows.
"""

import json

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from planimeter.items.builtin_suites import SUITES
from planimeter.recipes.base import Table
from planimeter.recipes.loading import Collection, recipe_of

#: The newest that taplo reads, which is what "Even Better TOML" and most other editors ask.
DIALECT = "http://json-schema.org/draft-07/schema#"

#: What the schema of collections is called, beside the suites.
COLLECTION = "collection"


def kinds() -> tuple[str, ...]:
    """Return what there are schemas of: the suites that have recipes, and collections."""
    return (*(suite for suite in SUITES if recipe_of(suite)), COLLECTION)


def document(kind: str) -> JsonSchemaValue:
    """Return the JSON schema of the recipes of ``kind``, keys in the order of the models.

    Raises ``LookupError`` if there is no such kind.
    """
    model: type[Table] | None = Collection if kind == COLLECTION else recipe_of(kind)
    if model is None:
        raise LookupError(f"there is no schema of {kind!r}; there are: {', '.join(kinds())}")
    return {"$schema": DIALECT, **model.model_json_schema(schema_generator=_OfToml)}


def schema(kind: str) -> str:
    """Return what ``document`` does, as JSON with sorted keys."""
    return json.dumps(document(kind), indent=1, sort_keys=True) + "\n"


class _OfToml(GenerateJsonSchema):
    """TOML has no null: a key that may be None may be left out. A title would only repeat its key."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def tuple_schema(self, schema: core_schema.TupleSchema) -> JsonSchemaValue:
        made = super().tuple_schema(schema)
        # What each place holds is called so since the dialect of 2020.
        return {"items" if key == "prefixItems" else key: value for key, value in made.items()}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        made = super().default_schema(schema)
        return {key: value for key, value in made.items() if (key, value) != ("default", None)}

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - the signature is pydantic's
        return False
