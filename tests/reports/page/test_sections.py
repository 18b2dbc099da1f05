"""What the sections say: each sentence is made from the data and true of it."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest

from builders.reported import RUNS, Record, collection, record
from karat.model import Score, content_id
from karat.reports.page.contents.gather import Contents
from karat.reports.page.page import sections_of
from karat.reports.page.report import report
from karat.reports.page.sections.leaderboard import lead
from karat.reports.page.sections.parts import Section, Switch, Table, csv_text, listed
from reports.page.read_page import read_page

pytest.importorskip("altair")


def contents_of(*inputs: list[Record], **options: Any) -> Contents:
    return report(*inputs, made="", **options).contents


def section_of(contents: Contents, name: str) -> Section:
    return next(section for section in sections_of(contents) if section.id == name)


def tables(section: Section) -> dict[str, Table]:
    return {part.name: part for part in section.parts if isinstance(part, Table)}


def rows_of(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.data)))


def scored(**ties: str) -> list[Score]:
    return [
        Score(run_id=run_id, query_id="all", measure="M", value=1 - at / 10, low=0.0, high=1.0, n=9, extra={"tie": tie})
        for at, (run_id, tie) in enumerate(ties.items())
    ]


@pytest.mark.parametrize(
    ("ties", "said"),
    [
        ({"a": "a"}, "a has a M of 1.000 [0.000, 1.000]."),
        (
            {"a": "", "b": ""},
            "a has the best M, 1.000 [0.000, 1.000]; there are too few queries to test the runs against each other, "
            "or too many runs.",
        ),
        ({"a": "a", "b": "a"}, "a has the best M, 1.000 [0.000, 1.000]; b cannot be told apart from it."),
        ({"a": "a", "b": "b"}, "a has the best M, 1.000 [0.000, 1.000]; b is worse than it."),
        (
            {"a": "a", "b": "ab", "c": "b", "d": "c"},
            "a has the best M, 1.000 [0.000, 1.000]; b cannot be told apart from it, and c and d are worse than it. b "
            "and c cannot be told apart.",
        ),
    ],
)
def test_the_sentence_above_the_scores(ties: dict[str, str], said: str) -> None:
    assert lead("M", scored(**ties)) == said


def test_the_sentence_above_the_nugs_counts_kinds_and_names_who_misses_vital_ones() -> None:
    section = section_of(contents_of(collection(8)), "nugs")
    assert section.lead.startswith("24 nugs in 8 queries: ")
    assert section.lead.endswith("poor misses vital nugs in 8 of 8 queries.")


def test_the_hardest_and_the_easiest_query_are_named() -> None:
    contents = contents_of(collection())
    means = contents.table.values.mean(axis=0)
    section = section_of(contents, "queries")
    hardest = contents.table.query_ids[int(means.argmin())]
    assert section.lead.startswith(f"{hardest} (“What is number {hardest[1:]}?”) was the hardest query")


def test_differences_name_nugs_with_the_sentence_that_proves_them() -> None:
    section = section_of(contents_of(collection(), baseline="best"), "differences")
    changes = next(part for part in section.parts if getattr(part, "run_id", "") == "poor")
    lost = changes.lost[0]  # type: ignore[attr-defined]
    assert (lost.proof_run, lost.proof) == ("best", lost.nug)


def test_scores_by_condition_and_kind_have_intervals() -> None:
    found = tables(section_of(contents_of(collection()), "failures"))
    assert list(found) == ["by-language", "by-importance", "worst-queries"]
    assert all("[" in cell for name in ("by-language", "by-importance") for row in found[name].rows for cell in row[1:])
    by_kind = {(row["run"], row["kind"]): row for row in rows_of(found["by-importance"])}
    assert by_kind["best", "vital"]["mean_degree"] == "1.0"
    assert float(by_kind["good", "okay"]["low"]) < float(by_kind["good", "okay"]["mean_degree"])
    assert by_kind["good", "okay"]["queries"] == "6"


def test_conditions_without_a_table_are_told() -> None:
    records = collection(14)
    for at, each in enumerate(row for row in records if row["kind"] == "query"):
        each["conditions"] |= {"title": f"t{at}", "a,b": str(at % 2), "year": "2024"}
    section = section_of(contents_of(records), "failures")
    assert [name for name in tables(section) if name.startswith("by-")] == ["by-language", "by-importance"]
    assert section.below[1:] == [
        "No table by title: it has 14 values, which are too many to compare.",
        "No table by a,b: its name has a comma, or a blank at an end.",
        "No table by year: all queries have the same.",
    ]


def test_given_scores_have_a_table_by_condition_as_well() -> None:
    queries = [row for row in collection() if row["kind"] == "query"]
    scores = [
        record("score", run_id=run_id, query_id=row["query_id"], measure="m", value=(at + extra) / 10)
        for run_id, extra in (("a", 3), ("b", 0))
        for at, row in enumerate(queries)
    ]
    rows = rows_of(tables(section_of(contents_of(queries, scores), "failures"))["by-language"])
    assert {(row["run"], row["language"]): round(float(row["value"]), 9) for row in rows} == {
        ("a", "de"): 0.5, ("a", "en"): 0.6, ("b", "de"): 0.2, ("b", "en"): 0.3,
    }  # fmt: skip


def test_the_worst_queries_are_the_lowest_five_of_each_run() -> None:
    contents = contents_of(collection(8))
    rows = rows_of(tables(section_of(contents, "failures"))["worst-queries"])
    values = contents.table.values[contents.table.run_ids.index("fair")]
    assert [float(row["strict_vital"]) for row in rows if row["run"] == "fair"] == sorted(values.tolist())[:5]


def test_checked_citations_are_counted_and_scored() -> None:
    records = collection()
    for each in records:
        if each["kind"] == "response":
            for snippet in each["snippets"]:
                snippet["citations"] = [{"doc_id": "d1"}]
    checked = [
        record("citation_judgement", query_id=f"q{q}", run_id=run_id, snippet_id="s0", doc_id="d1", assessor="ann",
               support="none" if run_id == "poor" else "full")
        for q in range(1, 7) for run_id in RUNS
    ]  # fmt: skip
    section = section_of(contents_of(records, checked), "citations")
    assert section.lead == (
        "24 citations were checked by ann. 18 have full support, 0 have support in part, 6 have none, 0 have no "
        "document at hand or cited. The share without support is largest in poor: 6 of 6."
    )
    rows = {row["run"]: row for row in rows_of(tables(section)["citations"])}
    assert (rows["best"]["full"], rows["best"]["none"]) == ("6", "0")
    assert (rows["poor"]["full"], rows["poor"]["none"]) == ("0", "6")


def test_votes_give_layers_with_intervals() -> None:
    votes = [
        record("vote", query_id=f"q{q}", nug_id=nug_id, assessor=assessor, value=value)
        for q in range(1, 7)
        for assessor, value in (("ann", "vital"), ("bob", "okay"))
        for nug_id in ("n1", "n2")
    ]
    section = section_of(contents_of(collection(), votes), "pyramid")
    assert section.lead.startswith("12 of 18 nugs have the most votes (1 of 2 votes); a run should have these first.")
    assert all("[" in cell for row in tables(section)["pyramid-degrees"].rows for cell in row[1:])


def test_the_prior_of_the_contingency_view_is_a_switch() -> None:
    records: list[Record] = []
    for q, (run_id, right) in [(q, run) for q in range(1, 5) for run in {"a": 2, "b": 1}.items()]:
        snippets = [{"snippet_id": f"{run_id}{q}{at}", "text": f"Fact {at} of {q} is told here."} for at in range(3)]
        records.append(record("response", query_id=f"q{q}", run_id=run_id, snippets=snippets))
        for at, snippet in enumerate(snippets):
            ids = {"query_id": f"q{q}", "run_id": run_id, "snippet_id": snippet["snippet_id"], "assessor": "ann"}
            records.append(record("relevance", **ids, label="relevant" if at < right else "irrelevant"))
            records.append(record("nugget", **ids, nugget_id=f"g{run_id}{q}{at}", spans=[[0, 6]], source="person"))
    section = section_of(contents_of(records), "contingency")
    (switch,) = [part for part in section.parts if isinstance(part, Switch)]
    assert [label for label, _ in switch.choices] == ["Without a prior", "With the Bayesian prior"]
    assert switch.choices[0][1].rows != switch.choices[1][1].rows


def test_how_many_queries_are_needed_is_told_for_ties() -> None:
    section = section_of(contents_of(collection(12)), "trust")
    assert section.lead.startswith(
        "All 12 queries tell 6 of 6 pairs of runs apart. With only 6 queries, two different sets"
    )


def test_lists_in_words_and_cells_that_are_no_formulas() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefgh"), most=4) == "a, b, c and 5 more"
    assert csv_text(("run", "x"), [("=1+1", 0.1), ("b", None)]) == "run,x\n'=1+1,0.1\nb,\n"


def test_partial_nugs_are_no_full_ones_on_the_card_of_an_answer() -> None:
    records = collection(2)
    first = next(row for row in records if row.get("kind") == "judgement" and row["degree"] == 1.0)
    first["degree"] = 0.5
    html = report(records, made="").html
    assert ", 1 in part" in html
    assert "degree 0.5" in html


def test_the_worst_queries_of_a_run_are_not_its_best_ones() -> None:
    table = next(
        part for part in section_of(contents_of(collection(12)), "failures").parts if part.name == "worst-queries"
    )
    best = {}
    for run_id, _, value, _ in table.rows:
        best.setdefault(run_id, []).append(value)
    assert all("1.000" not in values for values in best.values())


def test_the_lead_reads_groups_of_two_letters_and_says_worse_of_tested_runs_only() -> None:
    many = lead("m", scored(best="a", second="b", last="aa", lowest="ab"))
    assert "second, last and lowest are worse than it" in many
    assert "told apart" not in many
    rare = lead("m", scored(best="a", bad="b", rare="*"))
    assert "bad is worse than it" in rare
    assert "Some pairs with rare could not be tested" in rare
    assert "b and c cannot be told apart" in lead("m", scored(a="a", b="b", c="bc"))


def test_equal_scores_are_not_told_as_a_ranking() -> None:
    equal = [
        Score(run_id=run_id, query_id="all", measure="m", value=0.5, n=9, undefined=0, extra={"tie": "a"})
        for run_id in ("x", "y")
    ]
    assert lead("m", equal).startswith("x and y all have the best m, 0.500")
    assert lead("m", equal[:1]) == "x has a m of 0.500."


def test_pairs_that_could_not_be_tested_are_not_told_as_separated() -> None:
    records = [
        row for row in collection(12)
        if row["kind"] not in ("response", "judgement") or row["run_id"] != "poor" or row["query_id"] == "q1"
    ]  # fmt: skip
    section = section_of(contents_of(records, missing="skip"), "trust")
    assert "3 pairs of runs apart; 3 more could not be tested." in section.lead


def test_a_question_without_an_id_is_shown_by_its_words_and_has_its_id_in_the_data() -> None:
    text = "What is number 1, which is the first of all numbers that count here?"
    made_id = content_id(text)
    records = collection(6)
    for row in records:
        if row.get("query_id") == "q1":
            row["query_id"] = made_id
            if row["kind"] == "query":
                row["text"] = text
    page = report(records, made="", baseline="best")
    shown = read_page(page.html)
    (nugs,) = [table for table in shown.tables if table.section == "nugs"]
    assert [row[0] for row in nugs.body[:3]] == ["What is number 1, which is the first of…"] * 3
    worst = shown.table("failures", "The five worst queries of each run")
    assert made_id in {row["query"] for row in worst.csv}
    assert made_id not in {row[1] for row in worst.body}
    assert f"<summary>{text}</summary>" in page.html
    assert made_id not in re.sub(r'data-query="[^"]+"', "", page.html)
