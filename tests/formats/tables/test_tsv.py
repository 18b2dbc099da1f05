from __future__ import annotations

import pytest

from helpers import collect, lost, messages, round_trip
from karat.formats import Source
from karat.formats.io.head import Head
from karat.formats.tables.tsv import sniff_tsv
from karat.model import Judgement, Nug, Query, Response, Run, Snippet

TABLE = 'topic_id\ttopic\tnug_id\tnug\tvital?\n1\tbees\tn\tthe "dance", tells\tyes\n'


def test_reads_named_columns() -> None:
    collection = collect("\ufeff" + TABLE.replace("\n", "\r\n"), "tsv")
    assert collection.queries == [Query(query_id="1", text="bees")]
    assert collection.nugs == [
        Nug(query_id="1", nug_id="n", descriptions=('the "dance", tells',), extra={"vital?": "yes"}),
    ]
    round_trip(collection, "tsv")


def test_what_is_wrong_is_reported() -> None:
    assert messages(TABLE + "1\tbees\n", "tsv") == ["3: nug_id: the row has 2 values for 5 columns"]
    assert messages("a\tb\n1\t2\n", "tsv")[0].startswith("1: the columns a, b give no record; a table needs query_id")
    assert messages("", "tsv") == ["1: the table has no header"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [(TABLE, True), ("qid\tquery\n", True), ("map\tall\t0.5\n", False), ("qid,query\n", False), ("", False)],
)
def test_is_recognised_by_its_header(text: str, expected: bool) -> None:
    assert sniff_tsv(Head(Source("<bytes>", text.encode()))) is expected


def test_round_trip_and_losses() -> None:
    records = [
        Query(query_id="1", text='a "b"'),
        Run(run_id="a"),
        Response(query_id="1", run_id="a", snippets=(Snippet(snippet_id="1", text="x; y"),)),
        Nug(query_id="1", nug_id="n", descriptions=("z",), importance="okay"),
        Judgement(query_id="1", run_id="a", nug_id="n", degree=0.5, judge="given", assessor="ann"),
    ]
    round_trip(records, "tsv")
    records[2] = Response(query_id="1", run_id="a", snippets=(Snippet(snippet_id="1", text="x\ty\r\nz"),))
    assert lost(records, "tsv") == {"response.snippets.text": 1}
