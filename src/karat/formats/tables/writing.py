"""Records as one plain table with named columns: the form that the csv and tsv writers share.

The table has one row per judgement (with its query, answer and nug), if there are judgements; otherwise one row per nug
or vote, per snippet, per score, or per query, whichever comes first. A query, answer or nug without a judgement gets a
row of its own; other kinds of records are lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from karat.formats.io.sink import Sink, carries
from karat.formats.tables.columns import SCORE_FIELDS, is_known
from karat.formats.tables.row import doc_ids_of
from karat.model import AnyRecord, Collection, Judgement, Nug, Response, Snippet, Vote, kind_of
from karat.model.default_names import GIVEN

CARRIES = carries(
    query="query_id text extra",
    run="run_id",
    response="query_id run_id snippets snippets.snippet_id snippets.text snippets.citations "
    "snippets.citations.doc_id snippets.extra extra",
    nug="query_id nug_id descriptions importance weight extra",
    vote="query_id nug_id assessor value extra",
    judgement="query_id run_id snippet_id nug_id degree judge assessor status extra",
    score=f"run_id query_id measure value {' '.join(SCORE_FIELDS)} extra",
)
_ORDER = (
    "query_id", "query", "run_id", "snippet_id", "answer", "citations", "nug_id", "nug", "importance", "weight",
    "degree", "judge", "assessor", "vote", "measure", "value", *SCORE_FIELDS,
)  # fmt: skip


@dataclass
class NamedTable:
    """A table: its columns, and the cells of each row by column."""

    columns: list[str]
    rows: list[dict[str, str]]


def named_table(records: Iterable[AnyRecord], sink: Sink) -> NamedTable:
    """The table with the most of the records (see the module)."""
    tables = _Tables(Collection(records), sink)
    for kinds, build, needed in (
        ("judgement", tables.judgements, ("degree",)),
        ("nug vote", tables.nugs, ()),
        ("response", tables.responses, ()),
        ("score", tables.scores, ("value",)),
        ("query", tables.queries, ()),
    ):
        if any(kind_of(record) in kinds.split() for record in tables.collection):
            build()
            return tables.finished(needed)
    for record in tables.collection:
        sink.lose(kind_of(record), "the table has no rows of this kind")
    return NamedTable(["query_id", "query"], [])


@dataclass
class _Tables:
    collection: Collection
    sink: Sink
    rows: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._texts = self.collection.query_texts()
        self._unwritten_queries = dict.fromkeys(self._texts)
        self._nugs = {(nug.query_id, nug.nug_id): self._nug_cells(nug) for nug in self.collection.nugs}
        self._responses = {(response.query_id, response.run_id): response for response in self.collection.responses}

    def judgements(self) -> None:
        judgements = self.collection.judgements
        by_snippet = {(item.query_id, item.run_id) for item in judgements if item.snippet_id is not None}
        written: set[tuple[str, ...]] = set()
        for judgement in judgements:
            pair = (judgement.query_id, judgement.run_id)
            response = self._responses.get(pair)
            answer: dict[str, str] = {}
            if response is not None and judgement.snippet_id is not None:
                snippets = [snippet for snippet in response.snippets if snippet.snippet_id == judgement.snippet_id]
                answer = _snippet_cells(snippets[0]) if snippets else {"snippet_id": judgement.snippet_id}
                written |= {(*pair, snippet.snippet_id) for snippet in snippets}
            elif judgement.snippet_id is not None:
                answer = {"snippet_id": judgement.snippet_id}
            elif response is not None and pair not in by_snippet:
                answer = self._whole_answer(response, is_first=pair not in written)
                written.add(pair)
            written.add((judgement.query_id, "", judgement.nug_id))
            judge = "" if judgement.judge == GIVEN else judgement.judge
            self._add(
                judgement.query_id,
                {"run_id": judgement.run_id, **answer, **self._nug_of(judgement)},
                {"degree": _degree(judgement), "judge": judge, "assessor": judgement.assessor},
                kind="judgement",
                extra=judgement.extra,
            )
        for response in self.collection.responses:
            ids = (response.query_id, response.run_id)
            unwritten = [snippet for snippet in response.snippets if (*ids, snippet.snippet_id) not in written]
            if ids not in written and (unwritten or not response.snippets):
                self._response_rows(response, unwritten)
        for nug in self.collection.nugs:
            if (nug.query_id, "", nug.nug_id) not in written:
                self._add(nug.query_id, self._nug_of(nug))
        judged = {judgement.run_id for judgement in judgements}
        self._lose_runs(judged | {response.run_id for response in self.collection.responses})
        for nug in self.collection.nugs:
            if nug.extra:
                self.sink.lose("nug.extra")
        for response in self.collection.responses:
            if response.extra:
                self.sink.lose("response.extra")
            for snippet in response.snippets:
                if snippet.extra:
                    self.sink.lose("response.snippets.extra")
        self._lose_kinds("vote", "score")

    def nugs(self) -> None:
        votes = self.collection.key.votes
        for nug in self.collection.nugs:
            given = votes.pop((nug.query_id, nug.nug_id), [])
            if not given:
                self._add(nug.query_id, self._nug_of(nug), kind="nug", extra=nug.extra)
            elif nug.extra:
                self.sink.lose("nug.extra", "the other columns of the row are those of the vote")
            self._vote_rows(given)
        for given in votes.values():
            self._vote_rows(given)
        self._lose_kinds("run", "response", "score")

    def _vote_rows(self, votes: Iterable[Vote]) -> None:
        for vote in votes:
            value = vote.value if isinstance(vote.value, str) else repr(vote.value)
            cells = {"assessor": vote.assessor, "vote": value}
            self._add(vote.query_id, self._nug_of(vote), cells, kind="vote", extra=vote.extra)

    def responses(self) -> None:
        for response in self.collection.responses:
            if response.extra and response.snippets:
                self.sink.lose("response.extra")
            self._response_rows(response, list(response.snippets), with_extra=True)
        self._lose_runs({response.run_id for response in self.collection.responses})
        self._lose_kinds("score")

    def scores(self) -> None:
        for score in self.collection.scores:
            numbers = {name: getattr(score, name) for name in ("value", *SCORE_FIELDS)}
            cells = {name: value if isinstance(value, str) else _number(value) for name, value in numbers.items()}
            self._add(
                score.query_id,
                {"run_id": score.run_id, "measure": score.measure, **cells},
                kind="score",
                extra=score.extra,
            )
        self._lose_kinds("run")

    def queries(self) -> None:
        self._lose_kinds("run")

    def finished(self, needed: tuple[str, ...]) -> NamedTable:
        """The table, with a row for each query that has no row yet."""
        extras = {query.query_id: query.extra for query in self.collection.queries}
        for query_id in self._unwritten_queries:
            self.rows.append(
                {
                    "query_id": query_id,
                    "query": self._texts[query_id],
                    **self._extra_cells("query", extras.pop(query_id)),
                }
            )
        for extra in extras.values():
            if extra:
                self.sink.lose("query.extra")
        filled = dict.fromkeys(name for row in self.rows for name, value in row.items() if value)
        there = {name for row in self.rows for name in row}
        forced = {"query_id", *needed} | ({"query"} if self._texts else set()) | ({"answer"} & there)
        names = [name for name in _ORDER if name in filled or name in forced]
        return NamedTable(names + [name for name in filled if name not in names], self.rows)

    # -- cells ----------------------------------------------------------------------------------

    def _add(
        self, query_id: str, *cells: Mapping[str, str | None], kind: str = "", extra: dict[str, Any] | None = None
    ) -> None:
        text = self._texts.get(query_id, "")
        row = {"query_id": query_id, "query": text}
        for some in cells:
            row |= {name: value or "" for name, value in some.items()}
        self.rows.append(row | self._extra_cells(kind, extra or {}))
        if text.strip():
            self._unwritten_queries.pop(query_id, None)

    def _response_rows(self, response: Response, snippets: list[Snippet], *, with_extra: bool = False) -> None:
        run = {"run_id": response.run_id, "answer": ""}
        for snippet in snippets:
            extra = snippet.extra if with_extra else {}
            self._add(response.query_id, run, _snippet_cells(snippet), kind="response.snippets", extra=extra)
        if not response.snippets:
            self._add(response.query_id, run, kind="response", extra=response.extra if with_extra else {})

    def _whole_answer(self, response: Response, *, is_first: bool) -> dict[str, str]:
        """The cells of a response that was judged as a whole."""
        snippets = response.snippets
        if is_first and len(snippets) > 1:
            self.sink.lose("response.snippets", "joined into one answer text")
        elif is_first and snippets and snippets[0].snippet_id != "1":
            self.sink.lose("response.snippets.snippet_id", "the answer was judged as a whole")
        doc_ids = dict.fromkeys(citation.doc_id for snippet in snippets for citation in snippet.citations)
        return {"answer": " ".join(snippet.text for snippet in snippets), "citations": _doc_id_cell([*doc_ids])}

    def _nug_of(self, record: Nug | Vote | Judgement) -> dict[str, str]:
        """The cells of the nug that a record is or names."""
        return self._nugs.get((record.query_id, record.nug_id), {"nug_id": record.nug_id})

    def _nug_cells(self, nug: Nug) -> dict[str, str]:
        if not nug.descriptions or not nug.descriptions[0].strip():
            self.sink.lose("nug", "it has no description")
        elif len(nug.descriptions) > 1:
            self.sink.lose("nug.descriptions", "only the first description of a nug can be written")
        return {
            "nug_id": nug.nug_id,
            "nug": next(iter(nug.descriptions), ""),
            "importance": nug.importance or "",
            "weight": _number(nug.weight),
        }

    def _extra_cells(self, kind: str, extra: dict[str, Any]) -> dict[str, str]:
        kept = {}
        for name, value in extra.items():
            if isinstance(value, str) and value.strip() and name == name.strip() != "" and not is_known(name):
                kept[name] = value
            else:
                self.sink.lose(f"{kind}.extra", "only text can be written, under a name that is not a known column")
        return kept

    def _lose_runs(self, written: set[str]) -> None:
        for run in self.collection.runs:
            if run.run_id not in written:
                self.sink.lose("run", "a run without answers or judgements has no rows")

    def _lose_kinds(self, *kinds: str) -> None:
        for record in self.collection:
            if kind_of(record) in kinds:
                self.sink.lose(kind_of(record), "a table has only one kind of rows")


def _snippet_cells(snippet: Snippet) -> dict[str, str]:
    doc_ids = [citation.doc_id for citation in snippet.citations]
    return {"snippet_id": snippet.snippet_id, "answer": snippet.text, "citations": _doc_id_cell(doc_ids)}


def _doc_id_cell(doc_ids: list[str]) -> str:
    plain = " ".join(doc_ids)
    return plain if doc_ids_of(plain) == doc_ids else json.dumps(doc_ids, ensure_ascii=False)


def _degree(judgement: Judgement) -> str:
    return _number(judgement.degree) if judgement.status == "ok" else judgement.status


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)
