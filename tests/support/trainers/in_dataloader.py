"""Runs with torch: a stream's dataset under DataLoader, with workers, on nodes, and from a state."""

from hashlib import sha256
from typing import Any

from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader

from planimeter.streams import stream

Rows = list[tuple[str, str]]


def dataset() -> Any:
    """Return 6 shards of the quickest stream."""
    return stream("curves", level=1, seed=11).dataset(shards=6)


def loaded(rows: Any, workers: int) -> Rows:
    """Return the address of each row, and a digest of its answer and picture."""
    loader = DataLoader(rows, batch_size=4, num_workers=workers, collate_fn=list)
    return [(row["address"], digest(row)) for batch in loader for row in batch]


def digest(row: dict[str, Any]) -> str:
    return sha256(row["answer"].encode() + row["image"].tobytes()).hexdigest()


def everywhere() -> dict[str, Rows]:
    """Return the rows by who loads them."""
    found = {f"{workers} workers": loaded(dataset(), workers) for workers in (0, 2, 3)}
    nodes = [loaded(split_dataset_by_node(dataset(), rank, 2), workers=2) for rank in (0, 1)]
    found |= {"2 nodes": nodes[0] + nodes[1], "a node": nodes[0]}
    first, later = dataset(), dataset()
    rows = iter(DataLoader(first, batch_size=None))
    taken = [next(rows) for _ in range(11)]
    later.load_state_dict(first.state_dict())
    found["resumed"] = [(row["address"], digest(row)) for row in taken] + loaded(later, 0)
    return found
