"""Make the pictures of the workbench that the pages show: python docs/pictures/workbench.py

They show the campaign of `karat serve --demo`, in the light theme, as Debian's chromium draws it. Playwright for Python
and chromium are needed (the extra "dev" has Playwright, "docs" what makes pictures small).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from small import small_png

FOLDER = Path(__file__).parent
SIZE = {"width": 1180, "height": 620}
PICTURES = {
    "workbench-nuggets.png": ("ann", "storm", "nuggets"),
    "workbench-adjudication.png": ("eva", "bridge", "adjudication"),
}
"""Per picture who looks at which query, and at which page."""
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"
]  # fmt: skip


@contextmanager
def demo() -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a running demo, and the passwords by name."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said.txt"
        with said.open("w") as file:
            command = [sys.executable, "-m", "karat", "serve", "--demo", "--port", "0"]
            server = subprocess.Popen(command, stdout=file, stderr=file)
        try:
            for _ in range(300):
                found = re.search(r"http://127\.0\.0\.1:\d+", said.read_text())
                if found is not None:
                    break
                time.sleep(0.1)
            else:
                raise SystemExit(f"the demo did not start: {said.read_text()}")
            yield found[0], dict(re.findall(r"name (\S+) +password (\S+)", said.read_text()))
        finally:
            server.terminate()
            server.wait(timeout=20)


def opened(browser: Any, address: str, name: str, password: str) -> Page:
    """A page on which somebody is logged in."""
    context = browser.new_context(base_url=address, viewport=SIZE, color_scheme="light")
    page: Page = context.new_page()
    page.goto("/login")
    page.fill("input[name=name]", name)
    page.fill("input[name=password]", password)
    page.click("main form button")
    page.wait_for_url(address + "/")
    return page


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is needed; on Debian: apt install chromium")
    with demo() as (address, passwords), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for picture, (name, query_id, step) in PICTURES.items():
            page = opened(browser, address, name, passwords[name])
            queries = page.request.get("/api/queries").json()["queries"]
            number = next(query["number"] for query in queries if query["query_id"] == query_id)
            page.goto(f"/queries/{number}/{step}")
            page.wait_for_selector("karat-task[data-ready]")
            if step == "nuggets":
                # Answers stand in an order that is drawn anew for every campaign.
                storm = page.locator("article.passage", has_text="Ines struck Porto Azul").first
                storm.locator(".passage-text").first.focus()
                storm.evaluate("card => scrollTo(0, card.offsetTop - 90)")
                page.keyboard.press("]")
            else:
                page.locator(".item-list button", has_text="on 3 March").first.click()
            page.mouse.move(0, 0)
            page.wait_for_timeout(300)
            (FOLDER / picture).write_bytes(small_png(page.screenshot()))
        browser.close()


if __name__ == "__main__":
    main()
