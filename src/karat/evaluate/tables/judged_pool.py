"""From the judged pool to the runs: the judgements of a snippet count for every run that sent it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import cast

import msgspec

from karat.formats.karat.judgement_columns import JudgementColumns
from karat.model import AnyRecord, Collection, Document, Judgement, Query, Response, Run, Snippet, Template
from karat.model.default_names import POOL
from karat.model.identity import identity

_LAST_PART = re.compile(r"[^.\s:/_-]+$")


class SpreadCollection(msgspec.Struct, frozen=True, kw_only=True):
    """A collection whose runs have the pool's judgements, and notes about what is unknown."""

    collection: Collection
    notes: tuple[str, ...] = ()


def spread_pool(collection: Collection) -> SpreadCollection:
    """Every judgement of a snippet in the pool is copied to every run that sent the snippet; the pool disappears.

    TREC Temporal Summarization judges a sample of all runs' sentences once. A run's snippet `id#2` is the pool's `id`,
    sent again. A snippet of the pool that repeats another (`duplicate_id`) was judged as that one, and the run's
    snippet takes over its text, where it has none, so that spans fit. A run's query `11` is the key's `TS14.11`: an id
    that the key does not have joins the one id of the key whose last part it is.

    There is a pool where the run "pool" has judgements, all of snippets, and some other run has answers but no
    judgements; any other collection comes back as it is.
    """
    sent = [response for response in collection.responses if response.run_id != POOL]
    if not _has_pool(collection, sent):
        return SpreadCollection(collection=collection)
    joined, notes = _join_queries(collection, sent)
    pool = _Pool(collection)
    records: list[AnyRecord] = []
    for record in _renamed(collection, joined):
        if isinstance(record, Response):
            response, judgements = pool.judge(record)
            records += (response, *judgements)
        else:
            records.append(record)
    return SpreadCollection(collection=Collection(records), notes=(*notes, *pool.notes()))


def _has_pool(collection: Collection, sent: Iterable[Response]) -> bool:
    held = collection.judgements
    judged = held.run_ids() if isinstance(held, JudgementColumns) else {judgement.run_id for judgement in held}
    if POOL not in judged:
        return False
    whole = any(judgement.run_id == POOL and judgement.snippet_id is None for judgement in collection.judgements)
    return not whole and any(response.run_id not in judged for response in sent)


class _Pool:
    """The pool's snippets and judgements by query and snippet id; counts the snippets that were looked up."""

    def __init__(self, collection: Collection) -> None:
        self.snippets: dict[tuple[str, str], Snippet] = {}
        self.judgements: dict[tuple[str, str], list[Judgement]] = {}
        self.sent: Counter[str] = Counter()
        self.unjudged: Counter[str] = Counter()
        for response in collection.responses:
            if response.run_id == POOL:
                self.snippets |= {(response.query_id, snippet.snippet_id): snippet for snippet in response.snippets}
        for judgement in collection.judgements:
            if judgement.run_id == POOL and judgement.snippet_id is not None:
                self.judgements.setdefault((judgement.query_id, judgement.snippet_id), []).append(judgement)
        self.queries_with_texts = {query_id for query_id, _ in self.snippets}
        """The queries whose judged snippets are all known, matched or not."""
        self.untold: set[str] = set()

    def judge(self, response: Response) -> tuple[Response, list[Judgement]]:
        """The response with the texts, and the judgements, that the pool has for it."""
        snippets: list[Snippet] = []
        judgements: list[Judgement] = []
        query_id, run_id = response.query_id, response.run_id
        for snippet in response.snippets:
            place = self._place(query_id, snippet.snippet_id)
            if place is None:
                self.unjudged[run_id] += 1
            else:
                judgements += (
                    msgspec.structs.replace(judgement, run_id=run_id, snippet_id=snippet.snippet_id)
                    for judgement in self.judgements.get(place, ())
                )
                if not snippet.text and place in self.snippets:
                    snippet = msgspec.structs.replace(snippet, text=self.snippets[place].text)
            snippets.append(snippet)
        self.sent[run_id] += len(snippets)
        if snippets and query_id not in self.queries_with_texts:
            self.untold.add(query_id)
        return msgspec.structs.replace(response, snippets=tuple(snippets)), judgements

    def _place(self, query_id: str, snippet_id: str) -> tuple[str, str] | None:
        """The place in the pool that was judged for a run's snippet; None where none was."""
        place = (query_id, snippet_id)
        if place not in self.snippets and place not in self.judgements:
            first, mark, number = snippet_id.rpartition("#")
            place = (query_id, first)
            if not mark or not number.isdigit() or (place not in self.snippets and place not in self.judgements):
                return None
        if place in self.snippets:
            # One step only: the official scores do not go on from a duplicate's duplicate.
            original = (query_id, str(self.snippets[place].extra.get("duplicate_id")))
            return original if original in self.snippets else place
        return place

    def notes(self) -> Iterator[str]:
        for run_id, unjudged in self.unjudged.items():
            yield (
                f"run {run_id}: {unjudged} of {self.sent[run_id]} snippets are not in the judged pool; "
                "they count as saying nothing"
            )
        if self.untold:
            yield f"{_listed(self.untold)}: no file says which snippets were judged, only which matched"


def _join_queries(collection: Collection, sent: Iterable[Response]) -> tuple[dict[str, str], list[str]]:
    """The key's query_id for each query_id of the runs that the key does not have, and notes about it."""
    known = dict.fromkeys(nug.query_id for nug in collection.nugs)
    known |= dict.fromkeys(judgement.query_id for judgement in collection.judgements if judgement.run_id == POOL)
    by_last_part: dict[str, list[str]] = {}
    for query_id in known:
        if (last := _LAST_PART.search(query_id)) is not None:
            by_last_part.setdefault(last[0], []).append(query_id)
    joined: dict[str, str] = {}
    notes: list[str] = []
    asked = [response.query_id for response in sent] + [query.query_id for query in collection.queries]
    for query_id in dict.fromkeys(asked):
        candidates = by_last_part.get(query_id, []) if query_id not in known else []
        if len(candidates) == 1:
            joined[query_id] = candidates[0]
        elif candidates:
            notes.append(f"query {query_id} may be {' or '.join(candidates)}: not joined")
    if joined:
        notes.insert(0, f"queries joined by their number: {', '.join(f'{a} is {b}' for a, b in joined.items())}")
    return joined, notes


def _renamed(collection: Collection, joined: dict[str, str]) -> Iterator[AnyRecord]:
    """All records but the pool's, under the key's query ids where that gives no two records the same id."""
    taken = {(type(record), identity(record)) for record in (*collection.queries, *collection.responses)}
    for record in collection:
        if getattr(record, "run_id", None) == POOL:
            continue
        if not isinstance(record, Run | Template | Document) and record.query_id in joined:
            renamed = cast(AnyRecord, msgspec.structs.replace(record, query_id=joined[record.query_id]))
            if not isinstance(renamed, Query | Response) or (type(renamed), identity(renamed)) not in taken:
                record = renamed
        yield record


def _listed(query_ids: Iterable[str]) -> str:
    ids = sorted(query_ids)
    return f"quer{'y' if len(ids) == 1 else 'ies'} {', '.join(ids[:5])}{', ...' if len(ids) > 5 else ''}"
