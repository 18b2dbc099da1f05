"""The report of every kind of input: what there is, is shown; what there is not, is not made up."""

from __future__ import annotations

import re
from typing import Any

import pytest

from builders.reported import Record, collection, record, without
from karat.model import MissingExtra, UsageError
from karat.reports.page.report import Report, report

pytest.importorskip("altair")


def made(*inputs: list[Record], **options: Any) -> Report:
    return report(*inputs, made="", **options)


def ids(html: str) -> list[str]:
    return re.findall(r'<section id="([^"]+)"', html)


def lead(html: str, section: str) -> str:
    found = re.search(rf'<section id="{section}".*?<p class="lead">(.*?)</p>', html, re.DOTALL)
    assert found, f"no section {section}"
    return found[1]


def test_a_judged_collection_has_the_sections_from_caveats_to_how_to_repeat_it() -> None:
    html = made(collection()).html
    assert ids(html) == ["caveats", "scores", "differences", "nugs", "queries", "failures", "trust", "repeat"]
    assert lead(html, "caveats").startswith("4 runs, 6 queries; judged by a person (ann).")
    assert lead(html, "scores").startswith("best has the best strict_vital, 1.000")


def test_one_run_has_no_differences() -> None:
    html = made(collection(runs=("only",))).html
    assert ids(html) == ["caveats", "scores", "nugs", "queries", "failures", "repeat"]


def test_scores_alone_have_no_nugs_and_no_answers() -> None:
    rows = [
        record("score", run_id=run_id, query_id=f"q{q}", measure="strict_vital", value=value / 10)
        for run_id, values in {"a": (9, 8, 7, 9, 8, 9), "b": (2, 1, 3, 2, 1, 2)}.items()
        for q, value in enumerate(values)
    ]
    html = made(rows).html
    assert ids(html) == ["caveats", "scores", "differences", "failures", "trust", "repeat"]
    assert "the scores were given" in lead(html, "caveats")
    assert "Of 1 pair of runs, 1 differs and 0 cannot be told apart." in lead(html, "differences")


def test_a_program_without_labels_is_the_first_caveat() -> None:
    html = made(collection(judged=False), judge="lexical").html
    assert "judged by the program lexical, without labels by people" in lead(html, "caveats")
    assert "Only a program judged (lexical)" in html
    assert "judging" not in ids(html)


def test_a_program_beside_people_is_compared_with_them() -> None:
    html = made(collection(), judge="lexical").html
    assert "Only a program judged" not in html
    assert "judged by a person (ann)" in lead(html, "caveats")
    assert "says that number 10 counts.</mark>" in html, "what people said keeps its proof"
    assert "Where people judged too, lexical was tried with their labels hidden" in lead(html, "judging")


def test_missing_answers_are_an_error_until_the_user_chooses_and_then_a_caveat() -> None:
    records = [
        each for each in collection()
        if not (each["kind"] in ("response", "judgement") and each["run_id"] == "poor" and each["query_id"] == "q2")
    ]  # fmt: skip
    with pytest.raises(UsageError, match="missing"):
        made(records)
    html = made(records, missing="zero").html
    assert "<li>1 missing response, counted as zero: poor 1</li>" in html


def test_a_query_without_text_is_shown_by_its_id() -> None:
    html = made(without(collection(), "query")).html
    assert "<summary>q3</summary>" in html
    assert "What is number 3?" not in html


def test_nugs_with_parts_are_shown_as_wholes() -> None:
    records = collection()
    parts = [
        record("nug", query_id="q1", nug_id="both", descriptions=["All of it."], aggregator="and", importance="vital"),
        record("nug", query_id="q1", nug_id="p1", descriptions=["One half."], parent="both"),
        record("nug", query_id="q1", nug_id="p2", descriptions=["Other half."], parent="both"),
    ]
    judged = [
        record("judgement", query_id="q1", run_id=run_id, nug_id=nug_id, degree=1.0, judge="person", assessor="ann",
               status="ok")
        for run_id in ("best", "good", "fair", "poor") for nug_id in ("p1", "p2")
    ]  # fmt: skip
    contents = made(records, parts, judged).contents
    line = next(line for line in contents.nug_lines if line.nug_id == "both")
    assert {run_id: cell.degree for run_id, cell in line.cells.items()} == dict.fromkeys(line.cells, 1.0)
    assert line.kind == "too easy"


def test_several_assessors_are_named_and_their_mean_is_taken() -> None:
    records = collection()
    bob = [each | {"assessor": "bob"} for each in records if each["kind"] == "judgement"]
    html = made([*records, *bob]).html
    assert "judged by people (ann and bob)" in lead(html, "caveats")


def test_nuggets_with_labels_of_relevance_and_no_key_have_the_contingency_view() -> None:
    records: list[Record] = []
    for q in range(1, 4):
        for run_id, right in {"a": 2, "b": 1}.items():
            texts = [f"Fact {at} of {q} is told here." for at in range(3)]
            snippets = [{"snippet_id": f"{run_id}{q}{at}", "text": text} for at, text in enumerate(texts)]
            records.append(record("response", query_id=f"q{q}", run_id=run_id, snippets=snippets))
            for at, snippet in enumerate(snippets):
                label = "relevant" if at < right else "irrelevant"
                ids_of = {"query_id": f"q{q}", "run_id": run_id, "snippet_id": snippet["snippet_id"]}
                records.append(record("relevance", **ids_of, assessor="ann", label=label))
                spans = {"nugget_id": f"g{run_id}{q}{at}", "spans": [[0, 6]], "source": "person", "assessor": "ann"}
                records.append(record("nugget", **ids_of, **spans))
    html = made(records).html
    assert "contingency" in ids(html)
    assert "a has most right" in lead(html, "contingency")


def test_a_baseline_that_is_no_run_is_named_with_the_choices() -> None:
    with pytest.raises(UsageError, match="there is no run 'nobody'; choose from best, good, fair, poor"):
        made(collection(), baseline="nobody")


def test_a_baseline_is_what_all_others_are_compared_with() -> None:
    html = made(collection(), baseline="good").html
    assert "best" in lead(html, "differences")
    assert "Against good, the other runs lost" in lead(html, "differences")


def test_skipped_parts_of_files_are_caveats() -> None:
    records = collection()
    records[-1]["degree"] = "suport"
    html = made(records, on_error="skip").html
    assert "suport" in html[: html.index('id="scores"')]


@pytest.mark.parametrize("library", ["altair", "vl_convert", "jinja2"])
def test_a_missing_extra_is_told_before_any_work(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from karat.reports.page import page

    page._template.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=r"\.\[report\]"):
        report("no-such-file.jsonl")
    page._template.cache_clear()
