"""Runs in verl's environment: its own dataset on an exported file, and its own call of the exported reward."""

import asyncio
from pathlib import Path
from typing import Any

import torch
import verl.trainer
from hydra import compose, initialize_config_dir
from PIL import Image
from transformers import AutoProcessor
from verl import DataProto
from verl.trainer.ppo.reward import load_reward_manager
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn, get_dataset_class


def configured(command: list[str]) -> Any:
    """Return verl's configuration as its command line makes it."""
    with initialize_config_dir(str(Path(verl.trainer.__file__).parent / "config"), version_base=None):
        return compose("ppo_trainer", overrides=command)


def loaded(model: str, command: list[str], shows: bool, **_: object) -> list[dict[str, Any]]:
    """Return what verl makes of the rows to train with, by way of its collate function."""
    config, processor = configured(command), AutoProcessor.from_pretrained(model)
    dataset = get_dataset_class(config.data)(
        data_files=config.data.train_files,
        tokenizer=processor.tokenizer,
        processor=processor if shows else None,
        config=config.data,
    )
    batch, found = collate_fn([dataset[place] for place in range(len(dataset))]), []
    for messages, truth in zip(batch["raw_prompt"], batch["reward_model"], strict=True):
        content = messages[-1]["content"]
        parts = content if shows else [{"type": "text", "text": content}]
        shown = {"text": "".join(part["text"] if part["type"] == "text" else "<image>" for part in parts)}
        shown |= {"roles": [turn["role"] for turn in messages], "truth": truth["ground_truth"]}
        found.append(
            {
                **shown,
                "pictures": sum(min(Image.open(part["image"]).size) > 0 for part in parts if part["type"] == "image"),
            }
        )
    return found


def rewarded(
    model: str, command: list[str], out: str, config: str, replies: list[list[Any]], **_: object
) -> list[float]:
    """Return the reward that verl's manager gives for ``replies``, each a row's id, its number and a text."""
    settings = configured([*command, f"data.val_files=[{out}/test/{config}.jsonl]"])
    tokenizer = AutoProcessor.from_pretrained(model).tokenizer
    rows = RLHFDataset(settings.data.val_files, tokenizer, settings.data)
    kept = [{name: row[name] for name in ("data_source", "reward_model", "extra_info")} for row in rows.dataframe]

    async def all_of_them() -> list[float]:
        manager, found = load_reward_manager(settings, tokenizer), []
        for _, number, text in replies:
            ids = torch.tensor([tokenizer.encode(text, add_special_tokens=False) or [tokenizer.eos_token_id]])
            item = DataProto.from_single_dict(
                {"responses": ids, "attention_mask": torch.ones_like(ids)}
                | {name: _boxed(value) for name, value in kept[number].items()}
            )
            found.append((await manager.run_single(item))["reward_score"])
        return found

    return asyncio.run(all_of_them())


def _boxed(value: object) -> Any:
    return collate_fn([{"value": value}])["value"]
