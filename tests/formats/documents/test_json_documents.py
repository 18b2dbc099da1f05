from __future__ import annotations

import pytest

from helpers import collect, lost, messages, round_trip, sniffed
from karat.formats import Source
from karat.formats.documents.json_documents import sniff_documents
from karat.formats.io.head import Head
from karat.model import Document, Query

DATA = '{"doc_id": "d1", "text": "Cracks were found.", "title": "Bridge", "url": "x"}\n{"doc_id": "7", "text": "No."}\n'


def test_reads_one_document_per_line() -> None:
    assert collect(DATA, "documents").documents == [
        Document(doc_id="d1", text="Cracks were found.", title="Bridge", extra={"url": "x"}),
        Document(doc_id="7", text="No."),
    ]


@pytest.mark.parametrize("name", ["docid", "docno", "id", "_id"])
@pytest.mark.parametrize("field", ["contents", "segment", "body"])
def test_other_names_of_ids_and_texts(name: str, field: str) -> None:
    data = f'[{{"{name}": 3, "{field}": "a text"}}]'
    assert sniffed(data) == "documents"
    assert collect(data, "documents").documents == [Document(doc_id="3", text="a text")]


def test_what_is_wrong_is_said() -> None:
    data = '{"id": "a", "text": "x"}\n{"text": "y"}\n{"id": "a", "text": "z"}\n{"id": "a", "text": "x"}\n{"id": "b"}\n'
    assert messages(data, "documents") == [
        "2: doc_id: is missing",
        "3: the document 'a' is already in the file, and differs",
        "5: text: is missing",
    ]


@pytest.mark.parametrize(
    "row",
    [
        '{"id": "1", "text": "a", "label": [[0, 1, "X"]]}',
        '{"qid": "1", "text": "why", "docid": "d"}',
        '{"id": 1, "title": "why"}',
        '{"id": "1", "text": "a", "entities": []}',
        '{"snippet_id": "1", "text": "a", "nuggets": []}',
    ],
)
def test_rows_of_other_kinds_are_not_taken_for_documents(row: str) -> None:
    assert not sniff_documents(Head(Source("<bytes>", row.encode())))


def test_round_trip() -> None:
    assert round_trip(collect(DATA, "documents"), "documents").decode().count("\n") == 2


def test_other_records_are_lost_with_a_report() -> None:
    assert list(lost([Query(query_id="q", text="t")], "documents")) == ["query"]
