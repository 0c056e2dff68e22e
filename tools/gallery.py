"""Draws the README's figure, one item of each dataset with its question in short, from the rows of a small build.

``make gallery`` builds about 1% of every dataset and writes ``docs/assets/gallery-light.webp`` and ``-dark.webp``.
"""

import argparse
import io
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

import matplotlib as mpl
import pyarrow.parquet as pq
from PIL import Image, ImageDraw, ImageFont

Row = dict[str, Any]


class Tile(NamedTuple):
    """The first row of ``config`` whose columns have these values, and what it asks."""

    dataset: str
    config: str
    where: dict[str, object]
    question: str


TILES: Final = (
    Tile("marvl-qa-mini", "counting", {"plot_type": "heatmap"}, "How many local maxima or minima?"),
    Tile(
        "marvl-qa",
        "transformation",
        {"plot_type_a": "heatmap", "plot_type_b": "contour"},
        "Which transformation joins both plots?",
    ),
    Tile("marvl-qa-train", "counting", {"plot_type": "contour", "level": 5}, "Count extrema, in eight levels"),
    Tile("marvl-qa-hard", "counting_hard", {"feature": "maxima"}, "Count 10 to 60 small extrema"),
    Tile("marvl-qa-hard", "surface", {"elevation": 55, "mesh": True}, "Count summits of a 3D surface"),
    Tile("marvl-qa-hard-train", "transformation_hard", {"level": 3}, "Which motion of eighteen, by fine bumps alone?"),
    Tile("traversal", "base", {"n_points": 13}, "Name the markers along the line"),
    Tile("traversal-hard", "confounded", {}, "The same among gray spurs"),
    Tile("traversal-curved", "curved", {"smoothness": 1.0}, "The same path, straight and bent"),
    Tile("traversal-train", "base", {"level": 4}, "Follow the line, in eight levels"),
    Tile("curves", "maze", {}, "Which region lies in which?"),
    Tile("curves-train", "curriculum", {"category": "topographical"}, "Write the tree, in eight levels"),
    Tile("curves-polygons", "polygon", {}, "Trees of nested polygons"),
    Tile("curves-looks", "polygon", {}, "The same, coloured, dashed, scanned"),
    Tile("curves-maps", "planar_map", {}, "Which faces share a border?"),
    Tile("geogram", "geogram", {"language": "asymptote"}, "See the figure in the code"),
    Tile("geogram-paired", "matplotlib", {}, "One problem in three notations"),
    Tile("geogram-programs", "geogram", {}, "Programs with functions and recursion"),
    Tile("geogram-train", "geogram", {"language": "matplotlib"}, "Problems in code, in eight levels"),
)
COLUMNS, SIDE, GAP, CAPTION = 4, 296, 16, 60
#: Ground, tile, border, text and gray text of each theme; those of GitHub's pages.
THEMES: Final = {
    "light": ("#ffffff", "#f6f8fa", "#d1d9e0", "#1f2328", "#59636e"),
    "dark": ("#0d1117", "#151b23", "#3d444d", "#f0f6fc", "#9198a1"),
}
#: Bytes of both files together, at the most.
LIMIT = 400_000


def first_row(folder: Path, tile: Tile) -> Row:
    """Return the row that ``tile`` names of the dataset built below ``folder``. Raises ``SystemExit`` without one."""
    for path in sorted(folder.glob(f"{tile.dataset}/*/data/{tile.config}/*.parquet")):
        for row in pq.read_table(path).to_pylist():
            if all(row[name] == value for name, value in tile.where.items()):
                return row
    raise SystemExit(f"{folder} holds no row of {tile.dataset}, {tile.config}, with {tile.where or 'any values'}")


def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(Path(mpl.get_data_path(), "fonts/ttf", f"DejaVu{name}.ttf")), size)


def _picture(row: Row) -> Image.Image:
    """The item as a model is asked it: its picture, or else its code beside the figure that the code draws."""
    with Image.open(io.BytesIO(row["image"]["bytes"])) as file:
        picture = file.convert("RGB")
    fitted = Image.new("RGB", (SIDE, SIDE), "white")
    if picture.width > 1.8 * picture.height:  # two plots, side by side: one above the other they can be seen
        plots = [picture.crop((left, 0, left + picture.width // 2, picture.height)) for left in (0, picture.width // 2)]
        picture = Image.new("RGB", (plots[0].width, 2 * picture.height))
        for number, plot in enumerate(plots):
            picture.paste(plot, (0, number * plot.height))
    if "code" not in row:
        picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
        fitted.paste(picture, ((SIDE - picture.width) // 2, (SIDE - picture.height) // 2))
        return fitted
    picture.thumbnail((SIDE // 2, SIDE // 2), Image.Resampling.LANCZOS)
    fitted.paste(picture, (SIDE - picture.width - 6, SIDE - picture.height - 6))
    pen = ImageDraw.Draw(fitted)
    font = _font("SansMono", 11)
    lines = [line for line in row["code"].splitlines() if line.strip() and not re.match(r"(import|fig|ax\.set)", line)]
    for number, line in enumerate(lines):
        top = 8 + 15 * number
        width = SIDE - 16 if top + 15 < SIDE - picture.height - 6 else SIDE - picture.width - 22
        if top > SIDE - 20:
            break
        most = int(width / font.getlength("0"))
        pen.text((8, top), line if len(line) <= most else f"{line[: most - 1]}…", font=font, fill="#1f2328")
    return fitted


def draw(rows: list[Row], theme: str) -> Image.Image:
    """Return the figure in ``theme``, four tiles a line, in the order of ``TILES``."""
    ground, caption, border, text, gray = THEMES[theme]
    lines = -(-len(rows) // COLUMNS)
    size = (COLUMNS * (SIDE + GAP) + GAP, lines * (SIDE + CAPTION + GAP) + GAP)
    figure = Image.new("RGB", size, ground)
    pen = ImageDraw.Draw(figure)
    for number, (tile, row) in enumerate(zip(TILES, rows, strict=True)):
        left = GAP + number % COLUMNS * (SIDE + GAP)
        top = GAP + number // COLUMNS * (SIDE + CAPTION + GAP)
        box = (left, top, left + SIDE, top + SIDE + CAPTION)
        pen.rectangle(box, fill=caption)
        figure.paste(_picture(row), (left, top))
        pen.rectangle(box, outline=border)
        pen.text((left + 10, top + SIDE + 8), tile.dataset, font=_font("Sans-Bold", 16), fill=text)
        pen.text((left + 10, top + SIDE + 32), tile.question, font=_font("Sans", 14), fill=gray)
    return figure


def main() -> None:
    """Write the figure in both themes. Raises ``SystemExit`` where a dataset lacks, or the files are too large."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("built", type=Path, help="where `planimeter build smoke --out` wrote its datasets")
    parser.add_argument("target", type=Path, help="the folder of both files")
    options = parser.parse_args()
    rows = [first_row(options.built, tile) for tile in TILES]
    files = {}
    for theme in THEMES:
        file = io.BytesIO()
        draw(rows, theme).save(file, "WEBP", quality=72, method=6)
        files[options.target / f"gallery-{theme}.webp"] = file.getvalue()
    total = sum(map(len, files.values()))
    if total > LIMIT:
        raise SystemExit(f"both files take {total:,} bytes, and {LIMIT:,} are the most that the repository shall keep")
    options.target.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        path.write_bytes(content)
    print(f"{', '.join(map(str, files))}: {total:,} bytes")


if __name__ == "__main__":
    main()
