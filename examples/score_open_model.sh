#!/bin/sh
# Scores an open model on the four editions of the README's table, where its weights and a GPU can be had:
#
#     examples/score_open_model.sh vllm/Qwen/Qwen3-VL-8B-Instruct
#
# It was never run by us: no weights are on the machines on which Planimeter was written. It needs Planimeter with its
# extra `inspect`, and for the provider `vllm` the package vllm; any other name of a model that Inspect knows will do.
# Stopped at any moment, the same command goes on: finished datasets and replies are kept.
set -eu
model=${1:?"name a model as Inspect does, such as vllm/Qwen/Qwen3-VL-8B-Instruct"}
outputs=${2:-outputs}

for dataset in marvl-qa-mini traversal curves geogram; do
    # The first line that `build` prints is the folder of the dataset.
    folder=$(planimeter build "$dataset" --out "$outputs" | head -n 1)
    # Tables, figures and report.html lie in <version>.logs/<model>/scores/, beside the dataset.
    planimeter evaluate "$folder" --model "$model"
done
