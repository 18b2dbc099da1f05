"""Questions that came without an id: people see their words, programs the id."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.running import karat_here
from karat.model import Query, content_id
from karat.reports.results.query_names import query_names, with_names

LONG = "Why do honeybees dance on the comb when they come back to the hive?"
KEY = f"""query,nug,importance
{LONG},Bees dance to tell others where food is.,vital
Who built the dam?,The dam was built by Ana Ruiz.,vital
"""
RUNS = f"""question,answer
{LONG},Bees dance to tell others where food is.
Who built the dam?,Nobody knows.
"""


def test_only_ids_that_were_made_from_the_text_are_replaced() -> None:
    other = content_id("another text")
    queries = [Query(query_id=content_id(LONG), text=LONG), Query(query_id="q1", text="Who?"),
               Query(query_id=other, text="Who?"), Query(query_id=f"{content_id('Why?')}-2", text="Why?")]  # fmt: skip
    assert query_names(queries) == {
        content_id(LONG): "Why do honeybees dance on the comb when…", f"{content_id('Why?')}-2": "Why?",
    }  # fmt: skip


def test_questions_that_begin_alike_stay_apart() -> None:
    texts = [f"{LONG} In {place}?" for place in ("Rome", "Oslo")]
    names = query_names(Query(query_id=content_id(text), text=text) for text in texts)
    assert list(names.values()) == [f"Why do honeybees dance on the comb when… ({content_id(t)[:4]})" for t in texts]


def test_ids_inside_sentences_are_replaced_and_others_are_not() -> None:
    made = content_id("Who?")
    assert with_names(f"query {made}: bad; key:{made[::-1]}", {made: "Who?"}) == f"query “Who?”: bad; key:{made[::-1]}"


@pytest.mark.parametrize("by", ["query", "nug"])
@pytest.mark.parametrize("output_format", ["table", "markdown", "latex"])
def test_people_see_words(by: str, output_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("key.csv").write_text(KEY)
    Path("runs.csv").write_text(RUNS)
    done = karat_here("score", "key.csv", "runs.csv", "--judge", "lexical", "--by", by, "--format", output_format)
    assert done.code == 0, done.err
    assert "Why do honeybees dance on the comb when" in done.text
    assert content_id(LONG) not in done.text + done.err


@pytest.mark.parametrize("output_format", ["csv", "tsv", "json", "jsonl"])
def test_programs_get_the_id(output_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("key.csv").write_text(KEY)
    Path("runs.csv").write_text(RUNS)
    done = karat_here("score", "key.csv", "runs.csv", "--judge", "lexical", "--by", "query", "--format", output_format)
    assert done.code == 0, done.err
    assert content_id(LONG) in done.text
    assert "honeybees" not in done.text
