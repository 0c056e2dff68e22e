"""The former name of `planimeter.evals.harnesses.lmms_eval`, which folders exported by 1.2 import; it goes with 1.4."""

from planimeter.evals.harnesses.lmms_eval import average, check, messages, scores, text, visuals

__all__ = ["average", "check", "messages", "scores", "text", "visuals"]
