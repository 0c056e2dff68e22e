"""Rewards for trainers, which are our scores: ``reward`` for TRL and ms-swift, ``compute_score`` for verl and
``compute_score_batch`` for EasyR1.

What is rewarded is named by ``of``:

* ``headline``: the metric that ranks models, so that the mean reward of a test set is its score;
* ``paper``: what the paper trains with, where it does: for nested curves 0.3 for the number of nodes and 0.7 for the
  tree (planar maps likewise); elsewhere the headline;
* ``dense``: what grows with every part that gets right, where there is such a thing: for paths the share of right
  positions; for nested curves the parent F1, so that the commonest answer is worth 0; elsewhere the headline;
* the name of a metric of the suite that lies from 0 to 1: ``tree_accuracy``, ``token_accuracy``, ``relaxed_20``.

All lie from 0 to 1, are 0 for what cannot be read and 1 for the row's own answer. Nothing here keeps state but a cache:
threads may call at once. A row's suite is determined by its ``data_source``, "<suite>/<config>", or by its columns.
"""

import json
from collections.abc import Callable, Mapping, Sequence, Sized
from contextlib import suppress

from planimeter.evals.grading import Scores, grade, place_of, protocol
from planimeter.evals.places import plain
from planimeter.items import OPTIONS
from planimeter.items.suites import SuiteError, declared, names, sound
from planimeter.items.values import Row

__all__ = ["compute_score", "compute_score_batch", "packed", "reward", "reward_of"]

#: A text, or a conversation.
Completion = str | Sequence[Row]

#: The rewards that every suite has.
_GENERAL = ("headline", "paper", "dense")
#: Metrics that are no rewards: they are errors.
_ERRORS = frozenset({"signed_error", "node_error", "edit_distance"})


def reward(
    completions: Sequence[Completion],
    answer: Sequence[str | None] | None = None,
    *,
    of: str = "headline",
    **columns: object,
) -> list[float | None]:
    r"""Return the reward of each completion, as TRL and ms-swift ask for it.

    ``completions`` are texts or conversations, of which the last message counts. Every other column of the dataset is a
    list of the same length under its own name, as published; ``system_prompt`` and ``prompt`` may be taken from the
    trainer's ``prompts``. Where there is a column ``row``, as ``packed`` makes it, it holds all that is looked at, and
    the answer may be called ``solution``. What else a trainer hands over is left alone.

    None stands for "not applicable": the row has no answer, its ``data_source`` is none of ours, or its suite has no
    reward called ``of``, as in a mixture of suites.

    Raises:
        LookupError: if nothing determines to which suite a row belongs.
        ValueError: if no suite has a reward called ``of``, or a row's own answer cannot be read.

    >>> reward(["<answer>\n1\n1 0\n</answer>", "two"], ["1\n1 0", "1\n1 0"], data_source=["curves/easy"] * 2)
    [1.0, 0.0]
    """
    _checked(of)
    table = {**columns, "answer": columns.get("solution") if answer is None else answer}
    return [
        _rewarded(_text(completion), _row(table, k, len(completions)), of) for k, completion in enumerate(completions)
    ]


def reward_of(of: str) -> Callable[..., list[float | None]]:
    """Return ``reward`` with ``of`` fixed, under its own name, by which trainers log it.

    Raises:
        ValueError: if no suite has a reward called ``of``.

    >>> reward_of("dense").__name__
    'reward_dense'
    """
    _checked(of)

    def settled(
        completions: Sequence[Completion], answer: Sequence[str | None] | None = None, **columns: object
    ) -> list[float | None]:
        return reward(completions, answer, of=of, **columns)

    settled.__name__ = settled.__qualname__ = f"reward_{of}"
    return settled


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Row | None = None,
    *,
    of: str = "headline",
    **trainer: object,
) -> dict[str, float]:
    """Return what verl asks for: ``score`` is the reward, ``acc`` the headline score, by which verl validates.

    ``extra_info["row"]`` is what ``packed`` makes of a row; without it the row is its answer alone, which is enough for
    all suites but paths and transformations. Keywords of verl's own begin with ``reward_`` and are left alone.

    Raises:
        LookupError: if ``data_source`` is not "<suite>/<config>" of ours, or the row lacks what its suite needs.
        ValueError: if the suite has no reward called ``of``, or the row's own answer cannot be read.
        TypeError: for an option that there is not.

    >>> compute_score("marvl_qa/counting", "<final_answer>7</final_answer>", "7")
    {'score': 1.0, 'acc': 1.0, 'answered': 1.0}
    """
    unknown = sorted(name for name in trainer if not name.startswith("reward_"))
    if unknown:
        raise TypeError(f"there is no option {', '.join(unknown)}; there is: of")
    packed_row = (extra_info or {}).get("row")
    row = {**(json.loads(packed_row) if packed_row else {}), "answer": ground_truth}
    suite, config = _place(data_source)
    return _as_metrics(*_graded(suite, config, row, solution_str, of))


