"""What trainers load to reward a model's replies: files for verl, EasyR1 and ms-swift. TRL loads a dataset as it is.

Every split of every config gets a file. A trainer shows the picture where a prompt says ``<image>``, so that no prompt
may say it otherwise. Rewards are ``planimeter.evals.rewards``, which the small package ``planimeter-evals`` holds; what
they look at travels with a row as one line of JSON, since a trainer wants the same columns whatever the suite.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from shlex import quote

import pyarrow as pa

from planimeter.evals import prompt_of
from planimeter.evals.rewards import packed
from planimeter.export.atomic import ExportError
from planimeter.export.built import Built
from planimeter.export.columns import IMAGE, STRING, Column, Schema
from planimeter.export.foreign import path_below
from planimeter.export.parquet import ROW_GROUP_ROWS, row_table, write_part
from planimeter.items.values import Row

#: What trainers replace within a prompt by what is shown.
PLACEHOLDERS = ("<image>", "<video>", "<audio>")

_TURN = pa.struct([("role", STRING), ("content", STRING)])
_TRUTH = pa.struct([("style", STRING), ("ground_truth", STRING)])
_PLACE = pa.struct([("split", STRING), ("index", pa.int64()), ("row", STRING)])
_VERL = (
    Column("data_source", STRING, "Suite and config, by which verl groups its metrics."),
    Column("prompt", pa.list_(_TURN), "The system prompt if there is one, and the prompt."),
    Column("ability", STRING, "The suite."),
    Column("reward_model", _TRUTH, "The answer."),
    Column("extra_info", _PLACE, "Which row it is, and the columns that a reward depends on, as JSON."),
)
_EASYR1 = (
    Column("prompt", STRING, "The system prompt if there is one, and the prompt, as one text."),
    Column("answer", STRING, "The answer and the other columns that a reward depends on, as JSON."),
)
_PICTURES = Column("images", pa.list_(IMAGE), "The picture, as PNG.")


def asked(source: Built, config: str, split: str, variant: str) -> Iterator[Row]:
    """Yield the rows of ``split`` of ``config`` in the words of ``variant``: all that any of the trainers wants of one.

    ``messages`` are the turns before the reply, and ``text`` the same as one text; both say where the picture is shown.
    ``row`` is what ``packed`` makes of the row, and ``images`` are those that `datasets` knows.

    Raises:
        ExportError: if a prompt holds what a trainer would replace by a picture; the message names the row.
    """
    for index, row in enumerate(source.rows(config, split, pictures=source.shows_pictures)):
        system, prompt = prompt_of(row, variant, suite=source.suite, config=config)
        for placeholder in PLACEHOLDERS:
            if placeholder in system or placeholder in prompt:
                raise ExportError(
                    f"{config}/{split}: the prompt of the row {row['id']} says {placeholder}, where a trainer would "
                    "show something; export a dataset without this row"
                )
        graded = packed({**row, "system_prompt": system, "prompt": prompt}, suite=source.suite, config=config)
        name = path_below(Path(), f"{row['id']}.png").name
        turns = {"system": system, "user": f"<image>{prompt}" if source.shows_pictures else prompt}
        yield {
            "messages": [{"role": role, "content": text} for role, text in turns.items() if text],
            "text": "\n\n".join(filter(None, turns.values())),
            "answer": row["answer"],
            "row": graded,
            "place": {"split": split, "index": index, "row": graded},
            "images": [{"bytes": row["image"], "path": name}] if source.shows_pictures else [],
        }


def for_verl(source: Built, out: Path, final: Path, variant: str) -> str:
    """Fill ``out`` with the Parquet files and the reward that verl loads; return how to train."""
    for config, split, path in _files(source, out, "parquet"):
        rows = (
            {
                "data_source": f"{source.suite}/{config}",
                "prompt": problem["messages"],
                "ability": source.suite,
                "reward_model": {"style": "rule", "ground_truth": problem["answer"]},
                "extra_info": problem["place"],
                "images": problem["images"],
            }
            for problem in asked(source, config, split, variant)
        )
        _write_parquet(source, path, config, _VERL, rows)
    (out / "reward.py").write_text(_REWARD.format(function="compute_score"), encoding="utf-8")
    train, val = _sides(source, final, "parquet")
    command = (
        "python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=MODEL",
        quote(f"data.train_files=[{','.join(map(_hydra, train))}]"),
        quote(f"data.val_files=[{','.join(map(_hydra, val))}]"),
        "data.max_prompt_length=4096 data.max_response_length=8192 actor_rollout_ref.rollout.n=8",
        quote(f"reward.custom_reward_function.path={_hydra(str(final / 'reward.py'))}"),
    )
    return _described(source, out, "verl", command, "`+reward.custom_reward_function.reward_kwargs.of=dense`")


def for_easyr1(source: Built, out: Path, final: Path, variant: str) -> str:
    """Fill ``out`` with the Parquet files and the reward that EasyR1 loads; return how to train.

    It knows no system prompt, and hands no column but ``answer`` to the reward.
    """
    for config, split, path in _files(source, out, "parquet"):
        problems = asked(source, config, split, variant)
        rows = ({"prompt": each["text"], "answer": each["row"], "images": each["images"]} for each in problems)
        _write_parquet(source, path, config, _EASYR1, rows)
    (out / "reward.py").write_text(_REWARD.format(function="compute_score_batch"), encoding="utf-8")
    # It takes a folder for all the files in it.
    train, val = (str(Path(files[0]).parent) for files in _sides(source, final, "parquet"))
    command = (
        "python -m verl.trainer.main config=examples/config.yaml worker.actor.model.model_path=MODEL",
        quote(f"data.train_files={train}"),
        quote(f"data.val_files={val}"),
        "data.prompt_key=prompt data.answer_key=answer data.image_key=images data.format_prompt=null",
        "data.max_prompt_length=4096 data.max_response_length=8192 worker.rollout.n=8 worker.reward.reward_type=batch",
        quote(f"worker.reward.reward_function={final / 'reward.py'}:compute_score_batch"),
    )
    return _described(source, out, "EasyR1", command, "`worker.reward.reward_function_kwargs.of=dense`")


def for_swift(source: Built, out: Path, final: Path, variant: str) -> str:
    """Fill ``out`` with JSON lines, pictures and the plugin that ms-swift loads; return how to train.

    ``options``, ``label`` and ``state`` are its own names, which is one more reason to pack a row's columns.
    """
    for config, split, path in _files(source, out, "jsonl"):
        pictures = Path("images", config)
        with path.open("w", encoding="utf-8") as file:
            for problem in asked(source, config, split, variant):
                line = {"messages": problem["messages"], "solution": problem["answer"], "row": problem["row"]}
                for image in problem["images"]:
                    (out / pictures).mkdir(parents=True, exist_ok=True)
                    (out / pictures / image["path"]).write_bytes(image["bytes"])
                    line["images"] = [str(final / pictures / image["path"])]
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    (out / "plugin.py").write_text(_PLUGIN, encoding="utf-8")
    train, val = (" ".join(map(quote, files)) for files in _sides(source, final, "jsonl"))
    command = (
        "swift rlhf --rlhf_type grpo --model MODEL",
        f"--dataset {train}",
        f"--val_dataset {val}",
        "--max_length 4096 --max_completion_length 8192 --num_generations 8",
        f"--external_plugins {quote(str(final / 'plugin.py'))} --reward_funcs planimeter",
    )
    return _described(source, out, "ms-swift", command, "`PLANIMETER_REWARD=dense` in the environment")


_REWARD = (
    '"""The reward: pip install planimeter-evals."""\n\nfrom planimeter.evals.rewards import {function}  # noqa: F401\n'
)
_PLUGIN = '''"""The reward `planimeter`: pip install planimeter-evals."""

import os

from planimeter.evals.rewards import reward
from swift.rewards import ORM, orms


class Planimeter(ORM):
    def __call__(self, completions, **columns):
        return reward(completions, of=os.environ.get("PLANIMETER_REWARD", "headline"), **columns)


orms["planimeter"] = Planimeter
'''


def _files(source: Built, folder: Path, ending: str) -> Iterator[tuple[str, str, Path]]:
    """Yield each config and split with its file, whose folder is there then."""
    for config, splits in source.manifest.configs.items():
        for split in splits:
            path = path_below(folder, split, f"{config}.{ending}")
            path.parent.mkdir(parents=True, exist_ok=True)
            yield config, split, path


def _sides(source: Built, final: Path, ending: str) -> tuple[list[str], list[str]]:
    """Return the files to train with and those to validate with: of another dataset's export, where this has none."""
    configs = source.manifest.configs
    splits = {split for parts in configs.values() for split in parts}
    held = "validation" if "validation" in splits else "test"
    train, val = (
        [str(final / side / f"{config}.{ending}") for config, parts in configs.items() if side in parts]
        for side in ("train", held)
    )
    return train or [f"OTHER_EXPORT/train/CONFIG.{ending}"], val or [f"OTHER_EXPORT/test/CONFIG.{ending}"]


