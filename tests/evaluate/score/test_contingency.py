"""Contingency tables of one's own data: those of White et al. 2008 as printed (C by the equations)."""

from __future__ import annotations

import pytest

from karat.evaluate.reproduce.figures import bundled
from karat.evaluate.reproduce.white2008 import FILE, TABLE_3, TABLE_4
from karat.evaluate.score.contingency import contingency_rows
from karat.model import Collection, Nugget, Relevance, SpanSet, UsageError
from karat.reports.score.nugs import chosen_rows, contingency_result, contingency_table

WHITE = contingency_rows(bundled(FILE))
TOTALS = {row.run_id: row for row in WHITE.rows if row.query_id == "all"}


def test_the_increments_are_those_of_table_3() -> None:
    numbers = {place: at for at, place in enumerate(dict.fromkeys((i.query_id, i.nug_id) for i in WHITE.increments), 1)}
    for increment in WHITE.increments:
        printed = TABLE_3[numbers[increment.query_id, increment.nug_id]][increment.run_id]
        wrong = increment.wrong + increment.redundant
        assert (increment.right, wrong, increment.missing, increment.other) == tuple(map(float, printed))


def test_the_tables_of_runs_add_up_and_tell_redundant_from_wrong() -> None:
    c = TOTALS["C"]
    # The errata: #Right 1.50, #Wrong 2.00 + 0.75, #Missing 1.00.
    assert (c.right, c.wrong, c.redundant, c.estimated, c.missing) == (1.5, 0.5, 1.5, 0.75, 1.0)
    assert {run_id: f"{row.estimated:.2f}" for run_id, row in TOTALS.items()} == TABLE_4
    for run_id, total in TOTALS.items():
        of_queries = [row for row in WHITE.rows if row.run_id == run_id and row.query_id != "all"]
        assert total.right == pytest.approx(sum(row.right for row in of_queries))


def test_by_the_rules_of_2012_redundant_snippets_are_told_from_irrelevant_ones() -> None:
    labels = ("relevant", "irrelevant", "redundant", "redundant")
    records = [
        record
        for at, label in enumerate(labels)
        for record in (
            Relevance(query_id="q", run_id="r", snippet_id=str(at), assessor="ann", label=label),
            Nugget(
                nugget_id=str(at), query_id="q", run_id="r", snippet_id=str(at), spans=SpanSet([(0, 3)]), source="auto"
            ),
        )
    ]
    contingency = contingency_rows(Collection(records))
    (total,) = chosen_rows(contingency, "run")
    assert (contingency.rules, contingency.increments) == ("2012", ())
    assert (total.right, total.wrong, total.redundant, total.missing) == (1.0, 1.0, 2.0, 0.0)


def test_without_nuggets_or_judgements_there_is_no_table() -> None:
    with pytest.raises(UsageError, match="contingency tables need"):
        contingency_rows(Collection())


def test_rows_are_printed_for_people_and_programs() -> None:
    assert contingency_table(WHITE, "run").rows[2] == ["C", "1.50", "0.50", "1.50", "0.75", "1.00"]
    assert len(contingency_table(WHITE, "nug").rows) == 12
    assert contingency_result(WHITE, "query").written("tsv").startswith("run_id\tquery_id\tright\twrong")
    assert contingency_result(WHITE, "run").written("jsonl").splitlines()[3] == (
        '{"run_id":"D","query_id":"all","right":0.0,"wrong":0.0,"redundant":0.0,"estimated":0.0,"missing":2.5}'
    )
