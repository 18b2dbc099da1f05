"""FineSurE: summaries with people's labels, and key facts of the documents. JSON lines named .json, or their folder.

{"doc_id", "model", "transcript", "reference", "sentences": [...], "raw_annotations": {annotator: {"key_fact_labels":
[0, 1], "sentence_labels": [1], "factuality_labels": [0], "factuality_types": ["NoE"]}}}; {"doc_id", "key_facts": [...]}

Labels are about the key facts of `human-keyfact-list.json`, whose nugs are "1", "2", ...; the machine's key facts (in a
file with `llm_output`) are "machine-1", .... Labels in such a file are about other facts: they stay in `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from karat.formats.datasets.parts import open_part
from karat.formats.io.definitions import Once
from karat.formats.io.fields import Fields
from karat.formats.io.head import Head
from karat.formats.io.json_path import join
from karat.formats.io.rows import json_rows
from karat.formats.io.source import Source
from karat.model import (
    AnyRecord,
    Citation,
    CitationJudgement,
    Judgement,
    Nug,
    Query,
    Relevance,
    Response,
    Run,
    Snippet,
)
from karat.model.default_names import PERSON, REFERENCE

TITLE = "FineSurE key facts and summary labels (folder or JSON lines)"
MACHINE = "machine-"
"""The beginning of the ids of a machine's key facts."""
_ANNOTATIONS = "raw_annotations"
_ZERO_ONE = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0}
_SENTENCE = re.compile(r"<t>(.*?)</t>", re.DOTALL)


def sniff_finesure(head: Head) -> bool:
    if head.is_directory:
        return any(sniff_finesure(Head(Source(path))) for path in _files(head.source.path)[:1])
    return head.has("doc_id", "transcript", "reference") and (
        head.has("key_facts") or head.has("model", "sentences", _ANNOTATIONS)
    )


def _files(folder: Path) -> list[Path]:
    """The files of the folder: the human key first, the machine's key last."""
    paths = sorted([*folder.glob("*-keyfact-list*.json"), *folder.glob("*-data*.json")])
    return sorted(paths, key=lambda path: (not path.name.startswith("human"), path.name.startswith("machine")))


def read_finesure(source: Source) -> Iterator[AnyRecord]:
    """One Query per document (its text in `extra`), with the human reference and each model's summary as Responses.

    Key facts are Nugs, their labels Judgements. A sentence's label says whether it contains a key fact (Relevance); a
    factuality label says whether the document supports the sentence (CitationJudgement: 0 full, 1 none, the type of
    error in `extra`). In a folder the human key is read, and the machine's facts stay in `extra`.
    """
    reader = _FineSurEReader(source)
    if not source.is_directory:
        yield from reader.read(source)
        return
    paths = _files(source.path)
    if not paths:
        source.fail("the folder has no *-keyfact-list*.json or *-data*.json", code="missing-file", line=0)
    for path in paths:
        yield from reader.read(open_part(source, path))


class _FineSurEReader:
    def __init__(self, source: Source) -> None:
        self._once = Once(source)
        self._key_sizes: dict[str, int] = {}
        self._references: set[str] = set()
        self._answered: dict[tuple[str, str], str] = {}

    def read(self, source: Source) -> Iterator[AnyRecord]:
        for row in json_rows(source):
            with row.unit():
                query_id = source.query_id = row.id("doc_id")
                yield from self._read_document(row, query_id)
                is_machine = "llm_output" in row.data
                if row.has("key_facts") and not (is_machine and query_id in self._key_sizes):
                    yield from self._read_key_facts(row, query_id, MACHINE if is_machine else "")
                if row.has("model"):
                    yield from self._read_summary(
                        row, query_id, with_labels=not is_machine or query_id in self._key_sizes
                    )

    def _read_document(self, row: Fields, query_id: str) -> Iterator[AnyRecord]:
        transcript, reference = row.optional_text("transcript"), row.optional_text("reference")
        # Unknown fields in the row of a summary are kept with the summary.
        extra = {} if row.has("model") else row.rest("key_facts", "llm_output")
        if transcript is not None:
            extra["transcript"] = transcript
        yield from self._once(Query(query_id=query_id, text="", extra=extra))
        if reference is not None and query_id not in self._references:
            self._references.add(query_id)
            yield from self._once(Run(run_id=REFERENCE, human=True))
            texts = dict(enumerate(map(str.strip, _SENTENCE.findall(reference) or [reference]), 1))
            yield Response(query_id=query_id, run_id=REFERENCE, snippets=_snippets(texts))

    def _read_key_facts(self, row: Fields, query_id: str, prefix: str) -> Iterator[AnyRecord]:
        facts = _numbered(row, "key_facts")
        if not prefix and query_id in self._key_sizes:
            row.bad("doc_id", f"{query_id!r} already has a list of key facts", code="duplicate-id")
        if not prefix:
            self._key_sizes[query_id] = len(row.members("key_facts"))
        for number, fact in facts.items():
            yield Nug(query_id=query_id, nug_id=f"{prefix}{number}", descriptions=(fact,))

    def _read_summary(self, row: Fields, query_id: str, *, with_labels: bool) -> Iterator[AnyRecord]:
        run_id = row.id("model")
        file = self._answered.get((query_id, run_id))
        if file == row.source.name:
            row.bad("model", f"run {run_id!r} has already answered query {query_id!r}", code="duplicate-id")
        if file is not None:
            return  # The machine's list repeats the summaries of the data file.
        self._answered[query_id, run_id] = row.source.name
        sentences = _numbered(row, "sentences")
        labels = _Labels(query_id, run_id, len(row.members("sentences")), self._key_sizes.get(query_id))
        annotations = row.optional_child(_ANNOTATIONS) if with_labels else None
        for assessor in annotations.data if annotations is not None else ():
            with annotations.unit():  # type: ignore[union-attr]
                labels.read(annotations.child(assessor), assessor)  # type: ignore[union-attr]
        extra = row.rest("key_facts") | labels.extra
        if with_labels and "llm_output" in row.data:
            extra["key_facts"] = row.data.get("key_facts")
        yield from self._once(Run(run_id=run_id))
        yield Response(
            query_id=query_id,
            run_id=run_id,
            snippets=_snippets(sentences, cited=query_id if labels.has_factuality else None),
            extra=extra,
        )
        yield from labels.records


