"""The file itself: what is packed, what is left out, what a participant sees, and that texts from files stay texts."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from builders.reported import collection, save
from karat.reports.page import page as page_module
from karat.reports.page.packing import packed
from karat.reports.page.per_run import write_run_pages
from karat.reports.page.report import report

pytest.importorskip("altair")

EVIL = "<script>alert(1)</script></textarea>\"'><img src=x onerror=alert(1)>\x1b[2J\u202e]]>"
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "h4", "nav", "main", "section",
    "p", "figure", "figcaption", "svg", "g", "path", "text", "rect", "line", "defs", "clippath", "div", "table",
    "caption", "thead", "tbody", "tr", "th", "td", "ul", "li", "details", "summary", "blockquote", "span", "form",
    "label", "select", "option", "input", "button", "noscript", "article", "mark", "sup", "small", "cite", "pre",
    "code", "footer", "script", "i", "fieldset", "legend",
}  # fmt: skip


class Seen(HTMLParser):
    """The tags and attributes of a page, and the texts of its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.scripts: list[str] = []
        self._script = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name in ("href", "src", "xlink:href")}
        self._script = tag == "script"
        if self._script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._script = False

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[-1] += data


def evil_records() -> list[dict[str, Any]]:
    """Everything that has a name or a text has an evil one."""
    text = (
        json.dumps(collection(8)).replace('"best"', json.dumps(f"best{EVIL}")).replace('"q1"', json.dumps(f"q1{EVIL}"))
    )
    text = text.replace('"n1"', json.dumps(f"n1{EVIL}")).replace('"What is number 1?"', json.dumps(f"What? {EVIL}"))
    text = text.replace("No more.", json.dumps(EVIL)[1:-1]).replace("counts.", json.dumps(f"counts {EVIL}")[1:-1])
    return json.loads(text.replace('"en"', json.dumps(EVIL)))  # type: ignore[no-any-return]


def test_texts_from_files_never_become_markup() -> None:
    html = report(evil_records(), title=EVIL, made=EVIL).html
    seen = Seen(html)
    assert seen.tags <= ALLOWED
    assert not {name for name in seen.attributes if name.startswith("on")}
    assert all(link.startswith(("#", "data:text/csv;")) for link in seen.links)
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert all(re.fullmatch("[A-Za-z0-9+/=]*", script) for script in seen.scripts[:-1])
    assert seen.scripts[-1] == page_module._static("report.js")


def test_only_the_script_of_the_page_may_run() -> None:
    html = report(collection(), made="").html
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    digest = base64.b64encode(hashlib.sha256(Seen(html).scripts[-1].encode()).digest()).decode()
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert f"script-src 'sha256-{digest}'" in policy[1]


def unpacked(html: str) -> dict[str, Any]:
    packs = re.findall(r'<script type="text/plain" id="pack-([^"]+)">([^<]+)</script>', html)
    return {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in packs}


def test_packing_is_the_same_each_time_and_only_base64() -> None:
    value = {"html": "</script><b>"}
    assert packed(value) == packed(value)
    assert json.loads(gzip.decompress(base64.b64decode(packed(value)))) == value


def test_short_answers_are_in_the_page_and_long_ones_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    records = collection(filler="A long sentence of no worth. " * 3)
    assert list(unpacked(report(records, made="").html)) == ["changes", "matrix"]
    monkeypatch.setattr(page_module, "STATIC", 100)
    monkeypatch.setattr(page_module, "PACK", 9000)
    html = report(records, made="").html
    packs = unpacked(html)
    places = re.findall(r'data-query="([^"]+)" data-pack="([^"]+)" data-at="(\d+)"', html)
    assert [query_id for query_id, _, _ in places] == [f"q{q}" for q in range(1, 7)]
    assert 1 < len(packs) - 2 < 6
    for query_id, pack, at in places:
        assert f"says that number {query_id[1:]}0 counts" in packs[pack][int(at)]
    assert "The answers are compressed: turn on scripts" in html


