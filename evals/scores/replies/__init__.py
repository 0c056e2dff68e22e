"""Readers of models' replies: ours (JSONL), Inspect AI, verifiers, lmms-eval, VLMEvalKit."""

from planimeter.evals.scores.replies.reading import files_in as files_in
from planimeter.evals.scores.replies.reading import read as read
from planimeter.evals.scores.replies.reading import stem as stem
from planimeter.evals.scores.replies.records import RepliesError as RepliesError
from planimeter.evals.scores.replies.records import Reply as Reply
from planimeter.evals.scores.replies.records import Selection as Selection
from planimeter.evals.scores.replies.records import Source as Source
from planimeter.evals.scores.replies.records import UnknownFormError as UnknownFormError
from planimeter.evals.scores.replies.records import Unreadable as Unreadable
