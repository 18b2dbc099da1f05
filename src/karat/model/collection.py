"""Key and Collection: records kept together, so that one can be found from another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, cast

from msgspec.structs import replace

from karat.model.records import (
    RECORD_TYPES,
    AnyRecord,
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
    Template,
    Vote,
)

R = TypeVar("R", bound=Record)


class Key:
    """The nugs of every query, with votes."""

    def __init__(self, nugs: Iterable[Nug] = (), votes: Iterable[Vote] = ()) -> None:
        self.nugs: dict[str, dict[str, Nug]] = {}
        self.votes: dict[tuple[str, str], list[Vote]] = {}
        for nug in nugs:
            self.nugs.setdefault(nug.query_id, {})[nug.nug_id] = nug
        for vote in votes:
            self.votes.setdefault((vote.query_id, vote.nug_id), []).append(vote)

    @property
    def query_ids(self) -> list[str]:
        """The queries that have nugs, in the order of the file."""
        return list(self.nugs)

    def of(self, query_id: str) -> list[Nug]:
        """The nugs of one query; an empty list where the key does not have the query."""
        return list(self.nugs.get(query_id, {}).values())

    def children(self, nug: Nug) -> list[Nug]:
        """The nugs that an AND/OR nug is made of."""
        return [other for other in self.of(nug.query_id) if other.parent == nug.nug_id]

    def __len__(self) -> int:
        return sum(len(nugs) for nugs in self.nugs.values())


class Collection:
    """Any number of records, by kind and in order: a whole file, or several files that belong together."""

    def __init__(self, records: Iterable[Record] = (), *, judgements: Sequence[Judgement] | None = None) -> None:
        """judgements: all of them, held in another way than as a list; the records have none then."""
        by_kind: dict[type[Record], list[Record]] = {kind: [] for kind in RECORD_TYPES}
        for record in records:
            by_kind[type(record)].append(record)
        self._by_kind: dict[type[Record], Sequence[Record]] = {**by_kind}
        if judgements is not None:
            self._by_kind[Judgement] = judgements

    def __iter__(self) -> Iterator[AnyRecord]:
        """All records, definitions before their uses."""
        for kind in RECORD_TYPES:
            yield from cast(list[AnyRecord], self._by_kind[kind])

    def __len__(self) -> int:
        return sum(len(records) for records in self._by_kind.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collection) and self._by_kind == other._by_kind

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{len(self._by_kind[kind])} {kind.__name__}" for kind in RECORD_TYPES if self._by_kind[kind]
        )
        return f"<Collection: {counts or 'empty'}>"

    def of(self, kind: type[R]) -> list[R]:
        """The records of one kind."""
        # Judgements of files are no list, but a sequence that makes its records when they are wanted.
        return cast(list[R], self._by_kind[kind])

    @property
    def templates(self) -> list[Template]:
        return self.of(Template)

    @property
    def queries(self) -> list[Query]:
        return self.of(Query)

    @property
    def runs(self) -> list[Run]:
        return self.of(Run)

    @property
    def documents(self) -> list[Document]:
        return self.of(Document)

    @property
    def responses(self) -> list[Response]:
        return self.of(Response)

    @property
    def relevances(self) -> list[Relevance]:
        return self.of(Relevance)

    @property
    def nuggets(self) -> list[Nugget]:
        return self.of(Nugget)

    @property
    def nugs(self) -> list[Nug]:
        return self.of(Nug)

    @property
    def votes(self) -> list[Vote]:
        return self.of(Vote)

    @property
    def judgements(self) -> list[Judgement]:
        return self.of(Judgement)

    @property
    def citation_judgements(self) -> list[CitationJudgement]:
        return self.of(CitationJudgement)

    @property
    def reviewed(self) -> list[Reviewed]:
        return self.of(Reviewed)

    @property
    def scores(self) -> list[Score]:
        return self.of(Score)

    @property
    def key(self) -> Key:
        """The nugs and votes as a Key."""
        return Key(self.nugs, self.votes)

    def query_texts(self) -> dict[str, str]:
        """The text of each query by its id."""
        return {query.query_id: query.text for query in self.queries}


def with_run_name(record: R, name: str, *, several: bool) -> R:
    """The record with its run called `name`; where its file has several runs, `name/run_id`.

    Two versions of one system often come with the same run id: under different names they can be compared.
    """
    run_id: str | None = getattr(record, "run_id", None)
    if run_id is None:
        # Not every kind of record has a run.
        return record
    return replace(record, run_id=f"{name}/{run_id}" if several else name)  # type: ignore[call-arg,unused-ignore]
