"""A ranking of documents ("run" of TREC): `topic Q0 docid rank score run`, one document per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.formats.io.head import Head
from karat.formats.io.rows import blank_separated
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_eval.score_tables import all_numeric
from karat.model import AnyRecord, Citation, Collection, Response, Run, Snippet

TITLE = "ranking of documents (TREC run)"
CARRIES = carries(
    run="run_id",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.citations "
    "snippets.citations.doc_id snippets.extra",
)
_COLUMNS = ("topic", "iteration", "docid", "rank", "score", "run")
_USUAL_ITERATION = "Q0"


def sniff_ranking(head: Head) -> bool:
    rows = head.fields_of_lines() if not head.shape else []
    return (
        bool(rows)
        and all(len(row) == 6 and row[1].upper() in ("Q0", "0") and row[3].isdigit() for row in rows)
        and all_numeric(rows, 4)
    )


def read_ranking(source: Source) -> Iterator[AnyRecord]:
    """The Runs, and one Response per topic, with one Snippet without text per document, in the order of the file."""
    responses: dict[tuple[str, str], dict[str, Snippet]] = {}
    for row in blank_separated(source, columns=_COLUMNS):
        with row.unit():
            query_id = source.query_id = row.id("topic")
            run_id, doc_id = row.id("run"), row.id("docid")
            extra = {"rank": row.integer("rank"), "score": row.number("score")}
            if row.data["iteration"] != _USUAL_ITERATION:
                extra["iteration"] = row.data["iteration"]
            snippets = responses.setdefault((query_id, run_id), {})
            if doc_id in snippets:
                row.bad("docid", f"{doc_id!r} is ranked twice for topic {query_id!r}", code="duplicate-id")
            snippets[doc_id] = Snippet(snippet_id=doc_id, text="", citations=(Citation(doc_id=doc_id),), extra=extra)
    for run_id in dict.fromkeys(run_id for _, run_id in responses):
        yield Run(run_id=run_id)
    for (query_id, run_id), snippets in responses.items():
        source.query_id = query_id
        yield Response(query_id=query_id, run_id=run_id, snippets=tuple(snippets.values()))


def write_ranking(records: Iterable[AnyRecord], sink: Sink) -> None:
    """Snippets without rank and score get them from their position in the response, best first."""
    collection = Collection(records)
    for response in collection.responses:
        if not response.snippets:
            sink.lose("response", "a response without snippets has no lines")
        for place, snippet in enumerate(response.snippets, start=1):
            if snippet.text:
                sink.lose("response.snippets.text")
            doc_id = snippet.citations[0].doc_id if snippet.citations else snippet.snippet_id
            if doc_id != snippet.snippet_id:
                sink.lose("response.snippets.snippet_id", "the document's id is written instead")
            if len(snippet.citations) > 1:
                sink.lose("response.snippets.citations", "only the first citation is written")
            if snippet.extra.keys() - {"rank", "score", "iteration"}:
                sink.lose("response.snippets.extra")
            rank, score = snippet.extra.get("rank", place), snippet.extra.get("score", 1 / place)
            iteration = snippet.extra.get("iteration", _USUAL_ITERATION)
            ids = [_word(value, sink) for value in (response.query_id, str(iteration), doc_id, response.run_id)]
            sink.write(f"{ids[0]} {ids[1]} {ids[2]} {rank} {score!r} {ids[3]}\n")
    written = {response.run_id for response in collection.responses if response.snippets}
    for run in collection.runs:
        if run.run_id not in written:
            sink.lose("run", "a run without documents has no lines")


def _word(text: str, sink: Sink) -> str:
    word = "_".join(text.split())
    if word != text:
        sink.lose("response.ids", "blanks in ids become underscores")
    return word
