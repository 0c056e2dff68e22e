"""Seconds from a file of replies to scores.parquet: paths, trees of 100 curves, and MaRVL-QA at full size.

Run: ``python -m benchmarks.bench_scores [processes] [share of the replies]``. Half of the replies are right, the others
are those of another row. Wall seconds, and CPU seconds of all processes; tables and the report are not in it.
"""

import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from planimeter import evals
from planimeter.evals.curves import prompt as curves
from planimeter.evals.marvl_qa import prompt as marvl_qa
from planimeter.evals.scores import dataset, intake, scored
from planimeter.evals.traversal import prompt as traversal
from planimeter.export.manifest import Manifest
from planimeter.flows.workers.processes import mapping
from planimeter.generators.curves.trees import canonical_parents, sample_tree
from planimeter.items import FEATURES, MARKER_COLORS, MARKER_SHAPES, OPTIONS

Row = dict[str, Any]
MARKERS = [f"{color} {shape}" for color in MARKER_COLORS for shape in MARKER_SHAPES]


def path_row(number: int, rng: np.random.Generator) -> Row:
    markers = [MARKERS[place] for place in rng.permutation(len(MARKERS))[: rng.integers(9, 18)]]
    words = {"system_prompt": traversal.SYSTEM_PROMPT, "prompt": traversal.prompt(markers[0], len(markers))}
    return {"id": f"p{number}", "markers": markers, "answer": traversal.answer(markers), **words}


def tree_row(number: int, rng: np.random.Generator) -> Row:
    parents = canonical_parents(sample_tree(100, rng))
    words = {"system_prompt": "", "prompt": curves.prompt(), "seed": number}
    return {"id": f"t{number}", "parents": parents, "answer": curves.answer(parents), **words}


def count_row(number: int, rng: np.random.Generator) -> Row:
    feature = FEATURES[number % 2]
    words = {"system_prompt": marvl_qa.counting_system_prompt(), "prompt": marvl_qa.counting_prompt(feature)}
    about = {"family": "cone", "parameters": str(number // 9), "feature": feature}
    return {"id": f"c{number}", "answer": str(rng.integers(1, 21)), **about, **words}


def pair_row(number: int, rng: np.random.Generator) -> Row:
    options = [OPTIONS[place] for place in rng.permutation(5)]
    prompt = marvl_qa.transformation_prompt(options)
    words = {"system_prompt": marvl_qa.transformation_system_prompt(), "prompt": prompt}
    about = {"family": "cone", "parameters": str(number // 81), "transformation": "translate_x", "offset": 1.0}
    return {"id": f"q{number}", "answer": str(rng.integers(1, 6)), "options": options, **about, **words}


CASES = (
    ("paths", "traversal", {"base": (12_400, path_row)}),
    ("trees of 100", "curves", {"easy": (10_000, tree_row)}),
    ("marvl-qa", "marvl_qa", {"counting": (1_548, count_row), "transformation": (79_542, pair_row)}),
)


def used() -> float:
    """Return the CPU seconds of this process and of those that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main(workers: Annotated[int, typer.Argument()] = 2, share: Annotated[float, typer.Argument()] = 1.0) -> None:
    """Print one line a case."""
    print(f"{'replies':<14}{'number':>8}{'wall s':>9}{'CPU s':>9}")
    for name, suite, configs in CASES:
        rng, made = np.random.default_rng(0), {}
        for config, (number, make) in configs.items():
            made[config] = pd.DataFrame([make(place, rng) for place in range(round(number * share))]).set_index("id")
        manifest = Manifest.model_construct(dataset=name, version="1.0.0", recipe={"suite": suite})
        splits = {config: pd.Series("test", rows.index) for config, rows in made.items()}
        data = dataset.Dataset(manifest=manifest, rows=made, splits=splits)
        with tempfile.TemporaryDirectory() as home:
            path = Path(home, "replies.jsonl")
            with path.open("w") as file:
                for rows in made.values():
                    right, other = rows["answer"], rows["answer"].to_numpy()[rng.permutation(len(rows))]
                    given = map(evals.suite(suite).render, np.where(rng.random(len(rows)) < 0.5, right, other))
                    pairs = zip(rows.index, given, strict=True)
                    file.writelines(json.dumps({"id": name, "reply": reply}) + "\n" for name, reply in pairs)
            start, cpu = time.perf_counter(), used()
            replies = intake.take([path], data, made)
            with mapping(workers) as each:
                scores = scored.score(data, replies, each=each)
            scored.write(scores, Path(home))
            wall = time.perf_counter() - start
        print(f"{name:<14}{len(scores.frame):>8,}{wall:>9.1f}{used() - cpu:>9.1f}", flush=True)


if __name__ == "__main__":
    typer.run(main)
