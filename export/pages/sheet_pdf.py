"""A sheet and its key as PDF, by matplotlib: A4, the same bytes each time, pictures with the pixels of the dataset.

Questions flow down the columns of a page. One is not broken over two columns unless it is longer than one.
"""

import io
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.lines import Line2D
from PIL import Image

from planimeter.export.pages.sheet import Question, Sheet, Words

#: Points. The paper, its margins, and the space between columns.
WIDTH, HEIGHT, MARGIN, GUTTER = 595.0, 842.0, 42.0, 20.0
#: Higher pictures are made smaller.
MOST_HEIGHT = 600.0

_INK, _SOFT = "#1d2126", "#5d6670"
#: Fonts of the matplotlib that is pinned, whatever a user's own settings say; text is no formula and stays text.
_RC: Any = {"font.family": "DejaVu Sans", "text.parse_math": False, "text.usetex": False, "pdf.fonttype": 42}
#: No clock in the file.
_UNDATED: Any = {"CreationDate": None, "ModDate": None}


class _Face(NamedTuple):
    """A font: size and distance of its lines in points."""

    size: float
    leading: float
    family: str = "DejaVu Sans"
    weight: str = "normal"
    colour: str = _INK


_TITLE = _Face(15, 22, weight="bold")
_HEAD = _Face(11, 17, weight="bold")
_PROSE, _SMALL = _Face(8.5, 12), _Face(7.5, 11, colour=_SOFT)
_CODE = _Face(6.8, 9, family="DejaVu Sans Mono")


@dataclass(frozen=True)
class _Line:
    text: str
    face: _Face

    @property
    def height(self) -> float:
        return self.face.leading


@dataclass(frozen=True)
class _Gap:
    height: float


@dataclass(frozen=True)
class _Picture:
    pixels: npt.NDArray[np.uint8]
    width: float
    height: float


@dataclass(frozen=True)
class _Rule:
    """A line for the answer."""

    width: float
    height: float


_Piece = _Line | _Gap | _Picture | _Rule


class _Placed(NamedTuple):
    """A piece whose upper left corner is at ``x``, ``y`` points from the lower left one of page ``page``."""

    page: int
    x: float
    y: float
    piece: _Piece


def sheet_pdf(sheet: Sheet) -> bytes:
    """Return the questions; each section begins on a page of its own."""
    placed: list[_Placed] = []
    for number, part in enumerate(sheet.sections):
        first = placed[-1].page + 1 if placed else 0
        full = WIDTH - 2 * MARGIN
        head: list[_Piece] = []
        if number == 0:
            head += [_Line(sheet.title, _TITLE), *_wrapped(sheet.drawn, _SMALL, full), _Gap(8)]
        head += [_Line(part.config, _HEAD), *_paragraphs((*part.before, *part.after), full), _Gap(8)]
        placed += _flowed([head], 1, first, HEIGHT - MARGIN)
        last = placed[-1]
        columns = part.columns
        width = (full - (columns - 1) * GUTTER) / columns
        blocks = [_block(one, width) for one in part.questions]
        placed += _flowed(blocks, columns, last.page, last.y - last.piece.height)
    return _drawn(placed)


def key_pdf(sheet: Sheet) -> bytes:
    """Return the answers."""
    full = WIDTH - 2 * MARGIN
    blocks: list[list[_Piece]] = [[_Line(f"{sheet.title}: key", _TITLE), *_wrapped(sheet.drawn, _SMALL, full), _Gap(8)]]
    for part in sheet.sections:
        for q in part.questions:
            origin = ", ".join([part.config, *(f"{n} = {v}" for n, v in zip(sheet.by, q.values, strict=True)), q.id])
            answer = [line for text in q.answer.split("\n") for line in _wrapped(text, _CODE._replace(size=8), full)]
            blocks.append([_Line(str(q.number), _HEAD), *answer, *_wrapped(origin, _SMALL, full), _Gap(8)])
    return _drawn(_flowed(blocks, 1, 0, HEIGHT - MARGIN))


