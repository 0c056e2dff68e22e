"""Rewards for trainers, equal to the scores of ``grade``: ``reward`` for TRL and ms-swift, ``compute_score`` for verl,
``compute_score_batch`` for EasyR1.

The argument ``of`` is the name of the reward:

* ``headline``: the metric that ranks models, so that the mean reward of a test set is its score;
* ``paper``: the training reward of the suite's paper, if any: for nested curves (and planar maps) 0.3 for the number of
  nodes (faces) and 0.7 for the tree (graph); otherwise the headline;
* ``dense``: a reward that increases with each right part, if the suite has one: for paths the share of right positions;
  for nested curves the parent F1, rescaled so that the most common answer is worth 0; otherwise the headline;
* the name of a metric of the suite with values from 0 to 1: ``tree_accuracy``, ``token_accuracy``, ``relaxed_20``.

Rewards are from 0 to 1: 0 for unreadable replies, 1 for the row's own answer. The functions are thread-safe. The suite
of a row is found by its ``data_source``, "<suite>/<config>", or else by its columns.
"""

import json
from collections.abc import Callable, Mapping, Sequence, Sized
from contextlib import suppress

from planimeter.evals.grading import Scores, grade, place_of, protocol
from planimeter.evals.places import plain
from planimeter.items import OPTIONS
from planimeter.items.motions import MOTIONS
from planimeter.items.suites import SuiteError, declared, names, working_suites
from planimeter.items.values import Row

__all__ = ["compute_score", "compute_score_batch", "packed", "reward", "reward_of"]

#: A text, or a conversation.
Completion = str | Sequence[Row]

#: The rewards of every suite.
_GENERAL = ("headline", "paper", "dense")
#: Metrics that cannot be rewards: they are errors.
_ERRORS = frozenset({"signed_error", "node_error", "edit_distance"})


def reward(
    completions: Sequence[Completion],
    answer: Sequence[str | None] | None = None,
    *,
    of: str = "headline",
    **columns: object,
) -> list[float | None]:
    r"""Return the reward of each completion, with the signature of TRL and ms-swift.

    ``completions`` are texts, or conversations whose last message is the reply. The columns of the dataset are passed
    as lists of the same length by their published names, with two exceptions: ``solution`` may replace ``answer``, and
    ``prompts`` both ``system_prompt`` and ``prompt``. In place of all columns but the answer, ``row`` may have the
    results of ``packed``. Other arguments of a trainer are ignored.

    The reward is None if the row has no answer, its ``data_source`` is not of Planimeter, or its suite has no reward
    ``of`` but another suite has one.

    Raises:
        LookupError: if nothing determines the suite of a row.
        ValueError: if no suite has a reward called ``of``, or a row's own answer cannot be read.

    >>> reward(["<answer>\n1\n1 0\n</answer>", "two"], ["1\n1 0", "1\n1 0"], data_source=["curves/easy"] * 2)
    [1.0, 0.0]
    """
    _check_reward(of)
    table = {**columns, "answer": columns.get("solution") if answer is None else answer}
    return [
        _reward_or_none(_text(completion), _row(table, k, len(completions)), of)
        for k, completion in enumerate(completions)
    ]


def reward_of(of: str) -> Callable[..., list[float | None]]:
    """Return ``reward`` with ``of`` fixed, as a function named "reward_<of>", which trainers show in their logs.

    Raises:
        ValueError: if no suite has a reward called ``of``.

    >>> reward_of("dense").__name__
    'reward_dense'
    """
    _check_reward(of)

    def named_reward(
        completions: Sequence[Completion], answer: Sequence[str | None] | None = None, **columns: object
    ) -> list[float | None]:
        return reward(completions, answer, of=of, **columns)

    named_reward.__name__ = named_reward.__qualname__ = f"reward_{of}"
    return named_reward


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Row | None = None,
    *,
    of: str = "headline",
    **trainer: object,
) -> dict[str, float]:
    """Return the scores of the reply ``solution_str``, with the signature of verl, which validates models by ``acc``.

    ``score`` is the reward ``of``, ``acc`` the headline score, and ``answered`` 1 if the reply has an answer, else 0.

    ``extra_info["row"]`` is the result of ``packed``; without it the row has only its answer, which is enough for
    all suites except paths and transformations. Keywords of verl itself begin with ``reward_`` and are ignored.

    Raises:
        LookupError: if ``data_source`` is not "<suite>/<config>" of Planimeter, or the row lacks a needed column.
        ValueError: if the suite has no reward ``of``, or the row's own answer cannot be read.
        TypeError: for an unknown option.

    >>> compute_score("marvl_qa/counting", "<final_answer>7</final_answer>", "7")
    {'score': 1.0, 'acc': 1.0, 'answered': 1.0}
    """
    unknown = sorted(name for name in trainer if not name.startswith("reward_"))
    if unknown:
        raise TypeError(f"unknown option {', '.join(map(repr, unknown))}; the only option is 'of'")
    packed_row = (extra_info or {}).get("row")
    row = {**(json.loads(packed_row) if packed_row else {}), "answer": ground_truth}
    suite, config = _place(data_source)
    return _as_metrics(*_reward_and_scores(suite, config, row, solution_str, of))


