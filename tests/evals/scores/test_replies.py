"""Readers of replies: each form is known by its content, and what cannot be read is reported, never dropped."""

import gzip
import json
import os
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reply_files import episode, inspect_header, inspect_sample, lines, lmms_sample, log

from planimeter.evals.scores.replies.reading import files_in, read
from planimeter.evals.scores.replies.records import RepliesError, Reply, Selection, Source, UnknownFormError, Unreadable
from planimeter.items.errors import PlanimeterError


def replies(path: Path) -> list[Reply]:
    return [record for record in read(path) if isinstance(record, Reply)]


def fields(path: Path, *names: str) -> list[tuple]:
    """These fields of each reply."""
    return [tuple(getattr(reply, name) for name in names) for reply in replies(path)]


def cannot_be_read(path: Path, said: str, error: type[Exception] = RepliesError) -> None:
    with pytest.raises(error, match=said):
        list(read(path))


def reasons(path: Path) -> list[tuple[str, str]]:
    """Return the places, without the file's name, and the reasons of what cannot be read."""
    unread = [record for record in read(path) if isinstance(record, Unreadable)]
    return [(record.place.removeprefix(str(path)).lstrip(": "), record.reason) for record in unread]


def test_json_lines_say_whose_reply_it_is_and_how_it_ended(tmp_path):
    whole = {"model": "m", "sample": 2, "finish_reason": "max_tokens", "completion_tokens": 7, "reasoning_tokens": 3.0}
    records = [
        {"dataset": "curves", "version": "1.1.0"},
        {"id": "a", "reply": "3"},
        {"id": "b", "reply": None, "prompt_variant": "reasoned", **whole},
        {"id": 7, "reply": [{"type": "text", "text": "3"}, {"type": "image"}, {"text": "4"}], "variant": "x"},
    ]
    assert list(read(lines(tmp_path / "x.jsonl", records))) == [
        Source(dataset="curves", version="1.1.0"),
        Reply(id="a", text="3"),
        Reply(id="b", text="", variant="reasoned", **{**whole, "finish_reason": "length"}),
        Reply(id="7", text="34", variant="x"),
    ]


DAMAGED = {
    '{"id": "b", "reply": "cut o': "not JSON, or cut off",
    "[1]": "not a JSON object",
    "[" * 100_000: "lists and objects are nested deeper than 100",
    '{"reply": "4"}': "no id",
    '{"id": "b", "text": "4"}': "no reply",
    '{"id": "b", "reply": 4}': "the reply is not text",
    '{"id": ["b"], "reply": "4"}': "id is not text",
    '{"id": "b", "reply": "4", "sample": -1}': "sample is not a whole number from 0 to 9999",
    '{"id": "b", "reply": "4", "sample": 1e9}': "sample is not a whole number from 0 to 9999",
    '{"id": "b", "reply": "4", "completion_tokens": "many"}': "completion_tokens is not a number from 0 to 1e12",
    '{"id": "b", "reply": "4", "completion_tokens": NaN}': "completion_tokens is not a number from 0 to 1e12",
    '{"id": "b", "reply": "4", "model": true}': "model is not text",
}


def test_a_damaged_line_is_reported_and_the_others_are_read(tmp_path):
    path = tmp_path / "x.jsonl"
    for line, reason in DAMAGED.items():
        path.write_text(f'\n{{"id": "a", "reply": "3"}}\n{line}\n{{"id": "c", "reply": "5"}}\n')
        assert fields(path, "id") == [("a",), ("c",)]
        ((place, said),) = reasons(path)
        assert (place, said[: len(reason)]) == ("3", reason)
    # Neither bytes that are no text nor a byte order mark stop the reading.
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "reply": "\xff 3"}\n{"id": "b", "reply": "\\ud800 4"}\r\n\x00\n')
    assert fields(path, "id") == [("a",), ("b",)]
    assert reasons(path) == [("3", "not JSON, or cut off")]


