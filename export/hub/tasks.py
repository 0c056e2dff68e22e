"""eval.yaml, by which `inspect eval hf/OWNER/NAME` runs a published dataset where nothing of ours is installed.

Only problems without pictures have one: what Inspect reads of a repository holds no pictures, and no scorer but those
of Inspect. For all others, and for our scorer, there is `inspect eval planimeter/<suite>_<config>`.
"""

import json

from planimeter.export.hub.files import LocalFile, local_text
from planimeter.export.manifest import Manifest
from planimeter.items.suites import declared

NAME = "eval.yaml"


def tasks_file(manifest: Manifest) -> dict[str, LocalFile]:
    """Return eval.yaml by its name, as JSON, which is YAML; nothing for a suite that needs pictures."""
    if declared(manifest.recipe["suite"]).pictures:
        return {}
    tasks = [
        {
            "id": config,
            "config": config,
            "split": split,
            "field_spec": {"input": "prompt", "target": "answer", "metadata": ["id"]},
            "solvers": [{"name": "generate"}],
            "scorers": [{"name": "math"}],
        }
        for config, splits in manifest.configs.items()
        for split in splits
    ]
    document = {
        "name": manifest.recipe["title"],
        "description": manifest.recipe["summary"],
        "evaluation_framework": "inspect-ai",
        "tasks": tasks,
    }
    return {NAME: local_text(f"{json.dumps(document, indent=2, ensure_ascii=False)}\n".encode())}
