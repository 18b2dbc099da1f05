"""WiCE: claims from Wikipedia, and whether the cited page supports them. JSON lines.

{"label": "partially_supported", "supporting_sentences": [[0, 2], [3]], "claim", "evidence": ["sentence", ...],
 "meta": {"id", "claim_title", "claim_section", "claim_context"}}; and, to mark unsupported words,
{"claim_tokens": ["..."], "non_supported_spans": [false, ...]}
"""

from __future__ import annotations

from collections.abc import Iterator

from karat.formats.datasets.parts import SNIPPET_IDS, Distinct
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Evidence, Judgement, Nug, Query, Response, Run, Snippet
from karat.model.default_names import PERSON

TITLE = "WiCE claims and evidence (JSON lines)"
EVIDENCE = "evidence"
"""The run of the cited pages."""
_DEGREES = {"supported": 1.0, "partially_supported": 0.5, "not_supported": 0.0}


def sniff_wice(head: Head) -> bool:
    return head.has("label", "supporting_sentences", "claim", "evidence") and "id" in head.first("meta")


def read_wice(source: Source) -> Iterator[AnyRecord]:
    """Per claim: a Query (the article's title), the page as a Response whose snippets are numbered from 0, the
    claim as a Nug, and a Judgement of the page. The sentences that people found sufficient are in its evidence, and
    as separate sets in its `extra`."""
    distinct = Distinct()
    yield Run(run_id=EVIDENCE)
    for row in json_rows(source):
        with row.unit():
            meta = row.child("meta")
            query_id = source.query_id = meta.id("id")
            claim, sentences = row.text("claim"), row.members("evidence")
            row.strings("evidence")  # reports members that are not strings; the others keep their numbers
            title = meta.optional_text("claim_title") or ""
            query = distinct(source, join(meta.path, "id"), Query(query_id=query_id, text=title, extra=meta.rest()))
            if not query:
                continue
            yield from query
            snippets = tuple(
                Snippet(snippet_id=str(index), text=text)
                for index, text in enumerate(sentences)
                if isinstance(text, str)
            )
            yield Response(query_id=query_id, run_id=EVIDENCE, snippets=snippets)
            tokens = row.strings("claim_tokens")
            extra = {"claim_tokens": tokens} if tokens else {}
            yield Nug(query_id=query_id, nug_id=query_id, descriptions=(claim,), extra=extra)
            yield _judgement(row, query_id, len(sentences), len(tokens))


def _judgement(row: Fields, query_id: str, sentences: int, tokens: int) -> Judgement:
    degree = row.label("label", _DEGREES)
    sets = _supporting_sets(row, sentences)
    unsupported = row.optional_members("non_supported_spans")
    if len(unsupported) != tokens:
        row.complain(
            "non_supported_spans", f"there are {len(unsupported)} marks for {tokens} tokens", code="dangling-reference"
        )
    used = sorted({index for sentence_set in sets for index in sentence_set})
    extra = row.rest() | ({"supporting_sentences": sets} if sets else {})
    return Judgement(
        query_id=query_id,
        run_id=EVIDENCE,
        nug_id=query_id,
        degree=degree,
        judge=PERSON,
        evidence=Evidence(extra={SNIPPET_IDS: [str(index) for index in used]}) if used else None,
        status="ok" if degree is not None else "failed",
        extra=extra | ({"non_supported_spans": unsupported} if unsupported else {}),
    )


def _supporting_sets(row: Fields, sentences: int) -> list[list[int]]:
    """The sets of sentences, each of which is sufficient; a number beyond the page is reported and left out."""
    sets = []
    for position, member in enumerate(row.optional_members("supporting_sentences")):
        kept = []
        for index in member if isinstance(member, list) else [member]:
            if isinstance(index, int) and 0 <= index < sentences:
                kept.append(index)
            else:
                message = f"{index!r} is not one of the {sentences} sentences, counted from 0"
                row.complain(f"supporting_sentences[{position}]", message, code="dangling-reference")
        if kept:
            sets.append(kept)
    return sets
