"""Reads the files of a corpus: JSONL, JSON or Parquet, from the disk or from wherever fsspec reaches (hf://, s3://).

A malformed line is a fault with its place, and the rest of its file is read all the same.
"""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from planimeter.filters.geogram.curation import read_rows
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.bucket import back_end_faults
from planimeter.generators.items import RawProblem
from planimeter.recipes.geogram_import import Columns

FORMATS = (".jsonl", ".ndjson", ".json", ".parquet")


@dataclass(frozen=True, kw_only=True, slots=True)
class Corpus:
    """One file: ``name`` without its folder, ``faults`` as "name:line: what is wrong"."""

    name: str
    sha256: str
    problems: tuple[RawProblem, ...]
    faults: tuple[str, ...]


def read(address: str, columns: Columns) -> Corpus:
    """Return the problems of the file at ``address``.

    Raises:
        PlanimeterError: if the file cannot be read at all, or not one of its lines is a problem.
    """
    name = PurePosixPath(address.split("::", maxsplit=1)[0]).name
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in FORMATS:
        raise PlanimeterError(f"{address}: need a file that ends in {', '.join(FORMATS)}")
    content = _fetch(address)
    try:
        rows = list(_rows(content, suffix))
    except (ValueError, pa.ArrowException) as error:
        raise PlanimeterError(f"{address}: cannot be read as {suffix.lstrip('.')}: {error}") from error
    found, faults = read_rows(rows, columns.problem, columns.answer, columns.code)
    told = tuple(f"{name}:{fault.removeprefix('line ')}" for fault in faults)
    if not found:
        first = f"; {told[0]}" if told else ""
        raise PlanimeterError(
            f"{address}: holds no problem{first}; name its columns with --problem, --answer and --code"
        )
    return Corpus(name=name, sha256=hashlib.sha256(content).hexdigest(), problems=tuple(found), faults=told)


def _fetch(address: str) -> bytes:
    try:
        with fsspec.open(address, "rb") as file:
            content: bytes = file.read()
    except ImportError as error:
        raise PlanimeterError(f"{address}: needs a package that is not installed ({error})") from error
    except ValueError as error:
        raise _unreadable(address, error) from error
    except back_end_faults() as error:
        raise _unreadable(address, error) from error
    return content


def _unreadable(address: str, error: BaseException) -> PlanimeterError:
    return PlanimeterError(f"{address}: cannot be read ({error or type(error).__name__})")


def _rows(content: bytes, suffix: str) -> Iterator[tuple[int, object]]:
    """Yield (number from 1, row); a line that is no JSON comes as the error that says so."""
    if suffix == ".parquet":
        yield from enumerate(pq.read_table(io.BytesIO(content)).to_pylist(), 1)
    elif suffix == ".json":
        document = json.loads(content)
        if not isinstance(document, list):
            raise ValueError("need a list of objects")
        yield from enumerate(document, 1)
    else:
        yield from _lines(content.split(b"\n"))


def _lines(lines: Iterable[bytes]) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, ValueError(f"no JSON ({error})")
