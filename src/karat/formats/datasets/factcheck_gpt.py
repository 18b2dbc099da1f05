"""Factcheck-GPT: answers cut into sentences and claims, each checked by people. JSON lines.

{"prompt", "response", "revised_response", "response_factuality", "sentences": {"sentence1": {"text", "decontext",
"sentence_factuality_label", ..., "claims": ["..."], "claims_factuality_label": [true], "human_evidence": [...]}}}

A claim is something the sentence states, so it is a nug that the snippet contains: its judgement has degree 1.
Whether it is *true* is another question: that label and the other fields of the claim are in the judgement's `extra`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, ContentIds, Judgement, Nug, Query, Response, Run, Snippet
from karat.model.default_names import PERSON

TITLE = "Factcheck-GPT sentences and claims (JSON lines)"
RESPONSE, REVISED = "response", "revised_response"
"""The runs: the model's answers, and the same answers corrected by people."""


def sniff_factcheck_gpt(head: Head) -> bool:
    sentences = head.row.get("sentences")
    first = next(iter(sentences.values()), None) if isinstance(sentences, dict) else None
    return head.has("prompt", "response", "sentences") and isinstance(first, dict) and "claims" in first


def read_factcheck_gpt(source: Source) -> Iterator[AnyRecord]:
    """One Query per prompt (with an id made from the text), both Responses, one Nug and one Judgement per claim.

    Fields about a sentence are in `extra` of its snippet; a list with as many members as there are claims has one value
    per claim. If the sentences differ from the original answer, that is in `extra` of the response.
    """
    once, query_ids = Once(source), ContentIds()
    yield Run(run_id=RESPONSE)
    yield Run(run_id=REVISED, human=True)
    for row in json_rows(source):
        with row.unit():
            prompt = row.text("prompt")
            query_id = source.query_id = query_ids.next(prompt)
            answer, revised = row.text("response"), row.optional_text(REVISED)
            sentences = [row.inside("sentences", {}).inside(name, value) for name, value in _sentences(row)]
            yield Query(query_id=query_id, text=prompt)
            snippets: list[Snippet] = []
            claims: list[AnyRecord] = []
            for sentence in sentences:
                with sentence.unit():
                    snippet_id = str(len(snippets) + 1)
                    text, stated = sentence.text("text"), sentence.strings("claims")
                    of_claims = _of_claims(sentence, len(stated))
                    snippets.append(Snippet(snippet_id=snippet_id, text=text, extra=sentence.rest(*of_claims)))
                    extras = [{name: sentence.data[name][index] for name in of_claims} for index in range(len(stated))]
                    claims.extend(_claims(stated, extras, query_id, snippet_id))
            extra = row.rest()
            if " ".join(snippet.text for snippet in snippets) != answer:
                extra["response"] = answer
            yield Response(query_id=query_id, run_id=RESPONSE, snippets=tuple(snippets), extra=extra)
            if revised is not None:
                whole = (Snippet(snippet_id="1", text=revised),) if revised.strip() else ()
                yield Response(query_id=query_id, run_id=REVISED, snippets=whole)
            for record in claims:
                yield from once(record) if isinstance(record, Nug) else (record,)


def _sentences(row: Fields) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in row.entries("sentences"):
        if isinstance(value, dict):
            yield name, value
        else:
            row.complain(f"sentences.{name}", "must be an object", code="wrong-type")


def _of_claims(sentence: Fields, claims: int) -> list[str]:
    """The fields that have one value per claim."""
    return [
        name
        for name, value in sentence.data.items()
        if name != "claims" and isinstance(value, list) and len(value) == claims and claims
    ]


def _claims(
    claims: list[str], extras: list[dict[str, Any]], query_id: str, snippet_id: str
) -> Iterator[Nug | Judgement]:
    ids = ContentIds()
    for claim, extra in zip(claims, extras, strict=True):
        nug_id = ids.next(claim)
        yield Nug(query_id=query_id, nug_id=nug_id, descriptions=(claim,))
        yield Judgement(
            query_id=query_id,
            run_id=RESPONSE,
            snippet_id=snippet_id,
            nug_id=nug_id,
            degree=1.0,
            judge=PERSON,
            extra=extra,
        )
