"""Text that people or files bring is shown, never executed."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from builders.permitted import ALLOWED
from builders.workbench import Browser, Workbench, open_workbench
from karat.campaign.material.settings import change_settings
from karat.model import Citation, Document, Query, Record, Response, Run, Snippet, Template

PAYLOADS = (
    "<script>zqX(1)</script>",
    "\"><img src=x onerror='zqX(2)'>",
    "' autofocus onfocus='zqX(3)",
    "<svg onload=zqX(4)><animate onbegin=zqX(5)></svg>",
    "<style>body{background:url(//zqX)}</style>",
    "</textarea></title><script>zqX(6)</script>",
    "{{ 1911191 * 7001117 }}{% raw %}",
    "javascript:zqX(7)",
)
TEMPLATES = Path("src/karat/web/templates")


def hostile() -> list[Record]:
    """Every text and id of the material is a payload."""
    text = " ".join(PAYLOADS)
    run_id = PAYLOADS[0]
    citation = Citation(doc_id=PAYLOADS[1], excerpt=text, language="en")
    return [
        Query(query_id=PAYLOADS[3], text=text, template=PAYLOADS[5], slots={"who": text}),
        Run(run_id=run_id),
        Document(doc_id=PAYLOADS[1], text=text, title=text),
        Template(template_id=PAYLOADS[5], description=text, categories={"zqCategory": text}),
        Response(
            query_id=PAYLOADS[3],
            run_id=run_id,
            snippets=(Snippet(snippet_id=PAYLOADS[2], text=text, citations=(citation,)),),
        ),
    ]


class Executable(HTMLParser):
    """Collects what a browser would run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag == "script" and not (names.get("src") or "").startswith("/static/"):
            self.found.append(f"script {names}")
        if tag in ("style", "iframe", "object", "embed", "svg", "base"):
            self.found.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.found.append(f"{tag} {name}={value}")
            if name in ("href", "src", "action", "formaction") and not re.match(r"[/?#]|$", value or ""):
                self.found.append(f"{tag} {name}={value}")


def executable(html: str) -> list[str]:
    parser = Executable()
    parser.feed(html)
    return parser.found


@pytest.fixture
def attacked(tmp_path: Path) -> Workbench:
    with open_workbench(tmp_path, hostile()) as made:
        yield made


def pages(workbench: Workbench, browser: Browser) -> dict[str, str]:
    """All pages with every number, step and export."""
    query = workbench.numbers("query")[0]
    found = {}
    for method, path in ALLOWED:
        if method != "GET" or path.startswith(("/static", "/api")):
            continue
        for step in ("relevance", "nuggets", "nugs", "citations", "votes", "judging") if "{step" in path else [""]:
            where = path.replace("{number:int}", str(query)).replace("{step:str}", step).replace("{name:str}", "karat")
            where = where.replace("{token:str}", "%3Cscript%3EzqX(8)%3C%2Fscript%3E").replace("{run:str}", "x.csv")
            response = browser.get(where)
            assert response.status_code < 500, where
            if "html" in response.headers["content-type"]:
                found[where] = response.text
    return found


@pytest.mark.parametrize("name", ["olga", "eva", "ann"])
def test_no_page_executes_what_is_stored(attacked: Workbench, name: str) -> None:
    olga = Browser(attacked.app).login("olga")
    for payload in PAYLOADS:
        made = olga.form("/people", {"name": payload, "role": "assessor"})
        assert made.status_code == 200, made.text
        assert not executable(made.text)
    with attacked.campaign.database.write() as connection:
        change_settings(connection, {"title": PAYLOADS[1], "types": [payload[:80] for payload in PAYLOADS]})
    settings = {
        f"{field}_{step}": " ".join(PAYLOADS) for field in ("rule", "examples") for step in ("nuggets", "votes")
    }
    steps = {f"step_{step}": "yes" for step in ("relevance", "nuggets")}
    numbers = {"words_in_scope": "500", "assessors_per_query": "2", "title": PAYLOADS[0], "language": "en"}
    assert olga.form("/settings", {**settings, **steps, **numbers, "types": PAYLOADS[0]}).status_code == 303
    query = attacked.numbers("query")[0]
    from karat.campaign.work.assignments import assign_query

    with attacked.campaign.database.write() as connection:
        assign_query(connection, query, attacked.accounts["ann"])
    ann = Browser(attacked.app).login("ann")
    passage = attacked.numbers("passage")[0]
    record = {"passage": passage, "label": "relevant", "note": " ".join(PAYLOADS)}
    change = {"kind": "relevance", "key": str(passage), "version": 0, "record": record}
    saved = ann.post(f"/api/queries/{query}/changes", {"request": "<script>zqX(9)</script>", "changes": [change]})
    assert saved.status_code == 200, saved.text
    seen = pages(attacked, Browser(attacked.app).login(name))
    assert any("zqX" in page for page in seen.values())
    for where, page in seen.items():
        assert executable(page) == [], where
        # So long that no random token on the page has it by chance.
        assert str(1911191 * 7001117) not in page, where


def test_error_pages_show_addresses_and_file_names_as_text(attacked: Workbench) -> None:
    olga = Browser(attacked.app).login("olga")
    for path in ("/%3Cscript%3EzqX(1)%3C/script%3E", "/queries/1/%22%3E%3Cscript%3E", "/login?next=%22%3E%3Cscript%3E"):
        assert executable(olga.get(path).text) == []
    for payload in PAYLOADS:
        files = {"files": (f"{payload}.jsonl", b'{"kind": "nonsense"}\n', "text/plain")}
        refused = olga.form("/material", {}, files=files)
        assert refused.status_code == 422, payload
        assert executable(refused.text) == []


def test_the_api_says_that_it_is_json(attacked: Workbench) -> None:
    eva = Browser(attacked.app).login("eva")
    query = attacked.numbers("query")[0]
    for path in ("/api/queries", f"/api/queries/{query}/work/nuggets", f"/api/queries/{query}/history", "/api/nothing"):
        response = eva.get(path)
        assert response.headers["content-type"].startswith("application/json")
        assert response.headers["x-content-type-options"] == "nosniff"


def test_no_template_has_anything_inline_or_unescaped() -> None:
    root = Path(__file__).parents[2] / TEMPLATES
    files = sorted(root.rglob("*.html"))
    assert len(files) > 10
    for file in files:
        text = file.read_text("utf-8")
        assert not re.search(r"\son[a-z]+=|\sstyle=|<style|javascript:", text), file.name
        assert not re.search(r"<script(?![^>]*\ssrc=)", text), file.name
        allowed = re.sub(r"\{\{ csrf_input \| safe \}\}", "", text)
        assert not re.search(r"\|\s*safe|autoescape false|Markup", allowed), file.name
