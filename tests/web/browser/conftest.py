"""A real browser on a real server: Debian's chromium, and nothing that leaves the machine."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("litestar")
playwright_api = pytest.importorskip("playwright.sync_api")
pytest.importorskip("axe_playwright_python")

from builders.live import Live, material, serve  # noqa: E402
from builders.visitors import Visitor  # noqa: E402
from builders.workbench import fill_workbench  # noqa: E402

HERE = Path(__file__).parent
CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"
]  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Last: as long as the browser is open, an event loop runs in this process, and others cannot have their own."""
    items.sort(key=lambda item: HERE in item.path.parents)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def filled_live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign that is made once and copied."""
    folder = tmp_path_factory.mktemp("filled-live") / "campaign"
    fill_workbench(folder, material())
    return folder


@pytest.fixture
def live(tmp_path: Path, filled_live: Path) -> Iterator[Live]:
    """A campaign of its own for every test, on a free port of this machine."""
    shutil.copytree(filled_live, tmp_path / "campaign")
    with serve(tmp_path, material()) as running:
        yield running


@pytest.fixture
def visit(chromium: Any, live: Live) -> Iterator[Callable[..., Visitor]]:
    """`visit("ann")`: a browser in which ann has logged in; errors in the console and foreign requests fail."""
    visitors: list[Visitor] = []

    def open_one(name: str, **options: Any) -> Visitor:
        visitors.append(Visitor(chromium, live, name, **options))
        return visitors[-1]

    yield open_one
    for visitor in visitors:
        visitor.context.close()
    for visitor in visitors:
        assert visitor.foreign == []
        assert visitor.errors == []
