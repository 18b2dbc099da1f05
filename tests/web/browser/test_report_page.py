"""The report in a real browser, opened from disk: nothing is fetched, no data runs, all numbers are right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

import karat
from builders.reported import collection, save
from cli.running import karat_here
from karat.evaluate.score.score import score
from karat.reports.page.report import report
from reports.page.read_page import read_page

pytest.importorskip("altair")

EVIL = "<img src=x onerror=\"document.title='ran'\"><script>document.title='ran'</script><svg onload=alert(1)>"
SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo-report") / "report.html"
    report(*karat.demo_files(), on_error="skip", made="").save(path)
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20 runs x 100 queries, with answers of some length."""
    path = tmp_path_factory.mktemp("large-report") / "report.html"
    runs = [f"run{at:02d}" for at in range(20)]
    report(collection(100, runs=runs, filler="This sentence holds nothing that counts here. " * 8), made="").save(path)
    return path


class Opened:
    """A page from disk, and what it said and asked for."""

    def __init__(self, chromium: Any, path: Path, **options: Any) -> None:
        self.context = chromium.new_context(**options)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())
        if options.get("java_script_enabled", True):
            self.page.wait_for_selector("html[data-ready]", state="attached")
        self.address = path.as_uri()

    def rows(self, selector: str) -> list[list[str]]:
        return self.page.evaluate(  # type: ignore[no-any-return]
            "selector => [...document.querySelectorAll(selector)].map(row => "
            "[...row.cells].map(cell => cell.textContent.trim()))",
            selector,
        )


@pytest.fixture
def opened(chromium: Any) -> Iterator[Any]:
    """`opened(path)`: the page in a browser; errors in the console, dialogs and requests fail."""
    pages: list[Opened] = []

    def open_one(path: Path, **options: Any) -> Opened:
        pages.append(Opened(chromium, path, **options))
        return pages[-1]

    yield open_one
    for page in pages:
        page.context.close()
    for page in pages:
        assert page.said == []
        assert page.asked == [page.address]


def test_every_number_of_the_demo_is_what_score_gives(opened: Any, demo: Path) -> None:
    table = opened(demo).rows("#scores table tr")
    measures = table[0][2:]
    scores = {(one.run_id, one.measure): one for one in score(*karat.demo_files(), on_error="skip").of_all()}
    assert len(table) == 6
    assert {(row[0], measure) for row in table[1:] for measure in measures} == scores.keys()
    for run_id, queries, *cells in table[1:]:
        for measure, cell in zip(measures, cells, strict=True):
            one = scores[run_id, measure]
            expected = f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}] {one.extra['tie']}"
            assert (cell, queries) == (expected, str(one.n))


def test_the_script_changes_no_cell_of_any_table(opened: Any, demo: Path) -> None:
    """tests/reports/page/test_numbers.py compares all of these cells with the commands' results."""
    here = opened(demo)
    assert here.rows("main table tr") == [
        row for table in read_page(demo.read_text(encoding="utf-8")).tables for row in table.rows
    ]


def test_marked_text_is_the_text_that_the_judge_named(opened: Any, demo: Path) -> None:
    page = opened(demo).page
    marked = page.evaluate(
        """() => [...document.querySelectorAll("details.query")].flatMap(query =>
            [...query.querySelectorAll(".answer")].flatMap(answer => {
                const texts = {};
                for (const mark of answer.querySelectorAll("mark"))
                    for (const nug of JSON.parse(mark.dataset.nugs)) texts[nug] = (texts[nug] ?? "") + mark.textContent;
                return Object.entries(texts).map(([nug, text]) =>
                    [query.dataset.query, answer.dataset.run, nug, text]);
            }))"""
    )
    records = karat.load(*karat.demo_files(), on_error="skip")
    texts = {(one.query_id, one.run_id): {s.snippet_id: s.text for s in one.snippets} for one in records.responses}
    named = {}
    for judgement in records.judgements:
        if (judgement.degree or 0) >= 0.5 and judgement.evidence is not None:
            snippets = texts[judgement.query_id, judgement.run_id]
            if judgement.evidence.spans is not None and judgement.snippet_id is not None:
                pieces = [snippets[judgement.snippet_id][start:end] for start, end in judgement.evidence.spans]
                named[judgement.query_id, judgement.run_id, judgement.nug_id] = "".join(pieces)
    found = {(query, run, nug): text for query, run, nug, text in marked}
    both = named.keys() & found.keys()
    assert len(found) > 100
    assert {place: found[place] for place in both} == {place: named[place] for place in both}
    assert all(any(text in whole for whole in texts[place[:2]].values()) for place, text in found.items())


