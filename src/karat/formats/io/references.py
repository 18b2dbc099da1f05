"""References: whether the things that a record refers to exist, as far as the given files define them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from karat.formats.io.definitions import Definitions, Fault
from karat.formats.io.rows import Batch
from karat.model import (
    AnyRecord,
    Citation,
    CitationJudgement,
    Document,
    Judgement,
    Nug,
    Nugget,
    Query,
    Relevance,
    Response,
    Reviewed,
    Run,
    Score,
    SpanSet,
    Template,
    Vote,
)

DANGLING = "dangling-reference"
InSnippet = CitationJudgement | Judgement | Nugget | Relevance | Reviewed


class References:
    """Checks references against Definitions.

    A file may have only judgements, with the key in a file that is not given: a reference is checked only if things of
    its kind are defined. Queries and runs must be defined in the Karat file itself, if it defines any; nugs are checked
    if the inputs have nugs of the query, snippets if they have the response, nuggets if they have nuggets of the query,
    citations if the response gives them ids. Documents need not be there.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._sound: set[int] = set()
        """Pairs of a query and a nug that exist, of batches whose columns are codes."""

    def checker(self, file: int | None) -> Callable[[AnyRecord], Fault | None]:
        """The check for the records of one file (None: a file that does not define its queries and runs itself)."""
        definitions = self._definitions
        queries = definitions.queries.get(file) if file is not None else None
        runs = definitions.runs.get(file) if file is not None else None
        nugs = definitions.nugs

        def check(record: AnyRecord) -> Fault | None:
            if type(record) is Judgement:
                # By far the most frequent kind of record: written for speed.
                query_id = record.query_id
                if query_id in nugs and record.nug_id not in nugs[query_id]:
                    return _dangling("nug_id", record.nug_id, f"a nug of query {query_id!r}")
                if record.degree is None and record.status == "ok" and not record.probabilities:
                    return Fault("degree", "is missing, although the status is ok", "missing-field")
                if record.snippet_id is not None and (fault := self._snippet(record)) is not None:
                    return fault
                if queries is not None and query_id not in queries:
                    return _dangling("query_id", query_id, "a query of this file")
                if runs is not None and record.run_id not in runs:
                    return _dangling("run_id", record.run_id, "a run of this file")
                return None
            if isinstance(record, Score | Run | Template | Document):
                return None
            if queries is not None and record.query_id not in queries:
                return _dangling("query_id", record.query_id, "a query of this file")
            run_id = None if isinstance(record, Query | Nug | Vote) else record.run_id
            if runs is not None and run_id is not None and run_id not in runs:
                return _dangling("run_id", run_id, "a run of this file")
            return self._others(record)

        return check

    def are_sound_judgements(self, batch: Batch, file: int) -> bool:
        """Whether these are all judgements without problems; checking them together is much faster.

        False only means that they must be checked one by one.
        """
        if not batch.holds_only(Judgement) or not (
            batch.is_plain or (None not in batch.column("degree") and set(batch.column("snippet_id")) == {None})
        ):
            return False
        definitions = self._definitions
        for name, known in (("query_id", definitions.queries.get(file)), ("run_id", definitions.runs.get(file))):
            if known is not None and not known.issuperset(batch.distinct(name)):
                return False
        nugs = definitions.nugs
        if not nugs:
            return True
        pairs = batch.pairs(self._sound)
        if not all(query_id not in nugs or nug_id in nugs[query_id] for query_id, nug_id in pairs):
            return False
        batch.are_sound(self._sound)
        return True

    def _others(self, record: AnyRecord) -> Fault | None:
        if isinstance(record, Response):
            return _chunks(record)
        if isinstance(record, Nugget):
            return self._snippet(record, ("spans", record.spans), ("anchor", record.anchor)) or self._revised(record)
        if isinstance(record, Reviewed) and record.run_id is None and record.snippet_id is not None:
            return Fault("run_id", "is missing, although a snippet is named", "missing-field")
        if isinstance(record, CitationJudgement):
            return self._snippet(record, ("spans", record.spans)) or self._citation(record)
        if isinstance(record, Reviewed):
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

    def _revised(self, nugget: Nugget) -> Fault | None:
        known = self._definitions.nuggets.get(nugget.query_id, {})
        for index, nugget_id in enumerate(nugget.revises):
            rest = replace(nugget, revises=nugget.revises[:index] + nugget.revises[index + 1 :])
            if nugget_id not in known:
                fault = _dangling(f"revises[{index}]", nugget_id, f"a nugget of query {nugget.query_id!r}")
                return fault._replace(repaired=rest)
            if self._leads_back(nugget, nugget_id):
                return Fault(f"revises[{index}]", f"{nugget_id!r} makes the nugget revise itself", DANGLING, rest)
        return None

    def _leads_back(self, nugget: Nugget, revised: str) -> bool:
        """Whether what a nugget revises, or what that revises, is the nugget itself."""
        waiting, seen = [revised], {revised}
        while waiting:
            nugget_id = waiting.pop()
            if nugget_id == nugget.nugget_id:
                return True
            new = set(self._definitions.revises.get((nugget.query_id, nugget_id), ())) - seen
            seen |= new
            waiting += new
        return False

    def _citation(self, judgement: CitationJudgement) -> Fault | None:
        known = self._definitions.citations.get((judgement.query_id, judgement.run_id))
        if not known or judgement.citation_id is None:
            return None
        doc_id = known.get((judgement.snippet_id, judgement.citation_id))
        if doc_id is None:
            return _dangling("citation_id", judgement.citation_id, f"a citation of snippet {judgement.snippet_id!r}")
        if doc_id != judgement.doc_id:
            message = f"is {judgement.doc_id!r}, but the citation {judgement.citation_id!r} is of {doc_id!r}"
            return Fault("doc_id", message, DANGLING)
        return None

    def _nug(self, nug: Nug) -> Fault | None:
        if nug.parent is not None:
            if nug.parent not in self._definitions.nugs.get(nug.query_id, {}):
                return _dangling("parent", nug.parent, f"a nug of query {nug.query_id!r}")
            if self._is_its_own_ancestor(nug):
                return Fault("parent", f"{nug.parent!r} makes the nug its own ancestor", DANGLING)
        known = self._definitions.nuggets.get(nug.query_id)
        for index, member in enumerate(nug.members):
            if known is not None and member.nugget_id not in known:
                fault = _dangling(
                    f"members[{index}].nugget_id", member.nugget_id, f"a nugget of query {nug.query_id!r}"
                )
                rest = nug.members[:index] + nug.members[index + 1 :]
                return fault._replace(repaired=replace(nug, members=rest))
        return None

    def _is_its_own_ancestor(self, nug: Nug) -> bool:
        seen: set[str | None] = set()
        parent = nug.parent
        while parent is not None and parent not in seen:
            if parent == nug.nug_id:
                return True
            seen.add(parent)
            above = self._definitions.kept.get((Nug, nug.query_id, parent))
            parent = above.parent if isinstance(above, Nug) else None
        return False

    def _snippet(self, record: InSnippet, *spans: tuple[str, SpanSet | None]) -> Fault | None:
        lengths = self._definitions.snippets.get((record.query_id, record.run_id or ""))
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
    """What is wrong inside a response: a snippet's id used twice, or a chunk outside its text."""
    seen: set[str] = set()
    snippets = response.snippets
    for index, snippet in enumerate(snippets):
        if snippet.snippet_id in seen:
            repaired = replace(response, snippets=snippets[:index] + snippets[index + 1 :])
            message = f"{snippet.snippet_id!r} appears twice in the response"
            return Fault(f"snippets[{index}].snippet_id", message, "duplicate-id", repaired)
        seen.add(snippet.snippet_id)
        for number, citation in enumerate(snippet.citations):
            if not _inside(citation, snippet.text):
                assert citation.chunk
                message = f"ends at {citation.chunk[-1][1]}, but the snippet has {len(snippet.text)} characters"
                citations = snippet.citations[:number] + snippet.citations[number + 1 :]
                rest = (*snippets[:index], replace(snippet, citations=citations), *snippets[index + 1 :])
                path = f"snippets[{index}].citations[{number}].chunk"
                return Fault(path, message, "span-outside", replace(response, snippets=rest))
    return None


def _inside(citation: Citation, text: str) -> bool:
    return citation.chunk is None or citation.chunk.fits(text)


def _dangling(path: str, value: str, what: str) -> Fault:
    return Fault(path, f"{value!r} is not {what}", DANGLING)
