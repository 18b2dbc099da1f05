"""The workbench that tests of one module share, and a fresh one for tests that change things."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("litestar")

from argon2 import PasswordHasher

from builders.workbench import Browser, Workbench, fill_workbench, open_workbench
from karat.campaign.people import passwords


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Hashing is slow on purpose; tests of pages log in hundreds of times."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory, cheap_passwords: None) -> Path:
    """A campaign that is made once and copied."""
    folder = tmp_path_factory.mktemp("filled") / "campaign"
    fill_workbench(folder)
    return folder


@pytest.fixture(scope="module")
def shared(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    folder = tmp_path_factory.mktemp("shared")
    shutil.copytree(filled, folder / "campaign")
    with open_workbench(folder) as made:
        yield made


@pytest.fixture
def workbench(filled: Path, tmp_path: Path) -> Iterator[Workbench]:
    shutil.copytree(filled, tmp_path / "campaign")
    with open_workbench(tmp_path) as made:
        yield made


@pytest.fixture
def browser(workbench: Workbench) -> Callable[..., Browser]:
    """A new browser on the fresh workbench, logged in where a name is given."""

    def open_one(name: str | None = None) -> Browser:
        opened = Browser(workbench.app)
        return opened if name is None else opened.login(name)

    return open_one