def compute_score_batch(reward_inputs: Sequence[Row], *, of: str = "headline") -> list[dict[str, float]]:
    """Return the scores of each reply, with the signature of EasyR1: ``overall`` is the reward, the others are logged.

    EasyR1 passes the columns ``response`` and ``ground_truth``; the latter must be the result of ``packed``.

    Raises:
        LookupError, ValueError: as in ``compute_score``.

    >>> truth = packed({"answer": "7"}, suite="marvl_qa", config="counting")
    >>> compute_score_batch([{"response": "7", "response_length": 1, "ground_truth": truth}])
    [{'overall': 1.0, 'accuracy': 1.0, 'answered': 1.0}]
    """
    scores = []
    for reply in reward_inputs:
        row = json.loads(reply["ground_truth"])
        values = _as_metrics(*_reward_and_scores(*_place(row.get("data_source", "")), row, reply["response"], of))
        scores.append({"overall": values["score"], "accuracy": values["acc"], "answered": values["answered"]})
    return scores


def packed(row: Row, *, suite: str = "", config: str = "") -> str:
    """Return the columns of ``row`` that its grader needs, and its ``data_source``, as one JSON text.

    Raises:
        LookupError: as in ``grade``.
    """
    if not (suite and config):
        suite, config = place_of(row)
    kept = {name: value for name, value in plain(row, suite, config).items() if value is not None}
    return json.dumps({"data_source": f"{suite}/{config}", **kept}, ensure_ascii=False)


def _check_reward(of: str) -> None:
    # Protocols are imported only for the names of their metrics.
    known = set(_GENERAL)
    for suite in () if of in _GENERAL else working_suites():
        with suppress(SuiteError):
            known.update(_reward_names(suite.name))
    if of not in known:
        raise ValueError(f"there is no reward {of!r}; there are: {', '.join(sorted(known))}")


def _reward_names(suite: str) -> tuple[str, ...]:
    metrics = (name for name in protocol(suite).METRICS if name not in _ERRORS)
    return (*_GENERAL, *metrics, *declared(suite).rewards)


def _reward_or_none(reply: str, row: Row, of: str) -> float | None:
    if row.get("answer") is None:
        return None
    source = row.get("data_source")
    if source is not None and str(source).split("/", 1)[0] not in names():
        return None
    suite, config = place_of(row) if source is None else _place(source)
    try:
        return _reward_and_scores(suite, config, row, reply, of)[0]
    except _NotApplicableError:
        return None


class _NotApplicableError(ValueError):
    """The suite of a row has no reward of the requested name, but another suite has one."""


def _reward_and_scores(suite: str, config: str, row: Row, reply: str, of: str) -> tuple[float, Scores]:
    """Return the reward named ``of`` for ``reply``, and all scores that ``grade`` gives it."""
    _check_reward(of)
    grader = protocol(suite)
    missing = [name for name in getattr(grader, "NEEDED", {}).get(config, ()) if row.get(name) is None]
    if missing:
        raise LookupError(
            f"a row of {suite}/{config} needs the column {', '.join(missing)}; pass it, or pass as `row` the result of "
            "`planimeter.evals.rewards.packed`, which has all columns that are needed"
        )
    row = plain(row, suite, config)
    scores = grade(row, reply, suite=suite, config=config)
    name = getattr(grader, of.upper(), scores.headline) if of in _GENERAL else of
    if name in declared(suite).rewards:
        return declared(suite).imported(declared(suite).rewards[name])(config, row, scores.metrics), scores
    if name not in scores.metrics:
        raise _NotApplicableError(f"{suite}/{config} has no reward {of!r}; it has: {', '.join(_reward_names(suite))}")
    return scores.metrics[name], scores


def _as_metrics(value: float, scores: Scores) -> dict[str, float]:
    return {"score": value, "acc": scores.value, "answered": float(scores.answered)}


def _place(source: str) -> tuple[str, str]:
    suite, _, config = str(source).partition("/")
    if config not in protocol(suite).CONFIGS:
        raise LookupError(
            f"unknown data_source {source!r}; those of {suite}: {suite}/{{{', '.join(protocol(suite).CONFIGS)}}}"
        )
    return suite, config


def _row(table: Row, k: int, count: int) -> Row:
    """Return row ``k`` of ``table``, which has lists of values by column name, as a row of the dataset.

    The column ``prompts`` of a trainer becomes the columns ``system_prompt`` and ``prompt``. Entries that
    are not lists of ``count`` values are left out, and so are None values. If ``table`` has a column ``row``, made by
    ``packed``, its columns replace all others except ``answer`` and ``data_source``.
    """
    columns = {
        name: value[k]  # type: ignore[index]
        for name, value in table.items()
        if isinstance(value, Sized) and not isinstance(value, str | Mapping) and len(value) == count
    }
    row = {name: value for name, value in columns.items() if value is not None}
    # A trainer may also have a column of this name.
    if sorted(map(str, row.get("options", ()))) not in (sorted(OPTIONS), sorted(MOTIONS)):
        row.pop("options", None)
    prompts = row.pop("prompts", None)
    if "row" in row:
        return {**json.loads(row.pop("row")), **{n: v for n, v in row.items() if n in ("answer", "data_source")}}
    if prompts is None:
        return row
    messages = [{"role": "user", "content": prompts}] if isinstance(prompts, str) else prompts
    texts = {message["role"]: _text([message]) for message in messages}
    return {"system_prompt": texts.get("system", ""), "prompt": texts.get("user", ""), **row}


def _text(completion: Completion) -> str:
    """Return ``completion`` if it is a text, or the text of its last message if it is a conversation."""
    if isinstance(completion, str):
        return completion
    content = completion[-1]["content"] if len(completion) else ""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part.get("text") or "" for part in content if part.get("type") == "text")
