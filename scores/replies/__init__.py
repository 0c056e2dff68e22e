"""Readers of models' replies: ours (JSONL), Inspect AI, verifiers, lmms-eval, VLMEvalKit."""

from planimeter.scores.replies.reading import files_in as files_in
from planimeter.scores.replies.reading import read as read
from planimeter.scores.replies.reading import stem as stem
from planimeter.scores.replies.records import RepliesError as RepliesError
from planimeter.scores.replies.records import Reply as Reply
from planimeter.scores.replies.records import Selection as Selection
from planimeter.scores.replies.records import Source as Source
from planimeter.scores.replies.records import UnknownFormError as UnknownFormError
from planimeter.scores.replies.records import Unreadable as Unreadable
