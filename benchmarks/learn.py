"""A tiny learner on the first level of each ladder: its reward on fresh rows, from rewards on the stream alone.

    python -m benchmarks.learn [LADDER...] [--rows 400] [--held 150] [--epochs 30]

The policy is a softmax over a row's possible next words, linear in a few features of picture or statement; it samples
replies, receives their scores from ``planimeter.evals.grade``, and follows the policy gradient with the group's mean as
baseline (Dr. GRPO). Answers are used by nothing but the grader. Rows that are held out come from another seed, and are
answered by the policy's likeliest words. The baselines: the best constant reply in hindsight, and the untrained policy.

What is given and what is learned: thumbnails are counted and compared, lines of ink measured, numbers read from the
text, by a few lines of numpy; which of these predicts what, and with what weight, is learned.
"""

import io
import re
import time
from abc import ABC, abstractmethod
from collections import Counter
from functools import cache
from itertools import islice, permutations
from typing import Annotated

import numpy as np
import typer
from PIL import Image
from scipy import ndimage

from planimeter.evals import grade
from planimeter.evals.curves.prompt import answer as tree
from planimeter.evals.grading import protocol
from planimeter.rendering.frame import PANEL_WIDTH, PLOT
from planimeter.streams import stream

GROUP, BATCH, RATE = 8, 16, 0.3


class Task(ABC):
    """A ladder's questions as choices: ``options`` gives features (choices, weights) of each next word, or None."""

    def __init__(self, row) -> None:
        self.row = row

    @abstractmethod
    def options(self, chosen: tuple[int, ...]): ...

    @abstractmethod
    def answer(self, chosen: tuple[int, ...]) -> str: ...

    @cache  # noqa: B019 - a task lives as long as the run
    def reward(self, chosen: tuple[int, ...]) -> float:
        suite, config = self.place
        return grade(self.row, protocol(suite).render(self.answer(chosen)), suite=suite, config=config).value


def grey(row) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(row["image"]["bytes"])).convert("L"), float) / 255


def thumbnail(picture: np.ndarray, side: int) -> np.ndarray:
    whole = Image.fromarray((picture * 255).astype(np.uint8))
    return np.asarray(whole.resize((side, side), Image.Resampling.BOX), float) / 255


def crossed(features: np.ndarray, choices: int) -> np.ndarray:
    """Return each choice's own copy of ``features``."""
    return np.kron(np.eye(choices), features)


class Counting(Task):
    """How many: the number of local maxima of thumbnails, and of minima."""

    place = ("marvl_qa", "counting")

    def __init__(self, row) -> None:
        super().__init__(row)
        picture = grey(row)[PLOT]
        features = []
        for side in (12, 20, 28):
            small = thumbnail(picture, side)
            for signed in (small, -small):
                peaks = (signed == ndimage.maximum_filter(signed, 3)) & (signed > signed.min() + 0.5 * np.ptp(signed))
                features += list(np.arange(1, 6) == min(peaks.sum(), 5))
        self.features = np.array([1.0, row["feature"] == "maxima", *features])

    def options(self, chosen):
        return None if chosen else crossed(self.features, 4)

    def answer(self, chosen):
        return str(chosen[0] + 1)


class Transformation(Task):
    """Which of five: how well thumbnails fit after each change."""

    place = ("marvl_qa", "transformation")

    def __init__(self, row) -> None:
        super().__init__(row)
        whole = grey(row)
        a, b = (thumbnail(panel[PLOT], 16) for panel in (whole[:, :PANEL_WIDTH], whole[:, -PANEL_WIDTH:]))
        gaps = {
            "no_change": abs(a - b).mean(),
            "rotate_90_clockwise": abs(np.rot90(a, -1) - b).mean(),
            "rotate_180": abs(np.rot90(a, 2) - b).mean(),
            "translate_x": min(shifted(a, b, s) for s in (-4, -3, -2, 2, 3, 4)),
            "translate_y": min(shifted(a.T, b.T, s) for s in (-4, -3, -2, 2, 3, 4)),
        }
        order = sorted(gaps, key=gaps.__getitem__)
        self.features = np.array(
            [[10 * gaps[o], *(order[i] == o for i in range(2)), *(k == o for k in gaps)] for o in row["options"]]
        )

    def options(self, chosen):
        return None if chosen else self.features

    def answer(self, chosen):
        return str(chosen[0] + 1)


