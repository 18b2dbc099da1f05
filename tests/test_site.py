"""The documentation as a site: every page is in the navigation, every link leads somewhere, nothing is from outside."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from karat.reports.page.plot import KINDS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def _hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_hooks", DOCS / "theme" / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hooks = _hooks()
PAGES = [page.relative_to(ROOT).as_posix() for page in sorted(DOCS.rglob("*.md"))] + hooks.outside_pages()
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def anchors(page: str) -> set[str]:
    """The anchors of a page on GitHub: a heading that is repeated gets a number."""
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    found: list[str] = []
    for heading in HEADING.findall(text):
        found.append(hooks.github_anchor(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading), "-"))
    return {name if not found[:place].count(name) else f"{name}-{found[:place].count(name)}" for place, name in
            enumerate(found)}  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_a_file_and_a_heading(page: str) -> None:
    text = hooks.CODE.sub("", (ROOT / page).read_text("utf-8"))
    lost = []
    for link in hooks.LINK.finditer(text):
        if ":" in link["target"]:
            continue
        target = hooks.target_of(page, link["target"]) or page
        there = (ROOT / target).exists()
        if not there or (link["anchor"] and link["anchor"][1:] not in anchors(target)):
            lost.append(link[0])
    assert lost == []


@pytest.mark.parametrize("page", PAGES)
def test_no_word_in_angle_brackets_is_taken_for_a_tag(page: str) -> None:
    """Markdown swallows `<TAB>` outside code."""
    text = hooks.CODE.sub("", (ROOT / page).read_text("utf-8"))
    assert re.findall(r"(?<!\\)</?[A-Za-z][^>]*>", text) == []


def test_every_page_is_in_the_navigation_once() -> None:
    listed = [page for section in hooks.navigation() for page in _pages(section)]
    assert sorted(listed) == sorted(hooks.site_path(page) for page in PAGES)


def _pages(entry: object) -> list[str]:
    if isinstance(entry, dict):
        return [page for value in entry.values() for page in _pages(value)]
    return [page for below in entry for page in _pages(below)] if isinstance(entry, list) else [str(entry)]


def test_the_gallery_has_a_picture_of_every_kind_of_chart() -> None:
    assert {path.stem for path in (DOCS / "pictures" / "charts").glob("*.png")} == set(KINDS)


def test_pictures_are_small_and_every_one_is_shown_with_words_for_who_cannot_see_it() -> None:
    pictures = {path for path in (DOCS / "pictures").rglob("*") if path.suffix in {".png", ".svg"}}
    shown = set()
    for page in PAGES:
        for link in hooks.LINK.finditer((ROOT / page).read_text("utf-8")):
            if link["text"].startswith("!"):
                shown.add(ROOT / hooks.target_of(page, link["target"]))
                assert len(link["text"]) > 30, (page, link[0])
    assert shown == pictures
    assert [path.name for path in pictures if path.stat().st_size > 60_000] == []


def test_what_github_and_the_site_read_differently() -> None:
    failed, tried = doctest.testmod(hooks)
    assert (failed, tried > 1) == (0, True)


def test_links_out_of_the_docs_lead_to_pages_of_the_site_or_become_words() -> None:
    text = "[a](../README.md#two-commands), [b](../src/karat/), [c](index.md), `[d](../README.md)`, [e](https://x.org)"
    assert hooks.with_site_links(text, "docs/measures.md") == (
        "[a](project/README.md#two-commands), b, [c](index.md), `[d](../README.md)`, [e](https://x.org)"
    )
    assert hooks.with_site_links("![p](docs/pictures/explain.svg)", "README.md") == "![p](../pictures/explain.svg)"


def built(page: str) -> str:
    """The file of the site that is made from a page."""
    return re.sub(
        r"(?:(?<=/)README)?\.md$", lambda end: "index.html" if "README" in end[0] else ".html", hooks.site_path(page)
    )


class Resources(HTMLParser):
    """What a page makes the browser load, and the addresses to which it links."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in {"src", "srcset", "data", "poster"} or (tag == "link" and name == "href"):
                self.loaded.append(value or "")
            elif tag == "a" and name == "href":
                self.linked.append(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONWARNINGS": "default"}
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_site_is_built_without_a_warning_and_has_every_page(site: Path) -> None:
    files = {page.relative_to(site).as_posix() for page in site.rglob("*.html")}
    assert files == {built(page) for page in PAGES}
    assert not list(site.rglob("*.py"))


def test_no_page_loads_anything_from_outside(site: Path) -> None:
    for page in site.rglob("*.html"):
        resources = Resources()
        resources.feed(page.read_text("utf-8"))
        assert [one for one in resources.loaded if re.match(r"(?:\w+:)?//", one)] == [], page.name
        for one in resources.loaded:
            assert one.startswith("data:") or (page.parent / one).resolve().exists(), (page.name, one)
    # Only what a browser loads: names of languages and spaces (xmlns) are not addresses that anybody visits.
    loading = re.compile(r"@import|url\(\s*['\"]?(?:https?:)?//|fetch\(|XMLHttpRequest|import\(")
    for style in (*site.rglob("*.css"), *site.rglob("*.svg"), site / "site.js"):
        assert loading.search(style.read_text("utf-8")) is None, style.name


def test_links_of_the_built_pages_lead_to_files_of_the_site(site: Path) -> None:
    for page in site.rglob("*.html"):
        resources = Resources()
        resources.feed(page.read_text("utf-8"))
        for link in resources.linked:
            if not link.startswith(("http:", "https:", "mailto:", "#")):
                assert (page.parent / link.partition("#")[0]).exists(), (page.name, link)


def test_the_search_knows_every_page(site: Path) -> None:
    text = (site / "pages.js").read_text("utf-8")
    assert [page for page in PAGES if f'"{built(page)}": [[' not in text] == []


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's chromium; it is closed again before the tests of the workbench open theirs."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install '.[dev]'")
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("chromium is not installed")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def visit(site: Path, browser: Any) -> Iterator[Callable[..., Any]]:
    """`visit("index.html")`: a page, opened from disk; errors in the console and requests to the network fail."""
    problems: list[str] = []
    contexts = []

    def opened(page: str, *, width: int = 1300, theme: str = "light") -> Any:
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("request", lambda request: None if request.url.startswith("file:") else problems.append(request.url))
        tab.goto((site / page).as_uri())
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert [problem for problem in problems if not problem.startswith("data:")] == []


def test_the_search_works_from_disk(visit: Callable[..., Any]) -> None:
    tab = visit("measures/rag.html")
    tab.keyboard.press("/")
    tab.keyboard.type("pyramid weights")
    tab.wait_for_selector("#found a")
    assert "Weights of a pyramid" in tab.locator("#found").inner_text()
    tab.get_by_role("link", name="Weights of a pyramid").first.click()
    tab.wait_for_url("**/measures/trec.html#weights-of-a-pyramid")
    tab.keyboard.press("/")
    tab.keyboard.type("qwertyuiop")
    tab.wait_for_selector("#found li")
    assert tab.locator("#found").inner_text() == "No page has all of these words."


def test_the_theme_is_kept(visit: Callable[..., Any]) -> None:
    tab = visit("index.html")
    light = tab.evaluate("getComputedStyle(document.body).color")
    tab.click("button.theme")
    tab.click("button.theme")
    assert tab.inner_text("button.theme") == "Theme: dark"
    tab.reload()
    assert (tab.inner_text("button.theme"), tab.evaluate("getComputedStyle(document.body).color") != light) == (
        "Theme: dark",
        True,
    )


def test_no_page_is_wider_than_a_phone(visit: Callable[..., Any], site: Path) -> None:
    tab = visit("index.html", width=390)
    wide = []
    for page in sorted(site.rglob("*.html")):
        tab.goto(page.as_uri())
        if tab.evaluate("document.documentElement.scrollWidth") > 390:
            wide.append(page.name)
    assert wide == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_have_no_barriers(visit: Callable[..., Any], theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for page in ("index.html", "measures/agreement.html", "gallery.html"):
        found = axe.run(visit(page, theme=theme), options={"preload": False}).response["violations"]
        serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in {"serious", "critical"}]
        assert serious == [], page
