"""Scores as the Hub and Every Eval Ever read them."""

import hashlib
import json
import shlex

import command_line
import pytest
import yaml
from huggingface_hub import parse_eval_result_entries
from reply_files import lines
from sample_folder import ROWS
from simulated import tag

from planimeter.evals.answers import PROTOCOL

REPLIES = [
    {"id": row["id"], "reply": tag(row["answer"]) if config == "counting" else "It is hard to say.", "model": "lab/m-1"}
    for config, rows in ROWS.items()
    for row in rows
]


@pytest.fixture
def score(sample, tmp_path, undrawn):
    """Score ``replies`` with further options, in which ``{out}`` is a folder of results."""

    def run(options, replies=REPLIES):
        path = lines(tmp_path / "r.jsonl", replies)
        return command_line.here("score", str(sample), str(path), *shlex.split(options.format(out=tmp_path / "out")))

    return run


def test_the_hub_reads_the_results_of_a_model(score, tmp_path):
    ended = score("--hub-results {out} --repo lab/marvl --date 2026-11-28")
    path = tmp_path / "out" / ".eval_results" / "marvl-qa-mini.yaml"
    assert (ended.code, ended.err) == (0, "") and f"results: {path}" in ended.out
    counting, transformation = parse_eval_result_entries(yaml.safe_load(path.read_text()))
    assert (counting.dataset_id, counting.task_id, counting.value) == ("lab/marvl", "counting", 100.0)
    assert (counting.dataset_revision, counting.date) == ("v1.0.0", "2026-11-28")
    assert transformation.value == 0.0
    for part in ("accuracy in per cent; 95% interval [0.0, ", "unmarked 100.0%", f"protocol {PROTOCOL}"):
        assert part in transformation.notes


def test_several_models_have_folders_of_their_own(score, tmp_path):
    others = [reply | {"model": "../b", "prompt_variant": "default"} for reply in REPLIES]
    assert score("--hub-results {out} --repo lab/marvl", [*REPLIES, *others]).code == 1, "a name that leads elsewhere"
    others = [reply | {"model": "b"} for reply in REPLIES]
    assert score("--hub-results {out} --repo lab/marvl", [*REPLIES, *others]).code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["b", "lab-m-1"]


def instances_of(aggregate, folder):
    """Return the lines to which an aggregate points, whose digest and number it has."""
    detail = aggregate["detailed_evaluation_results"]
    content = (folder / detail["file_path"]).read_bytes()
    assert detail["checksum"] == hashlib.sha256(content).hexdigest()
    found = [json.loads(line) for line in content.decode().splitlines()]
    assert detail["total_rows"] == len(found)
    return found


def test_every_eval_ever_has_scores_and_their_replies(score, tmp_path):
    """The fields that version 0.3.0 of its schema requires; its own validator was run on these files once."""
    ended = score("--every-eval-ever {out} --repo lab/marvl")
    assert (ended.code, ended.err) == (0, "")
    (path,) = (tmp_path / "out" / "data" / "marvl-qa-mini" / "lab" / "m-1").glob("*.json")
    aggregate = json.loads(path.read_text())
    needed = {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info", "eval_library"}
    assert aggregate.keys() == needed | {"evaluation_results", "detailed_evaluation_results"}
    assert aggregate["model_info"]["id"] == "lab/m-1"
    counting, transformation = aggregate["evaluation_results"]
    assert counting["source_data"]["hf_repo"] == "lab/marvl"
    assert counting["score_details"]["score"] == 1.0
    assert transformation["score_details"]["details"]["unmarked"] == "1.0"
    interval = transformation["score_details"]["uncertainty"]["confidence_interval"]
    assert interval["lower"] == 0 < interval["upper"] < 1
    instances = instances_of(aggregate, tmp_path / "out")
    assert {line["sample_id"] for line in instances} == {reply["id"] for reply in REPLIES}
    assert {line["evaluation_id"] for line in instances} == {aggregate["evaluation_id"]}
    first = instances[0]
    assert first["input"]["reference"] == [first["answer_attribution"][0]["extracted_value"]]
    assert first["evaluation"] == {"score": 1.0, "is_correct": True}
    assert instances[-1]["answer_attribution"] == [] and instances[-1]["metadata"]["reason"] == "unmarked"
