"""The options of a build; one pydantic model checks those of the command line and those of a Prefect run."""

from typing import Annotated, Literal, Self, cast

from pydantic import AfterValidator, BaseModel, Field, ValidationError, model_validator

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.secret import Sealed
from planimeter.flows.store.place import Place, default_outputs
from planimeter.flows.store.storage import checked
from planimeter.flows.workers.calls import Workers
from planimeter.flows.workers.processes import cores
from planimeter.items.suites import declared
from planimeter.suites.base import Recipe, Scale, Seed, Version
from planimeter.suites.loading import Collection, load
from planimeter.suites.pipeline import suite_of

Runner = Literal["processes", "dask"]
WorkerCount = Annotated[int, Field(ge=1, le=128)]


class BuildOptions(BaseModel, frozen=True, extra="forbid"):
    """The options of a build, as ``build_dataset`` (``flows/build.py``) describes them. Create them with ``of``."""

    recipe: str
    scale: Scale | None = None
    seed: Seed | None = None
    workers: WorkerCount | None = None
    out: Annotated[str, AfterValidator(checked)] | None = None
    version: Version | None = None
    runner: Runner = "processes"
    address: str | None = None
    sealed: str | None = None

    @classmethod
    def of(cls, **given: object) -> Self:
        """Return the options ``given``. Raises ``PlanimeterError`` for a wrong value: one line with option and rule."""
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            name = f"--{first['loc'][0]}: " if first["loc"] else ""
            message = first["msg"].removeprefix("Value error, ")
            given_value = f", got {first['input']!r:.80}" if name and ", got " not in message else ""
            raise PlanimeterError(f"{name}{message}{given_value}") from None

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.address and "@" in self.address:
            raise ValueError("--address has credentials, which Prefect would store; put them into Dask's configuration")
        if self.address and self.runner != "dask":
            raise ValueError(f"--address names a Dask scheduler: add --runner dask, or leave out {self.address}")
        if self.address and self.workers:
            raise ValueError("--workers and --address exclude each other: the scheduler has its own workers")
        if self.sealed and self.seed is not None:
            raise ValueError("--seed and --sealed exclude each other: the seed of a sealed edition is in its file")
        return self

    @property
    def overrides(self) -> dict[str, object]:
        """Scale, seed and version that replace those of the recipe; None keeps the value of the recipe."""
        return {"scale": self.scale, "seed": self.seed, "version": self.version}

    def load(self) -> Recipe | Collection:
        """Return the recipe or collection with the ``overrides``; with seed None if the seed is secret (``sealed``).

        Raises ``PlanimeterError`` for an unknown name or a wrong value.
        """
        if not self.recipe:
            raise PlanimeterError("name a dataset (`planimeter list` shows them), or give the path of a recipe (.toml)")
        loaded = load(self.recipe, **self.overrides)
        if not self.sealed:
            return loaded
        if isinstance(loaded, Collection):
            raise PlanimeterError("--sealed: build one dataset at a time; each sealed edition has its own seed file")
        return loaded.model_copy(update={"seed": None})

    def each(self) -> "list[BuildOptions]":
        """Return the options of each dataset of the collection, or ``[self]`` if ``recipe`` names a single dataset."""
        loaded = self.load()
        if not isinstance(loaded, Collection):
            return [self]
        shared = {"scale": loaded.scale, "seed": loaded.seed, "version": loaded.version}
        return [self.model_copy(update={"recipe": name, **shared}) for name in loaded.datasets]

    def place(self) -> Place:
        """Return the destination of the dataset; the options must name a dataset, not a collection."""
        recipe = cast("Recipe", self.load())
        outputs = self.out or str(default_outputs(self.recipe, recipe, self.overrides))
        if not self.sealed:
            return Place(recipe, outputs)
        # In another folder than the public edition of this version.
        return Place(recipe, outputs if self.out else f"{outputs}/sealed", Sealed.at(self.sealed))

    def workers_for(self, place: Place) -> Workers:
        """Start and return the workers that make the shards of the dataset at ``place``.

        Raises ``PlanimeterError`` if Dask is required and is not installed, or its cluster has no worker.
        """
        number = self.workers or cores()
        if self.runner == "processes":
            # Loaded in this process first, which reports its faults.
            suite_of(place.recipe)
            making = declared(place.recipe.suite).build.partition(":")[0]
            return Workers.of_processes(number, ["planimeter.flows.work", making])
        try:
            from planimeter.flows.workers.dask import DaskPool
        except ModuleNotFoundError as error:
            raise PlanimeterError(
                f"--runner dask: {error.name} is not installed; it comes with Planimeter's extra `dask` (in a "
                "checkout: `make dev`)"
            ) from None
        return Workers(lambda: DaskPool(place, number, self.address), 128 if self.address else 2 * number)

    def writers_beside(self, workers: Workers) -> Workers:
        """Return processes of this machine to write and verify files: ``workers`` or, if these are Dask's, new ones."""
        return workers if self.runner == "processes" else Workers.of_processes(cores())
