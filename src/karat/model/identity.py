"""Which fields identify a record, how ids are made, and the hash of a key.

Two records with the same identity are about the same thing; two keys with the same hash give the same scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from hashlib import blake2b
from operator import attrgetter

from msgspec.structs import replace

from karat.model.records import (
    CitationJudgement,
    Document,
    Judgement,
    Nug,
    Nugget,
    Query,
    Record,
    Relevance,
    Response,
    Reviewed,
    Run,
    Score,
    Snippet,
    Template,
    Vote,
)


def content_id(*parts: str) -> str:
    """Sixteen hex digits made from the content: the same text has the same id in every file and on every machine.

    >>> content_id("born in Brooklyn")
    'd27c861053a67bdd'
    """
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        # The length keeps ("ab", "c") and ("a", "bc") apart.
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


class ContentIds:
    """Makes content ids within one query; a repeated text gets a number at the end, so no id occurs twice."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def next(self, *parts: str) -> str:
        """The id of the next thing with this content: `id`, then `id-2`, `id-3`, ..."""
        first = content_id(*parts)
        self._seen[first] += 1
        times = self._seen[first]
        return first if times == 1 else f"{first}-{times}"


class NuggetIds:
    """Makes ids of nuggets from their place and who marked them; the second of two equal ids gets a number."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()

    def named(self, nugget: Nugget, nugget_id: str | None = None) -> Nugget:
        """The nugget with the given id, or otherwise with the next id made from its content."""
        chosen = nugget_id or self._next(nugget)
        self._taken.add((nugget.query_id, chosen))
        return replace(nugget, nugget_id=chosen)

    def would_be(self, nugget: Nugget) -> bool:
        """Whether `named` would give this nugget, if it came next, the id that it already has."""
        expected = self._next(nugget)
        self._taken.add((nugget.query_id, nugget.nugget_id))
        return expected == nugget.nugget_id

    def _next(self, nugget: Nugget) -> str:
        where = f"{nugget.run_id}\t{nugget.snippet_id}\t{list(nugget.spans)}"
        first = content_id(where, nugget.type or "", nugget.source, nugget.assessor or "")
        chosen, times = first, 1
        while (nugget.query_id, chosen) in self._taken:
            times += 1
            chosen = f"{first}-{times}"
        return chosen


def with_citation_ids(response: Response) -> Response:
    """The response with an id for each citation; those without get `c1`, `c2`, ... by their place in the snippet.

    An id that another citation of the snippet has gets a number at the end.
    """
    return replace(response, snippets=tuple(map(_cited, response.snippets)))


def _cited(snippet: Snippet) -> Snippet:
    if all(citation.citation_id is not None for citation in snippet.citations):
        return snippet
    taken = {citation.citation_id for citation in snippet.citations}
    citations = []
    for place, citation in enumerate(snippet.citations, 1):
        if citation.citation_id is None:
            chosen, times = f"c{place}", 1
            while chosen in taken:
                times += 1
                chosen = f"c{place}-{times}"
            taken.add(chosen)
            citation = replace(citation, citation_id=chosen)
        citations.append(citation)
    return replace(snippet, citations=tuple(citations))


CitationUnit = tuple[str, str, str, str, str, str]
"""Query, run, snippet, nugget ("": the snippet), document and citation ("": the document)."""


def citation_units(judgements: Iterable[CitationJudgement]) -> Callable[[CitationJudgement], CitationUnit]:
    """What each of these judgements is about.

    Two citations of one document in a snippet are distinguished by their ids where all judgements of the document name
    one; where one of them names only the document, they are all about the document.
    """
    unnamed = {_document(judgement) for judgement in judgements if judgement.citation_id is None}

    def unit(judgement: CitationJudgement) -> CitationUnit:
        document = _document(judgement)
        return *document, "" if judgement.citation_id is None or document in unnamed else judgement.citation_id

    return unit


def _document(judgement: CitationJudgement) -> tuple[str, str, str, str, str]:
    return judgement.query_id, judgement.run_id, judgement.snippet_id, judgement.nugget_id or "", judgement.doc_id


Identifier = str | bool | None
IDENTITY_FIELDS: dict[type[Record], tuple[str, ...]] = {
    Template: ("template_id",),
    Query: ("query_id",),
    Run: ("run_id",),
    Document: ("doc_id",),
    Response: ("query_id", "run_id"),
    Relevance: ("query_id", "run_id", "snippet_id", "assessor", "adjudicated"),
    Nugget: ("query_id", "nugget_id"),
    Nug: ("query_id", "nug_id"),
    Vote: ("query_id", "nug_id", "assessor", "occasion", "adjudicated"),
    Judgement: ("query_id", "run_id", "snippet_id", "nug_id", "judge", "assessor", "adjudicated"),
    CitationJudgement: (
        "query_id", "run_id", "snippet_id", "nugget_id", "doc_id", "citation_id", "assessor", "adjudicated",
    ),
    Reviewed: ("query_id", "run_id", "snippet_id", "step", "assessor", "adjudicated"),
    Score: ("run_id", "query_id", "measure", "signature"),
}  # fmt: skip
# attrgetter gives a tuple only for two or more fields, so `v` is added to a single one; it is the same in all records.
_IDENTITIES: dict[type[Record], Callable[[Record], tuple[Identifier, ...]]] = {
    kind: attrgetter(*(fields if len(fields) > 1 else (*fields, "v"))) for kind, fields in IDENTITY_FIELDS.items()
}
DEFINITIONS: frozenset[type[Record]] = frozenset({Template, Query, Run, Document, Response, Nugget, Nug})
"""The records that others refer to."""


def identity(record: Record) -> tuple[Identifier, ...]:
    """The values that together may occur only once among the records of a kind."""
    return _IDENTITIES[type(record)](record)


def identity_text(record: Record) -> str:
    """The identity in words, for a message: `query_id 'q1', nug_id 'n2'`."""
    named = ((field, getattr(record, field)) for field in IDENTITY_FIELDS[type(record)])
    return ", ".join(f"{field} {value!r}" for field, value in named if value is not None)


KEY_SETTING = "key"
"""The name of the hash in a signature: `key:0f3c...`."""
NUG_TIME = "timestamp"
"""The one unknown field of a nug that measures read: when it became known (TREC Temporal Summarization)."""


class KeyHash:
    """Sixteen hex digits made from nugs and votes, whatever their order; records can be added one by one.

    What counts is all that a measure or a judge reads. Of a nug: query and id (judgements name them), descriptions,
    importance, weight, relevance, members, aggregator, parent, world knowledge, whose it is, whether it is adjudicated,
    and its timestamp. Of a vote: all fields. Other fields (notes, creators, unknown ones) do not count, nor do the
    texts of queries: they are no part of a key. A record that is given twice counts once.

    >>> fox = Nug(query_id="q", nug_id="1", descriptions=("a red fox",))
    >>> sky = Nug(query_id="q", nug_id="2", descriptions=("a blue sky",))
    >>> key_hash([fox, sky]) == key_hash([sky, fox])
    True
    """

    def __init__(self) -> None:
        self._parts: set[str] = set()

    def add(self, records: Iterable[Record]) -> None:
        """Add the nugs and votes among the records."""
        for record in records:
            if isinstance(record, Nug):
                self._parts.add(_nug_hash(record))
            elif isinstance(record, Vote):
                self._parts.add(_vote_hash(record))

    def hexdigest(self) -> str | None:
        """The hash of what was added; None where that was nothing."""
        return content_id(*sorted(self._parts)) if self._parts else None


def key_hash(records: Iterable[Record]) -> str | None:
    """The hash of the nugs and votes among the records; None where there are none."""
    hashed = KeyHash()
    hashed.add(records)
    return hashed.hexdigest()


def key_setting(nugs: Collection[Nug], votes: Iterable[Vote]) -> dict[str, str]:
    """The hash of a key as a setting of a signature; nothing where there are no nugs."""
    hashed = key_hash((*nugs, *votes)) if nugs else None
    return {} if hashed is None else {KEY_SETTING: hashed}


def _nug_hash(nug: Nug) -> str:
    members = sorted(f"{member.nugget_id}\t{float(member.degree)!r}" for member in nug.members)
    return content_id(
        "nug", nug.query_id, nug.nug_id, content_id(*nug.descriptions), nug.importance or "", _number(nug.weight),
        _number(nug.relevance), content_id(*members), nug.aggregator or "", _text(nug.parent),
        str(bool(nug.world_knowledge)), _text(nug.assessor), str(bool(nug.adjudicated)), _text(nug.extra.get(NUG_TIME)),
    )  # fmt: skip


def _vote_hash(vote: Vote) -> str:
    value = vote.value if isinstance(vote.value, str) else _number(vote.value)
    return content_id(
        "vote", vote.query_id, vote.nug_id, vote.assessor, _text(vote.occasion), value, str(bool(vote.primary)),
        str(bool(vote.adjudicated)),
    )  # fmt: skip


def _number(value: float | None) -> str:
    # -0.0 is 0.0.
    return "" if value is None else repr(float(value) + 0.0)


def _text(value: object) -> str:
    """An empty text is not the same as none."""
    return "" if value is None else f"={value}"
