"""Somebody with a browser: logs in, opens pages, presses keys, and notes what must not happen."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe

from builders.live import Live
from builders.workbench import PASSWORD


class Visitor:
    """A browser window of one person; `keys` counts the key presses besides selecting."""

    def __init__(self, chromium: Any, live: Live, name: str, *, theme: str = "light", **options: Any) -> None:
        self.live = live
        self.name = name
        self.context = chromium.new_context(
            base_url=live.address, viewport={"width": 1280, "height": 800}, color_scheme=theme, **options
        )
        self.context.set_default_timeout(25000)
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.keys = 0
        self.page = self.tab()
        self.page.goto("/login")
        self.page.fill("input[name=name]", name)
        self.page.fill("input[name=password]", PASSWORD)
        self.page.click("main button[type=submit], main form button")
        self.page.wait_for_url(live.address + "/")

    def tab(self) -> Any:
        """Another tab of the same browser."""
        page = self.context.new_page()
        page.on("console", lambda message: message.type == "error" and self._note(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._check(request.url))
        return page

    def _note(self, text: str) -> None:
        # Chromium itself reports answers like 409 and lost connections; the page shows those to the person.
        if not text.startswith("Failed to load resource"):
            self.errors.append(text)

    def _check(self, address: str) -> None:
        if not address.startswith((self.live.address, "data:", "blob:", "about:")):
            self.foreign.append(address)

    def open(self, step: str, page: Any = None) -> Any:
        """Open the page of a step and wait until it can be used."""
        target = page or self.page
        target.goto(f"/queries/{self.live.query}/{step}")
        target.wait_for_selector("karat-task[data-ready]")
        return target

    def press(self, *keys: str, page: Any = None) -> None:
        for key in keys:
            self.keys += 1
            (page or self.page).keyboard.press(key)

    def activate(self, text: str, page: Any = None) -> None:
        """Go to the passage with this text."""
        (page or self.page).locator(f'[data-passage="{self.live.passage(text)}"] .passage-text').first.focus()

    def select(self, text: str, words: str, page: Any = None) -> None:
        """Select words in a passage, as a mouse would."""
        (page or self.page).evaluate(
            """([number, words]) => {
                const passage = document.querySelector(`[data-passage="${number}"] karat-passage`)
                    ?? document.querySelector("karat-passage");
                const start = passage.text.indexOf(words);
                if (start < 0) throw new Error(words);
                passage.focus();
                passage.select([passage.offsets.toPoint(start), passage.offsets.toPoint(start + words.length)]);
            }""",
            [self.live.passage(text), words],
        )

    def settled(self, page: Any = None) -> None:
        """Wait until everything is saved."""
        (page or self.page).locator(".saved", has_text="Saved").wait_for()

    def saved(self, kind: str, step: str = "nuggets") -> list[dict[str, Any]]:
        """What the server has of one kind."""
        answer = self.page.request.get(f"/api/queries/{self.live.query}/work/{step}")
        assert answer.ok, answer.text()
        return [each for each in answer.json()["annotations"] if each["kind"] == kind]

    def send(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """What a page would send; the answer."""
        token = self.page.locator("meta[name=csrf-token]").get_attribute("content") or ""
        answer = self.page.request.post(path, data=body, headers={"x-csrftoken": token})
        assert answer.ok, answer.text()
        result: dict[str, Any] = answer.json()
        return result

    def change(self, *records: tuple[str, dict[str, Any]], owner: int | None = None) -> None:
        """Save new annotations without a page: (key, record with its kind)."""
        changes = [{"kind": record["kind"], "key": key, "version": 0, "record": record} for key, record in records]
        body = {"request": f"test-{records[0][0]}-{len(records)}", "changes": changes}
        self.send(f"/api/queries/{self.live.query}/changes", body if owner is None else {**body, "owner": owner})

    def finish_steps(self, *steps: str) -> None:
        for step in steps:
            self.send(f"/api/queries/{self.live.query}/steps/{step}", {"done": True})

    def mark(self, key: str, text: str, words: str) -> tuple[str, dict[str, Any]]:
        """A nugget of some words of a passage."""
        start = text.index(words)
        spans = [[start, start + len(words)]]
        return key, {"kind": "nugget", "passage": self.live.passage(text), "spans": spans}

    def serious_problems(self, theme: str) -> list[tuple[str, str, list[str]]]:
        """What axe finds on the page: where, which rule, and the first elements."""
        self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        found = Axe().run(self.page).response["violations"]
        return [
            (self.page.url.split("/")[-1], each["id"], [node["html"][:120] for node in each["nodes"][:3]])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
