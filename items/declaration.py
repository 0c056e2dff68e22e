"""The declaration of a suite: its name, the import paths of its parts, and facts about its data.

Each part is imported at its first use. So a grader loads without its generator, and no suite loads the requirements of
another one.
"""

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from traceback import walk_tb
from typing import Any, Self

from planimeter.items.errors import PlanimeterError

#: The distribution of our own suites.
OURS = "planimeter"


class SuiteError(PlanimeterError, LookupError):
    """The error for a suite that does not exist, lacks a needed module (e.g. the grader), or fails in its own code."""


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """The settings with which a benchmark's paper samples replies of models; None: the default of their provider."""

    temperature: float | None = None
    samples: int = 1
    max_tokens: int | None = None

    def __str__(self) -> str:
        temperature = "default temperature" if self.temperature is None else f"temperature {self.temperature:g}"
        tokens = "" if self.max_tokens is None else f", at most {self.max_tokens:,} tokens"
        return f"{temperature}, {self.samples} sample{'s' if self.samples != 1 else ''}{tokens}"


@dataclass(frozen=True, kw_only=True)
class Suite:
    """The declaration of a suite: the import paths of its parts, and facts about its data.

    Parts are import paths, "module" or "module:name"; ``load`` raises ``SuiteError`` for an empty one. ``grader``:
    module that reads and scores replies (``evals.grading`` lists its contents); ``variants``: module of reworded
    prompts. ``recipe``: pydantic model of its recipes; ``datasets``: package with one TOML file for each recipe.
    ``build``: the generation of items, a ``suites.pipeline.Pipeline``. ``export``: module with columns, texts and
    checks. ``certify``: function (PNG bytes, prompt) -> ``Reading``, which recovers the answer. ``likeness``: module
    that compares rows with those of ``editions``, the published datasets (``suites.editions``). ``results``: module
    with the tables, plots and evidence of scores; ``solvers`` and ``probes``: modules of reference models and of probes
    for shortcuts, in addition to those of all suites. ``illustration``: module that checks the pictures that only
    readers of the dataset, not models, see; its ``fault(row)`` returns a description of the fault, or an empty string,
    and reads the columns ``COLUMNS``.
    ``audit``: function (path, console for results, console for errors) that judges rows released by others.

    Facts: ``recognised_by`` gives for each config the columns that only its rows have. ``pictures``: True if models see
    the column ``image``. ``pools``: configs that are loaded, evaluated and scored together under another name.
    ``ladders``: for each ladder (series of training levels), the recipe and the config of its rows. ``rewards``:
    functions (config, row, metrics) by the name of the reward that they return, in addition to the grader's metrics.
    ``sampling``: the settings with which the paper that introduced the benchmark samples replies, by config, and under
    "" for all other configs. ``requires``: the pip requirement of the grader, in addition to Planimeter. ``shared``:
    modules that both the certifier and the generator may import, such as the wording of questions and answers, but no
    computation. ``flows``: for each dataset the name of the flow that builds it, if not ``build-DATASET``.
    """

    name: str
    grader: str = ""
    variants: str = ""
    recipe: str = ""
    datasets: str = ""
    build: str = ""
    export: str = ""
    certify: str = ""
    likeness: str = ""
    editions: tuple[str, ...] = ()
    results: str = ""
    solvers: str = ""
    probes: str = ""
    illustration: str = ""
    audit: str = ""
    recognised_by: Mapping[str, frozenset[str]] = field(default_factory=dict)
    pictures: bool = True
    pools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ladders: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    rewards: Mapping[str, str] = field(default_factory=dict)
    sampling: Mapping[str, Sampling] = field(default_factory=dict)
    requires: str = ""
    shared: tuple[str, ...] = ()
    flows: Mapping[str, str] = field(default_factory=dict)
    #: Name and version of the distribution that registers the suite; the registry fills it in.
    distribution: str = OURS

    @classmethod
    def of(cls, package: str, **given: Any) -> Self:
        """Return the declaration of the suite in ``package``, a dotted name whose last part is the suite's name.

        By default, its parts are ``package.grader``, ``package.rows`` and so on; ``given`` fields replace them or are
        added. In packages that ``planimeter new`` 1.x wrote, recipe and pipeline are both in ``package.making``.
        """
        old = find_spec(f"{package}.making") is not None
        parts = {
            "grader": f"{package}.grader",
            "recipe": f"{package}.making:SuiteRecipe" if old else f"{package}.recipe:SuiteRecipe",
            "datasets": package,
            "build": f"{package}.making:BUILD" if old else f"{package}.pipeline:PIPELINE",
            "export": f"{package}.rows",
            "certify": f"{package}.certifier:certify",
        }
        return cls(**{"name": package.rpartition(".")[2], **parts, **given})

    @property
    def packages(self) -> frozenset[str]:
        """The names of the top-level packages that contain the suite's parts."""
        paths = (self.build, self.recipe, self.certify, self.grader)
        return frozenset(path.partition(":")[0].partition(".")[0] for path in paths if path)

    def sampling_of(self, config: str) -> Sampling:
        """Return the settings in ``sampling`` for ``config``: its own, else those under "", else the defaults."""
        return self.sampling.get(config) or self.sampling.get("") or Sampling()

    def load(self, part: str) -> Any:
        """Import and return ``part``, the name of a field of this class that contains an import path.

        Raises:
            SuiteError: if the path is empty, or if the suite is from another distribution and the import fails.
        """
        path: str = getattr(self, part)
        if not path:
            raise SuiteError(
                f"the suite {self.name} of {self.distribution} declares no {part}: add {part} to its declaration"
            )
        return self.imported(path)

    def imported(self, path: str) -> Any:
        """Import and return the object at ``path``.

        If the import fails and the suite is from another distribution, raises ``SuiteError``.
        """
        module, _, name = path.partition(":")
        with self.blamed(f"{path} cannot be imported"):
            loaded = importlib.import_module(module)
            return getattr(loaded, name) if name else loaded

    @contextmanager
    def blamed(self, what: str) -> Iterator[None]:
        """Return a context manager that converts an exception in its block to a ``SuiteError``.

        The message names the suite, its distribution, the failed action ``what``, the cause and the line of code.
        Exceptions of our own suites, and our own error classes, pass unchanged.
        """
        try:
            yield
        except Exception as error:
            if self.distribution == OURS or type(error).__module__.startswith("planimeter."):
                raise
            cause = described(error, self.packages)
            raise SuiteError(f"the suite {self.name} of {self.distribution}: {what} ({cause})") from error


def described(error: Exception, packages: frozenset[str]) -> str:
    """Return the type and message of ``error``, and the innermost line of code in ``packages`` that led to it."""
    frames = ((str(frame.f_globals.get("__name__", "")), line) for frame, line in walk_tb(error.__traceback__))
    places = [f" in {name}:{line}" for name, line in frames if name.partition(".")[0] in packages]
    return f"{type(error).__name__}: {error}{places[-1] if places else ''}"