@pytest.mark.parametrize("method", [0, 8, 93], ids=["stored", "deflated", "zstd"])
def test_a_log_of_inspect_is_read_without_inspect(tmp_path, method):
    about = {"dataset": "marvl-qa-mini", "version": "1.1.0", "config": "counting"}
    members = {
        "_journal/start.json": inspect_header("other"),
        "samples/a_epoch_1.json": inspect_sample("a", "<final_answer>3</final_answer>", metadata=about),
        "samples/a_epoch_2.json": inspect_sample("a", "hm", epoch=2, stop="max_tokens", metadata=about),
        "samples/b_epoch_1.json": {"id": "b", "epoch": 1, "output": {}, "error": {"message": "429"}},
        "summaries.json": {},
        "header.json": inspect_header(variant="reasoned"),
    }
    whole = {"model": "mockllm/model", "variant": "reasoned", "completion_tokens": 7.0, "reasoning_tokens": 3.0}
    found = list(read(log(tmp_path / "x.eval", members, method=method)))
    assert found == [
        Source(dataset="marvl-qa-mini", version="1.1.0"),
        Reply(id="a", text="<final_answer>3</final_answer>", finish_reason="stop", **whole),
        Reply(id="a", text="hm", sample=1, finish_reason="length", **whole),
        Source(dataset="", version=""),
        Reply(id="b", text="", model="mockllm/model", variant="reasoned", finish_reason="error"),
    ]


def test_a_log_says_which_rows_its_run_was_to_ask(tmp_path):
    header = inspect_header(variant="reasoned", ids=["a", 7], epochs=3, created="2026-11-23T06:24:07+00:00")
    sample = {"samples/a_epoch_1.json": inspect_sample("a", "3")}
    selection, _, reply = read(log(tmp_path / "x.eval", {**sample, "header.json": header}))
    whose = {"model": "mockllm/model", "variant": "reasoned"}
    assert selection == Selection(ids=frozenset({"a", "7"}), epochs=3, **whose)
    assert reply.created == "2026-11-23T06:24:07+00:00"
    killed = log(tmp_path / "killed.eval", {"_journal/start.json": inspect_header(), **sample})
    assert fields(killed, "id", "model") == [("a", "mockllm/model")] and reasons(killed) == []