def _hydra(path: str) -> str:
    """Return a path as Hydra reads it, which verl's options are for: quoted where a character means something else."""
    return path if re.fullmatch(r"[\w./-]+", path) else "'" + path.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _write_parquet(source: Built, path: Path, config: str, columns: tuple[Column, ...], rows: Iterator[Row]) -> None:
    """Write a file of a trainer that reads Parquet; a row group at a time is in memory.

    Where a model is shown no picture the column is left out: EasyR1 wants a processor of pictures for an empty one.
    """
    schema = Schema(config=config, columns=(*columns, _PICTURES) if source.shows_pictures else columns)
    kept = ({name: row[name] for name in schema.by_name} for row in rows)
    groups = iter(lambda: list(islice(kept, ROW_GROUP_ROWS)), [])
    write_part(path, (row_table(group, schema) for group in groups), schema)


def _described(source: Built, out: Path, trainer: str, command: tuple[str, ...], option: str) -> str:
    """Write README.md, which states ``command`` and how to choose another reward; return the command."""
    manifest = source.manifest
    shown = " \\\n        ".join((*command, "..."))
    files = "\n".join(
        f"- `{split}/{config}`: {rows} rows"
        for config, splits in manifest.configs.items()
        for split, rows in splits.items()
    )
    text = _README.format(manifest=manifest, trainer=trainer, files=files, command=shown, option=option)
    (out / "README.md").write_text(text, encoding="utf-8")
    return shown


_README = """\
# {manifest.dataset} {manifest.version} for {trainer}

{files}

Train on `train` alone: a score on rows that were trained on measures nothing.

    pip install planimeter-evals
    {command}

MODEL is yours to name, and so is OTHER_EXPORT, the export of a dataset that has a split which this one lacks. The dots
stand for what {trainer} asks of your machine. The paths are absolute.

The reward is the score by which models are ranked, from 0 to 1. {option} names another one:
`paper` is what the paper trains with, `dense` grows with every part of a reply that is right, and
`planimeter.evals.rewards` describes more.
"""