class _Labels:
    """The labels that people gave to one summary."""

    def __init__(self, query_id: str, run_id: str, sentences: int, key_facts: int | None) -> None:
        self.records: list[AnyRecord] = []
        self.extra: dict[str, Any] = {}
        self.has_factuality = False
        self._ids: dict[str, Any] = {"query_id": query_id, "run_id": run_id}
        self._sentences = sentences
        self._key_facts = key_facts

    def read(self, annotation: Fields, assessor: str) -> None:
        for number, label in _labels(annotation, "key_fact_labels", self._key_facts, "key facts"):
            status = "ok" if label is not None else "failed"
            self.records.append(
                Judgement(**self._ids, nug_id=number, degree=label, judge=PERSON, assessor=assessor, status=status)  # type: ignore[arg-type]
            )
        for number, label in _labels(annotation, "sentence_labels", self._sentences, "sentences"):
            if label is not None:
                relevance = "relevant" if label else "irrelevant"
                self.records.append(
                    Relevance(**self._ids, snippet_id=number, assessor=assessor, label=relevance)  # type: ignore[arg-type]
                )
        types = annotation.strings("factuality_types")
        is_aligned = len(types) == self._sentences
        if types and not is_aligned:
            message = f"{len(types)} types for {self._sentences} sentences: kept, but not assigned to sentences"
            annotation.source.warn(join(annotation.path, "factuality_types"), message, code="unaligned-types")
            self.extra.setdefault("factuality_types", {})[assessor] = types
        for number, label in _labels(annotation, "factuality_labels", self._sentences, "sentences"):
            if label is not None:
                self.has_factuality = True
                self.records.append(
                    CitationJudgement(
                        **self._ids,
                        snippet_id=number,
                        doc_id=self._ids["query_id"],
                        support="none" if label else "full",
                        assessor=assessor,
                        extra={"factuality_type": types[int(number) - 1]} if is_aligned else {},
                    )
                )
        if rest := annotation.rest():
            self.extra.setdefault(_ANNOTATIONS, {})[assessor] = rest


def _labels(annotation: Fields, name: str, size: int | None, what: str) -> Iterator[tuple[str, float | None]]:
    """The labels of a list, numbered from 1; None for a label that is neither 0 nor 1."""
    labels = annotation.optional_members(name)
    if labels and size is not None and len(labels) != size:
        annotation.complain(name, f"there are {len(labels)} labels for {size} {what}", code="dangling-reference")
    for index, value in enumerate(labels[:size]):
        label = _ZERO_ONE.get(str(value))
        if label is None:
            annotation.complain(f"{name}[{index}]", repr(value), code="impossible-label", choices=("0", "1"))
        yield str(index + 1), label


def _numbered(row: Fields, name: str) -> dict[int, str]:
    """The strings of a list by their position from 1, to which the labels refer."""
    row.strings(name)  # reports the others
    return {number: text for number, text in enumerate(row.members(name), 1) if isinstance(text, str)}


def _snippets(texts: dict[int, str], *, cited: str | None = None) -> tuple[Snippet, ...]:
    citations = () if cited is None else (Citation(doc_id=cited),)
    return tuple(Snippet(snippet_id=str(number), text=text, citations=citations) for number, text in texts.items())
