"""Whether what a record refers to is there, as far as the files at hand define it."""

from __future__ import annotations

from collections.abc import Callable

from karat.formats.batch import Batch
from karat.formats.definitions import Definitions, Fault
from karat.model import (
    AnyRecord,
    Citation,
    CitationJudgement,
    Judgement,
    Nug,
    Nugget,
    Query,
    Relevance,
    Response,
    Run,
    Score,
    SpanSet,
    Vote,
)

DANGLING = "dangling-reference"
InSnippet = CitationJudgement | Judgement | Nugget | Relevance


class References:
    """Checks references against Definitions.

    A file may hold judgements alone, its key being elsewhere: a reference is followed only where its kind is
    defined. Queries and runs count as defined by a Karat file itself, nugs where the inputs hold nugs of the query,
    snippets where they hold the response, nuggets where they hold nuggets of the query.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions

    def checker(self, file: int | None) -> Callable[[AnyRecord], Fault | None]:
        """The check for the records of one file (None: one that does not define its queries and runs itself)."""
        definitions = self._definitions
        queries = definitions.queries.get(file) if file is not None else None
        runs = definitions.runs.get(file) if file is not None else None
        nugs = definitions.nugs

        def check(record: AnyRecord) -> Fault | None:
            if type(record) is Judgement:
                # By far the most frequent record: flat, and nothing asked twice.
                query_id = record.query_id
                if query_id in nugs and record.nug_id not in nugs[query_id]:
                    return _dangling("nug_id", record.nug_id, f"a nug of query {query_id!r}")
                if record.degree is None and record.status == "ok" and not record.probabilities:
                    return Fault("degree", "is missing, though the status is ok", "missing-field")
                if record.snippet_id is not None and (fault := self._snippet(record)) is not None:
                    return fault
                if queries is not None and query_id not in queries:
                    return _dangling("query_id", query_id, "a query of this file")
                if runs is not None and record.run_id not in runs:
                    return _dangling("run_id", record.run_id, "a run of this file")
                return None
            if isinstance(record, Score | Run):
                return None
            if queries is not None and record.query_id not in queries:
                return _dangling("query_id", record.query_id, "a query of this file")
            if runs is not None and not isinstance(record, Query | Nug | Vote) and record.run_id not in runs:
                return _dangling("run_id", record.run_id, "a run of this file")
            return self._others(record)

        return check

    def are_sound_judgements(self, batch: Batch, file: int) -> bool:
        """Whether these are all judgements with nothing wrong; looked at together, which is far cheaper.

        False means no more than that they have to be looked at one by one.
        """
        if (
            not batch.holds_only(Judgement)
            or None in batch.column("degree")
            or set(batch.column("snippet_id")) != {None}
        ):
            return False
        definitions = self._definitions
        for name, known in (("query_id", definitions.queries.get(file)), ("run_id", definitions.runs.get(file))):
            if known is not None and not known.issuperset(batch.column(name)):
                return False
        nugs = definitions.nugs
        if not nugs:
            return True
        pairs = set(zip(batch.column("query_id"), batch.column("nug_id"), strict=True))
        return all(query_id not in nugs or nug_id in nugs[query_id] for query_id, nug_id in pairs)

    def _others(self, record: AnyRecord) -> Fault | None:
        if isinstance(record, Response):
            return _chunks(record)
        if isinstance(record, Nugget):
            return self._snippet(record, ("spans", record.spans), ("anchor", record.anchor))
        if isinstance(record, CitationJudgement):
            return self._snippet(record)
        if isinstance(record, Relevance):
            return self._snippet(record, ("text_spans", record.text_spans))
        if isinstance(record, Vote):
            known = self._definitions.nugs.get(record.query_id)
            if known is not None and record.nug_id not in known:
                return _dangling("nug_id", record.nug_id, f"a nug of query {record.query_id!r}")
        if isinstance(record, Nug):
            return self._nug(record)
        return None

    def _nug(self, nug: Nug) -> Fault | None:
        if nug.parent == nug.nug_id:
            return Fault("parent", "is the nug itself", DANGLING)
        if nug.parent is not None and nug.parent not in self._definitions.nugs.get(nug.query_id, {}):
            return _dangling("parent", nug.parent, f"a nug of query {nug.query_id!r}")
        known = self._definitions.nuggets.get(nug.query_id)
        if known is not None:
            for index, member in enumerate(nug.members):
                if member.nugget_id not in known:
                    what = f"a nugget of query {nug.query_id!r}"
                    return _dangling(f"members[{index}].nugget_id", member.nugget_id, what)
        return None

    def _snippet(
        self, record: CitationJudgement | Judgement | Nugget | Relevance, *spans: tuple[str, SpanSet | None]
    ) -> Fault | None:
        lengths = self._definitions.snippets.get((record.query_id, record.run_id))
        if lengths is None or record.snippet_id is None:
            return None
        length = lengths.get(record.snippet_id)
        if length is None:
            return _dangling("snippet_id", record.snippet_id, f"a snippet of run {record.run_id!r}")
        for name, span_set in spans:
            if span_set and span_set[-1][1] > length:
                message = f"ends at {span_set[-1][1]}, but the snippet has {length} characters"
                return Fault(name, message, "span-outside")
        return None


def _chunks(response: Response) -> Fault | None:
    seen: set[str] = set()
    for index, snippet in enumerate(response.snippets):
        if snippet.snippet_id in seen:
            return Fault(f"snippets[{index}].snippet_id", f"{snippet.snippet_id!r} stands twice", "duplicate-id")
        seen.add(snippet.snippet_id)
        for number, citation in enumerate(snippet.citations):
            if not _inside(citation, snippet.text):
                assert citation.chunk
                message = f"ends at {citation.chunk[-1][1]}, but the snippet has {len(snippet.text)} characters"
                return Fault(f"snippets[{index}].citations[{number}].chunk", message, "span-outside")
    return None


def _inside(citation: Citation, text: str) -> bool:
    return citation.chunk is None or citation.chunk.fits(text)


def _dangling(path: str, value: str, what: str) -> Fault:
    return Fault(path, f"{value!r} is not {what}", DANGLING)
