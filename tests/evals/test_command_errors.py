"""What a user may ask wrongly of commands that answer, ask, score and export rows: one line, and nothing written."""

import os

import command_line
import pytest
from reply_files import lines
from sample_folder import ROWS

#: Of `{data}`, `{damaged}` and the file of its `{replies}`; `{out}` is an empty folder, and `{new}` is not there.
ERRORS = {
    "score {data} {replies} --config counts": "--config: marvl-qa-mini 1.0.0 has no config 'counts'; it has counting",
    "score {data} nothing.jsonl": "nothing.jsonl: no such file or folder",
    "score {data}/data {replies}": "dataset",
    "score {data}": "give files or folders of replies after this folder",
    "score {data} {data}": "give files or folders of replies after this folder",
    "score {data} {replies} {data} {replies}": "marvl-qa-mini is named twice",
    "score {data} {data}/report": "contains no replies; need JSON lines",
    "score {data} {data}/README.md": "is not a known file of replies",
    "score {data} {replies} --out {replies}": "cannot be written",
    "score {damaged} {replies}": "counting/test-00000-of-00002.parquet cannot be read",
    "score {data} {replies} --benchmarks {new}": "--benchmarks: ",
    "score {data} {replies} --hub-results {new}": "--hub-results: needs --repo OWNER/NAME",
    "score {data} {replies} --hub-results {new} --repo marvl": "or OWNER/NAME@REVISION of the Hub, got 'marvl'",
    "score {data} {replies} --every-eval-ever {new} --date today": "--date: need a date such as 2026-11-28, got",
    "score {data} {replies} --repo lab/marvl": "have an effect only with --hub-results or --every-eval-ever",
    "solve {data} --by certifier,oracle": "--by: the suite marvl_qa has no solver 'oracle'; it has: certifier,",
    "solve {data} --by thumbnail-1": "thumbnail-24 (or another size of 2 to 240 px)",
    "solve {data} --by random-24": "no solver 'random-24'",
    "solve {data}": "--by: name one or more of certifier, majority, random, thumbnail-24",
    "solve {data} --by random --config base": "has no config 'base'; it has counting, transformation",
    "solve {data} --by random --out {out}": "is a folder; give a file",
    "solve {out} --by random": "dataset",
    "solve {damaged} --by thumbnail": "`planimeter verify {damaged}`",
    "solve": "name the folder of a built dataset",
    "evaluate {data} --model m/m --config colouring": "{data} has no config 'colouring'; it has counting",
    "evaluate {data} --model m/m --variant sung": "--variant: marvl_qa counting has no variant 'sung', only default",
    "evaluate {data} --model m/m --log-dir {data}/logs": "--log-dir: {data}/logs is inside the dataset folder",
    "evaluate {data} --model transformer_lens/gpt2": "--model: transformer_lens/gpt2 would see no picture",
    "evaluate {data}": "--model: name a model, or give --plan",
    "evaluate {data} --plan --limit 5": "--plan: takes no flags of Inspect, got --limit",
    "evaluate {data} --plan --config counts": "has no config 'counts'; it has counting, transformation",
    "export {data} --out {new} --variant sung": "marvl_qa counting has no prompt variant 'sung'; it has:",
    "export {data} --out {out}": "exists; give --out a new folder",
    "stream nothing --count 1 --out {new}.jsonl": "there is no ladder 'nothing'",
    "stream curves --count 1 --out {new}.jsonl --level 9": "levels 1 (easiest) to 8, got 9",
    "stream curves --count 1 --out {new}.csv": "a file that ends in .parquet or .jsonl",
    "stream curves --count 1 --out /dev/null/x.jsonl": "cannot be written",
}


@pytest.mark.parametrize("arguments", ERRORS)
def test_an_error_is_one_line(arguments, sample, folder, tmp_path, undrawn):
    os.truncate(folder / "data" / "counting" / "test-00000-of-00002.parquet", 100)
    (tmp_path / "out").mkdir()
    replies = lines(tmp_path / "r.jsonl", [{"id": row["id"], "reply": "3"} for part in ROWS.values() for row in part])
    places = {"data": sample, "damaged": folder, "replies": replies, "out": tmp_path / "out", "new": tmp_path / "new"}
    before = sorted(tmp_path.rglob("*"))
    ended = command_line.here(*arguments.format(**places).split())
    assert (ended.code, len(ended.lines)) == (1, 1), ended.err
    assert ended.lines[0].startswith("planimeter: ") and ERRORS[arguments].format(**places) in ended.lines[0]
    assert sorted(tmp_path.rglob("*")) == before
