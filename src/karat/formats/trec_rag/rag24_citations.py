"""TREC RAG 2024 citation judgements: how well the documents that a sentence cites support it.

{"topic_id", "run_id": "team.run", "sentences": [{"sentenceId", "text", "verification_worthy"?, "citationsCombibed"?,
 "citations": [{"citationId", "reference", "support": "2"}]}]}

The support codes are 2 full, 1 partial, 0 none; -1 is no judgement. The files do not say this; it follows from
- what has been published about these files: full support is the most frequent label where assessors saw no prediction
  (1,237 full, 731 partial, 872 none in the whole file), as 2 is here (597; 469 times 1, 456 times 0); and the
  run with the best weighted precision is the best one here if 2 means full, and not among the first four if 0 does;
- the files themselves: several citations together (`citationsCombibed`, spelt like this) reach at least the best
  single code in 375 of 462 sentences, as support should when evidence is added, and at most the worst in 279;
- -1 occurs exactly at the citations of sentences that need no support (`verification_worthy` 0), 96 in all; it
  is neither "none" nor a missing citation, so it gives no CitationJudgement, and a citation without a judgement is
  written as -1.

The team is the part of `run_id` before the first dot. It becomes the run's group; the rest is then the run id in the
nugget assignments of the same year (for 44 of the 45 runs; the other, webis-manual, is webis-manual-manual there).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows
from karat.formats.io.sink import Sink, carries
from karat.formats.io.source import Source
from karat.formats.trec_rag.answers import Responses, lose_unanswered, runs_by_id, with_extra
from karat.model import AnyRecord, Citation, CitationJudgement, Collection, Response, Run, Snippet
from karat.model.records import Support

TITLE = "TREC RAG 2024 citation judgements"
CARRIES = carries(
    run="run_id group",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.extra snippets.citations "
    "snippets.citations.doc_id snippets.citations.extra extra",
    citation_judgement="query_id run_id snippet_id doc_id support assessor",
)
ASSESSOR = "nist"
_NOT_JUDGED = "-1"
_SUPPORT: dict[str, Support | None] = {"2": "full", "1": "partial", "0": "none", _NOT_JUDGED: None}
_CODES = {support: code for code, support in _SUPPORT.items()}
_SENTENCE_IDS = ("sentenceId", "sentenceID")
_CITATION_IDS = ("citationId", "citationID")


def sniff_trec_rag24_citations(head: Head) -> bool:
    return head.has("topic_id", "run_id") and any(name in head.first("sentences") for name in _SENTENCE_IDS)


def read_trec_rag24_citations(source: Source) -> Iterator[AnyRecord]:
    """Run, Response, and one CitationJudgement per judged citation."""
    once, responses = Once(source), Responses()
    for row in json_rows(source):
        with row.unit():
            query_id = source.query_id = row.id("topic_id")
            run = _run(row.id("run_id"))
            judgements: list[CitationJudgement] = []
            snippets = []
            for item in row.items("sentences"):
                with item.unit():
                    snippet, judged = _read_sentence(item, query_id, run.run_id)
                    snippets.append(snippet)
                    judgements += judged
            response = Response(query_id=query_id, run_id=run.run_id, snippets=tuple(snippets), extra=row.rest())
            yield from once(run)
            yield from responses(response, row)
            yield from judgements


def _run(name: str) -> Run:
    group, _, run_id = name.partition(".")
    return Run(run_id=run_id, group=group) if group and run_id else Run(run_id=name)


def _read_sentence(item: Fields, query_id: str, run_id: str) -> tuple[Snippet, list[CitationJudgement]]:
    snippet_id = item.id(*_SENTENCE_IDS)
    text = item.get("text")
    if text is None or text != text:
        item.source.warn(join(item.path, "text"), "the sentence has no text", code="missing-text")
        text = ""
    elif not isinstance(text, str):
        text = item.text("text")
    citations: dict[str, Citation] = {}
    judgements: list[CitationJudgement] = []
    for cited in item.optional_items("citations"):
        with cited.unit():
            doc_id = cited.id("reference")
            if doc_id in citations:
                cited.bad("reference", f"{doc_id!r} is cited twice in the sentence", code="duplicate-id")
            extra = cited.rest("support")
            if extra.get("citationId") == len(citations):
                # A citation id that is only the position need not be kept.
                del extra["citationId"]
            citations[doc_id] = Citation(doc_id=doc_id, extra=extra)
            support = _read_support(cited)
            if support is not None:
                judgement = CitationJudgement(
                    query_id=query_id,
                    run_id=run_id,
                    snippet_id=snippet_id,
                    doc_id=doc_id,
                    support=support,
                    assessor=ASSESSOR,
                )
                judgements.append(judgement)
    extra = item.rest()
    if "sentenceID" in item.data:
        # The spelling of the file is kept, to be written back.
        extra["sentenceID"] = item.data["sentenceID"]
    return Snippet(snippet_id=snippet_id, text=text, citations=tuple(citations.values()), extra=extra), judgements


def _read_support(cited: Fields) -> Support | None:
    # Fields.label would read the minus as a hyphen.
    value = cited.require("support")
    code = str(value).strip()
    if code not in _SUPPORT:
        cited.bad("support", repr(value), code="impossible-label", choices=tuple(_SUPPORT))
    return _SUPPORT[code]


def write_trec_rag24_citations(records: Iterable[AnyRecord], sink: Sink) -> None:
    """One row per response; citations without a judgement are written as not judged."""
    collection = Collection(records)
    lose_unanswered(collection, sink)
    runs = runs_by_id(collection)
    for run in runs.values():
        if _run(_name(run)) != Run(run_id=run.run_id, group=run.group):
            sink.lose("run.group", "the part of the name before the first dot is read as the group")
    codes: dict[tuple[str, str, str, str], str] = {}
    for judgement in collection.citation_judgements:
        key = (judgement.query_id, judgement.run_id, judgement.snippet_id, judgement.doc_id)
        if key in codes:
            sink.lose("citation_judgement", "only one judgement per citation")
            continue
        if judgement.assessor != ASSESSOR:
            sink.lose("citation_judgement.assessor")
        if judgement.support == "missing":
            sink.lose("citation_judgement.support", "missing is written as not judged")
        codes[key] = _CODES.get(judgement.support, _NOT_JUDGED)
    for response in collection.responses:
        sentences = []
        for snippet in response.snippets:
            citations: dict[str, dict[str, Any]] = {}
            for index, citation in enumerate(snippet.citations):
                if citation.doc_id in citations:
                    sink.lose("response.snippets.citations", "a sentence can cite a document only once")
                    continue
                key = (response.query_id, response.run_id, snippet.snippet_id, citation.doc_id)
                number = {} if any(name in citation.extra for name in _CITATION_IDS) else {"citationId": index}
                known = number | {"reference": citation.doc_id, "support": codes.pop(key, _NOT_JUDGED)}
                citations[citation.doc_id] = with_extra(known, citation.extra)
            sentences.append(_sentence(snippet, [*citations.values()]))
        row = {"topic_id": response.query_id, "run_id": _name(runs[response.run_id]), "sentences": sentences}
        sink.json_line(with_extra(row, response.extra))
    for _ in codes:
        sink.lose("citation_judgement", "its citation is not in a response")


def _sentence(snippet: Snippet, citations: list[dict[str, Any]]) -> dict[str, Any]:
    """The sentence's object; its id is a number if possible."""
    written = snippet.snippet_id
    number = int(written) if written.isdecimal() and str(int(written)) == written else written
    name = "sentenceID" if "sentenceID" in snippet.extra else "sentenceId"
    return with_extra({name: number, "text": snippet.text, "citations": citations}, snippet.extra)


def _name(run: Run) -> str:
    return run.run_id if run.group is None else f"{run.group}.{run.run_id}"
