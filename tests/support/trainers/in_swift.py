"""Runs in ms-swift's environment: its own loader on an exported file, and its own call of the exported plugin."""

from typing import Any

import torch
from swift.dataset import load_dataset
from swift.rewards import orms
from swift.rl_core.data import GRPOSample
from swift.rl_core.grpo_algorithm import compute_rewards_per_func
from swift.template.vision_utils import load_image
from swift.utils import import_external_file


def rows_of(path: str) -> list[dict[str, Any]]:
    """Return the rows as its GRPO loads them."""
    rows, _ = load_dataset([path], strict=True, remove_unused_columns=False)
    return list(rows)


def loaded(out: str, config: str, **_: object) -> list[dict[str, Any]]:
    return [
        {
            "roles": [turn["role"] for turn in row["messages"]],
            "text": row["messages"][-1]["content"],
            "pictures": sum(min(load_image(picture["path"]).size) > 0 for picture in row.get("images") or ()),
            "truth": row["solution"],
        }
        for row in rows_of(f"{out}/train/{config}.jsonl")
    ]


def rewarded(out: str, config: str, replies: list[list[Any]], **_: object) -> list[float]:
    """Return what its GRPO makes of the plugin's rewards for ``replies``, each a row's id, its number and a text."""
    import_external_file(f"{out}/plugin.py")
    rows = rows_of(f"{out}/test/{config}.jsonl")
    samples = []
    for _, number, text in replies:
        sample = GRPOSample.from_row(rows[number])
        sample.messages = [*sample.messages, {"role": "assistant", "content": text}]
        samples.append(sample)
    return compute_rewards_per_func(samples, [orms["planimeter"]()], [None], torch.device("cpu"))[:, 0].tolist()