def test_what_is_too_much_is_left_out_with_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "are left out" not in report(collection(), made="").html
    monkeypatch.setattr(page_module, "MOST", 5000)
    html = report(collection(), made="").html
    shown = re.findall(r'<details class="query" id="query-[0-9a-f]+" data-query="([^"]+)"', html)
    assert 0 < len(shown) < 6
    assert f"The answers to the last {6 - len(shown)} queries are left out" in html
    assert all(f"<td>q{q}</td>" in html for q in range(1, 7)), "their nugs are there"


def test_pages_of_participants_name_no_other_run_no_command_and_no_file(tmp_path: Path) -> None:
    records = collection()
    records[-1]["degree"] = "suport"
    file = save(tmp_path / "named-after-fair.jsonl", records)
    contents = report(file, made="", on_error="skip", baseline="good").contents
    assert write_run_pages(contents, tmp_path / "pages") == 4
    for run_id in ("best", "good", "fair", "poor"):
        html = (tmp_path / "pages" / f"{run_id}.html").read_text()
        # "best" and "good" are also words of the page ("best, median and worst", "at least as good as").
        others = {"fair", "poor"} - {run_id}
        assert not [other for other in others if re.search(rf"\b{other}\b", html)]
        assert "jsonl" not in html
        assert "karat.report(" not in html
        assert "1 part of the files could not be used and was skipped" in html
    poor = (tmp_path / "pages" / "poor.html").read_text()
    assert "poor is number 4 of 4 runs by strict_vital." in poor
    assert re.findall(r'data-run="([^"]+)"', poor) == ["poor"] * 6


def test_run_names_that_are_no_file_names_get_pages_of_their_own(tmp_path: Path) -> None:
    contents = report(collection(runs=("a/b", "a\\b", "..", "CON")), made="").contents
    write_run_pages(contents, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["CON.html", "a_b.html", "a_b_.html", "run.html"]


def test_the_same_inputs_give_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    file = save(tmp_path / "all.jsonl", collection())
    code = (
        "import sys, hashlib; from karat.reports.page.report import report; "
        "print(hashlib.sha256(report(sys.argv[1], made='in May', judge='lexical').html.encode()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code, str(file)], env=os.environ | {"PYTHONHASHSEED": seed}, check=True,
            capture_output=True, text=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


def test_a_page_of_a_participant_keeps_its_own_notes_and_replaces_no_report(tmp_path: Path) -> None:
    records = collection()
    names = {"best": "1", "good": "2", "fair": "report", "poor": "4"}
    for row in records:
        if "run_id" in row:
            row["run_id"] = names[row["run_id"]]
    failed = next(row for row in records if row["kind"] == "judgement" and row["run_id"] == "2")
    failed.pop("degree")
    failed["status"] = "failed"
    made = report(records, made="")
    (tmp_path / "report.html").write_text(made.html)
    assert write_run_pages(made.contents, tmp_path, report=tmp_path / "report.html") == 4
    assert (tmp_path / "report.html").read_text() == made.html
    assert len(list(tmp_path.glob("*.html"))) == 5
    assert "1 failed judgement" in (tmp_path / "2.html").read_text()
    assert "Nothing was missing" not in (tmp_path / "4.html").read_text()


def test_long_names_and_bytes_that_are_no_text_do_not_end_the_drawing() -> None:
    records = collection()
    for row in records:
        if row.get("run_id") == "best":
            row["run_id"] = "x" + "\U0001d400" * 80
    html = report(records, made="", title="\udcff").html
    assert "\\udcff" in html
    html.encode()


def test_scores_of_sections_obey_the_rules() -> None:
    contents = report(collection(), made="", missing="zero").contents
    assert contents.rules["missing"] == "zero"
    assert {score.measure for score in contents.scored("strict_all")} == {"strict_all"}
