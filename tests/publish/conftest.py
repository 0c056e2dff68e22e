"""A Hub of the test's own, two versions of a small dataset, and what publishes them."""

import shutil
from pathlib import Path

import pytest
import stand_in_hub
from huggingface_hub import HfApi
from sample_folder import RECIPE, write_sample
from stand_in_hub import REPO

from planimeter.export.hub.publish import Target, publish
from planimeter.flows.service import hub as service


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """The Hub that the client of this process finds and is logged in to."""
    with stand_in_hub.started() as hub:
        stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
        monkeypatch.setattr(service, "client", lambda: HfApi(hub.url))
        yield hub


@pytest.fixture
def api(hub):
    return HfApi(hub.url)


@pytest.fixture
def put(api):
    """Publishes a folder."""

    def publish_to(folder, repo=REPO, *, private=False, **options):
        return publish(folder, Target(repo=repo, private=private), **({"api": api, "log": str} | options))

    return publish_to


@pytest.fixture(scope="session")
def second_sample(tmp_path_factory):
    """Version 1.1.0 of the sample: the same rows in fewer files, and another limit in the recipe."""
    counting = RECIPE["counting"] | {"curation": RECIPE["counting"]["curation"] | {"separation": 0.08}}
    recipe = RECIPE | {"version": "1.1.0", "rows_per_file": 40, "counting": counting}
    return write_sample(tmp_path_factory.mktemp("second") / "1.1.0", recipe=recipe)


@pytest.fixture
def second(second_sample, tmp_path):
    """A copy of version 1.1.0; ``folder`` is one of 1.0.0."""
    return Path(shutil.copytree(second_sample, tmp_path / "1.1.0"))