def compute_score_batch(reward_inputs: Sequence[Row], *, of: str = "headline") -> list[dict[str, float]]:
    """Return what EasyR1 asks for: ``overall`` is the reward; the others it logs.

    It hands over ``response`` and ``ground_truth`` and no other column; the latter is what ``packed`` makes of a row.

    Raises:
        LookupError, ValueError: as in ``compute_score``.

    >>> truth = packed({"answer": "7"}, suite="marvl_qa", config="counting")
    >>> compute_score_batch([{"response": "7", "response_length": 1, "ground_truth": truth}])
    [{'overall': 1.0, 'accuracy': 1.0, 'answered': 1.0}]
    """
    scores = []
    for reply in reward_inputs:
        row = json.loads(reply["ground_truth"])
        values = _as_metrics(*_graded(*_place(row.get("data_source", "")), row, reply["response"], of))
        scores.append({"overall": values["score"], "accuracy": values["acc"], "answered": values["answered"]})
    return scores


def packed(row: Row, *, suite: str = "", config: str = "") -> str:
    """Return, as one JSON text, the plain columns of ``row``, which its grader looks at, and its ``data_source``.

    Raises:
        LookupError: as in ``grade``.
    """
    if not (suite and config):
        suite, config = place_of(row)
    kept = {name: value for name, value in plain(row, suite, config).items() if value is not None}
    return json.dumps({"data_source": f"{suite}/{config}", **kept}, ensure_ascii=False)


def _checked(of: str) -> None:
    # Protocols are imported for the names of their metrics only.
    known = set(_GENERAL)
    for suite in () if of in _GENERAL else sound():
        with suppress(SuiteError):
            known.update(_named(suite.name))
    if of not in known:
        raise ValueError(f"there is no reward {of!r}; there are: {', '.join(sorted(known))}")


def _named(suite: str) -> tuple[str, ...]:
    metrics = (name for name in protocol(suite).METRICS if name not in _ERRORS)
    return (*_GENERAL, *metrics, *declared(suite).rewards)


def _rewarded(reply: str, row: Row, of: str) -> float | None:
    if row.get("answer") is None:
        return None
    source = row.get("data_source")
    if source is not None and str(source).split("/", 1)[0] not in names():
        return None
    suite, config = place_of(row) if source is None else _place(source)
    try:
        return _graded(suite, config, row, reply, of)[0]
    except _NotApplicableError:
        return None


class _NotApplicableError(ValueError):
    """A suite has no reward of this name."""


def _graded(suite: str, config: str, row: Row, reply: str, of: str) -> tuple[float, Scores]:
    """Return the reward and the scores that it is made of."""
    _checked(of)
    grader = protocol(suite)
    missing = [name for name in getattr(grader, "NEEDED", {}).get(config, ()) if row.get(name) is None]
    if missing:
        raise LookupError(f"a row of {suite}/{config} needs the column {', '.join(missing)}, which is not there")
    row = plain(row, suite, config)
    scores = grade(row, reply, suite=suite, config=config)
    name = getattr(grader, of.upper(), scores.headline) if of in _GENERAL else of
    if name in declared(suite).rewards:
        return declared(suite).imported(declared(suite).rewards[name])(config, row, scores.metrics), scores
    if name not in scores.metrics:
        raise _NotApplicableError(f"{suite}/{config} has no reward {of!r}; it has: {', '.join(_named(suite))}")
    return scores.metrics[name], scores


def _as_metrics(value: float, scores: Scores) -> dict[str, float]:
    return {"score": value, "acc": scores.value, "answered": float(scores.answered)}


def _place(source: str) -> tuple[str, str]:
    suite, _, config = str(source).partition("/")
    if config not in protocol(suite).CONFIGS:
        raise LookupError(
            f"{source!r} is no data_source of ours; those of {suite}: {suite}/{{{', '.join(protocol(suite).CONFIGS)}}}"
        )
    return suite, config


def _row(table: Row, k: int, count: int) -> Row:
    """Return row ``k`` of the columns of ``count`` values, without None: in a mixture that column is the others'."""
    columns = {
        name: value[k]  # type: ignore[index]
        for name, value in table.items()
        if isinstance(value, Sized) and not isinstance(value, str | Mapping) and len(value) == count
    }
    row = {name: value for name, value in columns.items() if value is not None}
    # A trainer may have a column of this name, too.
    if sorted(map(str, row.get("options", ()))) != sorted(OPTIONS):
        row.pop("options", None)
    shown = row.pop("prompts", None)
    if "row" in row:
        return {**json.loads(row.pop("row")), **{n: v for n, v in row.items() if n in ("answer", "data_source")}}
    if shown is None:
        return row
    texts = {"user": shown} if isinstance(shown, str) else {message["role"]: _text([message]) for message in shown}
    return {"system_prompt": texts.get("system", ""), "prompt": texts.get("user", ""), **row}


def _text(completion: Completion) -> str:
    """Return what a completion says: a text, or the last message's text, which may be in parts."""
    if isinstance(completion, str):
        return completion
    content = completion[-1]["content"] if len(completion) else ""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part.get("text") or "" for part in content if part.get("type") == "text")
