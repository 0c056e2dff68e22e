"""Files of replies as the harnesses write them: their forms, with made-up content."""

import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa

Record = dict[str, Any]


def lines(path: Path, records: Sequence[Record]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def log(path: Path, members: Mapping[str, Record], *, method: int = 93) -> Path:
    """Write a zip of JSON as Inspect does, packed with zstd (93), deflated (8) or stored (0)."""
    written, central = BytesIO(), BytesIO()
    for name, record in members.items():
        content = json.dumps(record).encode()
        packed = _PACKERS[method](content)
        sizes = struct.pack("<IIIHH", zlib.crc32(content), len(packed), len(content), len(name), 0)
        shared = struct.pack("<HHHHH", 63, 0, method, 0, 0)
        central.write(b"PK\x01\x02\x3f\x03" + shared + sizes + struct.pack("<HHHII", 0, 0, 0, 0, written.tell()))
        central.write(name.encode())
        written.write(b"PK\x03\x04" + shared + sizes + name.encode() + packed)
    place, size = written.tell(), central.tell()
    written.write(central.getvalue())
    written.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), size, place, 0))
    path.write_bytes(written.getvalue())
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == list(members)
    return path


def _deflated(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


_PACKERS = {0: bytes, 8: _deflated, 93: lambda content: pa.compress(content, codec="zstd", asbytes=True)}


def inspect_sample(name: str, text: str, *, epoch: int = 1, stop: str = "stop", **more: Any) -> Record:
    """A sample of Inspect 0.3.285, without the parts that nobody reads here."""
    content = [{"type": "reasoning", "reasoning": "3?"}, {"type": "text", "text": text}]
    message = {"id": "m", "role": "assistant", "content": content}
    usage = {"input_tokens": 5, "output_tokens": 7, "total_tokens": 12, "reasoning_tokens": 3}
    output = {"model": "mockllm/model", "choices": [{"message": message, "stop_reason": stop}], "completion": text}
    output["usage"] = usage
    return {"id": name, "epoch": epoch, "input": "q", "target": "3", "messages": [message], "output": output, **more}


def inspect_header(
    model: str = "mockllm/model",
    ids: Sequence[object] | None = None,
    epochs: int = 1,
    created: str | None = None,
    **arguments: str,
) -> Record:
    """The header of a log of a run that was to ask ``ids``; without them that of an old Inspect, which does not say."""
    about: Record = {"model": model, "task": "t", "task_args": arguments}
    if ids is not None:
        about |= {"dataset": {"samples": 1548, "sample_ids": list(ids)}, "config": {"epochs": epochs}}
    if created is not None:
        about["created"] = created
    return {"version": 2, "status": "success", "eval": about}


def inspect_log(path: Path, texts: Mapping[str, str | None], *, epochs: Sequence[int] = (1,), **header: Any) -> Path:
    """Write the log of a run that asked for ``texts`` in these epochs; None is a sample that ended in an error."""
    error = {"output": {}, "error": {"message": "500"}}
    samples = {
        f"samples/{name}_epoch_{epoch}.json": {"id": name, "epoch": epoch, **error}
        if text is None
        else inspect_sample(name, text, epoch=epoch)
        for name, text in texts.items()
        for epoch in epochs
    }
    given = {"ids": list(texts), "epochs": len(epochs), **header}
    return log(path, {**samples, "header.json": inspect_header(**given)})


def episode(name: str | None, *texts: str, model: str = "some/model", finish: str = "stop") -> Record:
    """An episode of verifiers 0.4.0 with a trace for each text."""
    task = {"type": "Task", "data": {"idx": 0, "id": name, "prompt": "q"}}
    usage = {"prompt_tokens": 5, "completion_tokens": 7, "reasoning_tokens": 3}
    agent = {"config": {"model": model}, "name": "agent"}
    asked = {"message": {"role": "user", "content": "q <answer>9</answer>"}, "sampled": False}
    calls = [{"node": 1, "model": model, "finish_reason": finish, "usage": usage}]
    traces = []
    for number, text in enumerate(texts):
        reply = {"parent": 0, "message": {"role": "assistant", "content": text}, "sampled": True}
        trace = {"version": 1, "id": f"{name}-{number}", "task": task, "agent": agent, "nodes": [asked, reply]}
        traces.append({**trace, "calls": calls, "errors": []})
    return {"id": f"e-{name}", "env": {"id": "planimeter"}, "task": task, "ok": True, "errors": [], "traces": traces}


def lmms_sample(name: str, *texts: str) -> Record:
    """A line of lmms-eval 0.7.3 for a task whose metric holds the row's id."""
    tokens = [{"output_tokens": 7, "reasoning_tokens": 3}] * len(texts)
    line = {"doc_id": 0, "target": "3", "filtered_resps": texts[0] if len(texts) == 1 else list(texts)}
    return {**line, "token_counts": tokens, "doc_hash": "0", "planimeter": {"id": name, "score": 1.0}, "input": "q"}
