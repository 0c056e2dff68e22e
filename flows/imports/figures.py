"""Draws imported Asymptote programs with an installed ``asy``, only if the user asks for it by ``--draw``.

No other imported program is ever run. ``asy`` runs with its own restrictions (``-safe``, no reading and writing in
other folders), an empty HOME, and limits on time, memory and output. Each picture is reduced to at most 600 px and 64
colours, and encoded by our PNG encoder.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from planimeter.export.errors import CurationError
from planimeter.items import CuratedProblem
from planimeter.rendering.png import IndexedImage, encode

#: The most pixels of a side of a picture, and its most colours.
SIZE = 600
COLOURS = 64

#: Limits of ``asy``: seconds (it starts LaTeX for each label), KiB of memory, and blocks of 512 bytes of a file.
PATIENCE = 60.0
MEMORY, OUTPUT = 4 << 20, 64 << 11

#: The most bytes of the messages of ``asy`` that are read.
MOST_SAID = 4096

#: Words by which a program, or TeX in a label, reads or writes files or runs programs. Comments are searched, too.
_REACHES = re.compile(
    r"\b(?:system|[xb]?input|[xb]?output|file|delete|rename|cd|shipout|_?eval|include|animate|getc|getstring|getreal|"
    r"readline|asy|mode|usepackage|texpreamble|texpath|outprefix|settings|loadRPC|stdin|stdout|graphic|history|"
    r"convert|locatefile|texcommand|defaultfilename)\b"
    r"|\b(?:tex|postscript)\s*\("
    r"|\b(?:import|access|from)\b(?!\s+[A-Za-z_]\w*\s*(?:;|,|as\b|unravel\b|access\b))"
    r"|\\(?:openin|openout|read|write|immediate|special|catcode|csname|def|edef|gdef|let|newread|newwrite|pdf\w*|"
    r"directlua|verbatiminput|lstinputlisting|includegraphics|begingroup|expandafter|usepackage|@@input|@input|input)"
    r"(?![A-Za-z])|\^\^"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """The result of drawing: ``png``, or None with the kind of failure (``reason``) and its ``detail``."""

    png: bytes | None = None
    reason: str = ""
    detail: str = ""


NOT_ASKED = Figure(reason="not drawn: --draw draws Asymptote by asy")


@dataclass(frozen=True, kw_only=True, slots=True)
class Asymptote:
    """The installed program ``asy``; old versions lack ``-noglobalread`` (``knows_globalread`` is False)."""

    path: str
    version: str
    knows_globalread: bool


def asymptote() -> Asymptote:
    """Return the ``asy`` on the PATH. Raises ``CurationError`` if there is none, or it fails."""
    path = shutil.which("asy")
    if path is None:
        raise CurationError("--draw needs Asymptote: asy is not on the PATH; install it, or import without --draw")
    outputs = []
    for option in ("--version", "--help"):
        try:
            process = subprocess.run([path, option], capture_output=True, text=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CurationError(
                f"--draw: {path} {option} fails ({type(error).__name__}); repair Asymptote, or go without --draw"
            ) from error
        outputs.append((process.stdout + process.stderr).strip())
    version = outputs[0].splitlines()[0].strip() if outputs[0] else "unknown version"
    return Asymptote(path=path, version=version, knows_globalread="-globalread" in outputs[1])


def figure_of(item: CuratedProblem, asy: Asymptote | None) -> Figure:
    """Draw the code of ``item`` with ``asy``; return the picture, or the reason why there is none."""
    if asy is None:
        return NOT_ASKED
    if item.language == "matplotlib":
        return Figure(reason="matplotlib is read, and never run")
    # Outside of strings, ^^ is an operator of Asymptote; inside, it is TeX's notation for an arbitrary character.
    joined = re.sub(r"""["']\s*\+\s*["']""", "", item.code)
    outside = re.sub(r'"[^"]*"', lambda text: text[0].replace("^^", "\\special"), joined).replace("^^", " ")
    if found := _REACHES.search(outside):
        return Figure(reason="the program reaches outside of the drawing", detail=found[0])
    with tempfile.TemporaryDirectory(prefix="planimeter-asy-") as folder:
        return _drawn(item.code, asy, Path(folder))


def _drawn(code: str, asy: Asymptote, folder: Path) -> Figure:
    """Run ``asy`` on ``code`` in the empty ``folder``; return the picture, or the reason why there is none."""
    Path(folder, "figure.asy").write_text(code, encoding="utf-8")
    target, home = folder / "figure.png", folder / "home"
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    # Ghostscript lets PostScript read, write and delete files in the temporary folder.
    own = dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), str(home))
    limits = {**own, "openin_any": "p", "openout_any": "p", "shell_escape": "f"}
    options = ["-safe", "-noglobalwrite", *(["-noglobalread"] if asy.knows_globalread else [])]
    command = [asy.path, *options, "-noView", "-f", "png", "-render", "0", "-o", "figure", "figure.asy"]
    limited = f'ulimit -c 0; ulimit -t {PATIENCE:.0f}; ulimit -v {MEMORY}; ulimit -f {OUTPUT}; exec "$@"'
    # To a file, whose size is limited, unlike that of a pipe.
    with Path(folder, "said").open("w+b") as said:
        process = subprocess.Popen(
            ["/bin/sh", "-c", limited, "sh", *command], cwd=folder, env=kept | limits, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=said, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return Figure(reason="Asymptote takes too long")
        said.seek(0)
        first = said.read(MOST_SAID).decode(errors="replace")
    if process.returncode or target.is_symlink() or not target.is_file():
        detail = " ".join(first.replace(str(folder), "").split())[:200]
        return Figure(reason="Asymptote does not draw the figure", detail=detail)
    try:
        with Image.open(target, formats=["PNG"]) as image:
            flat = Image.new("RGB", image.size, "white")
            flat.paste(image, mask=image.getchannel("A") if "A" in image.getbands() else None)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        return Figure(reason="Asymptote does not draw the figure", detail=str(error)[:200])
    if not np.ptp(np.asarray(flat), axis=(0, 1)).any():
        return Figure(reason="the picture is blank")
    return Figure(png=_encoded(flat))


def _encoded(image: Image.Image) -> bytes:
    """Return ``image`` as a palette PNG of at most ``SIZE`` px (longer side) and ``COLOURS`` colours."""
    scale = SIZE / max(image.size)
    if scale < 1:
        image = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
    reduced = image.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    palette = np.zeros((COLOURS, 3), np.uint8)
    colours = np.asarray(reduced.getpalette(), np.uint8).reshape(-1, 3)[:COLOURS]
    palette[: len(colours)] = colours
    return encode(IndexedImage(np.asarray(reduced, np.uint8), palette))