def shifted(a: np.ndarray, b: np.ndarray, by: int) -> float:
    here, there = (a[:, :-by], b[:, by:]) if by > 0 else (a[:, -by:], b[:, :by])
    return float(abs(here - there).mean())


class Traversal(Task):
    """Which marker next: how much ink lies on the straight line to it, how far it is, how sharp the turn.

    Where the markers are is given, in an order that says nothing.
    """

    place = ("traversal", "base")

    def __init__(self, row) -> None:
        super().__init__(row)
        start, *others = range(len(row["points"]))
        self.order = [start, *sorted(others, key=lambda i: row["points"][i])]
        self.points = np.array([row["points"][i] for i in self.order])
        picture, n = grey(row), len(self.points)
        self.ink = np.zeros((n, n))
        for i, j in permutations(range(n), 2):
            p, q = self.points[i], self.points[j]
            along = p + (q - p) * np.linspace(0, 1, 60)[:, None]
            away = np.minimum(np.hypot(*(along - p).T), np.hypot(*(along - q).T)) > row["glyph_radius"] + 3
            x, y = along[away].round().astype(int).T
            self.ink[i, j] = (picture[y, x] < 0.5).mean() if away.any() else 1.0

    def options(self, chosen):
        here, before = (chosen[-1] if chosen else 0), (chosen[-2] if len(chosen) > 1 else 0)
        left = self.left(chosen)
        if not left:
            return None
        steps = self.points[left] - self.points[here]
        far = np.hypot(*steps.T)
        last = self.points[here] - self.points[before]
        turn = (steps @ last) / (far * max(np.hypot(*last), 1))
        return np.column_stack([self.ink[here, left], far / 300, far.argsort().argsort() / len(left), turn])

    def left(self, chosen):
        return [i for i in range(1, len(self.points)) if i not in chosen]

    def answer(self, chosen):
        return ", ".join(self.row["markers"][self.order[i]] for i in (0, *chosen))


class Curves(Task):
    """Which tree of up to three curves: how many regions of paper there are, and how large and round each is."""

    place = ("curves", "curriculum")
    trees = ((0,), (0, 0), (0, 1), (0, 0, 0), (0, 0, 2), (0, 1, 1), (0, 1, 2))

    def __init__(self, row) -> None:
        super().__init__(row)
        paper = thumbnail(grey(row), 256) > 0.6
        _, regions = ndimage.label(paper)
        _, lines = ndimage.label(~paper, np.ones((3, 3)))
        labels, _ = ndimage.label(paper)
        inside = [ndimage.binary_fill_holes(labels == i) for i in range(2, regions + 1)]
        nested = sum((labels[region] > 1).any() and len(np.unique(labels[region & paper])) - 1 for region in inside)
        self.features = np.array(
            [
                1.0,
                *(regions == i for i in (2, 3, 4)),
                *(lines == i for i in (1, 2, 3)),
                *(nested == i for i in range(4)),
            ],
            float,
        )

    def options(self, chosen):
        return None if chosen else crossed(self.features, len(self.trees))

    def answer(self, chosen):
        return tree(self.trees[chosen[0]])


