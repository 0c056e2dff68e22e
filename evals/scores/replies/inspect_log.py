"""Reads logs of Inspect AI (``.eval``) without this package. A log is a zip (zstd) with a JSON file for each sample."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa

from planimeter.evals.scores.replies.records import (
    MOST_SAMPLES,
    Found,
    RepliesError,
    Reply,
    Selection,
    Source,
    Unreadable,
    mapping,
    name_of,
    reason_of,
    reply_of,
    text_of,
)
from planimeter.export.foreign import MOST_BYTES, parse_json
from planimeter.items.values import Row

#: The number of zstd among the methods of a zip, which Python reads from 3.14 on.
ZSTD = 93

#: The length of a member's fixed header, and in it the lengths of its name and of its extra field.
_HEADER, _LENGTHS = 30, slice(26, 30)

#: The header of a complete log, and of one whose run was killed.
_HEADS = ("header.json", "_journal/start.json")

#: The maximum of rows times epochs in a header: a larger log is not of a real run, and its missing replies would fill
#: the memory.
MOST_ASKED = 1_000_000


def read(path: Path) -> Iterator[Found]:
    """Yield the records of the log ``path``: the rows of the run, then the datasets and replies in the log's order.

    Each epoch of Inspect is a further reply to the same row. A damaged reply is yielded as ``Unreadable``.

    Raises:
        RepliesError: if the file is not a log of Inspect, its header is damaged, or it lists too many rows.
    """
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        members = {member.filename: member for member in archive.infolist()}
        head = next((name for name in _HEADS if name in members), None)
        if head is None:
            raise RepliesError(f"{path} is not a log of Inspect: it contains neither {' nor '.join(_HEADS)}")
        try:
            spec = mapping(mapping(parse_json(_content(file, archive, members[head]))).get("eval"))
            whose = {"model": name_of("model", spec.get("model")), "variant": ""}
            whose["variant"] = name_of("variant", mapping(spec.get("task_args")).get("variant"))
        except Exception as error:  # noqa: BLE001 - any error of zipfile, a codec or JSON on a damaged member
            raise RepliesError(f"{path}: {head} is damaged: {reason_of(error)}") from None
        # ``--limit`` and ``--sample-id`` have been applied to the header's ids.
        ids, epochs = mapping(spec.get("dataset")).get("sample_ids"), mapping(spec.get("config")).get("epochs")
        if isinstance(ids, list):
            number = epochs if isinstance(epochs, int) and 0 < epochs <= MOST_SAMPLES else 1
            if len(ids) * number > MOST_ASKED:
                raise RepliesError(
                    f"{path}: {head} lists {len(ids):,} rows with {number:,} replies each, over {MOST_ASKED:,} in all"
                )
            yield Selection(ids=frozenset(map(str, ids)), epochs=number, **whose)
        checked: Source | None = None
        for name, member in members.items():
            if not name.startswith("samples/") or not name.endswith(".json"):
                continue
            try:
                sample = mapping(parse_json(_content(file, archive, member)))
                about = mapping(sample.get("metadata"))
                source = Source.of(about)
                if source != checked:
                    yield source
                    checked = source
                variant = about.get("variant") or whose["variant"]
                yield _reply(sample, model=whose["model"], variant=variant, created=spec.get("created"))
            except Exception as error:  # noqa: BLE001 - as above
                yield Unreadable(place=f"{path}: {name}", reason=reason_of(error))


def _content(file: IO[bytes], archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the decompressed content of ``member``, a file in the zip ``archive``, which is open as ``file``.

    Raises:
        ValueError: if it is too large, its compression is unknown, or its checksum differs.
    """
    if member.file_size > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES:,} bytes")
    if member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with archive.open(member) as packed_file:
            # To the end, where zipfile compares the checksum; a wrong size in the header also ends the read.
            return packed_file.read(MOST_BYTES) if member.file_size else b""
    if member.compress_type != ZSTD:
        raise ValueError("compressed by a method that Inspect does not use")
    file.seek(member.header_offset)
    file.seek(sum(struct.unpack("<HH", file.read(_HEADER)[_LENGTHS])), 1)
    packed = file.read(member.compress_size)
    content: bytes = pa.decompress(packed, decompressed_size=member.file_size, codec="zstd", asbytes=True)
    if zlib.crc32(content) != member.CRC:
        raise ValueError("damaged: its checksum differs")
    return content


def _reply(sample: Row, **whose: object) -> Reply:
    output, epoch = mapping(sample.get("output")), sample.get("epoch")
    choice, usage = mapping((output.get("choices") or [{}])[0]), mapping(output.get("usage"))
    text = text_of(output.get("completion") or mapping(choice.get("message")).get("content"))
    return reply_of(
        id=sample.get("id"),
        text=mapping(sample.get("attachments")).get(text.removeprefix("attachment://"), text),
        sample=epoch - 1 if isinstance(epoch, int) and epoch > 0 else 0,
        finish_reason="error" if sample.get("error") else choice.get("stop_reason"),
        completion_tokens=usage.get("output_tokens"),
        reasoning_tokens=usage.get("reasoning_tokens"),
        cost=usage.get("total_cost"),
        **whose,
    )
