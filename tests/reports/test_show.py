from __future__ import annotations

import pytest

from karat.model import (
    CitationJudgement,
    Document,
    Judgement,
    Nug,
    Nugget,
    Query,
    Record,
    Relevance,
    Response,
    Run,
    Score,
    Snippet,
    SpanSet,
    Template,
    Vote,
)
from karat.reports.show import record_row

IDS = {"query_id": "q", "run_id": "r"}


@pytest.mark.parametrize(
    ("record", "row"),
    [
        (Query(query_id="q", text="why\nnot?"), ["query", "q", "why not?"]),
        (Run(run_id="r", group="g", human=True), ["run", "r", "g; a person"]),
        (Response(**IDS, snippets=(Snippet(snippet_id="1", text="a"),)), ["response", "q  r", "1 snippet: a"]),
        (Nug(query_id="q", nug_id="n", descriptions=("d",), importance="vital"), ["nug", "q  n", "vital: d"]),
        (Nug(query_id="q", nug_id="n", descriptions=("d",), weight=-2.0), ["nug", "q  n", "weight -2: d"]),
        (Vote(query_id="q", nug_id="n", assessor="ann", value=0.5), ["vote", "q  n", "ann: 0.5"]),
        (Judgement(**IDS, nug_id="n", degree=0.5, judge="j"), ["judgement", "q  r  n", "degree 0.5 (j)"]),
        (
            Judgement(**IDS, nug_id="n", judge="j", assessor="a", status="failed"),
            ["judgement", "q  r  n", "failed (j, a)"],
        ),
        (
            Nugget(**IDS, nugget_id="g", snippet_id="1", spans=SpanSet([(0, 2), (4, 5)]), type="EVT", source="auto"),
            ["nugget", "q  g", "EVT; 0-2, 4-5"],
        ),
        (Relevance(**IDS, snippet_id="1", assessor="a", label="redundant"), ["relevance", "q  r  1", "redundant (a)"]),
        (
            Relevance(**IDS, snippet_id="1", assessor="a", label="redundant", redundant_with="0"),
            ["relevance", "q  r  1", "redundant with 0 (a)"],
        ),
        (
            Nugget(
                **IDS,
                nugget_id="h",
                snippet_id="1",
                spans=SpanSet([(0, 5)]),
                source="person",
                revises=("f", "g"),
                revision="joined",
            ),
            ["nugget", "q  h", "0-5; joined f, g"],
        ),
        (
            CitationJudgement(**IDS, snippet_id="1", doc_id="d", citation_id="c2", support="none", assessor="a"),
            ["citation_judgement", "q  r  1  d  c2", "support none (a)"],
        ),
        (
            Document(doc_id="d", title="Bees", language="en", text="Bees dance."),
            ["document", "d", "Bees; en; Bees dance."],
        ),
        (
            Template(template_id="t", description="Why X?", categories={"cause": "what", "time": "when"}),
            ["template", "t", "Why X?; cause, time"],
        ),
        (
            CitationJudgement(**IDS, snippet_id="1", doc_id="d", support="full", assessor="a"),
            ["citation_judgement", "q  r  1  d", "support full (a)"],
        ),
        (Score(**IDS, measure="m", value=0.25), ["score", "r  q", "m = 0.25"]),
        (Score(**IDS, measure="m"), ["score", "r  q", "m = undefined"]),
    ],
)
def test_a_record_in_one_line(record: Record, row: list[str]) -> None:
    assert record_row(record) == row


def test_long_ids_and_texts_are_cut() -> None:
    _, ids, text = record_row(Query(query_id="x" * 50 + "y", text="z" * 200))
    assert len(ids) <= 22
    assert ids.endswith("y")
    assert text == "z" * 87 + "..."
