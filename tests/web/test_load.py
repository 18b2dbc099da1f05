"""The small version of benchmarks/speed/annotators.py: kill -9 loses nothing acknowledged, backups are whole."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "speed" / "annotators.py"


@pytest.fixture(scope="module")
def annotators() -> ModuleType:
    spec = importlib.util.spec_from_file_location("annotators", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["annotators"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def people(annotators: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "src"))
    return list(annotators.make_campaign(tmp_path / "campaign", 6))


def test_a_killed_server_has_lost_no_save(annotators: ModuleType, people: list[object], tmp_path: Path) -> None:
    server = annotators.Server(tmp_path / "campaign")
    load = asyncio.run(annotators.kill_in_the_middle(server, people, 2.0, 0, least=11))
    annotators.Server(tmp_path / "campaign").stop()
    assert annotators.lost_saves(tmp_path / "campaign", load) == []
    assert load.refused == []
    assert len(load.saved) > 10


def test_a_lost_save_would_be_noticed(annotators: ModuleType, people: list[object], tmp_path: Path) -> None:
    load = annotators.Load(saved={(2, "never sent"): (1, 1, 1)})
    assert len(annotators.lost_saves(tmp_path / "campaign", load)) == 2


def test_a_backup_under_load_is_whole(annotators: ModuleType, people: list[object], tmp_path: Path) -> None:
    held, problems = asyncio.run(annotators.backup_in_the_middle(tmp_path / "campaign", people, 2.0, tmp_path, least=6))
    assert problems == []
    assert held > 5
