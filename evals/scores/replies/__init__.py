"""Readers of files of models' replies: Planimeter's JSON lines, Inspect AI, verifiers, lmms-eval, VLMEvalKit."""