class Geogram(Task):
    """Which sum: each of some twenty formulas of the numbers in the text, by the words that stand there."""

    place = ("geogram", "geogram")
    formulas = (
        "a", "a/2", "2*a", "90-a", "180-a", "180-2*a", "(180-a)/2", "180-a/2", "a+b", "a-b", "b-a", "180-a-b", "a*b",
        "a*b/2", "(a+b)/2", "sqrt(a*a+b*b)", "a*c/b", "a*b/c", "b*c/a", "(a+b)*c/2", "a+b+c", "a*b*c",
    )  # fmt: skip
    words: dict[str, int] = {}  # noqa: RUF012

    def __init__(self, row) -> None:
        super().__init__(row)
        self.numbers = [float(x) for x in re.findall(r"\d+(?:\.\d+)?", row["problem"])][:3]
        self.features = np.zeros(160)
        self.features[0], self.features[len(self.numbers)] = 1, 1
        for word in set(re.findall(r"[a-z]{4,}", row["problem"].lower())):
            place = self.words.setdefault(word, 4 + len(self.words))
            if place < len(self.features):
                self.features[place] = 1

    def options(self, chosen):
        return None if chosen else crossed(self.features, len(self.formulas))

    def answer(self, chosen):
        formula = self.formulas[chosen[0]]
        named = dict(zip("abc", self.numbers, strict=False))
        try:
            return f"{eval(formula, {'sqrt': np.sqrt, **named}):.9g}"  # our own few formulas
        except NameError:
            return "0"


TASKS = {kind.__name__.lower(): kind for kind in Task.__subclasses__()}


def reply(task: Task, weights: np.ndarray, rng: np.random.Generator | None) -> tuple[tuple[int, ...], np.ndarray]:
    """Return the words of a reply, drawn or likeliest, and the gradient of their log-likelihood."""
    chosen, gradient = (), np.zeros_like(weights)
    while (features := task.options(chosen)) is not None:
        logits = features @ weights
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        word = int(rng.choice(len(chances), p=chances)) if rng is not None else int(chances.argmax())
        gradient += features[word] - chances @ features
        chosen = (*chosen, task.left(chosen)[word] if isinstance(task, Traversal) else word)
    return chosen, gradient


def mean_reward(tasks: list[Task], weights: np.ndarray) -> float:
    return float(np.mean([task.reward(reply(task, weights, None)[0]) for task in tasks]))


def learn(ladder: str, rows: int, held: int, epochs: int) -> None:
    began, kind = time.process_time(), TASKS[ladder]
    train = [kind(row) for row in islice(stream(ladder, level=1, seed=100), rows)]
    test = [kind(row) for row in islice(stream(ladder, level=1, seed=101), held)]
    made = time.process_time() - began
    rng = np.random.default_rng(0)
    weights = np.zeros(train[0].options(()).shape[1])
    untrained = [task.reward(reply(task, weights, rng)[0]) for task in test]
    answers = Counter(task.row["answer"] for task in test)
    constant = answers.most_common(1)[0][0]
    suite, config = kind.place
    best = protocol(suite).render(constant)
    constant_scores = [grade(task.row, best, suite=suite, config=config).value for task in test]
    print(f"{ladder}: {rows} rows to learn from, {held} held out, made in {made:.0f} CPU s", flush=True)
    print(f"  baselines: untrained {np.mean(untrained):.3f}, best constant {np.mean(constant_scores):.3f}", flush=True)
    for epoch in range(1, epochs + 1):
        order, rewards = rng.permutation(len(train)), []
        for begin in range(0, len(order), BATCH):
            step = np.zeros_like(weights)
            for i in order[begin : begin + BATCH]:
                group = [reply(train[i], weights, rng) for _ in range(GROUP)]
                scores = np.array([train[i].reward(chosen) for chosen, _ in group])
                rewards.append(scores.mean())
                step += sum(
                    (score - scores.mean()) * gradient for score, (_, gradient) in zip(scores, group, strict=True)
                )
            weights += RATE * step / BATCH
        if epoch in (1, 2, 5, 10, 20, epochs):
            print(
                f"  epoch {epoch}: sampled {np.mean(rewards):.3f}, held out {mean_reward(test, weights):.3f}",
                flush=True,
            )


def main(
    ladders: Annotated[list[str], typer.Argument()] = [*TASKS], rows: int = 400, held: int = 150, epochs: int = 20
) -> None:
    for ladder in ladders:
        learn(ladder, rows, held, epochs)


if __name__ == "__main__":
    typer.run(main)