def test_a_damaged_sample_is_reported_and_the_others_are_read(tmp_path):
    members = {f"samples/{name}_epoch_1.json": inspect_sample(name, "3" * 500) for name in "abc"}
    path = log(tmp_path / "x.eval", {"header.json": inspect_header(), **members}, method=93)
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo("samples/b_epoch_1.json")
    content[member.header_offset + 30 + len(member.filename) + member.compress_size // 2] ^= 0xFF
    path.write_bytes(bytes(content))
    assert fields(path, "id") == [("a",), ("c",)]
    assert [place for place, _ in reasons(path)] == ["samples/b_epoch_1.json"]
    cannot_be_read(log(tmp_path / "x.eval", {"header.txt": {}}), "not a log of Inspect")
    (tmp_path / "y.eval").write_text("no zip")
    cannot_be_read(tmp_path / "y.eval", "cannot be read: File is not a zip file")


@pytest.mark.parametrize("method", [8, 93], ids=["deflated", "zstd"])
def test_no_changed_byte_of_a_log_is_a_traceback(tmp_path, method):
    members = {"header.json": inspect_header(), "samples/a_epoch_1.json": inspect_sample("a", "3")}
    path = log(tmp_path / "x.eval", members, method=method)
    content = path.read_bytes()
    ends = (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06")
    for place in (content.find(start) + offset for start in ends for offset in range(46)):
        damaged = bytearray(content)
        damaged[place % len(content)] ^= 0x7F
        path.write_bytes(damaged)
        with suppress(RepliesError):
            assert all(isinstance(record, Unreadable | Reply | Selection | Source) for record in read(path))


def test_a_log_that_claims_too_much_is_refused(tmp_path):
    """A member that is larger than it says, and more epochs than a run can have."""
    path = log(tmp_path / "x.eval", {"header.json": inspect_header(), "samples/a.json": {"id": "a" * 10**6}}, method=8)
    content = bytearray(path.read_bytes())
    place = content.rfind(b"PK\x01\x02")
    content[place + 24 : place + 28] = (20).to_bytes(4, "little")
    path.write_bytes(bytes(content))
    assert [place for place, _ in reasons(path)] == ["samples/a.json"]
    header = inspect_header(ids=[str(number) for number in range(200)], epochs=10_000)
    cannot_be_read(log(path, {"header.json": header}), "lists 200 rows with 10,000 replies each")


def test_a_link_or_pipe_among_replies_is_refused(tmp_path):
    lines(tmp_path / "x.jsonl", [{"id": "a", "reply": "3"}])
    (tmp_path / "round").symlink_to(tmp_path)
    assert files_in(tmp_path) == [tmp_path / "x.jsonl"]
    (tmp_path / "y.jsonl").symlink_to(tmp_path / "x.jsonl")
    with pytest.raises(RepliesError, match=r"y.jsonl: is a link"):
        files_in(tmp_path)
    (tmp_path / "y.jsonl").unlink()
    os.mkfifo(tmp_path / "y.jsonl")
    with pytest.raises(RepliesError, match=r"y.jsonl: is neither"):
        files_in(tmp_path)
    with pytest.raises(PlanimeterError, match="a pipe or device"):
        list(read(tmp_path / "y.jsonl"))


def test_a_name_in_replies_is_printable(tmp_path):
    (reply,) = read(lines(tmp_path / "x.jsonl", [{"id": "a", "reply": "3", "model": "\x1b[31mm"}]))
    assert reply.model == r"\x1b[31mm"
    table = tmp_path / "\x1b[31mm_planimeter_x.tsv"
    table.write_text("index\tprediction\tvariant\n\x1b[31ma\t3\t\x1b[31mv\n")
    (reply,) = read(table)
    assert (reply.id, reply.model, reply.variant) == (r"\x1b[31ma", r"\x1b[31mm", r"\x1b[31mv")


def test_episodes_of_verifiers_number_the_samples_by_their_order(tmp_path):
    failed = {"task": {"data": {"id": "b"}}, "traces": [], "errors": [{"type": "Timeout", "message": "x"}]}
    records = [episode("a", "3", "4"), episode("a", "5", finish="length"), failed, episode(None, "6")]
    path = lines(tmp_path / "traces.jsonl", records)
    assert fields(path, "id", "text", "sample", "finish_reason", "model") == [
        ("a", "3", None, "stop", "some/model"),
        ("a", "4", None, "stop", "some/model"),
        ("a", "5", None, "length", "some/model"),
        ("b", "", None, "error", ""),
    ]
    assert replies(path)[0].completion_tokens == 7.0
    assert reasons(path) == [("4", "the task has no id; its data must contain the row's id")]
    assert reasons(lines(path, [{"task": {"data": {"id": "a"}}, "traces": [{"calls": 5}]}])) == [
        ("1", "unexpected structure (TypeError)")
    ]
    for trace in ({"calls": [{"model": "m"}]}, {"agent": {"config": {"model": "m"}}}):
        record = {"task": {"data": {"id": "row"}}, "traces": [trace]}
        assert fields(lines(path, [record]), "model") == [("m",)]
    other = episode("a", "the last message")
    other["traces"][0]["root_reply"] = "the root's reply"
    assert replies(lines(tmp_path / "one.jsonl", [other]))[0].text == "the root's reply"


def test_samples_of_lmms_eval_have_the_model_in_the_folders_name(tmp_path):
    path = tmp_path / "Qwen__Qwen3-VL" / "20261122_samples_planimeter_counting.jsonl"
    path.parent.mkdir()
    other = {**lmms_sample("c", "x"), "resps": [["whole reply"]], "doc": {"id": "c"}}
    lines(path, [lmms_sample("a", "3"), lmms_sample("b", "4", "5"), other, {"doc_id": 4, "filtered_resps": "7"}])
    texts = [("a", "3", 0), ("b", "4", 0), ("b", "5", 1), ("c", "whole reply", 0)]
    assert fields(path, "id", "text", "sample") == texts
    assert set(fields(path, "model", "completion_tokens", "reasoning_tokens")) == {("Qwen/Qwen3-VL", 7.0, 3.0)}
    assert [place for place, _ in reasons(path)] == ["4"]


def test_a_table_of_vlmevalkit_is_read(tmp_path):
    path = tmp_path / "some_model_planimeter_marvl_qa_counting_openended.tsv"
    long = "x" * 200_000
    path.write_text(
        f'index\tid\tquestion\tprediction\n0\ta\tq\t"line\n""two"""\n1\tb\tq\t{long}\n2\tc\n3\t\tq\t3\n4\td\tq\t4\n'
    )
    assert fields(path, "id", "text") == [("a", 'line\n"two"'), ("b", long), ("d", "4")]
    assert reasons(path) == [("row 4", "has 2 of 4 columns"), ("row 5", "no id")]
    path.write_text("index\tprediction\na\tFailed to obtain answer via API.\nb\tI failed to obtain an answer: 3\n")
    assert list(read(path)) == [
        Reply(id="a", text="", finish_reason="error", model="some_model"),
        Reply(id="b", text="I failed to obtain an answer: 3", model="some_model"),
    ]
    path.write_text("index\tprediction\na\t3\n")
    assert list(read(path.rename(tmp_path / "other.tsv"))) == [Reply(id="a", text="3")]
    path.write_text("a,b\n1,2\n")
    cannot_be_read(path, r"needs the columns id \(or index\) and prediction, and has a,b")
    path.with_suffix(".xlsx").write_bytes(b"PK")
    cannot_be_read(path.with_suffix(".xlsx"), "PRED_FORMAT=tsv")


def test_a_folder_gives_its_files_of_replies_sorted(tmp_path):
    (tmp_path / ".ipynb_checkpoints").mkdir()
    hidden = (".e.jsonl", ".ipynb_checkpoints/b-checkpoint.jsonl")
    for name in ("b.jsonl", "a.eval", "c.tsv", "d.json", "f.jsonl.gz", "g.csv.gz", *hidden):
        (tmp_path / name).touch()
    assert [file.name for file in files_in(tmp_path)] == ["a.eval", "b.jsonl", "c.tsv", "f.jsonl.gz"]


OTHER_FORMS = [
    ("x.jsonl", b"", "is empty"),
    ("x", b"\x89PNG\r\n\x1a\n\x00\x00", "is not a known file of replies; need JSON lines"),
    ("x.jsonl", '{"id": "a", "reply": "3"}\n'.encode("utf-16"), "is UTF-16; save it as UTF-8"),
    ("x.json", b'[\n  {"id": "a", "reply": "3"}\n]\n', "is one JSON list; write a line for each of its objects (jq"),
    ("x.csv", b"id,reply\na,3\n", "is comma-separated; write a JSON object for each of its lines"),
    ("x.jsonl", b'{"id": "a", "answer": "3"}\n', "its lines have id, answer, and no id with a reply"),
    ("x.tsv", bytes(range(1, 256)) * 400, "is not a table of predictions"),
]


def test_a_file_of_another_form_is_refused_by_its_cause(tmp_path):
    for name, content, cause in OTHER_FORMS:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UnknownFormError) as caught:
            list(read(tmp_path / name))
        message = str(caught.value)
        assert f"{tmp_path / name} " in message and cause in message
        assert len(message) < 700 and message.isprintable()


def test_other_names_of_the_reply_and_packed_files_are_read(tmp_path):
    for key in ("reply", "response", "output", "completion"):
        content = json.dumps({"id": "a", key: "3", "completion_tokens": 4}) + "\n"
        (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(content.encode()))
        assert list(read(tmp_path / "x.jsonl.gz")) == [Reply(id="a", text="3", completion_tokens=4.0)]
    (tmp_path / "x.tsv.gz").write_bytes(gzip.compress(b"index\tprediction\na\t3\n"))
    assert list(read(tmp_path / "x.tsv.gz")) == [Reply(id="a", text="3")]
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(content.encode() * 1000)[:-20])
    cannot_be_read(tmp_path / "x.jsonl.gz", r"x\.jsonl\.gz cannot be read: Compressed file ended")


