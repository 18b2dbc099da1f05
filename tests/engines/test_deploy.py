"""The files for a cluster are what the tools that read them expect."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"


def test_the_cluster_file_is_one_of_ray() -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed (the extra `cluster`)")
    yaml = pytest.importorskip("yaml")
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    config = yaml.safe_load((DEPLOY / "ray-cluster.yaml").read_text())
    jsonschema.validate(config, schema)
    assert all("--disable-usage-stats" in line for key in ("head", "worker") for line in _starts(config, key))


def _starts(config: dict[str, list[str]], key: str) -> list[str]:
    return [line for line in config[f"{key}_start_ray_commands"] if "ray start" in line]


def test_the_container_file_copies_what_there_is() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)
    for pattern in " ".join(copied).split():
        assert list(DEPLOY.parent.glob(pattern)), pattern
