"""PNG encoders on the 81 pictures of a pair of plots: CPU milliseconds and bytes a picture, alone and in Parquet.

"in Parquet" is what a row costs in a download of the dataset: the pictures of one pair in a row group, compressed as
export/parquet.py does it.
"""

import io
import zlib
from collections.abc import Callable, Iterator

import cv2
import deflate
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from benchmarks.bench_rendering import encoded, pictures, two_plots
from benchmarks.measured import Measured, milliseconds
from planimeter.export.parquet import COMPRESSION_LEVEL, PAGES
from planimeter.rendering import png
from planimeter.rendering.png import IndexedImage

Encode = Callable[[IndexedImage], bytes]


def by_cv2(level: int | None) -> Encode:
    options = [] if level is None else [cv2.IMWRITE_PNG_COMPRESSION, level]
    return lambda image: cv2.imencode(".png", image.rgb()[:, :, ::-1], options)[1].tobytes()


def by_pillow(*, palette: bool) -> Encode:
    def work(image: IndexedImage) -> bytes:
        picture = Image.fromarray(image.indices if palette else image.rgb())
        if palette:
            picture.putpalette(image.palette.tobytes())
        target = io.BytesIO()
        picture.save(target, "png")
        return target.getvalue()

    return work


def by_deflate(compress: Callable[[bytes, int], bytes], level: int) -> Encode:
    def work(image: IndexedImage) -> bytes:
        rows = np.pad(image.indices, ((0, 0), (1, 0))).tobytes()
        return png._assemble(image, png._chunk(b"IDAT", bytes(compress(rows, level))))

    return work


CONTENDERS: dict[str, Encode] = {
    "OpenCV, true colour": by_cv2(None),
    "OpenCV, true colour, level 1": by_cv2(1),
    "Pillow, true colour": by_pillow(palette=False),
    "Pillow, palette": by_pillow(palette=True),
    "zlib, palette, level 6": by_deflate(zlib.compress, 6),
    **{f"libdeflate, palette, level {level}": by_deflate(deflate.zlib_compress, level) for level in (1, 4, 6, 7, 9)},
}


def in_parquet(encoded: list[bytes]) -> int:
    target = io.BytesIO()
    pq.write_table(
        pa.table({"bytes": pa.array(encoded, pa.binary())}),
        target,
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        use_dictionary=False,
        use_content_defined_chunking=PAGES,
    )
    return target.tell()


def sizes(encoded: list[bytes]) -> str:
    each, packed = (size / len(encoded) / 1e3 for size in (sum(map(len, encoded)), in_parquet(encoded)))
    return f"{each:.1f} kB, {packed:.1f} in Parquet"


def rows(quick: bool = False) -> Iterator[Measured]:
    images = pictures(*two_plots())[:: 27 if quick else 1]
    ours, size = milliseconds(encoded, images, repeats=1, pieces=len(images)), sizes(encoded(images))
    for name, encode in CONTENDERS.items():
        pngs = [*map(encode, images)]
        for image, content in zip(images[::20], pngs[::20], strict=True):
            shown = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
            assert shown is not None and np.array_equal(shown[:, :, ::-1], image.rgb()), f"{name} is not lossless"
        theirs = milliseconds(lambda encode: [*map(encode, images)], encode, repeats=0, pieces=len(images))
        yield Measured(f"a PNG of a pair of plots ({size})", ours, theirs, f"{name} ({sizes(pngs)})")
