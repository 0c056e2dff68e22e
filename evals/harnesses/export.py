"""Writes the rows of a dataset as JSON lines for trainers and other harnesses, with the code that each of them needs.

Each split of a config is one file; pictures are PNG files. ``README.md`` has the command of each harness. TRL and
``planimeter evaluate`` load a built dataset directly.
"""

import csv
import glob
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from shlex import join, quote
from typing import Final

from planimeter.evals import prompt_of, question, suite, variants
from planimeter.evals.harnesses.lmms_eval import install
from planimeter.evals.rewards import packed
from planimeter.export.atomic import ExportError, Staging
from planimeter.export.built import Built
from planimeter.export.foreign import path_below
from planimeter.export.pages.templating import environment
from planimeter.items.declaration import Sampling
from planimeter.items.suites import declared
from planimeter.items.values import Row

#: Texts in a prompt that trainers replace by a picture, video or sound.
PLACEHOLDERS: Final = ("<image>", "<video>", "<audio>")

#: The maximum tokens of a reply for lmms-eval if the paper states no limit.
MOST_TOKENS: Final = 8192

#: The columns of VLMEvalKit's tables. Options stay in the prompt: for columns of options it would add its own list.
_TABLE: Final = ("index", "image_path", "question", "answer", "config", "split", "variant")


def export(source: Built, out: Path, variant: str) -> None:
    """Write the rows of the dataset ``source``, with the prompt variant ``variant``, as the folder ``out``, atomically.

    Raises:
        ExportError: if there is no such variant, ``out`` exists or cannot be written, or a prompt contains a text that
            trainers would replace by a picture (``PLACEHOLDERS``).
    """
    for config in source.tests:
        known = variants(source.suite, config)
        if variant not in known:
            raise ExportError(f"{source.suite} {config} has no prompt variant {variant!r}; it has: {', '.join(known)}")
    out = out.resolve()
    if out.exists():
        raise ExportError(f"{out} exists; give --out a new folder")
    with Staging(out) as staging, source.reading(writes=True):
        for config, splits in source.manifest.configs.items():
            for split in splits:
                _write_split(source, config, split, variant, staging.path, out)
        _write_texts(source, staging.path, out)
        staging.commit()


def lines(source: Built, config: str, split: str, variant: str, home: Path) -> Iterator[tuple[Row, bytes]]:
    """Yield for each row of a split the JSON object to write for it, and its PNG (empty bytes without a picture).

    ``messages`` are the turns before the reply, ``text`` is the same as one text: both have ``<image>`` at the
    position of the picture. ``images`` has its path, in the folder ``home``. ``row`` has the columns that the reward
    needs, as JSON. verl reads ``data_source``, ``reward_model`` and ``extra_info``, ms-swift ``solution``. Without a
    picture there is no key ``images``: if it is present, EasyR1 requires an image processor.

    Raises:
        ExportError: if a prompt contains one of ``PLACEHOLDERS``; the message names the row.
    """
    for index, row in enumerate(source.rows(config, split, pictures=source.shows_pictures)):
        system, prompt = prompt_of(row, variant, suite=source.suite, config=config)
        for placeholder in PLACEHOLDERS:
            if placeholder in system or placeholder in prompt:
                raise ExportError(
                    f"{config}/{split}: the prompt of the row {row['id']} contains {placeholder}, which a trainer "
                    "would replace; export a dataset without this row"
                )
        graded = packed({**row, "system_prompt": system, "prompt": prompt}, suite=source.suite, config=config)
        turns = {"system": system, "user": f"<image>{prompt}" if source.shows_pictures else prompt}
        picture = path_below(home, "images", config, f"{row['id']}.png")
        line = {
            "id": row["id"],
            "data_source": f"{source.suite}/{config}",
            "question": question(row, suite=source.suite, config=config),
            "variant": variant,
            "messages": [{"role": role, "content": text} for role, text in turns.items() if text],
            "text": "\n\n".join(filter(None, turns.values())),
            **({"images": [str(picture)]} if source.shows_pictures else {}),
            "solution": row["answer"],
            "row": graded,
            "reward_model": {"style": "rule", "ground_truth": row["answer"]},
            "extra_info": {"split": split, "index": index, "row": graded},
        }
        yield line, row.get("image", b"")


