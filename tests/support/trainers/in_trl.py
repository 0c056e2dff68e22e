"""Runs in TRL's environment: two steps of GRPO by the lines of a card, and TRL's own call of our rewards."""

from typing import Any

import trl
from datasets import load_dataset

from planimeter.evals.rewards import reward


def asked(row: dict[str, Any]) -> dict[str, Any]:
    system = [{"role": "system", "content": row["system_prompt"]}] if row["system_prompt"] else []
    return {"prompt": [*system, {"role": "user", "content": row["prompt"]}]}


def trainer(model: str, rows: Any, rewards: Any) -> trl.GRPOTrainer:
    """Return a trainer of sizes that a CPU can do."""
    settings = trl.GRPOConfig(
        output_dir="trained",
        report_to="none",
        bf16=False,
        max_steps=2,
        max_completion_length=8,
        num_generations=2,
        per_device_train_batch_size=2,
        logging_steps=1,
        save_strategy="no",
    )
    return _GRPOTrainer(model=model, reward_funcs=rewards, args=settings, train_dataset=rows)


def trained(model: str, folder: str, config: str, streaming: bool, lines: str) -> list[dict[str, float]]:
    """Train by the ``lines`` of a card, but two steps of the tiny model, and return what TRL logs of each."""
    rows = load_dataset(folder, config, split="test", streaming=streaming)
    runs: list[trl.GRPOTrainer] = []

    def small(named: str, reward_funcs: Any, train_dataset: Any) -> trl.GRPOTrainer:
        runs.append(trainer(model, train_dataset, reward_funcs))
        return runs[0]

    trl.GRPOTrainer = small
    exec(lines, {"rows": rows})
    return [line for line in runs[0].state.log_history if "reward" in line]


def rewarded(model: str, folder: str, config: str, replies: list[list[Any]], **_: object) -> list[float]:
    """Return what TRL makes of our rewards for ``replies``, each a row's id, number and text, a batch at a time."""
    rows = {row["id"]: row for row in load_dataset(folder, config, split="test").map(asked)}
    runs, found = trainer(model, load_dataset(folder, config, split="test").map(asked), reward), []
    for first in range(0, len(replies), 64):
        batch = replies[first : first + 64]
        inputs = [rows[name] for name, *_ in batch]
        completions = [[{"role": "assistant", "content": text}] for *_, text in batch]
        prompts = [row["prompt"] for row in inputs]
        found += runs._calculate_rewards(inputs, prompts, completions, [[0]] * len(batch))[:, 0].tolist()
    return found


_GRPOTrainer = trl.GRPOTrainer
