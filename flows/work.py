"""What a worker process does with a shard. Needs no Prefect, so that any executor with our package can run it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from flows.shards import Shard, store, to_json
from flows.suites import suite_of
from recipes.base import Recipe
from recipes.loading import parse


def make_shard(recipe: Mapping[str, Any], shard: Shard, folder: str) -> dict[str, Any]:
    """Make ``shard`` of ``recipe``, store its rows below ``folder`` and return its record as JSON values."""
    parsed = cast("Recipe", parse(recipe, source=str(recipe["dataset"])))
    return to_json(store(shard, suite_of(parsed).make(parsed, shard), Path(folder)))
