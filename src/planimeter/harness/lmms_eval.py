"""The name of `planimeter.evals.harnesses.lmms_eval` in folders that 1.2 exported; 2.1 removes it."""

import warnings

from planimeter.evals.harnesses.lmms_eval import average, check, messages, scores, text, visuals

__all__ = ["average", "check", "messages", "scores", "text", "visuals"]

warnings.warn("export this folder again: 2.1 removes planimeter.harness", DeprecationWarning, stacklevel=2)
