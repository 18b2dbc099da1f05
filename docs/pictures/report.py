"""Make the pictures of the report that docs/gallery.md shows: python docs/pictures/report.py

They show `karat report` on the bundled demo, in the light theme and as Debian's chromium draws it. The extras "report",
"dev" (Playwright) and "docs" are needed, and chromium.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from small import small_png

import karat
from karat.reports.page.report import report

FOLDER = Path(__file__).parent
PICTURES = {
    "report-scores.png": ("#scores", None),
    "report-nugs.png": ("#nugs", None),
    "report-answers.png": ("#queries details", "lexical"),
}
"""Per picture what of the page it shows, and the judge: people, or a program that names the words it found."""
SIZE = {"width": 1120, "height": 640}
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is needed; on Debian: apt install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_context(viewport=SIZE, color_scheme="light").new_page()
        for name, (place, judge) in PICTURES.items():
            path = Path(folder) / f"{judge}.html"
            key, judgements, runs = karat.demo_files()
            if judge is None:
                report(key, judgements, runs, on_error="skip", baseline="atlas", made="", output=path)
            else:
                report(key, runs, judge=judge, made="", output=path)
            page.goto(path.as_uri())
            page.add_style_tag(content="nav { position: static !important; }")
            shown = page.locator(place).first
            shown.evaluate("one => { one.open = true; scrollTo(0, one.getBoundingClientRect().top + scrollY - 12); }")
            page.wait_for_timeout(300)
            (FOLDER / name).write_bytes(small_png(page.screenshot()))
        browser.close()


if __name__ == "__main__":
    main()