def test_results_of_lmms_eval_say_whether_all_was_asked(tmp_path):
    path = lines(tmp_path / "20261122_101112_samples_planimeter_counting.jsonl", [lmms_sample(n, "3") for n in "ab"])
    # Without results, limited, the whole task, and cut off.
    for sizes, says in ((None, False), ((200, 2), True), ((2, 2), False), ((200, 3), False)):
        if sizes:
            counts = {"planimeter_counting": dict(zip(("original", "effective"), sizes, strict=True))}
            results = json.dumps({"n-samples": counts, "config": {"limit": 2}})
            (tmp_path / "20261122_101112_results.json").write_text(results)
        assert [record for record in read(path) if isinstance(record, Selection)] == [Selection()] * says
        assert {reply.created for reply in replies(path)} == {"2026-11-22T10:11:12"}


RECORDS = st.dictionaries(st.sampled_from(["id", "reply", "sample"]), st.integers() | st.text())


@given(st.lists(st.text(max_size=30) | RECORDS))
def test_no_content_of_a_line_stops_the_reading(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("replies") / "x.jsonl"
    texts = [one.replace("\n", " ") if isinstance(one, str) else json.dumps(one) for one in content]
    path.write_text('{"id": "a", "reply": "3"}\n' + "\n".join(texts), errors="replace")
    found = list(read(path))
    assert found[0] == Reply(id="a", text="3")
    assert len(found) == 1 + sum(bool(line.strip()) for line in path.read_text().split("\n")[1:])
