"""The workbench that tests of one module share, and a fresh one for tests that change things."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders.workbench import Browser, Workbench, open_workbench

pytest.importorskip("litestar")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with open_workbench(tmp_path_factory.mktemp("workbench")) as workbench:
        yield workbench


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with open_workbench(tmp_path) as made:
        yield made


@pytest.fixture
def browser(workbench: Workbench) -> Callable[..., Browser]:
    """A new browser on the fresh workbench, logged in where a name is given."""


    def open_one(name: str | None = None) -> Browser:
        opened = Browser(workbench.app)
        return opened if name is None else opened.login(name)

    return open_one
