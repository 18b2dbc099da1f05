"""TREC QA runs: `qid run-tag docid answer-string`, one answer string per line; docid `NIL` means no answer.

1.3 some-run XYZ20010203.0004 white tea
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_qa.columns import DOCUMENT_ID, QUESTION_ID, are_words, cited, document_of, one_line
from karat.model import AnyRecord, Collection, Response, Run, Snippet

TITLE = "TREC QA run"
CARRIES = carries(
    run="run_id",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.citations snippets.citations.doc_id",
)
_ROW = re.compile(r"(?P<qid>\S+)\s+(?P<tag>\S+)\s+(?P<docid>\S+)(?:\s+(?P<answer>.*))?")
_SURE_ROW = re.compile(rf"{QUESTION_ID}\s+(?!Q0\s)(?!\d+\s)\S+\s+{DOCUMENT_ID}(?:\s+.*)?")


def sniff_trec_qa_run(head: Head) -> bool:
    return bool(head.lines) and all(_SURE_ROW.fullmatch(line.strip()) for line in head.lines[:20])


def read_trec_qa_run(source: Source) -> Iterator[AnyRecord]:
    """One Run per tag and one Response per question, with snippets numbered in the order of the file."""
    answers: dict[tuple[str, str], list[Snippet]] = {}
    for line in source.text_lines():
        line = line.strip()
        if not line:
            continue
        match = _ROW.fullmatch(line)
        if match is None:
            source.report("", "the line must be `qid run-tag docid answer-string`", code="bad-line")
            continue
        row = Fields(source, match.groupdict())
        with row.unit():
            query_id = source.query_id = row.id("qid")
            snippets = answers.setdefault((query_id, row.id("tag")), [])
            snippets.append(
                Snippet(
                    snippet_id=str(len(snippets) + 1),
                    text=row.optional_text("answer") or "",
                    citations=cited(row.id("docid")),
                )
            )
    for run_id in dict.fromkeys(run_id for _, run_id in answers):
        yield Run(run_id=run_id)
    for (query_id, run_id), snippets in answers.items():
        yield Response(query_id=query_id, run_id=run_id, snippets=tuple(snippets))


def write_trec_qa_run(records: Iterable[AnyRecord], sink: Sink) -> None:
    collection = Collection(records)
    answering = {response.run_id for response in collection.responses if response.snippets}
    for run in collection.runs:
        if run.run_id not in answering:
            sink.lose("run", "a run without answers has no rows")
    for response in collection.responses:
        if not response.snippets:
            sink.lose("response", "an empty response has no rows")
        if not are_words(response.query_id, response.run_id):
            sink.lose("response", "an id with blanks cannot be written")
            continue
        for number, snippet in enumerate(response.snippets, 1):
            if snippet.snippet_id != str(number):
                sink.lose("response.snippets.snippet_id", "snippets are numbered when the file is read")
            text = one_line(snippet.text, "response.snippets.text", sink)
            row = f"{response.query_id}\t{response.run_id}\t{document_of(snippet, sink)}\t{text}"
            sink.write(row.rstrip("\t") + "\n")
