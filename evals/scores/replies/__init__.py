"""Readers of models' replies: ours (JSONL), Inspect AI, verifiers, lmms-eval, VLMEvalKit."""
