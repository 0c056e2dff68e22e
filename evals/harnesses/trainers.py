"""What trainers load to reward a model's replies: files for verl, EasyR1 and ms-swift. TRL loads a dataset as it is.

Every split of every config gets a file. A trainer shows the picture where a prompt says ``<image>``, so that no prompt
may say it otherwise. Rewards are ``planimeter.evals.rewards``, which the small package ``planimeter-evals`` holds; what
they look at travels with a row as one line of JSON, since a trainer wants the same columns whatever the suite.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Any

import pyarrow as pa

from planimeter.evals import prompt_of
from planimeter.evals.rewards import packed
from planimeter.export.atomic import ExportError
from planimeter.export.built import Built
from planimeter.export.columns import IMAGE, STRING, Column, Schema
from planimeter.export.parquet import ROW_GROUP_ROWS, row_table, write_part

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


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A row as it is asked: ``prompt`` says where the picture is shown, ``row`` is what ``packed`` makes of the row."""

    id: str
    index: int
    system: str
    prompt: str
    answer: str
    png: bytes
    row: str

    @property
    def messages(self) -> list[dict[str, str]]:
        """The turns before the reply."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": self.prompt}]

    @property
    def images(self) -> list[dict[str, Any]]:
        """The picture as `datasets` knows it, in a list."""
        return [{"bytes": self.png, "path": f"{self.id}.png"}]


def asked(source: Built, config: str, split: str, variant: str) -> Iterator[Asked]:
    """Yield the rows of ``split`` of ``config`` in the words of ``variant``.

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
        yield Asked(
            id=row["id"],
            index=index,
            system=system,
            prompt=f"<image>{prompt}" if source.shows_pictures else prompt,
            answer=row["answer"],
            png=row["image"] if source.shows_pictures else b"",
            row=packed({**row, "system_prompt": system, "prompt": prompt}, suite=source.suite, config=config),
        )


def for_verl(source: Built, out: Path, final: Path, variant: str) -> str:
    """Fill ``out`` with the Parquet files and the reward that verl loads; return how to train."""

    def row(problem: Asked, config: str, split: str) -> dict[str, Any]:
        return {
            "data_source": f"{source.suite}/{config}",
            "prompt": problem.messages,
            "ability": source.suite,
            "reward_model": {"style": "rule", "ground_truth": problem.answer},
            "extra_info": {"split": split, "index": problem.index, "row": problem.row},
            "images": problem.images,
        }

    _parquet(source, out, variant, _VERL, row)
    (out / "reward.py").write_text(_REWARD.format(function="compute_score"), encoding="utf-8")
    train, val = _sides(source, final, "parquet")
    command = (
        "python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=MODEL",
        quote(f"data.train_files=[{','.join(train)}]"),
        quote(f"data.val_files=[{','.join(val)}]"),
        "data.max_prompt_length=4096 data.max_response_length=8192 actor_rollout_ref.rollout.n=8",
        quote(f"reward.custom_reward_function.path={final / 'reward.py'}"),
    )
    return _described(source, out, "verl", command, "`+reward.custom_reward_function.reward_kwargs.of=dense`")


def for_easyr1(source: Built, out: Path, final: Path, variant: str) -> str:
    """Fill ``out`` with the Parquet files and the reward that EasyR1 loads; return how to train.

    It knows no system prompt, and hands no column but ``answer`` to the reward.
    """

    def row(problem: Asked, config: str, split: str) -> dict[str, Any]:  # noqa: ARG001 - the packed row states both
        text = "\n\n".join(filter(None, (problem.system, problem.prompt)))
        return {"prompt": text, "answer": problem.row, "images": problem.images}

    _parquet(source, out, variant, _EASYR1, row)
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
        pictures = out / "images" / config
        with path.open("w", encoding="utf-8") as file:
            for problem in asked(source, config, split, variant):
                line: dict[str, Any] = {"messages": problem.messages, "solution": problem.answer, "row": problem.row}
                if source.shows_pictures:
                    pictures.mkdir(parents=True, exist_ok=True)
                    (pictures / f"{problem.id}.png").write_bytes(problem.png)
                    line["images"] = [str(final / "images" / config / f"{problem.id}.png")]
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
            path = folder / split / f"{config}.{ending}"
            path.parent.mkdir(parents=True, exist_ok=True)
            yield config, split, path


def _sides(source: Built, final: Path, ending: str) -> tuple[list[str], list[str]]:
    """Return the files to train with and those to validate with: of another dataset's export, where this has none."""
    splits = {split for parts in source.manifest.configs.values() for split in parts}
    held = "validation" if "validation" in splits else "test"
    train, val = (
        [str(final / side / f"{config}.{ending}") for config, parts in source.manifest.configs.items() if side in parts]
        for side in ("train", held)
    )
    return train or [f"OTHER_EXPORT/train/CONFIG.{ending}"], val or [f"OTHER_EXPORT/test/CONFIG.{ending}"]


def _parquet(
    source: Built,
    out: Path,
    variant: str,
    columns: tuple[Column, ...],
    row: Callable[[Asked, str, str], dict[str, Any]],
) -> None:
    """Write the files of a trainer that reads Parquet; a row group at a time is in memory.

    Where a model is shown no picture the column is left out: EasyR1 wants a processor of pictures for an empty one.
    """
    columns = (*columns, _PICTURES) if source.shows_pictures else columns
    for config, split, path in _files(source, out, "parquet"):
        schema = Schema(config=config, columns=columns)
        rows = (
            {name: value for name, value in row(problem, config, split).items() if name in schema.by_name}
            for problem in asked(source, config, split, variant)
        )
        write_part(path, (row_table(group, schema) for group in _groups(rows)), schema)


def _groups(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while group := list(islice(rows, ROW_GROUP_ROWS)):
        yield group


def _described(source: Built, out: Path, trainer: str, command: tuple[str, ...], option: str) -> str:
    """Write README.md, which states ``command`` and how to choose another reward; return the command."""
    manifest = source.manifest
    shown = " \\\n        ".join((*command, "..."))
    files = (
        f"- `{split}/{config}`: {rows} rows"
        for config, parts in manifest.configs.items()
        for split, rows in parts.items()
    )
    text = _README.format(manifest=manifest, trainer=trainer, files="\n".join(files), command=shown, option=option)
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
