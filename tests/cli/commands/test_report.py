from __future__ import annotations

import re
from pathlib import Path

import pytest

from builders.reported import collection, save
from cli.running import karat_here

pytest.importorskip("altair")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(Path("all.jsonl"), collection())


def test_a_report_says_where_it_is_and_how_it_was_made() -> None:
    done = karat_here("report", "all.jsonl", "--title", "My runs", "--made", "in May", "-o", "mine.html")
    assert (done.code, done.text) == (0, "")
    assert re.fullmatch(r"mine\.html: \d+\.\d kB; open it in a browser\.\n", done.err)
    html = Path("mine.html").read_text(encoding="utf-8")
    assert "<title>My runs</title>" in html
    assert "Made with Karat in May." in html
    assert "karat report all.jsonl --title &#39;My runs&#39; --made &#39;in May&#39; -o mine.html" in html


def test_pages_per_run_go_to_a_folder() -> None:
    done = karat_here("report", "all.jsonl", "--per-run", "pages")
    assert done.err.endswith("pages: 4 pages, one per run.\n")
    assert len(list(Path("pages").iterdir())) == 4


def test_a_wrong_baseline_writes_nothing() -> None:
    done = karat_here("report", "all.jsonl", "--baseline", "nobody")
    assert (done.code, done.err) == (2, "Error: there is no run 'nobody'; choose from best, good, fair, poor\n")
    assert not Path("report.html").exists()