def _write_split(source: Built, config: str, split: str, variant: str, folder: Path, final: Path) -> None:
    """Write the JSON lines and pictures of a split to ``folder``, and for a test split also VLMEvalKit's table.

    ``final`` is the folder's later path, which the lines contain.
    """
    path = path_below(folder, split, f"{config}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        file = stack.enter_context(path.open("w", encoding="utf-8"))
        table = None
        if source.shows_pictures:
            (folder / "images" / config).mkdir(parents=True, exist_ok=True)
            if source.tests[config] == split:
                name = f"planimeter_{source.suite}_{config}_openended.tsv"
                opened = stack.enter_context((folder / name).open("w", encoding="utf-8", newline=""))
                table = csv.writer(opened, delimiter="\t", lineterminator="\n")
                table.writerow(_TABLE)
        for line, png in lines(source, config, split, variant, final):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            if source.shows_pictures:
                path_below(folder, "images", config, f"{line['id']}.png").write_bytes(png)
            if table:
                text = line["text"].replace("<image>", "")
                table.writerow([line["id"], *line["images"], text, line["solution"], config, split, variant])


def _write_texts(source: Built, folder: Path, final: Path) -> None:
    """Write README.md, the trainers' rewards and lmms-eval's tasks to ``folder``, which will be moved to ``final``."""
    templates = environment("planimeter.evals.harnesses")
    sampling = {config: declared(source.suite).sampling_of(config) for config in source.tests}
    given = {
        "source": source,
        "final": str(final),
        "install": install(source.suite),
        "train": _paths(source, final, "train") or ["OTHER_EXPORT/train/CONFIG.jsonl"],
        "held_out": _paths(source, final, "validation")
        or _paths(source, final, "test")
        or ["OTHER_EXPORT/test/CONFIG.jsonl"],
        "sampling": sorted(map(str, {*sampling.values()})),
        "quote": quote,
        "join": join,
        "hydra": _hydra,
    }
    for name in ("README.md", "reward.py", "plugin.py", "utils.py"):
        text = templates.get_template(f"{name}.j2").render(given)
        (folder / name).write_text(text, encoding="utf-8")
    for config, split in source.tests.items():
        # `datasets` would read a path as a pattern.
        file = glob.escape(str(final / split / f"{config}.jsonl"))
        task = {"config": config, "split": split, "file": file, "metric": suite(source.suite).HEADLINE}
        task |= {"generation": _generation(sampling[config]), "samples": sampling[config].samples}
        text = templates.get_template("task.yaml.j2").render(given | task)
        (folder / f"planimeter_{source.suite}_{config}.yaml").write_text(text, encoding="utf-8")


def _paths(source: Built, final: Path, split: str) -> list[str]:
    return [str(final / split / f"{name}.jsonl") for name, splits in source.manifest.configs.items() if split in splits]


def _hydra(paths: Sequence[str]) -> str:
    """Return ``paths`` as a list in the syntax of Hydra, verl's parser of options, quoted where it is necessary."""
    quoted = ("'" + path.replace("\\", "\\\\").replace("'", "\\'") + "'" for path in paths)
    return ",".join(
        path if re.fullmatch(r"[\w./-]+", path) else other for path, other in zip(paths, quoted, strict=True)
    )


def _generation(paper: Sampling) -> dict[str, object]:
    """Return a paper's sampling settings as options of lmms-eval, with a temperature only if the paper states one."""
    # No stop sequences: by default two line breaks would cut the reply off.
    settings: dict[str, object] = {"max_new_tokens": paper.max_tokens or MOST_TOKENS, "until": []}
    if paper.temperature is not None:
        settings |= {"temperature": paper.temperature, "do_sample": paper.temperature > 0}
    return settings