def _block(one: Question, width: float) -> list[_Piece]:
    pieces: list[_Piece] = [_Line(str(one.number), _HEAD)]
    if one.picture is not None:
        pixels = np.asarray(Image.open(io.BytesIO(one.picture)).convert("RGB"))
        shown = min(width, MOST_HEIGHT * pixels.shape[1] / pixels.shape[0])
        pieces += [_Picture(pixels, shown, shown * pixels.shape[0] / pixels.shape[1]), _Gap(6)]
    return [*pieces, *_paragraphs(one.words, width), _Line("Answer", _SMALL), _Rule(width, 24), _Gap(14)]


def _paragraphs(words: Iterable[Words], width: float) -> Iterator[_Piece]:
    for text, is_code in words:
        for line in text.split("\n"):
            yield from _wrapped(line, _CODE if is_code else _PROSE, width)
        yield _Gap(4)


def _wrapped(text: str, face: _Face, width: float) -> Iterator[_Line]:
    """Yield ``text`` in lines no wider than ``width`` points, broken at blanks, or within a word that is wider."""
    font = get_font(findfont(FontProperties(family=face.family, weight=face.weight)))
    font.set_size(face.size, 72)

    def fits(line: str) -> bool:
        font.set_text(line)
        return bool(font.get_width_height()[0] / 64 <= width)

    while not fits(text):
        most = max(1, bisect_left(range(len(text)), True, key=lambda end: not fits(text[: end + 1])))
        blank = text.rfind(" ", 0, most + 1)
        end = blank if text[: max(blank, 0)].strip() else most
        yield _Line(text[:end], face)
        text = text[end:].removeprefix(" ")
    yield _Line(text, face)


def _flowed(blocks: Sequence[Sequence[_Piece]], columns: int, page: int, top: float) -> Iterator[_Placed]:
    """Yield the pieces of ``blocks``, down the columns from ``top`` on ``page``, then on further pages."""
    step = (WIDTH - 2 * MARGIN + GUTTER) / columns
    column, y, highest = 0, top, top
    for block in blocks:
        whole = sum(piece.height for piece in block)
        for number, piece in enumerate(block):
            together = whole if number == 0 and whole <= HEIGHT - 2 * MARGIN else piece.height
            while y - together < MARGIN:
                column += 1
                if column == columns:
                    column, page, highest = 0, page + 1, HEIGHT - MARGIN
                y = highest
            yield _Placed(page, MARGIN + column * step, y, piece)
            y -= piece.height


def _drawn(placed: Iterable[_Placed]) -> bytes:
    """Return the document of what was placed, in the order of its pages."""
    file = io.BytesIO()
    with matplotlib.rc_context(_RC), PdfPages(file, metadata=_UNDATED) as document:
        for _, pieces in groupby(placed, key=lambda one: one.page):
            page = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
            for _, x, y, piece in pieces:
                _draw(page, x, y, piece)
            document.savefig(page)
    return file.getvalue()


def _draw(page: Figure, x: float, y: float, piece: _Piece) -> None:
    if isinstance(piece, _Line):
        face = piece.face
        font = FontProperties(family=face.family, weight=face.weight, size=face.size)
        # The base line, so that lines of whatever letters stand evenly.
        page.text(
            x / WIDTH, (y - face.size) / HEIGHT, piece.text, fontproperties=font, color=face.colour, va="baseline"
        )
    elif isinstance(piece, _Picture):
        box = (x / WIDTH, (y - piece.height) / HEIGHT, piece.width / WIDTH, piece.height / HEIGHT)
        panel = page.add_axes(box, frameon=False, xticks=[], yticks=[])
        # "none": the file holds the pixels themselves, and nothing between them.
        panel.imshow(piece.pixels, interpolation="none", aspect="auto")
    elif isinstance(piece, _Rule):
        at = (y - piece.height) / HEIGHT
        page.add_artist(Line2D([x / WIDTH, (x + piece.width) / WIDTH], [at, at], color=_SOFT, linewidth=0.5))
