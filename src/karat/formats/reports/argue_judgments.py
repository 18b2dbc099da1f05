"""Judgments of Auto-ARGUE, one report per line: the judgments of each sentence and its citations.

{"report": {"metadata", "responses", "references"}, "judgments": [{"segment_type": "sentence", "text", "citations":
 [{"doc_id", "text"}], "judgments": [{"judgment_type_id", "response", "evaluator", "provenance": {"doc_id"}}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import md5
from typing import Any

import msgspec

from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields, normal_label
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.formats.reports.judged_reports import read_judged_report
from karat.model import AnyRecord, CitationJudgement, Evidence, Judgement, Nug, Response, Snippet
from karat.model.default_names import GIVEN
from karat.model.records import Importance

TITLE = "Auto-ARGUE judgments"
_ATTESTED = "SENTENCE_ATTESTED"
_ANSWERS = "SENTENCE_ANSWERS_QUESTION"
_IMPORTANCES: dict[str, Importance] = {"vital": "vital", "okay": "okay"}


def sniff_argue_judgments(head: Head) -> bool:
    segment = head.first("judgments")
    return (
        head.has("report", "judgments")
        and isinstance(head.row["report"], dict)
        and ("judgments" in segment or "segment_type" in segment or head.row["judgments"] == [])
    )


def read_argue_judgments(source: Source) -> Iterator[AnyRecord]:
    """Run and Response per report, one Nug per matched question, one Judgement per sentence and question it answers,
    and one CitationJudgement per sentence and document. Judgments of other types stay in the snippet's `judgments`.

    The id of a nug is the MD5 of its question, which is also its `question_id` in the NuggetBank.
    """
    once = Once(source)
    seen: set[tuple[str, str]] = set()
    for row in json_rows(source):
        with row.unit():
            report = read_judged_report(row.child("report"))
            response = report.response
            if (response.query_id, response.run_id) in seen:
                message = f"run {response.run_id!r} already has a report on topic {response.query_id!r}"
                row.bad("report", message, code="duplicate-id")
            seen.add((response.query_id, response.run_id))
            judged = _JudgedSentences(response)
            for segment in row.optional_items("judgments"):
                with segment.unit():
                    judged.add_segment(segment)
            yield from once(report.run)
            extra = response.extra | row.rest()
            yield msgspec.structs.replace(response, snippets=tuple(judged.snippets), extra=extra)
            for nug in judged.nugs:
                yield from once(nug)
            yield from judged.judgements.values()
            yield from judged.citation_judgements.values()


class _JudgedSentences:
    """The judgments of one report, collected sentence by sentence."""

    def __init__(self, response: Response) -> None:
        self.snippets: list[Snippet] = [*response.snippets]
        self.nugs: list[Nug] = []
        self.judgements: dict[tuple[str, str, str], Judgement] = {}
        self.citation_judgements: dict[tuple[str, str, str], CitationJudgement] = {}
        self._query_id, self._run_id = response.query_id, response.run_id
        self._next = 0

    def add_segment(self, segment: Fields) -> None:
        index = self._sentence(segment)
        snippet = self.snippets[index]
        known = {citation.doc_id for citation in snippet.citations}
        excerpts: dict[str, str | None] = {}
        for item in segment.optional_items("citations"):
            with item.unit():
                doc_id = item.id("doc_id")
                if doc_id not in known:
                    item.bad(
                        "doc_id", f"{doc_id!r} is not cited by this sentence of the report", code="dangling-reference"
                    )
                excerpts[doc_id] = item.optional_text("text")
        citations = tuple(
            msgspec.structs.replace(citation, excerpt=excerpts.get(citation.doc_id)) for citation in snippet.citations
        )
        others: list[dict[str, Any]] = []
        for item in segment.optional_items("judgments"):
            with item.unit():
                if not self._add(item, snippet):
                    others.append(item.data)
        extra = snippet.extra | segment.rest()
        if extra.get("segment_type") == "sentence":
            del extra["segment_type"]
        if others:
            extra["judgments"] = others
        self.snippets[index] = msgspec.structs.replace(snippet, citations=citations, extra=extra)

    def _sentence(self, segment: Fields) -> int:
        """The index of the sentence of a segment: the next one with the same text, or otherwise the first."""
        text = segment.text("text")
        places = [index for index, snippet in enumerate(self.snippets) if snippet.text == text]
        if not places:
            segment.bad("text", "is not a sentence of the report", code="dangling-reference")
        index = next((index for index in places if index >= self._next), places[0])
        self._next = index + 1
        return index

    def _add(self, item: Fields, snippet: Snippet) -> bool:
        """Read a judgment of a known type; False for other types."""
        kind = item.id("judgment_type_id")
        if kind not in (_ATTESTED, _ANSWERS):
            return False
        response = item.child("response")
        provenance = item.optional_child("provenance")
        doc_id = provenance.optional_id("doc_id") if provenance is not None else None
        if doc_id is None and len(snippet.citations) == 1:
            doc_id = snippet.citations[0].doc_id
        evaluator = item.optional_id("evaluator") or GIVEN
        judge = GIVEN if evaluator == "null" else evaluator
        extra = item.rest() | response.rest("judgment_type_id", "is_attested", "matched_nuggets")
        rest = provenance.rest() if provenance is not None else {}
        if rest := {name: value for name, value in rest.items() if value is not None}:
            extra["provenance"] = rest
        if kind == _ATTESTED:
            self._add_attested(item, response, snippet, doc_id, judge, extra)
        else:
            for match in response.optional_items("matched_nuggets"):
                with match.unit():
                    self._add_match(match, snippet, doc_id, judge, extra)
        return True

    def _add_attested(
        self, item: Fields, response: Fields, snippet: Snippet, doc_id: str | None, judge: str, extra: dict[str, Any]
    ) -> None:
        if doc_id is None:
            item.bad("provenance", "does not name the document", code="missing-field")
        judgement = CitationJudgement(
            query_id=self._query_id,
            run_id=self._run_id,
            snippet_id=snippet.snippet_id,
            doc_id=doc_id,
            support="full" if response.boolean("is_attested") else "none",
            assessor=judge,
            extra=extra,
        )
        first = self.citation_judgements.setdefault((snippet.snippet_id, doc_id, judge), judgement)
        if first.support != judgement.support:
            message = f"document {doc_id!r} is judged twice for the sentence, {first.support} and {judgement.support}"
            item.bad("response", message, code="duplicate-id")

    def _add_match(
        self, match: Fields, snippet: Snippet, doc_id: str | None, judge: str, extra: dict[str, Any]
    ) -> None:
        """If several documents of a sentence answer a question, there is one Judgement, with all of them."""
        question = match.text("question_text")
        nug_id = md5(question.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
        answer = match.get("matched_answer")
        answers = (answer,) if isinstance(answer, str) else match.strings("matched_answer")
        self.nugs.append(self._nug(nug_id, question, match.get("importance")))
        key = (snippet.snippet_id, nug_id, judge)
        before = self.judgements.get(key)
        words = before.evidence.words if before is not None and before.evidence is not None else ()
        doc_ids = before.extra.get("doc_ids", []) if before is not None else []
        doc_ids = [*dict.fromkeys((*doc_ids, *filter(None, (doc_id,))))]
        words = (*dict.fromkeys((*words, *answers)),)
        self.judgements[key] = Judgement(
            query_id=self._query_id,
            run_id=self._run_id,
            snippet_id=snippet.snippet_id,
            nug_id=nug_id,
            degree=1.0,
            judge=judge,
            evidence=Evidence(words=words) if words else None,
            extra=extra | match.rest() | ({"doc_ids": doc_ids} if doc_ids else {}),
        )

    def _nug(self, nug_id: str, question: str, value: Any) -> Nug:
        importance = _IMPORTANCES.get(normal_label(str(value)))
        weight = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        return Nug(
            query_id=self._query_id,
            nug_id=nug_id,
            descriptions=(question,),
            importance=importance,
            weight=weight,
            extra={"importance_label": value} if value is not None and importance is None and weight is None else {},
        )
