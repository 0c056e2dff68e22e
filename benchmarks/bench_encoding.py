"""PNG encoders on the 81 pictures of a pair of plots: CPU milliseconds and bytes a picture, alone and in Parquet.

Run with ``python -m benchmarks.bench_encoding``. fpng and ISA-L are measured where the packages ``fpng-py`` and
``isal`` are installed; the project does without them. "in Parquet" is what a row costs in a download of the dataset:
the pictures of one pair in a row group, compressed as export/parquet.py does it.
"""

import importlib
import io
import time
from collections.abc import Callable

import cv2
import deflate
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from benchmarks.bench_rendering import DOMAIN, surface
from planimeter.export.parquet import COMPRESSION_LEVEL, PAGES
from planimeter.items import STYLES
from planimeter.rendering import png
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import compose, drawing, paint
from planimeter.rendering.png import Encoder, IndexedImage, encode

Encode = Callable[[IndexedImage], bytes]


def pictures() -> list[IndexedImage]:
    grid = surface()
    turned = np.ascontiguousarray(np.rot90(grid, -1))
    scale = scale_of_heights(grid, turned)
    left, right = (drawing(g, scale) for g in (grid, turned))
    first = [paint(left, DOMAIN, style, "Plot A") for style in STYLES]
    second = [paint(right, DOMAIN, style, "Plot B") for style in STYLES]
    return [compose(a, b) for a in first for b in second]


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


def by_fpng() -> Encode:
    fpng = importlib.import_module("fpng_py")

    def work(image: IndexedImage) -> bytes:
        height, width = image.indices.shape
        return bytes(fpng.fpng_encode_image_to_memory(image.rgb().tobytes(), width, height, 3))

    return work


def by_isal(level: int) -> Encode:
    isal = importlib.import_module("isal.isal_zlib")
    return lambda image: with_pixels(image, isal.compress(filtered(image.indices, up=False), level))


def by_libdeflate(level: int, *, up: bool) -> Encode:
    return lambda image: with_pixels(image, bytes(deflate.zlib_compress(filtered(image.indices, up=up), level)))


def filtered(indices: npt.NDArray[np.uint8], *, up: bool) -> bytes:
    rows = np.zeros((indices.shape[0], indices.shape[1] + 1), np.uint8)
    rows[:, 1:] = indices
    if up:
        rows[1:, 1:] -= indices[:-1]
        rows[:, 0] = 2
    return rows.tobytes()


def with_pixels(image: IndexedImage, deflated: bytes) -> bytes:
    return png._assemble(image, png._chunk(b"IDAT", deflated))


def contenders() -> dict[str, Callable[[], Encode]]:
    return {
        "cv2, true colour, default": lambda: by_cv2(None),
        "cv2, true colour, level 1": lambda: by_cv2(1),
        "Pillow, true colour": lambda: by_pillow(palette=False),
        "Pillow, palette": lambda: by_pillow(palette=True),
        "fpng, true colour": by_fpng,
        "ISA-L, palette, level 1": lambda: by_isal(1),
        "ISA-L, palette, level 3": lambda: by_isal(3),
        **{f"libdeflate, palette, level {n}": lambda n=n: by_libdeflate(n, up=False) for n in (1, 4, 6, 7, 9)},  # type: ignore[misc]
        "libdeflate, palette, level 6, filter Up": lambda: by_libdeflate(6, up=True),
        "ours, each picture alone": lambda: encode,
        "ours, all pictures of a pair": lambda: Encoder().encode,
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


def main() -> None:
    images = pictures()
    print(f"{'':42}{'ms':>8}{'kB':>8}{'kB in Parquet':>15}")
    for name, make in contenders().items():
        try:
            work = make()
        except ModuleNotFoundError as missing:
            print(f"{name:42}  not installed ({missing.name})")
            continue
        work(images[0])
        start = time.process_time()
        encoded = [work(image) for image in images]
        each = (time.process_time() - start) / len(images) * 1e3
        for image, content in zip(images[::20], encoded[::20], strict=True):
            shown = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
            assert shown is not None and np.array_equal(shown[:, :, ::-1], image.rgb()), f"{name} is not lossless"
        size = sum(map(len, encoded)) / len(encoded) / 1e3
        print(f"{name:42}{each:8.2f}{size:8.1f}{in_parquet(encoded) / len(encoded) / 1e3:15.1f}")


if __name__ == "__main__":
    main()
