"""Prints how often the readers refuse an answer that a reply states, or read one that it does not state.

    python -m tools.reply_rates [--kinds | --replies] [tests/evals/replies/first ...]

Of each folder of replies with verdicts (see tests/evals/replies/README.md), by suite, or by suite and kind, or each
reply that is misread with its verdict and what is read. Doubtful replies are left out.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from planimeter.evals import grade
from planimeter.evals.places import protocol

CORPORA = Path(__file__).parent.parent / "tests" / "evals" / "replies"
CONFIGS = {
    "counting": ("marvl_qa", "counting"),
    "transformation": ("marvl_qa", "transformation"),
    "traversal": ("traversal", "base"),
    "curves": ("curves", "easy"),
    "curves_maps": ("curves_maps", "planar_map"),
    "geogram": ("geogram", "geogram"),
}
#: An answer that can be read, of rows on which only the reading counts.
ANSWERS = {"curves": "1\n1 0", "curves_maps": "1\n0 1"}


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A reply, the answer that it states (none: None), and what is read, or why nothing is (``reason``)."""

    task: str
    kind: str
    reply: str
    verdict: str | None
    read: str
    reason: str
    right: bool

    @property
    def refused(self) -> bool:
        return self.verdict is not None and bool(self.reason)

    @property
    def misread(self) -> bool:
        return not self.reason and not self.right

    @property
    def wrong(self) -> bool:
        return self.refused or self.misread


def judged(folder: Path, tasks: Iterable[str] = tuple(CONFIGS)) -> Iterator[Judged]:
    """Yield the replies of a corpus, but for the doubtful ones, as the lenient readers read them."""
    for task in tasks:
        suite, config = CONFIGS[task]
        for line in (folder / f"{task}.jsonl").read_text().splitlines():
            entry = json.loads(line)
            verdict = entry["verdict"]
            if verdict == "doubtful":
                continue
            row = {"answer": ANSWERS.get(task, "1"), **entry["row"]}
            scores = grade(row, entry["reply"], suite=suite, config=config)
            right = verdict is not None and scores.answered and states(task, scores.read, verdict)
            yield Judged(
                task=task,
                kind=entry["kind"],
                reply=entry["reply"],
                verdict=verdict,
                read=scores.read,
                reason=scores.reason,
                right=right,
            )


def states(task: str, read: str, verdict: str) -> bool:
    """Whether what was read is the verdict, written alike or otherwise."""
    suite, config = CONFIGS[task]
    if read == verdict or task == "traversal":
        return read == verdict
    return grade({"answer": verdict}, protocol(suite).render(read), suite=suite, config=config).value == 1.0


def rates(replies: Iterable[Judged], by: str = "task") -> dict[str, tuple[int, int, int, int]]:
    """Return by task (or ``kind``) how many replies state an answer, are refused though, are there, are misread."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for reply in replies:
        group = counts[reply.task if by == "task" else f"{reply.task}: {reply.kind}"]
        for k, counted in enumerate((reply.verdict is not None, reply.refused, True, reply.misread)):
            group[k] += counted
    return {group: (a, b, c, d) for group, (a, b, c, d) in counts.items()}


def table(rows: dict[str, tuple[int, int, int, int]]) -> Iterator[str]:
    yield "| | state an answer | refused | of all | misread |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for group, (stated, refused, total, misread) in rows.items():
        share = refused / stated if stated else 0.0
        yield f"| {group} | {stated} | {refused} ({share:.1%}) | {total} | {misread} ({misread / total:.1%}) |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "folders", nargs="*", type=Path, default=sorted(path for path in CORPORA.iterdir() if path.is_dir())
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--kinds", action="store_true", help="rates by suite and kind")
    how.add_argument("--replies", action="store_true", help="each reply that is misread or refused, as JSON")
    args = parser.parse_args()
    for folder in args.folders:
        replies = list(judged(folder))
        print(f"{folder}\n")
        if args.replies:
            for reply in replies:
                if reply.wrong:
                    print(json.dumps(vars(reply), ensure_ascii=False))
        else:
            print("\n".join(table(rates(replies, "kind" if args.kinds else "task"))))


if __name__ == "__main__":
    main()
