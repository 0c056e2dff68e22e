"""What rows, recipes and other objects of JSON are in plain Python: what a value is, its name decides."""

from collections.abc import Mapping
from typing import Any

#: The values of a row by its columns, or of another object of JSON by its keys.
Row = Mapping[str, Any]

#: The same where it is made, and may still change.
Record = dict[str, Any]

#: What a manifest quotes of a dataset's recipe.
Recipe = Mapping[str, Any]
