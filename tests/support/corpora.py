"""Small corpora of problems with drawing code, and what an import leaves of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


def asy(more: str = "") -> str:
    return f"[asy]\ndraw((0,0)--(4.2,1)--(1,5)--cycle);\n{more}\n[/asy]"


def good(number: int) -> dict[str, Any]:
    words = " ".join(f"w{number}x{i}" for i in range(12))
    return {"problem": f"Triangle {words} has which area? {asy(f'draw((0,0)--({number}.5,0.25));')}", "answer": "84"}


def write(path: Path, lines: Sequence[Mapping[str, Any] | str]) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def dropped(folder: Path) -> dict[int, dict[str, Any]]:
    return {entry["line"]: entry for entry in entries(folder.with_name(f"{folder.name}-dropped.jsonl"))}


def waiting(folder: Path) -> list[dict[str, Any]]:
    return entries(folder.with_name(f"{folder.name}-review.jsonl"))


def rows_of(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder / "data").to_pylist()
    return rows
