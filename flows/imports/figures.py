"""Pictures of imported figures: matplotlib in the sandbox, Asymptote by our own reader, the rest by ``asy``.

Whatever draws, the picture is brought to one form: at most 600 px, 64 colours, our own PNG bytes.
"""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.geogram import sandbox
from planimeter.filters.geogram.drawn import Sketch
from planimeter.filters.geogram.programs import lint
from planimeter.items import Caption, CuratedProblem, Drawing, Language, Stroke
from planimeter.rendering.asymptote.drawing import draw
from planimeter.rendering.asymptote.points import named_points
from planimeter.rendering.geogram import picture
from planimeter.rendering.png import IndexedImage, encode

SIZE = 600
COLOURS = 64

#: Seconds that ``asy`` may take; it starts LaTeX for each label.
PATIENCE = 60.0

#: TeX in labels that reads, writes or redefines. TeX itself is confined to its folder as well.
_REACHES = re.compile(
    r"\\(?:input|include|openin|openout|read|write|immediate|special|catcode|csname|def|let|usepackage)(?![A-Za-z])"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """``png`` is None where nothing was drawn; ``reason`` is then a short key, ``detail`` explains it."""

    png: bytes | None = None
    reason: str = ""
    detail: str = ""


def asymptote() -> tuple[str, str]:
    """Return the path of ``asy`` and its version, or two empty strings where it is not installed."""
    path = shutil.which("asy")
    if path is None:
        return "", ""
    try:
        process = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "", ""
    lines = (process.stdout + process.stderr).splitlines()
    return path, lines[0].strip() if lines else "unknown version"


def sketch_of(code: str, language: Language) -> Sketch:
    """Return the points and marks that ``code`` draws, as far as they can be computed without ``asy``."""
    if language == "asymptote":
        names, drawing = named_points(code)
        return Sketch(names=names, drawing=drawing)
    outcome = _ran(code)
    captions = (Caption(text=text, point=(x, y), direction=(0.0, 0.0)) for text, x, y in outcome.labels)
    strokes = (Stroke(points=points) for points in outcome.lines if points)
    return Sketch(names={}, drawing=Drawing(marks=(*strokes, *captions)))


@lru_cache(maxsize=2)
def _ran(code: str) -> sandbox.Outcome:
    """Return what ``code`` draws with matplotlib; its leaks are looked for first, and its picture is taken next."""
    return sandbox.run(code)


def figure_of(item: CuratedProblem, asy: str) -> Figure:
    """Return the picture that the code of ``item`` draws; ``asy`` is the path of Asymptote or empty."""
    if item.language == "matplotlib":
        outcome = _ran(item.code)
        if outcome.picture is None:
            return Figure(reason=outcome.reason, detail=outcome.detail)
        return Figure(png=_encoded(Image.fromarray(outcome.picture)))
    fault = lint(item.code)
    if fault:
        return Figure(reason=fault)
    try:
        return Figure(png=encode(picture(draw(item.code))))
    except UnreadableError as error:
        detail = str(error)
    except ValueError:
        detail = "a label that matplotlib cannot set"
    if not asy:
        return Figure(reason="only Asymptote itself can draw the figure, and asy is not installed", detail=detail)
    return _by_asymptote(item.code, asy)


def _by_asymptote(code: str, asy: str) -> Figure:
    if _REACHES.search(code):
        return Figure(reason="the program reaches outside of the drawing", detail="TeX in a label")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "figure.asy"), Path(folder, "figure.png")
        source.write_text(code, encoding="utf-8")
        passed = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        tex = {"HOME": folder, "openin_any": "p", "openout_any": "p", "shell_escape": "f"}
        command = [asy, "-safe", "-noView", "-f", "png", "-render", "0", "-o", "figure", source.name]
        try:
            process = subprocess.run(
                command, cwd=folder, env=passed | tex, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            return Figure(reason="the code runs too long")
        if process.returncode or not target.is_file():
            return Figure(reason="Asymptote does not draw the figure", detail=process.stderr.strip()[:200])
        try:
            with Image.open(target) as image:
                return Figure(png=_encoded(image.convert("RGB")))
        except (OSError, ValueError) as error:
            return Figure(reason="Asymptote does not draw the figure", detail=str(error)[:200])


def _encoded(image: Image.Image) -> bytes:
    scale = SIZE / max(image.size)
    if scale < 1:
        image = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
    reduced = image.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    palette = np.zeros((COLOURS, 3), np.uint8)
    colours = np.asarray(reduced.getpalette(), np.uint8).reshape(-1, 3)[:COLOURS]
    palette[: len(colours)] = colours
    return encode(IndexedImage(np.asarray(reduced, np.uint8), palette))
