"""PropSegmEnt: propositions as sets of tokens of a sentence, and whether another document entails them.

A folder with, for each split (`dev`, ...):
document_clusters.dev.json  [{"cluster_id", "documents": [{"document_id", "sentences": [{"sentence_text", "tokens"}]}]}]
propositions.dev.json       [{"sentence_id": {"cluster_id", "document_id", "sentence_index"},
                              "segmentation_responses": [{"propositions": [{"token_indices"}], flags}]}]
relationships.dev.json      [{"cluster_id", "premise_document_id", "hypothesis_proposition",
                              "relationship_responses": [{"relationship", "supporting_premise_proposition"?}]}]

Half of the set has no text (news that users must download themselves); it is left out, with a warning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from karat.formats.datasets.parts import SNIPPET_IDS, open_part
from karat.formats.datasets.propsegment_tokens import (
    SentenceKey,
    TokenizedSentence,
    TokenSet,
    read_key,
    read_proposition,
    read_sentence,
)
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields, type_name
from karat.formats.io.head import Head
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import AnyRecord, Evidence, Judgement, Member, Nug, Nugget, Query, Response, Run, Snippet
from karat.model.default_names import PERSON

TITLE = "PropSegmEnt propositions and entailment (folder)"
_CLUSTERS = re.compile(r"document_clusters\.(\w+)\.json")
_RELATIONSHIPS: dict[str, tuple[float | None, Literal["ok", "unknown"]]] = {
    "relationship_entails": (1.0, "ok"),
    "relationship_neither_entails_nor_contradicts": (0.0, "ok"),
    "relationship_contradicts": (0.0, "ok"),
    "relationship_unspecified": (None, "unknown"),
}


def sniff_propsegment(head: Head) -> bool:
    return head.is_directory and bool(_splits(head.source.path))


def read_propsegment(source: Source) -> Iterator[AnyRecord]:
    """One Query per cluster, one Run with one Response per document, one Nugget per rater and proposition; then one Nug
    per proposition that was compared with other documents, and one Judgement per rater and such a pair.

    Raters have no ids: "rater-1" is the first one to answer for this sentence or pair. Their remarks about a whole
    sentence are in its snippet's `extra["segmentation_responses"]`. Entailed is degree 1; neither and contradicted are
    0 (`extra["relationship"]` says which); unspecified, from raters who did not understand it, is `unknown`.
    """
    splits = _splits(source.path) if source.is_directory else []
    if not splits:
        source.fail(
            "must be a folder with document_clusters.*.json and propositions.*.json", code="missing-file", line=0
        )
    once = Once(source)
    for split in splits:
        yield from _Split(source, split, once).read()


def _splits(folder: Path) -> list[str]:
    names = (_CLUSTERS.fullmatch(path.name) for path in folder.glob("document_clusters.*.json"))
    return sorted(name[1] for name in names if name and (folder / f"propositions.{name[1]}.json").is_file())


class _Split:
    """One split being read: what relationships refer to is remembered while the documents are read."""

    def __init__(self, source: Source, split: str, once: Once) -> None:
        self._source, self._split, self._once = source, split, once
        self._sentences: dict[SentenceKey, TokenizedSentence] = {}
        self._documents: set[tuple[str, str]] = set()
        self._nugget_ids: dict[tuple[SentenceKey, tuple[int, ...]], list[str]] = {}

    def read(self) -> Iterator[AnyRecord]:
        segmented = self._read_segmented()
        for row in json_rows(self._part("document_clusters")):
            with row.unit():
                cluster_id = row.source.query_id = row.id("cluster_id")
                documents = row.items("documents")
                title = row.optional_text("cluster_title") or ""
                yield from self._once(
                    Query(query_id=cluster_id, text=title, extra={**row.rest(), "split": self._split})
                )
                for document in documents:
                    with document.unit():
                        yield from self._read_document(document, cluster_id, segmented)
        self._warn_of_missing_text(len(segmented), "propositions", "sentences")
        if (self._source.path / f"relationships.{self._split}.json").is_file():
            yield from self._read_relationships()

    def _part(self, name: str) -> Source:
        return open_part(self._source, self._source.path / f"{name}.{self._split}.json")

    def _warn_of_missing_text(self, count: int, name: str, what: str) -> None:
        if count:
            message = f"{name}.{self._split}.json: {count:,} {what} without text in document_clusters are left out"
            self._source.warn("", message, code="missing-text")

    # -- sentences and what raters marked in them -----------------------------------------------

    def _read_segmented(self) -> dict[SentenceKey, list[Fields]]:
        segmented: dict[SentenceKey, list[Fields]] = {}
        for row in json_rows(self._part("propositions")):
            with row.unit():
                sentence = row.child("sentence_id")
                key = read_key(sentence, sentence.id("cluster_id"))
                if key in segmented:
                    row.bad("sentence_id", "the sentence appears twice", code="duplicate-id")
                segmented[key] = row.items("segmentation_responses")
        return segmented

    def _read_document(
        self, document: Fields, cluster_id: str, segmented: dict[SentenceKey, list[Fields]]
    ) -> Iterator[AnyRecord]:
        document_id = document.id("document_id")
        if (cluster_id, document_id) in self._documents:
            document.bad("document_id", f"{document_id!r} appears twice", code="duplicate-id")
        snippets: list[Snippet] = []
        nuggets: list[Nugget] = []
        for index, value in enumerate(document.members("sentences")):
            if not isinstance(value, dict):
                document.complain(
                    f"sentences[{index}]", f"must be an object, not {type_name(value)}", code="wrong-type"
                )
            elif value.get("sentence_text"):
                item = document.inside(f"sentences[{index}]", value)
                with item.unit():
                    key = SentenceKey(cluster_id, document_id, index)
                    sentence = self._sentences[key] = read_sentence(item)
                    remarks, marked = self._read_raters(key, segmented.pop(key, []))
                    extra = {
                        **item.rest("tokens"),
                        "tokens": [[*place] for place in sentence.tokens],
                        "segmentation_responses": remarks,
                    }
                    snippets.append(Snippet(snippet_id=str(index), text=sentence.text, extra=extra))
                    nuggets += marked
        self._documents.add((cluster_id, document_id))
        yield from self._once(Run(run_id=document_id))
        yield Response(query_id=cluster_id, run_id=document_id, snippets=tuple(snippets), extra=document.rest())
        yield from nuggets

    def _read_raters(self, key: SentenceKey, responses: list[Fields]) -> tuple[list[dict[str, Any]], list[Nugget]]:
        remarks: list[dict[str, Any]] = []
        nuggets: list[Nugget] = []
        for rater, response in enumerate(responses, 1):
            assessor = f"rater-{rater}"
            is_reference = {"is_reference_response": bool(response.data.get("is_reference_response"))}
            remarks.append({"assessor": assessor, **response.rest("propositions")})
            with response.unit():
                for number, item in enumerate(response.optional_items("propositions"), 1):
                    with item.unit():
                        proposition = read_proposition(item, self._sentences[key])
                        nugget_id = f"{key.document_id}/{key.sentence_index}/{assessor}/{number}"
                        self._nugget_ids.setdefault((key, proposition.tokens), []).append(nugget_id)
                        nuggets.append(
                            Nugget(
                                nugget_id=nugget_id,
                                query_id=key.cluster_id,
                                run_id=key.document_id,
                                snippet_id=str(key.sentence_index),
                                spans=proposition.spans,
                                source="person",
                                assessor=assessor,
                                extra={**item.rest(), "token_indices": list(proposition.tokens), **is_reference},
                            )
                        )
        return remarks, nuggets

    # -- relationships --------------------------------------------------------------------------

    def _read_relationships(self) -> Iterator[AnyRecord]:
        raters: Counter[tuple[str, str]] = Counter()
        given: set[str] = set()
        missing = 0
        for row in json_rows(self._part("relationships")):
            with row.unit():
                cluster_id = row.source.query_id = row.id("cluster_id")
                run_id = row.id("premise_document_id")
                hypothesis = row.child("hypothesis_proposition")
                key = read_key(hypothesis, cluster_id)
                if (cluster_id, run_id) not in self._documents or key not in self._sentences:
                    missing += 1
                    continue
                proposition = read_proposition(hypothesis.child("proposition"), self._sentences[key])
                nug = self._nug(key, proposition)
                if nug.nug_id not in given:
                    given.add(nug.nug_id)
                    yield nug
                for item in row.items("relationship_responses"):
                    raters[run_id, nug.nug_id] += 1
                    with item.unit():
                        yield self._read_relationship(item, nug, run_id, f"rater-{raters[run_id, nug.nug_id]}")
        self._warn_of_missing_text(missing, "relationships", "pairs")

    def _nug(self, key: SentenceKey, proposition: TokenSet) -> Nug:
        members = self._nugget_ids.get((key, proposition.tokens), [])
        return Nug(
            query_id=key.cluster_id,
            nug_id=f"{key.document_id}/{key.sentence_index}/{proposition.name}",
            descriptions=(proposition.spans.text(self._sentences[key].text),),
            members=tuple(Member(nugget_id=nugget_id) for nugget_id in members),
        )

    def _read_relationship(self, item: Fields, nug: Nug, run_id: str, assessor: str) -> Judgement:
        evidence = None
        if (support := item.optional_child("supporting_premise_proposition")) is not None:
            key = SentenceKey(nug.query_id, run_id, support.integer("sentence_index"))
            if key in self._sentences:
                spans = read_proposition(support.child("proposition"), self._sentences[key]).spans
                evidence = Evidence(spans=spans, extra={SNIPPET_IDS: [str(key.sentence_index)]})
            else:
                support.complain(
                    "sentence_index", f"{key.sentence_index} is not a sentence of {run_id!r}", code="dangling-reference"
                )
        degree, status = item.label("relationship", _RELATIONSHIPS) or (None, "failed")
        return Judgement(
            query_id=nug.query_id,
            run_id=run_id,
            nug_id=nug.nug_id,
            degree=degree,
            judge=PERSON,
            assessor=assessor,
            evidence=evidence,
            status=status,
            extra={**item.rest(), "relationship": item.get("relationship")},
        )
