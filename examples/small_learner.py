"""Trains a small convolutional network on rows of a stream, and tests it on a harder level and on marvl-qa-hard.

    python examples/small_learner.py rows counting_hard arrays.npz --test outputs/marvl-qa-hard/1.0.0
    python examples/small_learner.py train arrays.npz

The first command needs Planimeter: it writes shrunk pictures and answers of 20,000 rows of levels 1 to 5, of 1,000 rows
of level 6, and of all test rows. The second needs NumPy and PyTorch: it trains a network in three passes over the
training rows, and prints accuracies on the way. Figures: docs/concepts/what-a-score-is-worth.md.
"""

import argparse
import multiprocessing
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

LEVELS = (1, 2, 3, 4, 5)
TEST_LEVEL = 6
ROWS = 20_000
TEST_ROWS = 1_000
PASSES = 3
#: Rows seen, after which accuracies are printed.
STOPS = (2_500, 5_000, 10_000, 20_000, 40_000, 60_000)
BATCH = 32
#: Motions that the options of transformation_hard name.
MOTIONS = 18
#: px of a plot in arrays; its own are 480.
SIDE = 120
#: Left edges of the plots of a picture by their number, their upper edge and size, px.
PLOTS = {"counting_hard": ((86,), 50, 480), "transformation_hard": ((86, 726), 50, 480)}


def shrunk(row, config):
    """Return the plots of ``row`` in grey: uint8 (number of plots, SIDE, SIDE)."""
    import cv2

    picture = cv2.imdecode(np.frombuffer(row["image"]["bytes"], np.uint8), cv2.IMREAD_GRAYSCALE)
    lefts, top, size = PLOTS[config]
    plots = [picture[top : top + size, left : left + size] for left in lefts]
    return np.stack([cv2.resize(plot, (SIDE, SIDE), interpolation=cv2.INTER_AREA) for plot in plots])


def answer(row, config):
    """Return whether it asks for minima, and the count; or 0 and the number of the motion in alphabetic order."""
    if config == "transformation_hard":
        return 0, sorted(row["options"]).index(row["motion"])
    return int(row["feature"] == "minima"), row["count"]


def arrays(rows, config):
    """Return pictures, uint8 (n, plots, SIDE, SIDE), and answers, int64 (n, 2)."""
    pairs = [(shrunk(row, config), answer(row, config)) for row in rows]
    return np.stack([picture for picture, _ in pairs]), np.array([asked for _, asked in pairs])


def streamed(config, level_and_count):
    """Return the arrays of the first rows of a level of the stream ``config``."""
    from planimeter.streams import stream

    level, count = level_and_count
    return arrays(islice(stream(config, level=level, seed=20261128), count), config)


def write_rows(config, out, test, workers):
    """Write the arrays of training, level 6 and test rows to ``out``."""
    import pyarrow.parquet as pq

    tasks = [*((level, ROWS // len(LEVELS)) for level in LEVELS), (TEST_LEVEL, TEST_ROWS)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        *parts, harder = pool.map(partial(streamed, config), tasks, chunksize=1)
    order = np.random.default_rng(0).permutation(ROWS)
    pictures, answers = (np.concatenate([part[k] for part in parts])[order] for k in (0, 1))
    table = [
        row
        for path in sorted(Path(test).glob(f"data/{config}/test-*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]
    names = {"train": (pictures, answers), "level": harder, "test": arrays(table, config)}
    np.savez_compressed(out, **{f"{name}_{k}": part[k] for name, part in names.items() for k in (0, 1)})


def network(plots, motions):
    """Return the network: it adds up a map of densities to count, or weighs a coarse map to name one of ``motions``."""
    from torch import nn

    def block(into, out, stride):
        return nn.Sequential(nn.Conv2d(into, out, 3, stride, 1), nn.BatchNorm2d(out), nn.ReLU())

    layers = [block(plots, 16, 1), block(16, 32, 2), block(32, 32, 1), block(32, 48, 2), block(48, 48, 1)]
    if not motions:
        return nn.Sequential(*layers, nn.Conv2d(48, 1, 1), nn.Softplus(), nn.Flatten())
    coarse = [block(48, 96, 2), block(96, 96, 2), nn.AdaptiveAvgPool2d(4), nn.Flatten()]
    return nn.Sequential(*layers, *coarse, nn.Linear(96 * 16, motions))


def batch(data, name, chosen):
    """Return pictures in [-1, 1], turned to their negatives where minima are asked for, and the answers."""
    grey = data[f"{name}_0"][chosen].float() / 127.5 - 1
    minima, wanted = data[f"{name}_1"][chosen].T
    return grey * (1 - 2 * minima)[:, None, None, None], wanted


def replies(model, pictures, motions):
    """Return a value of each motion, or the counts."""
    return model(pictures) if motions else model(pictures).sum(1) / 100


def accuracy(model, data, name, motions, rows):
    """Return the share of right answers among the first ``rows``, in per cent, and for counts the mean error."""
    import torch

    model.eval()
    right, off, number = 0, 0.0, min(rows, len(data[f"{name}_0"]))
    with torch.no_grad():
        for chosen in torch.arange(number).split(100):
            pictures, wanted = batch(data, name, chosen)
            found = replies(model, pictures, motions)
            guess = found.argmax(1) if motions else found.round()
            right += int((guess == wanted).sum())
            off += float((guess - wanted).abs().sum())
    return f"{100 * right / number:.1f}" + ("" if motions else f" ({off / number:.1f})")


def train(path):
    """Train on the rows in a random order of each pass, and print the accuracies after each of ``STOPS``."""
    import torch
    from torch.nn import functional

    data = {name: torch.from_numpy(values) for name, values in np.load(path).items()}
    rows, plots = data["train_0"].shape[:2]
    motions = MOTIONS if plots == 2 else 0
    torch.manual_seed(0)
    shuffle = np.random.default_rng(1)
    model = network(plots, motions)
    order = torch.from_numpy(np.concatenate([shuffle.permutation(rows) for _ in range(PASSES)]))
    batches = order.split(BATCH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=len(batches))
    print("rows seen | right of 2,000 training rows, % | of level 6 | of marvl-qa-hard (mean error of counts)")
    for step, chosen in enumerate(batches, start=1):
        model.train()
        pictures, wanted = batch(data, "train", chosen)
        found = replies(model, pictures, motions)
        loss = functional.cross_entropy(found, wanted) if motions else functional.smooth_l1_loss(found, wanted.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        seen = step * BATCH
        if any(seen - BATCH < stop <= seen for stop in STOPS):
            columns = (accuracy(model, data, name, motions, 2_000) for name in ("train", "level", "test"))
            print(seen, *columns, sep=" | ", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    rows = commands.add_parser("rows")
    rows.add_argument("config", choices=PLOTS)
    rows.add_argument("out")
    rows.add_argument("--test", required=True)
    rows.add_argument("--workers", type=int, default=2)
    commands.add_parser("train").add_argument("arrays")
    given = parser.parse_args()
    if given.command == "rows":
        write_rows(given.config, given.out, given.test, given.workers)
    else:
        train(given.arrays)