def test_filters_order_and_more(opened: Any, large: Path) -> None:
    here = opened(large)
    page = here.page
    count = page.locator("#matrix-count")
    assert count.inner_text() == "250 of 300 nugs."
    page.locator("#matrix-more").click()
    assert count.inner_text() == "300 of 300 nugs."
    assert not page.locator("#matrix-more").is_visible()
    page.select_option("[name=query]", "q7")
    assert {row[0] for row in here.rows("#matrix tbody tr")} == {"q7"}
    page.select_option("[name=query]", "")
    page.select_option("[name=importance]", "okay")
    assert {row[1] for row in here.rows("#matrix tbody tr")} == {"okay"}
    page.select_option("[name=importance]", "")
    page.fill("[name=words]", "number 42")
    assert [row[0] for row in here.rows("#matrix tbody tr")][:1] == ["q4"]
    page.fill("[name=words]", "")
    page.select_option("[name=order]", "low")
    means = [float(row[-2]) for row in here.rows("#matrix tbody tr")]
    assert means == sorted(means)
    assert means[0] < means[-1]
    page.select_option("[name=order]", "")
    page.select_option("[name=missing]", label="run03")
    column = 3 + [cell.strip() for cell in here.rows("#matrix thead tr")[0][3:]].index("run03")
    assert {row[column] for row in here.rows("#matrix tbody tr")} == {"○"}


def test_tables_are_sorted_by_a_click(opened: Any, demo: Path) -> None:
    here = opened(demo)
    head = here.page.locator("#differences thead button", has_text="difference")
    head.click()
    values = [float(row[2]) for row in here.rows("#differences tbody tr")]
    assert values == sorted(values)
    assert len(set(values)) > 5
    head.click()
    assert [float(row[2]) for row in here.rows("#differences tbody tr")] == values[::-1]


def test_packed_answers_open(opened: Any, large: Path) -> None:
    page = opened(large).page
    query = page.locator("details.query[data-query=q50]")
    assert query.locator("article").count() == 0
    query.locator("summary").first.click()
    query.locator("article").first.wait_for()
    assert query.locator("article").count() == 20
    assert "says that number 500 counts." in query.locator("article").first.inner_text()


def test_texts_are_shown_and_never_run(opened: Any, tmp_path: Path) -> None:
    text = (
        json.dumps(collection(8))
        .replace("best", EVIL.replace('"', '\\"'))
        .replace("No more.", EVIL.replace('"', '\\"'))
    )
    text = text.replace('"q1"', json.dumps(EVIL)).replace('"n1"', json.dumps(EVIL)).replace("counts.", "counts</mark>.")
    path = tmp_path / "report.html"
    report(json.loads(text), title=EVIL, made=EVIL).save(path)
    here = opened(path)
    page = here.page
    for query in page.locator("details.query").all():
        query.locator("summary").first.click()
        query.locator("article").first.wait_for()
    page.fill("[name=words]", "img")
    page.locator("mark").first.hover()
    assert page.title() == EVIL
    assert page.locator("h1").inner_text() == EVIL
    assert page.locator("main img, main script, svg script, svg image").count() == 0
    # Even what would come into the page as a script is refused.
    with page.expect_console_message() as refusal:
        page.evaluate(
            "const s = document.createElement('script'); s.textContent = 'document.title = 1'; document.body.append(s)"
        )
    assert page.title() == EVIL
    assert "Content Security Policy" in refusal.value.text
    assert here.said.pop() == refusal.value.text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_problem(opened: Any, demo: Path, scheme: str) -> None:
    page = opened(demo, color_scheme=scheme).page
    page.locator("details.query > summary").first.click()
    page.locator("details.run-changes > summary").first.click()
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in SERIOUS] == []


def test_without_script_it_is_a_document(opened: Any, demo: Path) -> None:
    page = opened(demo, java_script_enabled=False).page
    assert page.locator("#matrix tbody tr").count() == 77
    assert not page.locator("#matrix-filters").is_visible()
    page.locator("details.query > summary").first.click()
    assert page.locator("details.query article").first.is_visible()
    assert page.locator("figure svg").first.is_visible()


@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_is_not_wider_than_the_screen(opened: Any, demo: Path, width: int) -> None:
    page = opened(demo, viewport={"width": width, "height": 800}).page
    page.locator("details.query > summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_it_prints(opened: Any, demo: Path) -> None:
    page = opened(demo, color_scheme="dark").page
    assert page.pdf()[:5] == b"%PDF-"
    page.emulate_media(media="print")
    ground, ink = page.evaluate(
        "(({backgroundColor, color}) => [backgroundColor, color])(getComputedStyle(document.documentElement))"
    )
    assert (ground, ink) == ("rgb(255, 255, 255)", "rgb(31, 30, 29)"), (
        "dark letters on white paper, whatever the screen"
    )


def test_the_command_gives_the_same_page_as_the_verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "all.jsonl", collection())
    karat_here("report", "all.jsonl", "--made", "")
    own = report("all.jsonl", made="").html
    assert (tmp_path / "report.html").read_text().replace(
        "karat report all.jsonl --made &#39;&#39;", "karat.report(...)"
    ) == own
