"""The one cache: what some work gave, kept in a store by its kind and a key that is content.

A worker keeps a result as soon as it has it, so that a kill costs only what is under way. Each begins with the hash of
the rest, since nothing else would distinguish a flipped digit from a count.
"""

import hashlib
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from planimeter.flows.store.storage import Store, open_store

Result = TypeVar("Result")
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Kind(Generic[Result]):
    """Results of one kind lie in the folder ``name`` of a store. Those of a bucket, which others may write, are not
    pickled.
    """

    name: str
    dump: Callable[[Any], bytes] = pickle.dumps
    load: Callable[[bytes], Any] = pickle.loads


def digest(content: object) -> str:
    """Return the key of what follows from ``content``, which JSON can hold: hex, safe as a file name."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def model_kind(name: str, model: type[Model]) -> Kind[Model]:
    """Return the kind called ``name`` of results that are a ``model`` of pydantic."""
    return Kind(name, _json, model.model_validate_json)


def _json(result: BaseModel) -> bytes:
    return result.model_dump_json().encode()


def text_kind(name: str) -> Kind[str]:
    """Return the kind called ``name`` of results that are text."""
    return Kind(name, str.encode, bytes.decode)


def find(store: Store, kind: Kind[Result], key: str, is_whole: Callable[[Result], bool] | None = None) -> Result | None:
    """Return the result that is kept under ``key``, or None if there is none, if a kill or a disk has spoilt it, or if
    it names files that are not ``is_whole``.
    """
    try:
        digest, _, content = store.get(f"{kind.name}/{key}").partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    result: Result = kind.load(content)
    return result if is_whole is None or is_whole(result) else None


def keep(store: Store, kind: Kind[Result], key: str, result: Result) -> None:
    """Keep ``result`` under ``key``."""
    content = kind.dump(result)
    store.put(f"{kind.name}/{key}", hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def cached(store: Store, kind: Kind[Result], key: str, make: Callable[[], Result]) -> Result:
    """Return what is kept under ``key``, which ``make`` gives where there is nothing."""
    result = find(store, kind, key)
    if result is None:
        result = make()
        keep(store, kind, key, result)
    return result


def made(url: str, kind: Kind[Result], key: str, function: Callable[..., Result], *arguments: object) -> Result:
    """Return ``function(*arguments)``, which is kept in the store at ``url``: what a worker does."""
    result = function(*arguments)
    keep(open_store(url), kind, key, result)
    return result
